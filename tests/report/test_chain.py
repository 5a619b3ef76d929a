"""The chain: what runs, what is reused, and what a failure leaves behind."""

import json
import shutil

import nbformat
import pytest
import yaml
from conftest import FAMILIES, make_notebook, stage_named, study_of

from posbias_kit import cluster
from posbias_kit.errors import ParamsError, RunError, StageError
from posbias_kit.params import check_study
from posbias_kit.report import plan, run_study
from posbias_kit.report.provenance import digest_inputs, read_manifest
from posbias_kit.report.stages import STAGES
from posbias_kit.report.tree import read_tree

ALL = [stage.name for stage in STAGES if stage.name != "judging"]


def planned(project, study=None, **choice):
    """Return the names of the stages that would run."""
    tree = read_tree(study or study_of())
    folder = project / "outputs" / "tiny"
    inputs = digest_inputs(tree, project)
    jobs = plan.plan_run(tree, project, folder, read_manifest(folder), inputs, **choice)
    return [job.stage.name for job in jobs if job.runs]


def status(project):
    """Return the status of each stage in the manifest."""
    manifest = read_manifest(project / "outputs" / "tiny")
    return {record["name"]: record["status"] for record in manifest["stages"]}


def test_parameters_arrive_as_they_are(finished):
    """Quotes, backslashes, line ends and emoji reach the notebook; none stays none."""
    seen = json.loads((finished / "outputs" / "tiny" / "seen.json").read_text("utf-8"))

    assert seen == {"seed": 20240607, "families": FAMILIES, "path": "data", "rule": "strict"}


def test_run_is_recorded(finished):
    """The manifest holds versions, inputs, and what each stage wrote in the order of writing."""
    folder = finished / "outputs" / "tiny"
    manifest = read_manifest(folder)
    first = manifest["stages"][0]

    assert manifest["status"] == "ok"
    assert manifest["packages"]["papermill"]
    assert list(manifest["inputs"]["data_preparation"]["data"]) == ["replies.tsv"]
    assert status(finished) == dict.fromkeys(ALL, "run") | {"judging": "skipped"}
    assert list(first["files"]) == [
        "seen.json",
        "tables/zebra.csv",
        "tables/zebra.tex",
        "tables/zebra.md",
        "tables/aardvark.csv",
        "tables/aardvark.tex",
        "tables/aardvark.md",
        "tables/summary.csv",
        "tables/summary.tex",
        "tables/summary.md",
        "figures/order_effect.png",
        "figures/order_effect.svg",
        "figures/order_effect.pdf",
        "01_data_preparation.ipynb",
        "01_data_preparation.html",
    ]
    assert check_study(yaml.safe_load((folder / "params.yaml").read_text("utf-8")))
    assert not list(folder.rglob("*.partial.ipynb"))


def test_executed_copy_holds_no_path_of_the_machine(finished):
    """A reader of the executed notebook does not learn where it ran."""
    for path in (finished / "outputs" / "tiny").glob("*.ipynb"):
        assert str(finished) not in path.read_text("utf-8")


def test_unchanged_study_is_reused(project, monkeypatch):
    """A second run starts no kernel and keeps every page."""
    monkeypatch.setattr("papermill.execute_notebook", lambda *_, **__: pytest.fail("kernel"))

    run_study(study_of())
    run_study(study_of())

    assert status(project) == dict.fromkeys(ALL, "reused") | {"judging": "skipped"}
    assert (project / "outputs" / "tiny" / "08_summary.html").is_file()


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({"level": 0.9}, ["metrics", "summary"]),
        ({"draws": 5}, []),
        ({"summary": {"convention": "tie"}}, ["summary"]),
        ({"seed": 1}, ALL),
        ({"compute": {"backend": "dask", "scheduler": "tcp://host:8786"}}, []),
    ],
    ids=["shared key of one stage", "shared key of none", "own key", "key of the first stage",
         "who works"],
)  # fmt: skip
def test_parameter_makes_its_stage_run_again(project, change, again):
    """A changed parameter runs the stages that declare it, and what needs them."""
    assert planned(project, study_of(**change)) == again


