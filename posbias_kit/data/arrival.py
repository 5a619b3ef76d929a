"""Which comparisons of a plan come first, or are repeated: drawn without replacement."""

import math
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


def share_repeats(plan, repeats, share=1.0, seed=0):
    """Say how often each presentation is asked where only some comparisons are repeated.

    The noise of a judge is known from a part of the comparisons; the rest of the calls are
    better spent on other questions. *Source: Shi et al., Judging the Judges (arXiv 2406.07791),
    which repeats a sample of its benchmarks.*

    Parameters
    ----------
    plan : DataFrame
        Presentations: comparison, task, identical.
    repeats : int
        Of a comparison that is repeated; the others are asked once.
    share : float
        Of the comparisons, rounded up; of each task in proportion.
    seed : int

    Returns
    -------
    ndarray of int
        One number for each presentation, the same in all orders of a comparison.

    Examples
    --------
    >>> plan = pd.DataFrame({"comparison": list("aabbccdd"), "task": "t", "identical": False})
    >>> share_repeats(plan, 3, share=0.5).tolist()
    [1, 1, 3, 3, 1, 1, 3, 3]
    """
    if share == 1:
        return np.full(len(plan), repeats)
    asked = plan[~plan["identical"]].drop_duplicates("comparison")
    drawn = arrival_order(len(asked), asked["task"], seed, "repeats")
    kept = asked["comparison"].iloc[drawn[: math.ceil(share * len(asked) - _ROUNDING)]]
    return np.where(plan["comparison"].isin(kept), repeats, 1)


_ROUNDING = 1e-9
