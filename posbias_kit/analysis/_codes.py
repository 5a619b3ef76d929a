"""Rows to group numbers, for tables of millions of rows."""

import numpy as np
import pandas as pd


def number_groups(frame, columns):
    """Number the distinct combinations of `columns` from 0 in the order of their first rows.

    As ``frame.groupby(columns, sort=False).ngroup()``, but with one column's codes in memory at
    a time.

    Parameters
    ----------
    frame : DataFrame
    columns : sequence of str

    Returns
    -------
    code : ndarray of int
        The number of each row's combination.
    head : ndarray of int
        Position of the first row of each combination.

    Examples
    --------
    >>> frame = pd.DataFrame({"judge": ["k", "j", "k", "k"], "order": ["AB", "AB", "AB", "BA"]})
    >>> [part.tolist() for part in number_groups(frame, ["judge", "order"])]
    [[0, 1, 0, 2], [0, 1, 3]]
    """
    code, size = np.zeros(len(frame), dtype=np.int64), 1
    for column in columns:
        if len(frame) and _is_constant(frame[column]):
            continue  # many key columns hold one value, and comparing is cheaper than coding
        values, names = pd.factorize(frame[column], use_na_sentinel=False)
        if size * len(names) > _LARGEST:
            code, seen = pd.factorize(code)
            size = len(seen)
        code *= len(names)
        code += values
        size *= len(names)
    if size > _DENSE * max(len(code), 1):
        code, seen = pd.factorize(code)
        size = len(seen)
    return _renumber(code, size)


def _renumber(code, size):
    """Number codes below `size` in the order in which they first occur; return also where."""
    first = np.full(size, len(code))
    np.minimum.at(first, code, np.arange(len(code)))
    seen = np.flatnonzero(first < len(code))
    seen = seen[np.argsort(first[seen], kind="stable")]
    number = np.empty(size, dtype=np.int64)
    number[seen] = np.arange(len(seen))
    return number[code], first[seen]


def _is_constant(values):
    same = values.iloc[[0, -1]] == values.iloc[0]  # of most others these two differ
    return same.fillna(False).all() and (values == values.iloc[0]).fillna(False).all()


_LARGEST = np.iinfo(np.int64).max
_DENSE = 4
"""With at most so many possible codes a row, a table of all takes less time than a hash table."""
