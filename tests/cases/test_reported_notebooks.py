"""Reported faults of running notebooks: B24 to B26."""

import datetime
import json
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from posbias_kit.errors import ParamsError, StageError
from posbias_kit.report.notebook_parameters import check_plain, stage_parameters
from posbias_kit.report.notebooks import execute_stage
from posbias_kit.report.stages import Stage

STAGE = Stage("metrics", "03_metrics.ipynb", timeout=3)
PLAIN = {
    "none": None, "nan": float("nan"), "nested": {"k": [1, None]}, "yes": True, "half": 0.5,
    "text": "\"quotes\" 'too', back\\slash,\na new line, é 你好 🙂 {brace} %s",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the run folder of a project with an empty notebooks/."""
    monkeypatch.delenv("MPLBACKEND", raising=False)
    for name in ("notebooks", "outputs/run"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "outputs" / "run"


def write(folder, *cells, declared=("seed",), tag="parameters", kernel=None):
    """Write the notebook of the stage."""
    source = "\n".join(f"{name}: object = 1  # a key" for name in declared)
    notebook = new_notebook(cells=[new_code_cell(source, metadata={"tags": [tag]})])
    notebook.cells += map(new_code_cell, cells)
    if kernel:
        notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
    nbformat.write(notebook, folder.parents[1] / "notebooks" / STAGE.notebook)


def execute(folder, parameters, timeout=None):
    """Execute the stage as the chain does."""
    execute_stage(STAGE, parameters, folder.parents[1], folder, timeout)


def given(folder, section):
    """Return what the chain would hand to the notebook."""
    study = {"run_name": "run", "seed": 1, STAGE.name: section}
    return stage_parameters(STAGE, study, folder.parents[1] / "notebooks")


def test_b24_plain_values_arrive_as_they_are(folder):
    """None, NaN, nested lists, truth values and odd text reach the notebook unchanged."""
    told = f"import json, pathlib\nseen = {{{', '.join(f'{n!r}: {n}' for n in PLAIN)}}}\n"
    told += "pathlib.Path('seen.json').write_text(json.dumps(seen), encoding='utf-8')"
    write(folder, told, declared=tuple(PLAIN))
    execute(folder, PLAIN)

    seen = json.loads((folder.parents[1] / "seen.json").read_text("utf-8"))
    assert json.dumps(seen) == json.dumps(PLAIN)


@pytest.mark.parametrize(
    "value",
    [datetime.date(2024, 1, 1), Path("a"), (1, 2), np.int64(3), {1}],
    ids=lambda value: type(value).__name__,
)
def test_b24_other_values_are_refused_before_a_kernel_starts(folder, value):
    """The parameter is named with its type; a tuple would have arrived as text."""
    write(folder, declared=("run_name", "conventions"))

    with pytest.raises(ParamsError, match=rf"metrics\.conventions: .* {type(value).__name__}"):
        given(folder, {"conventions": value})
    assert check_plain([1, 2], "metrics.conventions") is None


def test_b25_misspelt_parameter_is_refused_with_the_known_names(folder):
    """The notebook declares `sede` where the study says `seed`: nothing runs."""
    write(folder, declared=("run_name", "sede"))

    with pytest.raises(ParamsError, match="declares sede, which the study does not") as caught:
        given(folder, {"conventions": []})
    assert all(name in str(caught.value) for name in ("run_name", "conventions", "seed"))


def test_b25_notebook_without_a_tagged_cell_is_refused(folder):
    """Its values would go nowhere."""
    write(folder, declared=("run_name",), tag="other")

    with pytest.raises(ParamsError, match="no cells are tagged 'parameters'"):
        given(folder, {})


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1", "raise ValueError('so it is')", "3"], r"cell 3 .*ValueError: so it is"),
        (["1", "import os; os._exit(1)", "3"], r"cell 3 .*DeadKernelError"),
        (["1", "import time; time.sleep(60)", "3"], r"cell 3 .*CellTimeoutError"),
    ],
    ids=["error", "dead kernel", "time limit"],
)
def test_b26_what_a_failed_notebook_leaves_behind(folder, cells, said):
    """Cell, reason and partial copy are named; no report under the final name."""
    write(folder, *cells)

    with pytest.raises(StageError, match=said) as caught:
        execute(folder, {"seed": 3})
    assert "outputs/run/03_metrics.failed.ipynb" in str(caught.value)
    assert [path.name for path in folder.iterdir()] == ["03_metrics.failed.ipynb"]


def test_b26_kernel_of_another_machine_is_not_looked_for(folder):
    """A notebook saved with kernel my_old_env runs with this environment's."""
    write(folder, "seed", kernel="my_old_env")
    execute(folder, {"seed": 3})

    assert sorted(path.name for path in folder.iterdir()) == [
        "03_metrics.html", "03_metrics.ipynb",
    ]  # fmt: skip
