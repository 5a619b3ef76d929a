"""What a notebook does with its run."""

import pandas as pd
import pytest
import seaborn as sns
from matplotlib import pyplot as plt
from PIL import Image

from posbias_kit.data import build_verdicts
from posbias_kit.errors import ParamsError, ReadError, TableError
from posbias_kit.report import start, style
from posbias_kit.report.folder import Run, project_root


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a run in an empty project; what `start` sets for the session is put back."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "01_data_preparation.ipynb").touch()
    monkeypatch.chdir(tmp_path)
    with plt.rc_context():
        yield start("small")
    pd.reset_option("display")


@pytest.fixture
def verdicts():
    """Return a verdict table of one row."""
    row = {"benchmark": "b", "task": "t", "question": "1", "judge": "007", "repeat": 1}
    shown = {"shown": ("x", "y"), "status": "ok", "choice": 2}
    return build_verdicts(pd.DataFrame([row | shown]))


def test_root_is_found_from_the_notebooks(run, monkeypatch):
    """By hand a notebook runs in notebooks/, in the chain in the root: the folder is the same."""
    at_root = Run("small").folder
    monkeypatch.chdir("notebooks")

    assert Run("small").folder == at_root == run.folder


def test_root_is_the_working_folder_without_notebooks(tmp_path, monkeypatch):
    """Outside a project, outputs/ lies where one stands."""
    monkeypatch.chdir(tmp_path)

    assert project_root() == tmp_path


def test_table_between_notebooks_survives(run, verdicts):
    """What is stored can be loaded with its types, and is valid."""
    run.store(verdicts, "verdicts")

    assert run.load("verdicts")["judge"].tolist() == ["007"]


def test_missing_table_names_its_notebook(run):
    """The message says who makes the table and how to run everything."""
    with pytest.raises(ReadError) as caught:
        run.load("verdicts")

    assert "02_judging.ipynb" in str(caught.value)
    assert "posbias run params/small.yaml" in str(caught.value)


def test_broken_table_is_not_stored(run, verdicts):
    """A table that breaks its schema is refused before anything is written."""
    with pytest.raises(TableError, match="missing column 'judge'"):
        run.store(verdicts.drop(columns="judge"), "verdicts")

    assert not run.folder.exists()


def test_unknown_table_is_refused(run):
    """A name that is no table between notebooks is refused with the list."""
    with pytest.raises(ParamsError, match="allowed: questions, answers"):
        run.load("verdict")


def test_result_is_returned_for_display(run):
    """A result is saved as CSV and read back by its name."""
    frame = pd.DataFrame({"judge": ["007"], "pc": [1 / 3]})

    assert run.save(frame, "bias") is frame
    assert run.table("bias").to_dict("list") == {"judge": ["007"], "pc": [1 / 3]}


@pytest.mark.parametrize("kind", ["axes", "figure", "array", "grid"])
def test_figure_keeps_its_alt_text(run, kind, capsys):
    """The alt text and the title are in the file, which is closed afterwards."""
    if kind == "grid":
        plot = sns.FacetGrid(pd.DataFrame({"a": ["x", "y"]}), col="a")
        plot.figure.suptitle("Title é")
        figure = plot.figure
    else:
        figure, axes = plt.subplots(1, 2)
        axes[1].set_title("Title é")
        plot = {"axes": axes[0], "figure": figure, "array": axes}[kind]
    figure.set_label("Two é 🙂 panels")

    run.save_figure(plot, "panels")

    about = Image.open(run.folder / "figures" / "panels.png").info
    assert about["Description"] == "Two é 🙂 panels"
    assert about["Title"] == "Title é"
    assert round(about["dpi"][0]) == 144
    assert plt.get_fignums() == []


def test_figure_without_alt_text_is_refused(run):
    """A figure that nobody described is an error."""
    _, ax = plt.subplots()

    with pytest.raises(ParamsError, match=r"set_label"):
        run.save_figure(ax, "panels")

    plt.close("all")
    assert not run.folder.exists()


@pytest.mark.parametrize("name", ["../up", "", "a/b", ".hidden", 3])
def test_run_name_is_a_plain_one(name):
    """A run stays in its own folder."""
    with pytest.raises(ParamsError, match="not a plain folder name"):
        Run(name)


def test_a_figure_of_words_is_shown_as_words(run, capsys):
    """Where there is nothing to draw, the sentence is displayed and no older picture stays."""
    old = run.folder / "figures" / "gap.png"
    old.parent.mkdir(parents=True)
    old.touch()

    run.save_figure(style.say(style.new_axes(2), "No judge was asked twice."), "gap")

    assert list(old.parent.iterdir()) == []
    assert plt.get_fignums() == []
