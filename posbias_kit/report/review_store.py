"""What a run keeps of its reviews: the key to the sheets, the decisions, the refused rows."""

import secrets

import pandas as pd

from posbias_kit.report.blind import KEY
from posbias_kit.report.files import read_csv, write_text
from posbias_kit.review_schema import REVIEWS, validate_reviews
from posbias_kit.schema import TABLES

FOLDER = "review"
"""Folder of a run that holds the key and what came back; it is never handed out."""


def read_reviews(folder):
    """Return what reviewers decided in a run; empty where nothing was imported.

    Parameters
    ----------
    folder : Path
        The run's folder.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.review_schema.REVIEWS`.
    """
    path = folder / FOLDER / "reviews.parquet"
    if not path.is_file():
        empty = pd.DataFrame({name: pd.Series(dtype="str") for name in REVIEWS.columns})
        return empty.astype({"version": "Int64", "row": "Int64"})
    return validate_reviews(pd.read_parquet(path), str(path))


def read_refused(folder):
    """Return the rows that the last import refused; empty where there are none."""
    path = folder / FOLDER / "refused.csv"
    return read_csv(path) if path.is_file() else pd.DataFrame(columns=["file", "row", "problem"])


def read_key(folder):
    """Return which answers and comparisons the opaque ids stand for; empty before an export."""
    path = folder / FOLDER / "key.parquet"
    return pd.read_parquet(path) if path.is_file() else pd.DataFrame(columns=KEY)


def read_secret(folder):
    """Return what keeps ids from being worked out from the names of the candidates."""
    path = folder / FOLDER / "secret"
    if not path.is_file():
        write_text(path, secrets.token_hex(16))
    return path.read_text(encoding="utf-8")


def load_if_there(run, table):
    """Load a table of a run, or an empty one with its columns where the run has none.

    Parameters
    ----------
    run : Run
    table : str
        A name of :data:`posbias_kit.schema.TABLES`.
    """
    if (run.folder / f"{table}.parquet").is_file():
        return run.load(table)
    return pd.DataFrame(columns=list(TABLES[table].columns))
