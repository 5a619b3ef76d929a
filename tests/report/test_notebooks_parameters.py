"""A notebook gets exactly the parameters it declares, or nothing runs."""

import datetime
from pathlib import Path

import numpy as np
import pytest
from conftest import BODIES, make_notebook, stage_named, study_of

from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.report import run_study
from posbias_kit.report.notebook_parameters import (
    SHARED,
    check_plain,
    declared_parameters,
    stage_parameters,
)
from posbias_kit.study_analysis import Metrics


@pytest.fixture(autouse=True)
def _no_kernel(monkeypatch):
    """Fail where a kernel would start."""
    monkeypatch.setattr("papermill.execute_notebook", lambda *_, **__: pytest.fail("kernel"))


@pytest.fixture
def changed(project):
    """Return a function that writes the metrics notebook anew."""
    stage = stage_named("metrics")
    return lambda **how: make_notebook(project, stage, BODIES["metrics"], **how)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (("run_name", "conventions", "sede"), "declares sede"),
        (("run_name", "conventions", "path"), "declares path"),
        (("run_name",), "does not declare conventions"),
        (("conventions",), "does not declare run_name"),
    ],
    ids=["unknown", "of another section", "key left out", "run name left out"],
)
def test_other_names_are_refused(changed, declared, said):
    """Names on one side only are refused with the names of both."""
    changed(declared=declared)

    with pytest.raises(ParamsError) as caught:
        run_study(study_of(), only="metrics")

    message = str(caught.value)
    assert "03_metrics.ipynb" in message
    assert said in message
    assert f"the notebook declares {', '.join(declared)}" in message
    assert all(name in message for name in (*SHARED, "conventions"))


def test_untagged_cell_is_refused(changed):
    """Without a tagged cell the values would go nowhere."""
    changed(tag="parameter")

    with pytest.raises(ParamsError, match=r"03_metrics.ipynb: no cells are tagged 'parameters'"):
        run_study(study_of())


def test_missing_notebook_is_named(project):
    """A stage without its notebook is refused with the path."""
    (project / "notebooks" / "05_disagreement.ipynb").unlink()

    with pytest.raises(ReadError, match=r"05_disagreement\.ipynb: no such notebook"):
        run_study(study_of())


def test_missing_input_is_named(project):
    """A path that does not exist is refused before anything runs."""
    with pytest.raises(ReadError, match="data_preparation: nowhere: no such file or folder"):
        run_study(study_of(), settings=["data_preparation.path=nowhere"])


def test_secret_is_refused_and_nothing_is_written(project):
    """A credential never reaches a file, whole or in part."""
    with pytest.raises(ParamsError, match="looks like a secret") as caught:
        run_study(study_of(run_name="other"), data_preparation={"api_key": "sk-TEST-1234"})

    assert "sk-T" not in str(caught.value)
    assert not (project / "outputs" / "other").exists()


def test_shared_keys_go_where_they_are_declared(project):
    """A notebook gets its section, and of the shared keys only those it declares."""
    metrics = Metrics(conventions=["tie"]).model_dump()
    compute = {"backend": "local", "scheduler": None}
    study = study_of(metrics=metrics, level=0.9, seed=1, compute=compute)

    got = stage_parameters(stage_named("metrics"), study, project / "notebooks")

    assert got == {"run_name": "tiny", "level": 0.9, "compute": compute, **metrics}


@pytest.mark.parametrize(
    "value",
    [
        datetime.date(2024, 1, 1),
        Path("a"),
        (1, 2),
        np.int64(3),
        np.float64(0.5),
        {1},
        {"k": [1, (2,)]},
        {1: "a"},
    ],
    ids=lambda value: type(value).__name__,
)
def test_value_that_would_change_on_the_way_is_refused(value):
    """The parameter is named with the type that cannot travel."""
    with pytest.raises(ParamsError, match=r"metrics\.key\S*: .* has type \w+"):
        check_plain(value, "metrics.key")


@pytest.mark.parametrize("value", [None, float("nan"), {"k": [1, None]}, "\"'\\\n🙂", True, 0.5])
def test_plain_value_may_travel(value):
    """What arrives as it is is let through."""
    assert check_plain(value, "metrics.key") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": [{}]}', '{"cells": 3}'])
def test_file_that_is_no_notebook_is_named(tmp_path, text):
    path = tmp_path / "03_metrics.ipynb"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ReadError, match=r"03_metrics\.ipynb: no notebook"):
        declared_parameters(path)
