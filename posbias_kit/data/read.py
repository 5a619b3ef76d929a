"""Readers by name: benchmarks, and judgments that others published."""

import pandas as pd

from posbias_kit.data.fastchat import read_fastchat
from posbias_kit.data.paper import read_paper_benchmark, read_paper_verdicts
from posbias_kit.data.starter import read_starter
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.schema import validate

BENCHMARK_FORMATS = ("starter", "fastchat", "paper")
VERDICT_FORMATS = {"paper": ("benchmark", "rule", "reference")}
"""Formats of published judgments, each with the options that its reader takes."""


def read_verdicts(format, *paths, **options):
    """Read published judgments as one verdict table.

    Parameters
    ----------
    format : {"paper"}
        Layout of the files; ``paper`` is :func:`posbias_kit.data.paper.read_paper_verdicts`.
    *paths : str or Path
        Where they are; several are read one after the other into one table.
    **options
        Passed to the reader; ``rule`` ("strict" or "first_match") says how replies are parsed.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.schema.VERDICTS`.

    Raises
    ------
    ParamsError
        The format or an option is unknown, or no path is given.
    ReadError, TableError
        See the reader.

    Examples
    --------
    >>> read_verdicts("papyrus", "data")
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: format: unknown value 'papyrus'
      allowed: paper
      cure: use one of the allowed values
    """
    check_choice(format, VERDICT_FORMATS, "format")
    for name in options:
        check_choice(name, VERDICT_FORMATS[format], f"option of format {format!r}")
    if not paths:
        raise ParamsError("no path given", place="read_verdicts", cure="name a file or folder")
    tables = [read_paper_verdicts(path, **options)[0] for path in paths]
    if len(tables) == 1:
        return tables[0]
    return validate(pd.concat(tables, ignore_index=True), "verdicts", ", ".join(map(str, paths)))


def read_benchmark(format, path=None, name="Starter"):
    """Read a benchmark's questions and answers.

    Parameters
    ----------
    format : {"starter", "fastchat", "paper"}
    path : str or Path, optional
        Folder with the files; none for the starter benchmark, which comes with the kit.
    name : str
        Name in the tables; for ``paper`` also which part to read, MTBench or DevBench.

    Returns
    -------
    Benchmark

    Raises
    ------
    ParamsError
        The format is unknown, or the path does not go with it.
    ReadError, TableError
        See the reader.

    Examples
    --------
    >>> len(read_benchmark("starter").questions)
    48
    """
    check_choice(format, BENCHMARK_FORMATS, "format")
    if (path is None) != (format == "starter"):
        raise ParamsError(
            f"format {format!r} with path {path!r}",
            place="path",
            allowed="no path for starter, a folder for the other formats",
            cure="drop the path" if format == "starter" else "give the folder",
        )
    if format == "starter":
        return read_starter(name)
    return {"fastchat": read_fastchat, "paper": read_paper_benchmark}[format](path, name)
