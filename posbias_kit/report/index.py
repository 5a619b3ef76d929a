"""The first page of a run: warnings, what was asked, every figure and table, where it is from."""

import base64

import nbformat
import pandas as pd
from markupsafe import Markup

from posbias_kit.report.answers import answer_questions
from posbias_kit.report.arms import front_rows
from posbias_kit.report.captions import files_of
from posbias_kit.report.decisions import tell_outcomes
from posbias_kit.report.files import read_csv, read_params, read_table, write_text
from posbias_kit.report.html import fill_template, limits_html, notebook_title
from posbias_kit.report.layout import tidy
from posbias_kit.report.tables import table_html

HEADLINES = (
    "figures/consistency_fairness.png", "figures/noise_or_position.png", "figures/order_effect.png",
)  # fmt: skip
"""The figures that the first page shows."""


def write_index(folder, manifest):
    """Write ``index.html`` of a run.

    Parameters
    ----------
    folder : Path
        The run's folder; its params.yaml, figures, tables and executed notebooks are read.
    manifest : dict
        See :mod:`posbias_kit.report.provenance`.
    """
    findings_first = sorted(manifest["stages"], key=lambda record: record["name"] != "summary")
    study = read_params(folder)
    page = fill_template(
        "run.html.j2",
        manifest=manifest,
        warnings=_warnings(folder, manifest),
        outcomes=tell_outcomes(folder),
        answers=answer_questions(folder, study),
        headlines=[figure for name in HEADLINES if (figure := _result(folder, name))],
        judges=_judges(folder),
        asked=_listing(_asked(study)),
        chapters=[_chapter(folder, record) for record in findings_first],
        provenance=_listing(_provenance(manifest)),
        inputs=_inputs(manifest),
    )
    write_text(folder / "index.html", page + "\n")


def _safe(html):
    """Mark HTML as escaped: everything passed here comes from `table_html` or a cleaner."""
    return Markup(html)  # noqa: S704


def _table_of(frame):
    return _safe(tidy(table_html(frame)))


def _listing(pairs):
    return _table_of(pd.DataFrame(pairs, columns=["key", "value"], dtype="str"))


def _warnings(folder, manifest):
    found = []
    for record in manifest["stages"]:
        notebook, reason = record["notebook"], record["reason"]
        if record["status"] == "failed":
            found.append(f"{notebook} failed: {reason}")
        elif record["status"] == "reused" and reason:
            found.append(f"{notebook} is out of date, of {record['ended']}: {reason}")
        elif reason == "not reached":
            found.append(f"{notebook} has not run")
    return found + _counts(folder)


def _counts(folder):
    """Say how many verdicts are missing, where a stage has counted them."""
    counts = read_table(folder, "verdict_counts")
    if counts is None:
        return []
    names = [name for name in ("invalid", "failed", "identical") if name in counts]
    said = [f"{counts[name].sum():.0f} {name}" for name in names if counts[name].sum() > 0]
    asked = f" of {counts['asked'].sum():.0f} asked" if "asked" in counts else ""
    return [f"Presentations without a verdict{asked}: {', '.join(said)}"] if said else []


def _judges(folder):
    summary = read_table(folder, "summary")
    if summary is None:
        return ""
    table = front_rows(summary)
    alike = [
        key for key in ("benchmark", "experiment") if key in table and len(set(table[key])) < 2
    ]
    return _table_of(table.drop(columns=alike))


def _asked(study):
    pairs = [(key, value) for key, value in study.items() if not isinstance(value, dict)]
    pairs += [("families", study["families"])] if study["families"] else []
    planned = study["judging"] is not None
    for section in ("data_preparation", "judging"):
        for key, value in (study[section] or {}).items():
            if not planned and key in ("plan", "sample"):
                continue  # judgments were read, nothing was planned
            if key == "judges":
                value = [f"{judge['name']} ({judge['kind']})" for judge in value]
            pairs.append((f"{section}.{key}", value))
    return [(key, _short(value)) for key, value in pairs if _short(value)]


def _short(value):
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_short(item)}" for key, item in value.items() if _short(item))
    return "" if value is None else str(value)


def _chapter(folder, record):
    stem = record["notebook"].removesuffix(".ipynb")
    executed, page = folder / record["notebook"], folder / f"{stem}.html"
    partial = folder / f"{stem}.failed.ipynb"
    done = record["status"] in ("run", "reused") and executed.is_file()
    notebook = nbformat.read(executed, as_version=4) if done else None
    return {
        "name": record["name"],
        "notebook": record["notebook"],
        "title": notebook_title(notebook) if done else record["name"],
        "page": page.name if done and page.is_file() else None,
        "partial": partial.name if partial.is_file() else None,
        "status": _status(record),
        "results": [result for name in record["files"] if (result := _result(folder, name))],
        "limits": _safe(limits_html(notebook)) if done else "",
    }


def _status(record):
    if record["status"] == "reused":
        return f"unchanged since {record['ended'][:16].replace('T', ' ')}"
    reason = record["reason"] if record["status"] == "skipped" else ""
    return ", ".join(filter(None, (record["status"], reason)))


def _result(folder, name):
    """Return what a table or figure is called, and its files; None where it is not there."""
    path = folder / name
    if not path.is_file():
        return None
    if name.startswith("figures/") and name.endswith(".png"):
        return _figure(path, folder)
    if name.startswith("tables/") and name.endswith(".csv"):
        rows = max(len(read_csv(path)), 0)
        said = f"{rows:,} row{'' if rows == 1 else 's'}"
        files = files_of("table", path.stem, folder)
        return {"kind": "table", "title": path.stem, "files": files, "said": said}
    if name.startswith("sheets/"):
        kind = path.suffix[1:].upper()
        return {"kind": "sheet", "title": f"{path.stem} as a sheet", "files": {kind: name}}
    return None


def _figure(path, folder):
    from PIL import Image

    with Image.open(path) as picture:
        about = dict(picture.info)
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return {
        "kind": "figure",
        "title": about.get("Title", path.stem),
        "alt": about.get("Description", ""),
        "source": f"data:image/png;base64,{data}",
        "files": files_of("figure", path.stem, folder),
        "said": "",
    }


def _provenance(manifest):
    packages = ", ".join(f"{name} {version}" for name, version in manifest["packages"].items())
    pairs = [
        ("posbias_kit", manifest["posbias_kit"]),
        ("commit", manifest["commit"] or "none: not a git checkout"),
        ("Python", f"{manifest['python']}, {manifest['platform']}"),
        ("packages", packages),
        ("seed", manifest["seed"]),
        ("started", manifest["started"]),
        ("ended", manifest["ended"] or "not yet"),
    ]
    for record in manifest["stages"]:
        if record.get("fingerprint"):
            said = f"{record['seconds']:.1f} s, ended {record['ended']}, {record['fingerprint']}"
            pairs.append((f"{record['name']}: time and fingerprint", said))
    return [(key, str(value)) for key, value in pairs]


def _inputs(manifest):
    rows = [
        (stage, path, file, digest)
        for stage, paths in manifest["inputs"].items()
        for path, files in paths.items()
        for file, digest in files.items()
    ]
    if not rows:
        return ""
    columns = ["stage", "path", "file", "sha256"]
    return _table_of(pd.DataFrame(rows, columns=columns))
