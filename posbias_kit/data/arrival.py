"""The order in which comparisons are drawn from a plan, without replacement."""

import zlib

import numpy as np
import pandas as pd

from posbias_kit.errors import ParamsError


def arrival_order(size, strata=None, seed=0, name=""):
    """Draw all of `size` comparisons in a seeded random order.

    With strata, each is mixed by itself and then spread evenly over the whole, so that wherever
    one stops every stratum has had its share, up to one comparison: the comparison at place r of
    a stratum of n comes at (r + u) / n, u uniform.

    Parameters
    ----------
    size : int
    strata : sequence, optional
        The stratum of each comparison.
    seed : int
    name : str
        Judge; each has an order of its own.

    Returns
    -------
    ndarray of int
        Positions of the comparisons, as they arrive.

    Raises
    ------
    ParamsError
        There is not one stratum for each comparison.

    Examples
    --------
    >>> arrival_order(5).tolist()
    [2, 4, 3, 0, 1]
    >>> strata = ["x", "y"] * 3
    >>> [strata[place] for place in arrival_order(6, strata)]
    ['y', 'x', 'y', 'x', 'x', 'y']
    """
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    drawn = rng.permutation(size)
    if strata is None:
        return drawn
    strata = list(strata)
    if len(strata) != size:
        raise ParamsError(
            f"{len(strata)} strata of {size} comparisons", place="arrival_order",
            allowed="one for each", cure="name the stratum of every comparison",
        )  # fmt: skip
    mixed = pd.Series(pd.factorize(pd.Series(strata))[0][drawn])
    within = mixed.groupby(mixed)
    at = (within.cumcount() + rng.random(size)) / within.transform("size")
    return drawn[np.argsort(at, kind="stable")]