def test_silent_scheduler_is_found_before_anything_runs(project, monkeypatch):
    """Nothing has run and nothing was taken away."""
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    compute = {"backend": "dask", "scheduler": "tcp://127.0.0.1:9"}

    run_study(study_of(compute=compute))  # has nothing to do
    with pytest.raises(RunError, match="no scheduler answers"):
        run_study(study_of(compute=compute, level=0.9))
    assert (project / "outputs" / "tiny" / "03_metrics.html").is_file()


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("data/replies.tsv", ALL),
        ("data/new.tsv", ALL),
        ("data/.git/index", []),
        ("outputs/tiny/tables/verdict_counts.csv", ["metrics", "summary"]),
        ("outputs/tiny/params.yaml", []),
    ],
)
def test_changed_file_makes_its_stage_run_again(project, name, again):
    """An input runs everything that rests on it; a result runs its own stage and its heirs."""
    (project / name).write_text("changed", encoding="utf-8")

    assert planned(project) == again


def test_deleted_result_makes_its_stage_run_again(project):
    """A page that is gone is made again."""
    (project / "outputs" / "tiny" / "04_quality_gap.html").unlink()

    assert planned(project) == ["quality_gap", "summary"]


def test_edited_notebook_runs_again(project):
    """A notebook with another cell is another stage."""
    make_notebook(project, stage_named("disagreement"), ["2 + 2"])

    assert planned(project) == ["disagreement", "summary"]


def test_edited_package_runs_everything_again(project, monkeypatch):
    """The kit's own code is part of every fingerprint."""
    monkeypatch.setattr(plan, "digest_package", lambda *_: "other")

    assert planned(project) == ALL


def test_recorded_judgments_are_inputs(project):
    """A recorded judge's file belongs to judging, and so does the section itself."""
    make_notebook(project, stage_named("judging"), ["1"])
    judge = {"name": "a", "kind": "recorded", "path": "data/replies.tsv"}
    study = study_of(families={}, data_preparation={}, judging={"judges": [judge]})

    assert list(digest_inputs(read_tree(study), project)["judging"]) == ["data/replies.tsv"]
    assert planned(project, study) == [stage.name for stage in STAGES]


def test_choice_of_stages(project):
    """--only runs one, --from that one and what follows, --fresh all."""
    assert planned(project, only="metrics") == ["metrics"]
    assert planned(project, start_from="order_effect") == ["order_effect", "review", "summary"]
    assert planned(project, fresh=True) == ALL


@pytest.mark.parametrize(
    ("choice", "match"),
    [
        ({"only": "metric"}, r"--only: unknown stage 'metric'\n  allowed: data_preparation, met"),
        ({"start_from": "judging"}, "--from: stage 'judging' is not part of this study"),
        ({"start_from": "metrics", "fresh": True}, "more than one of"),
    ],
)
def test_impossible_choice_is_refused(project, choice, match):
    """An unknown stage is refused with the list of those there are."""
    with pytest.raises(ParamsError, match=match):
        run_study(study_of(), **choice)


def test_missing_groundwork_is_refused(project):
    """A stage cannot start from what is not there or not as it was; the reason is given."""
    (project / "outputs" / "tiny" / "seen.json").unlink()

    with pytest.raises(
        ParamsError, match=r"'data_preparation' has to run first: seen\.json is mis"
    ):
        run_study(study_of(), only="metrics")
    with pytest.raises(ParamsError, match=r"cannot be taken from the earlier run: seen\.json is"):
        run_study(study_of(), start_from="metrics")
    with pytest.raises(ParamsError, match="earlier run: changed: its parameters"):
        run_study(study_of(seed=1), start_from="metrics")
    shutil.rmtree(project / "outputs")
    with pytest.raises(ParamsError, match="has to run first"):
        run_study(study_of(), only="summary")


def test_only_leaves_the_rest_and_says_what_is_out_of_date(project):
    """One stage runs on what lies there; heirs of an older result are marked."""
    run_study(study_of(level=0.9), only="metrics")

    index = (project / "outputs" / "tiny" / "index.html").read_text("utf-8")
    assert status(project) == dict.fromkeys(ALL, "reused") | {
        "judging": "skipped",
        "metrics": "run",
    }
    assert "08_summary.ipynb is out of date" in index
    assert planned(project, study_of(level=0.9)) == ["summary"]


def fail_in(project, cells, **choice):
    """Run a study whose quality-gap notebook has other cells, and return folder and error."""
    make_notebook(project, stage_named("quality_gap"), cells)
    with pytest.raises(StageError) as caught:
        run_study(study_of(), **choice)
    return project / "outputs" / "tiny", str(caught.value)


