"""What a notebook does with its run: load and store tables, save results and figures."""

import os
from pathlib import Path

import pandas as pd

from posbias_kit.cluster import Compute, use
from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.params import parse_section
from posbias_kit.report.exports import write_exports
from posbias_kit.report.files import read_csv, replacing, write_csv
from posbias_kit.report.pictures import write_figure
from posbias_kit.report.stages import STAGES
from posbias_kit.report.tables import show_tables_presented
from posbias_kit.schema import TABLES, validate

LOG = "judgments.sqlite"
"""The judgment log's name in a run folder."""

_MAKERS = {
    "questions": "01_data_preparation.ipynb",
    "answers": "01_data_preparation.ipynb",
    "presentations": "01_data_preparation.ipynb",
    "scores": "01_data_preparation.ipynb",
    "labels": "01_data_preparation.ipynb",
    "replies": "01_data_preparation.ipynb, where judgments are read,",
    "verdicts": "02_judging.ipynb (01_data_preparation.ipynb where judgments are read)",
}


def project_root():
    """Return the nearest folder, going up from the working folder, that holds the notebooks.

    Without one it is the working folder itself.

    Returns
    -------
    Path
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "notebooks" / STAGES[0].notebook).is_file():
            return folder
    return here


def start(run_name, compute=None):
    """Set up a notebook: working folder, figure style, table display, and the run it belongs to.

    Parameters
    ----------
    run_name : str
        Folder under outputs/.
    compute : dict, optional
        As the key `compute` of a study: who resamples from here on, see docs/cluster.md.

    Returns
    -------
    Run

    Raises
    ------
    ParamsError
        The name is not one plain folder name, or `compute` is wrong.
    RunError
        No scheduler answers.
    """
    from posbias_kit.report import style

    os.chdir(project_root())  # so that relative paths of a study mean the same everywhere
    style.apply()
    show_tables_presented()
    use(parse_section(Compute, compute or {}, "compute"))
    return Run(run_name)


class Run:
    """One run's folder, as seen from a notebook.

    Parameters
    ----------
    run_name : str
        Folder under outputs/ of the project.

    Examples
    --------
    >>> Run("../elsewhere")
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: run_name: '../elsewhere' is not a plain folder name
      allowed: letters, digits, dot, dash and underscore, at most 64
    """

    def __init__(self, run_name):
        self.run_name = check_run_name(run_name)
        self.folder = project_root() / "outputs" / self.run_name
        """Where everything of this run lies."""

    def __repr__(self):
        return f"Run({self.run_name!r})"

    def load(self, table):
        """Read one of the tables that pass between notebooks.

        Parameters
        ----------
        table : str
            A name of :data:`posbias_kit.schema.TABLES`.

        Returns
        -------
        DataFrame
            Checked against its schema.

        Raises
        ------
        ReadError
            The table is not there yet; says which notebook makes it.
        """
        path = self._parquet(table)
        if not path.is_file():
            raise ReadError(
                f"run {self.run_name!r} has no table {table!r}",
                place=str(path),
                cure=self._cure(_MAKERS[table]),
            )
        return validate(pd.read_parquet(path), table, place=path.name)

    def store(self, frame, table):
        """Write one of the tables that pass between notebooks, and return it as it is stored.

        Parameters
        ----------
        frame : DataFrame
            Checked against the table's schema.
        table : str
            A name of :data:`posbias_kit.schema.TABLES`.

        Returns
        -------
        DataFrame
        """
        path = self._parquet(table)
        frame = validate(frame, table, place=table)
        with replacing(path) as temporary:
            frame.to_parquet(temporary, index=False)
        return frame

    def save(self, frame, name):
        """Save a result as ``tables/<name>.csv``, and return it for display.

        Text is quoted and numbers are not, at full precision; see :meth:`table`. A short table
        is written as LaTeX and Markdown, too, rounded as the page shows it.
        """
        write_csv(frame, self.folder / "tables" / f"{name}.csv")
        write_exports(frame, self.folder / "tables", name)
        return frame

    def table(self, name):
        """Read a saved result back, with the types it had: ids stay text, gaps are missing.

        Raises
        ------
        ReadError
            The result is not there yet; says which notebook saves it.
        """
        path = self.folder / "tables" / f"{name}.csv"
        maker = None if path.is_file() else _saver(name)
        if maker:
            raise ReadError("no such table", place=str(path), cure=self._cure(maker))
        return read_csv(path)

    def find_table(self, name):
        """Read a saved result back, or return None where no notebook has saved it."""
        there = (self.folder / "tables" / f"{name}.csv").is_file()
        return self.table(name) if there else None

    def save_figure(self, plot, name):
        """Save a figure as ``figures/<name>.png``, .svg and .pdf, show it, and close it.

        Where there was nothing to draw, only the words that say so are shown.

        Parameters
        ----------
        plot : Axes, Figure, seaborn grid or array of Axes
            The figure's label, ``ax.figure.set_label(text)``, is its alt text: it is kept in
            the file as `Description` and in the notebook's output.
        name : str

        Raises
        ------
        ParamsError
            The figure has no alt text.
        """
        write_figure(plot, self.folder / "figures", name)

    def _cure(self, notebook):
        """Say how to make what a notebook makes, and where to stand for it."""
        cure = f"{notebook} makes it: run that notebook first, or the whole study by "
        cure += f"`posbias run params/{self.run_name}.yaml`"
        if not (project_root() / "notebooks").is_dir():
            cure += f"; no folder above {Path.cwd()} holds the notebooks: work inside the project"
        return cure

    def _parquet(self, table):
        if table not in TABLES:
            raise ParamsError(f"unknown table {table!r}", place="table", allowed=", ".join(TABLES))
        return self.folder / f"{table}.parquet"


def _saver(name):
    """Return the notebook that saves a result under this name, or None."""
    for stage in STAGES:
        path = project_root() / "notebooks" / stage.notebook
        if path.is_file() and f', \\"{name}\\")' in path.read_text(encoding="utf-8"):
            return stage.notebook
    return None


def check_run_name(name):
    """Return `name` if it is one plain folder name, else raise ParamsError.

    Examples
    --------
    >>> check_run_name("demo")
    'demo'
    """
    from pydantic import TypeAdapter, ValidationError

    from posbias_kit.section import Slug

    try:
        return TypeAdapter(Slug).validate_python(name, strict=True)
    except ValidationError:
        raise ParamsError(
            f"{name!r} is not a plain folder name",
            place="run_name",
            allowed="letters, digits, dot, dash and underscore, at most 64",
        ) from None
