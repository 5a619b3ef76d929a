"""Where a run comes from: versions, digests of code and inputs, and what each stage wrote."""

import json
import platform
import re
import shutil
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import posbias_kit
from posbias_kit.errors import ReadError
from posbias_kit.judging.recorded import recording_file
from posbias_kit.report.files import digest, digest_text, digest_tree, write_text

_NOT_RESULTS = re.compile(
    r"manifest\.json|params\.yaml|index\.html|.*\.(partial|failed)\.ipynb|.*-(wal|shm|journal)"
)


_CAME_BACK = ("reviews.parquet", "refused.csv")
"""What `posbias review import` leaves in a run: chapter 07 is out of date where it changes."""


def now():
    """Return the time as ISO 8601 text, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def describe_versions(root):
    """Name the versions a run is made with.

    Parameters
    ----------
    root : Path
        The project, asked for its commit.

    Returns
    -------
    dict
        posbias_kit, python, platform, commit (None outside git, `-dirty` with uncommitted
        changes) and packages.
    """
    return {
        "posbias_kit": posbias_kit.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "commit": _commit(root),
        "packages": _packages(),
    }


def _commit(root):
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    asked = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603
    return asked.stdout.strip() or None


def _packages():
    try:
        needed = metadata.requires("posbias-kit") or []
    except metadata.PackageNotFoundError:
        return {}
    names = [re.match(r"[\w.-]+", line)[0] for line in needed if "extra ==" not in line]
    return {name: metadata.version(name) for name in sorted(names, key=str.lower)}


def digest_package(rooms=None):
    """Return one digest of the kit's own files.

    Parameters
    ----------
    rooms : collection of str, optional
        Only these rooms and the ground floor, without the command line; by default all.
    """
    files = digest_tree(Path(posbias_kit.__file__).parent)
    if rooms is not None:
        files = {
            name: value
            for name, value in files.items()
            if name != "__main__.py" and ("/" not in name or name.split("/")[0] in rooms)
        }
    return digest_text(json.dumps(files))


def digest_inputs(study, root):
    """Return the digests of the files that a study reads, by stage and path.

    Parameters
    ----------
    study : dict
        The whole study.
    root : Path
        The project; relative paths start there, as the notebooks do.

    Returns
    -------
    dict
        stage -> path as given -> file -> SHA-256

    Raises
    ------
    ReadError
        A path is missing or holds nothing.
    """
    judges = (study["judging"] or {}).get("judges", [])
    read = study["data_preparation"]["path"]
    paths = {
        "data_preparation": read if isinstance(read, list) else [read],
        "judging": [judge["path"] for judge in judges if judge["kind"] == "recorded"],
    }
    came_back = [f"outputs/{study['run_name']}/review/{name}" for name in _CAME_BACK]
    came_back = [path for path in came_back if (root / path).is_file()]
    paths |= {"review": came_back} if came_back else {}
    if study["summary"]["pilot"]:
        paths["summary"] = [f"outputs/{study['summary']['pilot']}/tables/pilot.csv"]
    return {
        stage: {
            path: _digest_input(root / recording_file(path), f"{stage}: {path}")
            for path in named
            if path
        }
        for stage, named in paths.items()
    }


def _digest_input(path, place):
    files = digest_tree(path) if path.exists() else {}
    if not files:
        raise ReadError(
            "no such file or folder" if not path.exists() else "an empty folder",
            place=place,
            cure="give a path that exists; a relative one starts at the project's folder",
        )
    return files


def snapshot(folder):
    """Return when each file of a run was last written, leaving out what describes the run."""
    return {
        file.relative_to(folder).as_posix(): (file.stat().st_mtime_ns, file.stat().st_size)
        for file in folder.rglob("*")
        if file.is_file()
        and not file.name.startswith(".")
        and not _NOT_RESULTS.fullmatch(file.name)
    }


def written_since(folder, before):
    """Return the digests of the files written since a snapshot, in the order of writing."""
    after = snapshot(folder)
    names = [name for name in after if after[name] != before.get(name)]
    return {name: digest(folder / name) for name in sorted(names, key=lambda name: after[name])}


def changed_file(folder, files):
    """Return the first of the recorded files that is missing or not as it was, or None."""
    for name, known in files.items():
        path = folder / name
        if not path.is_file() or digest(path) != known:
            return name
    return None


def read_manifest(folder):
    """Return the manifest of an earlier run in this folder; empty without a readable one."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def write_manifest(folder, manifest):
    """Write the manifest of a run."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    write_text(folder / "manifest.json", text + "\n")
