"""Readers by name: benchmarks, and judgments that others published."""

from pathlib import Path

import pandas as pd

from posbias_kit.data.fastchat import read_fastchat
from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.layouts.files import flat_paths
from posbias_kit.data.own import read_own_verdicts
from posbias_kit.data.paper import read_paper_benchmark, read_paper_verdicts
from posbias_kit.data.starter import read_starter
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.schema import validate

BENCHMARK_FORMATS = ("starter", "fastchat", "paper")
_OPTIONS = {"verdicts": (), "paper": ("benchmark", "rule", "reference")}


def read_verdicts(format, *paths, **options):
    """Read published judgments as one verdict table.

    Parameters
    ----------
    format : str
        Layout of the files: ``verdicts``, a table that the kit has written itself; ``paper``,
        read by :func:`posbias_kit.data.paper.read_paper_verdicts`; or one of
        :data:`posbias_kit.data.layouts.LAYOUTS`, read by
        :func:`posbias_kit.data.judgments.read_judgments`, which returns what stands beside the
        verdicts, too.
    *paths : str, Path or list of them
        Where they are; several are read into one table.
    **options
        Of the reader: ``benchmark`` (name in the tables); for ``paper`` ``rule`` ("strict" or
        "first_match", how replies are parsed) and ``reference``; for ``table`` ``mapping``.

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
    >>> read_verdicts("paper", "data", rules="strict")
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: option of format 'paper': unknown value 'rules'
      allowed: benchmark, rule, reference
      cure: use one of the allowed values
    """
    check_choice(format, ("verdicts", "paper", *LAYOUTS), "format")
    if format in LAYOUTS:
        return read_judgments(format, *paths, replies=False, **options).verdicts
    for name in options:
        check_choice(name, _OPTIONS[format], f"option of format {format!r}")
    paths = flat_paths(paths)
    if format == "verdicts":
        return read_own_verdicts(*paths)
    tables = [read_paper_verdicts(path, **options)[0] for path in paths]
    if len(tables) == 1:
        return tables[0]
    return validate(pd.concat(tables, ignore_index=True), "verdicts", ", ".join(map(str, paths)))


def read_benchmark(format, path=None, name=None):
    """Read a benchmark's questions and answers.

    Parameters
    ----------
    format : {"starter", "fastchat", "paper"}
    path : str or Path, optional
        Folder with the files; none for the starter benchmark, which comes with the kit.
    name : str, optional
        Name in the tables, by default Starter or that of the folder; for ``paper`` also which
        part to read, MTBench or DevBench.

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
        return read_starter(name or "Starter")
    if format == "paper":
        return read_paper_benchmark(path, name)
    return read_fastchat(path, name or Path(path).resolve().name)