def test_failed_notebook_leaves_no_report(project):
    """The partial copy says so in its name, no page claims success, later stages do not run."""
    old = project / "outputs" / "tiny" / "judgments.sqlite"
    old.write_text("log")
    folder, message = fail_in(project, ["1", "raise ValueError('no é 🙂')", "3"])

    assert "04_quality_gap.ipynb: cell 4 (In [4]) stopped with ValueError: no é 🙂" in message
    assert "outputs/tiny/04_quality_gap.failed.ipynb" in message
    assert sorted(path.name for path in folder.glob("04*")) == ["04_quality_gap.failed.ipynb"]
    assert not list(folder.glob("08*"))
    assert status(project)["quality_gap"] == "failed"
    assert status(project)["summary"] == "skipped"
    assert old.is_file()


def test_index_of_a_failed_run_says_so_first(project):
    """The first line of the first page names the notebook and the cell."""
    folder, _ = fail_in(project, ["raise ValueError('<b>no</b>')"], only="quality_gap")

    index = (folder / "index.html").read_text("utf-8")
    first = index[index.index("<main>") : index.index("<h1>")]
    assert "This run failed. 04_quality_gap.ipynb: cell 3" in first
    assert "&lt;b&gt;no&lt;/b&gt;" in first
    assert 'href="04_quality_gap.failed.ipynb"' in index


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("import os; os._exit(1)", "DeadKernelError: the kernel died"),
        ("import sys; sys.exit(0)", "the kernel was asked to exit before the last cell"),
        ("import time; time.sleep(60)", "CellTimeoutError"),
    ],
    ids=["dead kernel", "exit with success", "time limit"],
)
def test_notebook_that_stops_otherwise_fails_too(project, cell, said):
    """A dead kernel, an exit and a time limit name the cell like any error."""
    folder, message = fail_in(project, [cell, "1 + 1"], only="quality_gap", timeout=3)

    assert "cell 3 (In [" in message
    assert said in message
    assert (folder / "04_quality_gap.failed.ipynb").is_file()
    assert not (folder / "04_quality_gap.html").exists()


def test_interrupt_is_recorded(project, monkeypatch):
    """Ctrl-C passes through, and the first page says that the run failed."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("papermill.execute_notebook", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_study(study_of(), only="summary")

    index = (project / "outputs" / "tiny" / "index.html").read_text("utf-8")
    assert "This run failed. KeyboardInterrupt" in index
    assert status(project)["summary"] == "failed"


def test_no_older_index_claims_success(project, monkeypatch):
    """From the moment at which a stage is to run again, until the index tells of it."""
    index = project / "outputs" / "tiny" / "index.html"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_text("all is well", encoding="utf-8")

    def start(_):
        raise KeyboardInterrupt if not index.exists() else AssertionError("it still stands")

    monkeypatch.setattr("posbias_kit.report.kernels.Kernels.prepare", start)
    with pytest.raises(KeyboardInterrupt):
        run_study(study_of(), only="summary")


def test_notebook_keeps_the_kernel_of_this_environment(project, monkeypatch):
    """A kernel named on another machine, or none at all, is not looked for."""
    asked = {}
    monkeypatch.setattr("papermill.execute_notebook", lambda *_, **given: asked.update(given))
    path = project / "notebooks" / "08_summary.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "my_old_env", "display_name": "x"}
    nbformat.write(notebook, path)

    with pytest.raises(StageError):
        run_study(study_of(), only="summary")

    assert asked["kernel_name"] == "python3"
    assert asked["cwd"].samefile(project)


def test_overrides_change_single_keys(project):
    """A section given as a dict changes the keys it names; the caller's study stays as it was."""
    study = study_of()
    tree = read_tree(study, ["data_preparation.rule=first_match"], {"draws": 7})
    again = read_tree(check_study(tree), (), {"data_preparation": {"benchmark": "DevBench"}})

    assert study == study_of()
    assert again["draws"] == 7
    assert again["data_preparation"] == tree["data_preparation"] | {"benchmark": "DevBench"}
    with pytest.raises(ParamsError, match="unknown key 'metrix'"):
        read_tree(study, (), {"metrix": {}})
