"""Where inputs come from, for whoever runs a notebook without them."""

from pathlib import Path

from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.errors import ParamsError, ReadError

READ = (*LAYOUTS, "fastchat", "paper", "runs", "verdicts")
"""Formats whose files the kit does not bring."""

_PAPER = "https://github.com/Slimshilin/Position-Bias-Analyzer"


def check_path(format, path):
    """Say where the files of a format come from, if no path is given or the paper's are missing.

    A study file is checked before it runs; a notebook that is run by hand gets here first.

    Parameters
    ----------
    format : str
    path : str, list of str or None

    Raises
    ------
    ParamsError
        No path.
    ReadError
        There is no folder of the paper's files.

    Examples
    --------
    >>> check_path("starter", None)
    >>> check_path("paper", "nowhere")
    Traceback (most recent call last):
    posbias_kit.errors.ReadError: nowhere: no such folder
      cure: git clone https://github.com/Slimshilin/Position-Bias-Analyzer, and name its folder
    """
    if path is None and format in READ:
        raise ParamsError(
            f"format {format!r} needs `path`",
            place="data_preparation",
            allowed="starter and pilot come with the kit, and need none",
            cure="name the files; docs/reading.md shows what a row of each layout looks like",
        )
    if format == "paper" and not Path(path).exists():
        cure = f"git clone {_PAPER}, and name its folder"
        raise ReadError("no such folder", place=str(path), cure=cure)
