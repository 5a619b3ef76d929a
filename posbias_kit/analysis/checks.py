"""What every function of the room asks of its arguments, before it counts anything."""

from numbers import Integral, Real

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.errors import ParamsError, TableError
from posbias_kit.schema import VERDICT_KEY, VERDICTS

_WHOLE = {"draws", "flips", "permutations", "splits", "seed"}


def check_settings(place, **settings):
    """Check numbers by their names: `level` in (0, 1), draws and the like and `seed` from 0 on.

    Parameters
    ----------
    place : str
        Function named in the message.
    settings
        level, draws, flips, permutations, splits, seed.

    Raises
    ------
    ParamsError
        A value is outside its range, or not a number.

    Examples
    --------
    >>> check_settings("position_bias", level=95)
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: position_bias: level 95 is outside (0, 1)
      allowed: a number between 0 and 1
      cure: write 0.95 for 95 percent
    """
    for name, value in settings.items():
        if name in _WHOLE:
            check_whole(value, name, 0, place)
        elif not (isinstance(value, Real) and 0 < value < 1):
            raise ParamsError(
                f"{name} {value!r} is outside (0, 1)",
                place=place,
                allowed="a number between 0 and 1",
                cure="write 0.95 for 95 percent",
            )


def check_whole(value, name, least, place):
    """Return `value` if it is a whole number from `least` on, else raise ParamsError.

    >>> check_whole(3, "repeats", 1, "planning_table")
    3
    """
    if isinstance(value, Integral) and value >= least:
        return value
    negative = isinstance(value, Real) and value < 0
    raise ParamsError(
        f"{name} {value!r} is {'negative' if negative else 'not allowed'}",
        place=place,
        allowed=f"a whole number, {least} or more",
        cure=f"mend `{name}`",
    )


_GAPS = ("choice", "winner")
"""Where a verdict may be lacking; a gap anywhere else would take the row out of its group."""
_UNUSED = ("reason", "margin")
_LARGE = "shown"
"""Not loaded for the metrics of large tables, which do without."""


def check_verdicts(verdicts, some=False, keys=True):
    """Check that a table has the columns of verdicts, no gap in what groups them, no doubles.

    Parameters
    ----------
    verdicts : DataFrame
    some : bool
        Whether there must be a row.
    keys : bool
        False where the caller numbers its rows anyway and hands the numbers to
        :func:`refuse_doubles`, which spares a large table one more pass; then `shown` need not
        be there either.

    Raises
    ------
    TableError
        A column is missing, a row lacks a name or id, or rows share a key.
    ParamsError
        It is no table, or there is no row where one is needed.
    """
    if not hasattr(verdicts, "columns"):
        raise ParamsError(
            f"a {type(verdicts).__name__} is no table of verdicts", place="verdicts",
            allowed="a DataFrame", cure="make one by build_verdicts or read_verdicts",
        )  # fmt: skip
    needed = [n for n in VERDICTS.columns if n not in _UNUSED and (keys or n != _LARGE)]
    missing = [name for name in needed if name not in verdicts]
    if missing:
        raise TableError(
            f"missing column {', '.join(map(repr, missing))}", place="verdicts",
            allowed=", ".join(needed), cure="make the table by build_verdicts or read_verdicts",
        )  # fmt: skip
    for name in needed:
        if name not in _GAPS and verdicts[name].hasnans:
            _refuse_gap(verdicts[name])
    if some and verdicts.empty:
        raise ParamsError("no verdicts", place="verdicts", cure="give at least one row")
    if keys:
        refuse_doubles(number_groups(verdicts, VERDICT_KEY)[0], verdicts)


def _refuse_gap(values):
    wrong = values.isna().to_numpy()
    raise TableError(
        f"{int(wrong.sum())} rows without a value, the first is row {wrong.argmax()}",
        place=f"verdicts, {values.name}",
        allowed="a value in each row; an empty text where there is no name",
        cure="fill the column, or take these rows out and say so",
    )


def refuse_doubles(code, verdicts):
    """Raise TableError where two rows of a verdict table have the same key.

    Parameters
    ----------
    code : ndarray of int
        For each row the number of its key, from 0 and without large gaps.
    verdicts : DataFrame
    """
    if len(code) and np.bincount(code).max() > 1:  # a tenth of the time of looking for doubles
        twice = pd.Series(code).duplicated().to_numpy()
        rows = (code == code[twice.argmax()]).nonzero()[0].tolist()
        key = verdicts[VERDICT_KEY].iloc[rows[0]].astype(str).to_dict()
        raise TableError(
            f"{int(twice.sum())} rows repeat the key of another, e.g. {key} in rows {rows[:5]}",
            place="verdicts",
            allowed=f"one row for each {', '.join(VERDICT_KEY)}",
            cure="remove the duplicate rows, or number them with `repeat`",
        )
