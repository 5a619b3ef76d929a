"""Several studies by one command: here or as tasks; one that fails stops no other."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from conftest import make_notebook, study_of

from posbias_kit.__main__ import cli
from posbias_kit.errors import ParamsError, RunError
from posbias_kit.report import chain, many
from posbias_kit.report.stages import active_stages

DIES_ONCE = """
import os, signal
from pathlib import Path
flag = Path("outputs", "died")
if run_name == "first" and not flag.exists():
    flag.touch()
    os.kill(os.getppid(), signal.SIGKILL)  # the worker whose kernel this is
assert run_name != "second", "made to fail"
"""


@pytest.fixture
def studies(tmp_path, monkeypatch):
    """Return three study files of a small project whose second study fails."""
    for name in ("notebooks", "data", "params", "outputs"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "replies.tsv").write_text("reply\n", encoding="utf-8")
    for stage in active_stages():
        make_notebook(tmp_path, stage, [DIES_ONCE])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    return [write(name) for name in ("first", "second", "third")]


def write(name, **changes):
    """Write a study file and return its path."""
    path = Path("params", f"{name}.yaml")
    study = study_of(run_name=name, families={}) | changes
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    return path


@pytest.fixture
def ran(monkeypatch):
    """Stand in for the chain; return what it was asked to run."""
    names = []

    def run_study(path, settings, **choice):
        names.append(path.stem)
        if path.stem == "second":
            raise RunError("made to fail", place="02_judging.ipynb")
        return Path("outputs", path.stem)

    monkeypatch.setattr(chain, "run_study", run_study)
    return names


def test_one_after_another_and_the_last_line_says_which_failed(studies, ran):
    done = CliRunner().invoke(cli, ["run", "--yes", *map(str, studies)])

    assert ran == ["first", "second", "third"]
    assert done.exit_code == 1
    assert done.stdout.splitlines() == ["outputs/first/index.html", "outputs/third/index.html"]
    told = done.stderr.splitlines()
    assert told[0] == "Error: params/second.yaml: 02_judging.ipynb: made to fail"
    assert told[-1] == "1 of 3 studies failed: params/second.yaml"


def test_all_well_ends_with_status_0(studies, ran):
    done = CliRunner().invoke(cli, ["run", "--yes", str(studies[0]), str(studies[2])])

    assert (done.exit_code, ran) == (0, ["first", "third"])


def test_nothing_runs_where_one_study_is_wrong(studies, ran):
    studies[2].write_text("run_name: third\n", encoding="utf-8")

    with pytest.raises(ParamsError, match="'data_preparation' is missing"):
        list(many.run_studies(studies))
    assert ran == []


@pytest.mark.parametrize("again", ["params/other.yaml", "params/first.yaml"])
def test_two_studies_under_one_name_are_refused(studies, ran, again):
    write("other", run_name="first")

    with pytest.raises(ParamsError, match="under one run_name: first"):
        list(many.run_studies([studies[0], again]))
    assert ran == []


def test_tasks_of_a_cluster(studies):
    """Each study is run by a worker; one whose worker is killed is run by another."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        compute = {"backend": "dask", "scheduler": cluster.scheduler_address}
        paths = [write(path.stem, compute=compute) for path in studies[:2]]
        found = {
            outcome.params.stem: outcome
            for outcome in many.run_studies(paths, only="data_preparation")
        }
    folder = Path("outputs", "first")

    assert Path("outputs", "died").exists()
    assert {name for name, outcome in found.items() if outcome.problem} == {"second"}
    assert "made to fail" in many.describe_failure(found["second"])
    assert found["first"].folder == Path.cwd() / folder
    assert (folder / "01_data_preparation.html").is_file()
    assert not list(folder.glob("*.partial.ipynb"))
    told = yaml.safe_load((folder / "params.yaml").read_text("utf-8"))["compute"]
    assert told == {"backend": "local", "scheduler": None}, "as it was run: on one worker"
