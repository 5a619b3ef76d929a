"""How often each comparison brought each verdict in each of its orders."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.orders import TURN, orders_needed
from posbias_kit.errors import ParamsError
from posbias_kit.schema import Status

COMPARISON_KEY = ["benchmark", "experiment", "arm", "judge", "turn", "comparison"]
"""What identifies a comparison by one judge, over all its orders and repeats."""

_PLACE = [column for column in COMPARISON_KEY if column != "judge"]
_CARRIED = ["task", "question", "cluster", "candidate", "reference", "slots"]


class OrderCounts(NamedTuple):
    """Verdicts counted by judge and comparison (C), order (O) and verdict."""

    comparisons: pd.DataFrame
    """One row a judge and comparison: the key, task, question, cluster, candidate, reference,
    slots, the flag identical, and repeats (how often an order was asked, the largest number);
    sorted by the key."""
    labels: np.ndarray
    """(C, O) names of the orders, "" where the comparison has fewer."""
    slots: np.ndarray
    """(C, O, p + 1) verdicts: column 0 is TIE, column k is slot k."""
    winners: np.ndarray
    """(C, O, W) verdicts by mapped winner, TIE among them; a comparison numbers its own winners."""

    @property
    def valid(self):
        """(C, O) verdicts in each order."""
        return self.slots.sum(axis=2)

    @property
    def asked(self):
        """(C, O) whether the comparison has that order."""
        return self.labels != ""

    def fewest(self):
        """(C,) verdicts in the order that has fewest; 0 where there is only one order."""
        least = np.where(self.asked, self.valid, np.iinfo(np.int64).max).min(axis=1)
        return np.where(self.asked.sum(axis=1) > 1, least, 0)

    def take(self, rows):
        """Keep these comparisons."""
        return OrderCounts(self.comparisons.iloc[rows], *(array[rows] for array in self[1:]))


def count_orders(verdicts):
    """Count the verdicts of each comparison by order, slot and mapped winner.

    A pair has the orders AB and BA; a set has those that it needs
    (:func:`posbias_kit.analysis.orders.orders_needed`).
    Nothing downstream needs the single verdicts again.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    OrderCounts

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b"), ("b", "a"), ("b", "a")], "repeat": [1, 1, 2],
    ...     "choice": pd.array([1, 1, 0], dtype="Int64")}))
    >>> count_orders(verdicts).slots.tolist()
    [[[0, 1, 0], [1, 1, 0]]]
    """
    if verdicts.empty:
        raise ParamsError("no verdicts", place="verdicts", cure="give at least one row")
    place, _ = number_groups(verdicts, _PLACE)
    unit, head = number_groups(verdicts, COMPARISON_KEY)
    comparisons = verdicts[[*COMPARISON_KEY, *_CARRIED]].iloc[head].reset_index(drop=True)
    comparisons = comparisons.sort_values(COMPARISON_KEY)
    head = head[comparisons.index]
    unit = np.argsort(comparisons.index)[unit]
    identical = np.bincount(unit, weights=verdicts["status"] == Status.IDENTICAL) > 0
    order, labels = _name_orders(verdicts, place)
    ok = verdicts["choice"].notna().to_numpy()
    choice = verdicts["choice"][ok].to_numpy(dtype=np.int64)
    winner = rank_within(unit[ok], pd.factorize(verdicts["winner"][ok], sort=True)[0])
    size = labels.shape[1]
    asked = np.bincount(unit * size + order, minlength=len(head) * size).reshape(len(head), size)

    def count(verdict, width):
        cell = (unit[ok] * size + order[ok]) * width + verdict
        counts = np.bincount(cell, minlength=len(head) * size * width)
        return counts.reshape(len(head), size, width)

    return OrderCounts(
        comparisons.reset_index(drop=True).assign(identical=identical, repeats=asked.max(axis=1)),
        labels[place[head]],
        count(choice, int(verdicts["slots"].max()) + 1),
        count(winner, winner.max(initial=0) + 1),
    )


def _name_orders(verdicts, place):
    """Number the orders of each comparison from 0; return the numbers and (place, O) names."""
    codes, names = pd.factorize(verdicts["order"], sort=True)
    pair = (verdicts["slots"] == 2).to_numpy()
    second = (verdicts["order"] == "BA").to_numpy()
    order = np.where(pair, second, rank_within(place, codes))
    needed = orders_needed(verdicts, place)
    labels = np.full((len(needed), needed.max()), "", dtype=object)
    labels[place, order] = names.to_numpy()[codes]
    labels[place[pair], :2] = "AB", "BA"  # a pair needs both, shown or not
    _name_turns(labels, needed)
    return order, labels


def _name_turns(labels, needed):
    """Name, in place, the turns of a set that nobody was shown; a set needs them all."""
    found = (labels != "").sum(axis=1)
    for row in np.flatnonzero(found < needed):
        shown = set(labels[row])
        if re.fullmatch(TURN, labels[row, 0]):
            unseen = [name for k in range(needed[row]) if (name := f"r{k}") not in shown]
            labels[row, found[row] : needed[row]] = unseen[: needed[row] - found[row]]


def rank_within(outer, inner):
    """Number the distinct `inner` codes of each `outer` code from 0, in sorted order.

    Examples
    --------
    >>> rank_within(np.array([0, 0, 1, 1, 1]), np.array([7, 5, 9, 2, 9])).tolist()
    [1, 0, 1, 0, 1]
    """
    width = inner.max(initial=0) + 1
    pairs, inverse = np.unique(outer * width + inner, return_inverse=True)
    start = np.searchsorted(pairs // width, pairs // width)
    return (np.arange(len(pairs)) - start)[inverse]
