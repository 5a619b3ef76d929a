"""Balanced half designs: each comparison in one order, so that nothing is seen twice."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.counts import COMPARISON_KEY
from posbias_kit.analysis.series import spread_candidates
from posbias_kit.schema import Status

ONE_ORDER = "each comparison was shown in one order: consistency cannot be seen"
"""Why pc, and what rests on whole series, is missing."""
NOT_PLACED = "shown in one order, but not in every slot: no average over them"
"""Why a candidate has no average."""


def shown_once(verdicts, keys=()):
    """Find the comparisons that were shown in one order only, whatever came back.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : sequence of str
        Grouping columns: a comparison counts by itself in each group.

    Returns
    -------
    ndarray of bool
        For each row of `verdicts`, whether its comparison is one.
    """
    asked = (verdicts["status"] != Status.IDENTICAL).to_numpy()
    unit, head = number_groups(verdicts, name_units(verdicts, keys))
    order = pd.factorize(verdicts["order"])[0]
    pairs = np.unique(np.column_stack([unit, order])[asked], axis=0)
    return np.bincount(pairs[:, 0], minlength=len(head))[unit] == 1


def name_units(verdicts, keys):
    """Return the columns that tell judged comparisons apart, those of `keys` among them."""
    return list(dict.fromkeys([*COMPARISON_KEY, *(key for key in keys if key in verdicts)]))


def weigh_slots(sides, keys):
    """Weigh the verdicts of such comparisons so that each slot of a candidate counts alike.

    Parameters
    ----------
    sides : DataFrame
        One row a cell and candidate: the keys, candidate, slot, slots, count, and the flag half.
    keys : list of str
        Grouping columns.

    Returns
    -------
    Series of float
        Weights that add up to a candidate's verdicts; 0 unless it stood in every slot.
    """
    count = sides["half"] * sides["count"]
    place = [sides[key] for key in (*keys, "candidate")]
    total = count.groupby(place, observed=True).transform("sum")
    slot = count.groupby([*place, sides["slot"]], observed=True).transform("sum")
    stood = sides["slot"].where(count > 0).groupby(place, observed=True).transform("nunique")
    whole = (stood == sides["slots"]) & (slot > 0)
    return (count * total / (sides["slots"].astype(float) * slot)).where(whole, 0.0)


def count_once(told, sides, keys):
    """Count the comparisons behind a candidate's average, and those shown in one order only.

    Parameters
    ----------
    told : DataFrame
        Verdicts, with the flags whole (of a complete series) and half (of a comparison shown in
        one order).
    sides : DataFrame
        As for :func:`weigh_slots`.
    keys : list of str
        Grouping columns.

    Returns
    -------
    DataFrame
        One row a group and candidate: once, seen (once, and those with a complete series), and
        placed (whether the former were spread over all slots, so that they can be averaged).
    """
    group = [*keys, "candidate"]
    rows = told[told["half"] | told["whole"]]
    rows = rows.iloc[number_groups(rows, name_units(rows, keys))[1]]
    rows = spread_candidates(rows, group).groupby(group, observed=True)["half"]
    table = rows.agg(once="sum", seen="size")
    weight = weigh_slots(sides, keys).groupby([sides[name] for name in group], observed=True).sum()
    table = table.reindex(weight.index, fill_value=0)
    return table.assign(placed=weight > 0).reset_index()


def say_once(table, averaged, model):
    """Say how many comparisons were shown in one order, and what became of them.

    Parameters
    ----------
    table : DataFrame
        Holds once, seen and placed.
    averaged, model : Series of bool
        Which rows are averages over the orders, and which the model's; the others rest on
        complete series.

    Returns
    -------
    ndarray of str
        Empty where there is none.
    """
    once, seen, placed = table["once"], table["seen"], table["placed"].astype(bool)
    some = once.astype(str) + " of " + seen.astype(str) + " comparisons in one order"
    taken = np.where(once == seen, "each comparison in one order", some)
    return np.select(
        [once == 0, averaged & placed, model, averaged],
        ["", taken + ": averaged over comparisons, not within them", taken,
         some + " left out: not shown in every slot"],
        some + " left out",
    )  # fmt: skip


def note_once(table, keys):
    """Say why consistency is missing.

    Parameters
    ----------
    table : DataFrame
        Holds the keys, series, complete, pc_n, pc and turned (verdicts on comparisons that were
        seen in several orders).
    keys : list of str

    Returns
    -------
    DataFrame
        With `note`, empty where pc is there.
    """
    why = np.select(
        [table["pc"].notna(), table["series"].fillna(0) == 0, table["complete"] > 0],
        ["", "nothing was asked", "every complete series has a tie"],
        "no complete series",
    )
    once = (why == "no complete series") & (table["turned"] == 0) & ("candidate" not in keys)
    return table.assign(note=np.where(once, ONE_ORDER, why))
