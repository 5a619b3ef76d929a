"""Balanced half designs: each comparison in one order, so that nothing is seen twice."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.counts import COMPARISON_KEY
from posbias_kit.schema import Status

ONE_ORDER = "each comparison was shown in one order: consistency cannot be seen"
"""Why pc, and what rests on whole series, is missing."""


def shown_once(verdicts, keys):
    """Find the groups in which no comparison was shown in more than one order.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : list of str
        Grouping columns.

    Returns
    -------
    ndarray of bool
        For each row of `verdicts`, whether its group is one.
    """
    unit = list(dict.fromkeys([*COMPARISON_KEY, *(key for key in keys if key in verdicts)]))
    asked = (verdicts["status"] != Status.IDENTICAL).to_numpy()
    unit, head = number_groups(verdicts, unit)
    order = pd.factorize(verdicts["order"])[0]
    pairs = np.unique(np.column_stack([unit, order])[asked], axis=0)
    orders = np.bincount(pairs[:, 0], minlength=len(head))[unit]
    group, head = number_groups(verdicts, keys)
    most = np.zeros(len(head), dtype=orders.dtype)
    np.maximum.at(most, group, orders)
    return most[group] == 1


def weigh_slots(sides, keys):
    """Weigh the verdicts of such a group so that each slot of a candidate counts alike.

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


def note_once(table, verdicts, keys):
    """Say why consistency is missing.

    Parameters
    ----------
    table : DataFrame
        Holds the keys, series, complete, pc_n and pc.
    verdicts : DataFrame
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
    table = table.assign(note=why)
    if "candidate" in keys or not (why == "no complete series").any():
        return table
    once = verdicts.loc[shown_once(verdicts, keys), keys].drop_duplicates()
    told = table[keys].merge(once, "left", on=keys, indicator=True)["_merge"] == "both"
    lost = told.to_numpy() & (why == "no complete series")
    return table.assign(note=table["note"].mask(lost, ONE_ORDER))
