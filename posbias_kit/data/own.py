"""The kit's own verdict table in again, from Parquet or CSV."""

from pathlib import Path

import pandas as pd

from posbias_kit.data.benchmark import build_benchmark
from posbias_kit.data.verdicts import check_verdicts
from posbias_kit.errors import ReadError
from posbias_kit.schema import VERDICTS

_MAY_MISS = ("choice", "winner", "margin")
"""Columns in which an empty cell of a CSV file means that there is no value."""


def read_own_verdicts(*paths):
    """Read verdict tables as :func:`posbias_kit.data.write_verdicts` writes them.

    Parameters
    ----------
    *paths : str or Path
        Files that end in ``.parquet`` or ``.csv``.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.schema.VERDICTS`.

    Raises
    ------
    ReadError
        A file is missing or not readable.
    TableError
        It breaks the schema, or contradicts itself.
    """
    tables = [_read(Path(path)) for path in paths]
    return check_verdicts(pd.concat(tables, ignore_index=True), ", ".join(map(str, paths)))


def bare_benchmark(verdicts, place):
    """Return the questions of a verdict table, without texts and answers.

    Parameters
    ----------
    verdicts : DataFrame
    place : str
        Where they come from, for messages.

    Returns
    -------
    questions, answers : DataFrame
    """
    nothing = pd.DataFrame(columns=["question", "candidate", "turns"])
    parts = [
        build_benchmark(
            name,
            block.drop_duplicates("question")[["question", "task"]].assign(
                turns=[[] for _ in range(block["question"].nunique())]
            ),
            nothing,
            place,
        )
        for name, block in verdicts.groupby("benchmark", observed=True)
    ]
    questions, answers = (
        pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True)
    )
    return questions, answers


def _read(path):
    try:
        if path.suffix.lower() == ".csv":
            table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
            for name in table.columns.intersection(_MAY_MISS):
                table[name] = table[name].mask(table[name] == "")
            numbers = dict.fromkeys(("slots", "repeat", "choice", "margin"), "Float64")
            return table.astype({name: kind for name, kind in numbers.items() if name in table})
        table = pd.read_parquet(path)
        return table.drop(columns=table.columns.difference(list(VERDICTS.columns)))
    except (OSError, ValueError, pd.errors.ParserError) as error:
        raise ReadError(
            f"not readable as a verdict table: {error}",
            place=str(path),
            allowed="a file that ends in .parquet or .csv",
            cure="check the path; judgments in another layout have a reader of their own",
        ) from None
