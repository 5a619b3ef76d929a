"""Every file that states a version or a dependency says the same."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec

import posbias_kit

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = [Requirement(line) for line in PROJECT["dependencies"]]
DEV = [Requirement(line) for line in PROJECT["optional-dependencies"]["dev"]]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA_LINES = [line for line in CONDA["dependencies"] if isinstance(line, str)]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def _pins():
    """Return the lock as [(name, version, text of the entry)]; a name may stand twice."""
    entries = re.split(r"\n(?=[A-Za-z0-9])", LOCK.strip())
    heads = [re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", entry) for entry in entries]
    assert all(heads), "an entry of the lock does not pin a version"
    return [(canonicalize_name(h[1]), h[2], e) for h, e in zip(heads, entries, strict=True)]


def test_environment_has_the_shape_conda_reads():
    """The conda file has a name, one channel, and pip installs only the package itself."""
    assert set(CONDA) == {"name", "channels", "dependencies"}
    assert CONDA["name"] == "posbias"
    assert CONDA["channels"] == ["conda-forge"]
    assert [d for d in CONDA["dependencies"] if not isinstance(d, str)] == [{"pip": ["-e ."]}]
    assert "pip" in CONDA_LINES


@pytest.mark.parametrize("line", CONDA_LINES)
def test_environment_line_is_a_match_spec(line):
    """Each conda line parses strictly and names a package."""
    assert MatchSpec(line, strict=True).name is not None


def test_environment_states_the_bounds_of_pyproject():
    """Names and bounds equal those of pyproject.toml, Python included."""
    specs = [MatchSpec(line, strict=True) for line in CONDA_LINES if line != "pip"]
    conda = {spec.name.normalized: _bounds(spec.version) for spec in specs}
    expected = {canonicalize_name(r.name): _bounds(r.specifier) for r in RUNTIME}
    expected["python"] = _bounds(PROJECT["requires-python"])

    assert conda == expected


def _bounds(specifier):
    return {part.strip() for part in str(specifier).split(",")}


def test_lock_has_hashes_for_every_package():
    """Every entry of the lock carries at least one SHA-256."""
    bare = [n for n, _, entry in _pins() if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)]

    assert bare == []


@pytest.mark.parametrize("requirement", [*RUNTIME, *DEV], ids=lambda r: r.name)
def test_lock_pins_direct_dependency_within_bounds(requirement):
    """Every version that the lock pins for a direct dependency lies in its bounds."""
    name = canonicalize_name(requirement.name)
    versions = [version for pinned, version, _ in _pins() if pinned == name]

    assert versions, f"{name} is not in requirements.lock: run `make lock`"
    outside = [version for version in versions if version not in requirement.specifier]
    assert outside == [], f"{name}: run `make lock`"


def test_lock_names_no_registry():
    """The lock holds no address, so it works with any package index."""
    assert "://" not in LOCK
    assert not re.search(r"^-", LOCK, re.M)


def test_versions_agree():
    """CITATION.cff and the newest release of the changelog state the package's version."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d[^\]]*)\]", changelog, re.M)[1]

    assert PROJECT["dynamic"] == ["version"]
    assert citation["version"] == newest == posbias_kit.__version__
    assert citation["license"] == PROJECT["license"]
