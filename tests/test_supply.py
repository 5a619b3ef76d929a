"""What the package rests on, and what it never does: unpickle, run text, call home."""

import ast
import re
import subprocess
import sys

import pytest
from notebook_files import ROOT

from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.params import read_study
from posbias_kit.report.imports import read_to_file

FILES = sorted((ROOT / "posbias_kit").rglob("*.py"))
PICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
SPREADING = {"Parallel", "delayed", "parallel_config"}
"""What of joblib reads no file: it calls functions, here or on the workers of a study's cluster."""
RUNNING = {"eval", "exec", "__import__", "compile"}
UNSAFE = {"read_pickle", "to_pickle", "unsafe_load", "full_load", "load_all", "system", "popen"}
EVIL = "run_name: !!python/object/apply:os.system ['touch was_here']\n"
QUIET = """
import pkgutil, sys
def refuse(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "urllib.Request"):
        raise SystemExit(f"{event} {given}")
sys.addaudithook(refuse)
import posbias_kit
for module in pkgutil.walk_packages(posbias_kit.__path__, "posbias_kit."):
    if not module.name.endswith("__main__"):
        __import__(module.name)
print("quiet")
"""


def _called(tree):
    """Yield the name of each function that is called, and whether it is an attribute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id, False, node
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr, True, node


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_unpickled_and_no_text_is_run(path):
    """No pickle, no eval, no shell, no YAML loader but the safe one."""
    tree = ast.parse(path.read_text("utf-8"))
    imported = {alias.name.split(".")[0] for node in ast.walk(tree)
                if isinstance(node, ast.Import) for alias in node.names}  # fmt: skip
    imported |= {(node.module or "").split(".")[0] for node in ast.walk(tree)
                 if isinstance(node, ast.ImportFrom)
                 and not {alias.name for alias in node.names} <= SPREADING}  # fmt: skip

    assert not imported & PICKLING
    for name, attribute, call in _called(tree):
        assert attribute or name not in RUNNING, name
        assert not attribute or name not in UNSAFE, name
        if attribute and name == "load" and ast.unparse(call.func.value) == "yaml":
            pytest.fail("yaml.load")
        options = {option.arg: ast.unparse(option.value) for option in call.keywords}
        assert options.get("shell") != "True"
        assert options.get("allow_pickle") != "True"


def test_no_file_of_the_package_runs_by_itself():
    """No .pth file, no pickle, no compiled code of another origin."""
    endings = {path.suffix for path in (ROOT / "posbias_kit").rglob("*") if path.is_file()}

    assert not endings & {".pth", ".pkl", ".pickle", ".so", ".dll", ".pyd", ".joblib", ".npy"}


def test_yaml_makes_no_objects(tmp_path, monkeypatch):
    """A study, a setting or a mapping that asks for a Python object is refused, and nothing ran."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.yaml"
    path.write_text(EVIL, encoding="utf-8")
    with pytest.raises(ParamsError, match="not readable as YAML"):
        read_study(path)
    with pytest.raises(ReadError, match="not readable as YAML"):
        read_to_file("table", [str(path)], tmp_path / "o.parquet", mapping=path)
    with pytest.raises(ParamsError, match="is not YAML"):
        read_study(ROOT / "params" / "demo.yaml", [EVIL.replace(": ", "=", 1).strip()])

    assert not (tmp_path / "was_here").exists()


def test_importing_the_kit_asks_nobody():
    """Every module is imported while the system refuses any connection."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", QUIET], capture_output=True, text=True, check=False,
        cwd=ROOT,
    )  # fmt: skip

    assert done.stdout == "quiet\n", done.stdout + done.stderr[-2000:]


def test_make_installs_by_hash_alone():
    """Each install of the Makefile names a hashed lock, or the kit itself without dependencies."""
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    installs = [line for line in lines if re.search(r"pip (install|sync)|-m pip install", line)]

    assert len(installs) >= 4
    loose = [
        line for line in installs if "--require-hashes" not in line and "--no-deps" not in line
    ]
    assert [line.strip() for line in loose if "pip-audit" not in line] == []
