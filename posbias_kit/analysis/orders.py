"""Which orders a comparison needs before it is complete."""

import re

import numpy as np
import pandas as pd

TURN = r"r\d+"
"""Names of the kit's own orders of a set: r0 to r(p - 1) are its turns."""


def orders_needed(verdicts, place):
    """Count the orders that each comparison needs.

    A pair needs two. A set needs all in which any judge was shown it, two at least; where they
    are the kit's own (r0, r1, ...), that is all p turns at least, be they shown or not. Orders
    of another source have names of its own, and it is not known which of them are missing.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    place : ndarray of int
        Number of the comparison of each row, from 0 on.

    Returns
    -------
    ndarray of int
        For each comparison.

    Examples
    --------
    >>> verdicts = pd.DataFrame({"order": ["AB", "r0", "r2", "x"], "slots": [2, 3, 3, 3]})
    >>> orders_needed(verdicts, np.array([0, 1, 1, 2])).tolist()
    [2, 3, 2]
    """
    codes, names = pd.factorize(verdicts["order"])
    turn = np.array([re.fullmatch(TURN, name) is not None for name in names], dtype=bool)
    slots = np.zeros(place.max(initial=-1) + 1, dtype=np.int64)
    slots[place] = verdicts["slots"].to_numpy(dtype=np.int64)
    own = np.ones(len(slots), dtype=bool)
    own[place[~turn[codes]]] = False
    found = np.unique(place * len(names) + codes) // max(len(names), 1)
    found = np.bincount(found, minlength=len(slots))
    return np.where(slots == 2, 2, np.maximum(found, np.where(own, slots, 2)))
