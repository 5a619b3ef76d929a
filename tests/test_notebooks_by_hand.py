"""Notebooks run by hand: from the root and from notebooks/ alike, and without their inputs."""

import re
import shutil

import pytest
from matplotlib import pyplot as plt
from nbclient import NotebookClient
from notebook_files import NOTEBOOKS, ROOT, code_cells, read, saved_files

from posbias_kit.errors import ReadError
from posbias_kit.report.folder import _saver

FIRST, *LATER = NOTEBOOKS


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project with the notebooks and nothing else; one stands in its root."""
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path)
    with plt.rc_context():
        yield tmp_path


def set_up(path):
    """Run the first code cells of a notebook: its parameters, and what it loads."""
    names = {}
    for cell in code_cells(read(path))[:2]:
        exec(compile(cell.source, path.name, "exec"), names)  # noqa: S102, our own notebook
    return names


@pytest.mark.parametrize("path", LATER, ids=lambda path: path.stem)
@pytest.mark.parametrize("place", [".", "notebooks"])
def test_missing_inputs_are_told(path, place, project, monkeypatch):
    """What is missing, where it should lie, which notebook makes it, and the whole in one go."""
    monkeypatch.chdir(place)
    with pytest.raises(ReadError) as caught:
        set_up(path)

    maker = re.search(r"cure: (\d\d_\w+\.ipynb)", str(caught.value))[1]
    assert NOTEBOOKS.index(ROOT / "notebooks" / maker) < NOTEBOOKS.index(path)
    assert str(project / "outputs" / "demo") in str(caught.value)
    assert "posbias run params/demo.yaml" in str(caught.value)


def test_outside_a_project_it_says_so(tmp_path, monkeypatch):
    """A notebook that was copied elsewhere has no run; the message says where to go."""
    monkeypatch.chdir(tmp_path)
    with plt.rc_context(), pytest.raises(ReadError, match=r"no folder above .* work inside"):
        set_up(LATER[1])


def test_every_saved_table_is_known_by_its_notebook(project):
    """The message on a missing table can name the notebook of each."""
    saved = {
        name.removesuffix(".csv"): path.name
        for path in NOTEBOOKS
        for name in saved_files(read(path))
        if name.endswith(".csv")
    }

    assert {name: _saver(name) for name in saved} == saved
    assert _saver("nobody_saves_this") is None


def test_paper_files_are_told_where_to_find(project):
    """A notebook set to the paper's files, without them, names the repository to clone."""
    notebook = read(FIRST)
    names = set_up(FIRST) | {"format": "paper", "path": "nowhere", "benchmark": "MTBench"}
    source = code_cells(notebook)[2].source

    with pytest.raises(ReadError, match=r"nowhere: no such folder\n  cure: git clone https"):
        exec(compile(source, FIRST.name, "exec"), names)  # noqa: S102, our own notebook


@pytest.fixture
def _kernel(monkeypatch):
    """Let the kernel draw inline and find the package, as for a user."""
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.mark.usefixtures("_kernel")
def test_notebook_in_its_own_folder_writes_to_the_project(project):
    """As VS Code and JupyterLab run it: the kernel stands in notebooks/, the run lies above."""
    notebook = read(FIRST)
    sample, small = "sample: dict = {}", 'sample: dict = {"questions_per_task": 1}'
    parameters = code_cells(notebook)[0]
    parameters.source = parameters.source.replace(sample, small)
    resources = {"metadata": {"path": str(project / "notebooks")}}

    NotebookClient(notebook, kernel_name="python3", resources=resources).execute()

    assert (project / "outputs" / "demo" / "presentations.parquet").is_file()
    assert not (project / "notebooks" / "outputs").exists()
    assert len(set_up(project / "notebooks" / "02_judging.ipynb")["questions"]) == 8
    assert "widgets" not in notebook.metadata
