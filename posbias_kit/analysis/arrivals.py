"""Comparisons as they arrive under a stopping rule: their counts, checked, and what is told."""

from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings, check_whole
from posbias_kit.errors import ParamsError


class Arrivals(NamedTuple):
    """Counts of the comparisons asked, in the order in which they were drawn."""

    consistent: np.ndarray
    """Consistent series of each comparison."""
    complete: np.ndarray
    """Complete series of each comparison."""
    looks: list
    """After how many comparisons to look."""


def check_rule(place, half_width, level):
    """Check what every rule is given: a level in (0, 1), a half-width in (0, 0.5).

    Raises
    ------
    ParamsError
        One of them is outside.
    """
    check_settings(place, level=level)
    if not (isinstance(half_width, Real) and 0 < half_width < 0.5):
        raise ParamsError(
            f"half_width {half_width!r} is outside (0, 0.5)", place=place,
            allowed="half the width of an interval of shares", cure="write 0.03 for 3 points",
        )  # fmt: skip


def check_arrivals(place, consistent, complete, planned, most, looks):
    """Return the counts as :class:`Arrivals`, once they fit together.

    Raises
    ------
    ParamsError
        Different lengths, more comparisons than planned, counts that cannot be, parts of a series
        or of a look among them, or a look after the last comparison.
    """
    for name, value in (("planned", planned), ("most", most)):
        check_whole(value, name, 1, place)
    yes, n = (np.asarray(counts, dtype=float) for counts in (consistent, complete))
    looks = [len(n)] if looks is None else [_as_whole(look) for look in looks]
    if yes.shape != n.shape or n.ndim != 1 or not len(n) or len(n) > planned:
        raise ParamsError(
            f"{yes.size} consistent and {n.size} complete of {planned} planned", place=place,
            allowed="two lists of one length, from 1 to `planned`",
            cure="give one count of each for every comparison asked",
        )  # fmt: skip
    whole = (yes == np.round(yes)) & (n == np.round(n))
    wrong = np.flatnonzero(~((yes >= 0) & (yes <= n) & (n <= most) & whole))
    if len(wrong):
        at = int(wrong[0])
        raise ParamsError(
            f"comparison {at} has {yes[at]:g} consistent of {n[at]:g} complete series",
            place=place, allowed=f"whole numbers, 0 <= consistent <= complete <= {most} (`most`)",
            cure="`most` is the number of series of a comparison, its repeats",
        )  # fmt: skip
    split = [look for look in looks if isinstance(look, float)]
    if not looks or split or looks != sorted(set(looks)) or looks[0] < 1 or looks[-1] > len(n):
        raise ParamsError(
            f"looks {looks[:5]}", place=place, allowed=f"rising whole numbers from 1 to {len(n)}",
            cure="leave `looks` out to look once, at the end",
        )  # fmt: skip
    return Arrivals(yes, n, looks)


def _as_whole(look):
    """Return an int where the number is whole, else the number as it is."""
    return int(look) if float(look).is_integer() else float(look)


def tell_looks(told, low, high, pc=None):
    """Lay out what was known at each look.

    Parameters
    ----------
    told : Arrivals
    low, high : sequence of float
    pc : sequence of float, optional
        Estimates; by default consistent / complete.

    Returns
    -------
    DataFrame
        asked, consistent, complete, pc, pc_low, pc_high, half_width; pc is missing where no
        series was complete.
    """
    last = np.array(told.looks) - 1
    table = pd.DataFrame({"asked": told.looks})
    table["consistent"] = np.cumsum(told.consistent)[last].astype(int)
    table["complete"] = np.cumsum(told.complete)[last].astype(int)
    share = table["consistent"] / table["complete"].where(table["complete"] > 0)
    table["pc"] = share if pc is None else pc
    table["pc_low"], table["pc_high"] = low, high
    return table.assign(half_width=(table["pc_high"] - table["pc_low"]) / 2)
