"""Noise or position? Disagreement across orders against disagreement within an order."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.counts import count_orders
from posbias_kit.analysis.intervals import (
    cluster_sums,
    difference_intervals,
    ratio_intervals,
    share_intervals,
)
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.notes import note_draws
from posbias_kit.analysis.order_permutation import (
    disagree_across,
    disagree_within,
    excess_test,
)
from posbias_kit.analysis.series import group_verdicts, spread_candidates
from posbias_kit.cluster import spread
from posbias_kit.errors import ParamsError

NO_REPEATS = "no repeats: the split cannot be made"
FEW_VERDICTS = "no comparison has two verdicts in every order: the split cannot be made"
ONLY_IDENTICAL = "identical answers only"
ONE_SCORE = "both orders rest on one score"
"""Why a group has no split."""


def inconsistency_split(verdicts, by=("judge",), level=0.95, permutations=1000, seed=0, scored=()):
    """Split inconsistency into what repeats do by themselves and what the order adds.

    With c_ok the verdicts in order o that name winner k (TIE is one) and n_o their number, a
    comparison has

        I = 1 - sum_k c_1k c_2k / (n_1 n_2)                     across the orders,
        N = mean over o of 1 - sum_k c_ok (c_ok - 1) / (n_o (n_o - 1))      within an order,
        E = I - N                                             owed to the order.

    E[E] is half the squared distance between the two orders' verdict distributions: 0 without
    an order effect, whatever the noise, so that single values lie on both sides of 0. The share
    owed to position is sum E / sum I and is not cut at 0 or 1. For sets I is the mean over
    pairs of orders.

    The test permutes the mapped winners over the orders within each comparison, keeping their
    sizes; with the mean of E as statistic, p = (1 + #{>=}) / (permutations + 1). It asks whether
    the presentations of a comparison differ in their verdicts, in whatever direction: a judge
    that settles on a verdict for each presentation and then repeats it has a large E even if it
    leans to no slot. Which slot gains is told by preference fairness.

    *Source: ours; E is the energy distance between the orders' verdicts for the discrete
    metric, halved, by its U-statistic: G. J. Szekely and M. L. Rizzo (2013), Energy statistics:
    a class of statistics based on distances, Journal of Statistical Planning and Inference
    143(8).*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment; not `repeat`.
    level : float
        Level of the intervals.
    permutations, seed : int
        Of the test; 0 permutations give no p.
    scored : collection of str
        Arms in which answers were scored alone (:func:`posbias_kit.analysis.scored_arms`). All
        orders of a repeat rest there on the same scores and agree by construction, so that E
        would be -N / R without any meaning: their comparisons are excluded.

    Returns
    -------
    DataFrame
        One row a group: comparisons (with two or more verdicts in every order: those of the
        split); excluded (the others); identical; across, within (mean I and N) and excess (mean
        E) with their intervals; share with its interval (CR2 t of the ratio); pc_cross_n
        (comparisons with a verdict in every order) and pc_cross = 1 - mean I over them, with its
        interval; p, and p_holm over the rows of a benchmark and experiment, or p_bh where `by`
        holds `task`; clusters (of the split); note (why a number is missing).

    Raises
    ------
    ParamsError
        An unknown grouping column, `repeat` among them, or a level outside (0, 1).

    Examples
    --------
    Asked twice in each order, the judge always takes what is shown first.

    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b"), ("b", "a")] * 2, "repeat": [1, 1, 2, 2],
    ...     "choice": pd.array([1, 1, 1, 1], dtype="Int64")}))
    >>> inconsistency_split(verdicts)[["across", "within", "share"]].values.tolist()
    [[1.0, 0.0, 1.0]]
    """
    check_settings("inconsistency_split", level=level, permutations=permutations, seed=seed)
    keys = group_verdicts(verdicts, by)
    if "repeat" in keys:
        raise ParamsError(
            "cannot group by 'repeat'",
            place="by",
            cure="leave it out: the split compares the repeats of a comparison",
        )
    counts = count_orders(verdicts)
    frame = spread_candidates(_measure(counts, scored), keys)
    sums = cluster_sums(frame, keys, _SUMMED)
    table = _estimate(sums, level)
    split = frame[frame["comparisons"]]
    groups = split.groupby(keys, observed=True).indices
    winners = (counts.winners[split["row"].iloc[rows]] for rows in groups.values())
    found = spread(excess_test, ((part, permutations, seed) for part in winners))
    table["p"] = pd.Series(dict(zip(groups, found, strict=True)), dtype=float)
    table = note_draws(table, permutations, "permutations")
    return adjust_p(table.reset_index()[[*keys, *_COLUMNS]], keys)


_SUMMED = [
    "comparisons", "excluded", "identical", "across", "within", "excess", "pc_cross_n", "agree",
    "repeated", "scored",
]  # fmt: skip
_COLUMNS = [
    "comparisons", "excluded", "identical",
    "across", "across_low", "across_high", "within", "within_low", "within_high",
    "excess", "excess_low", "excess_high", "share", "share_low", "share_high",
    "pc_cross_n", "pc_cross", "pc_cross_low", "pc_cross_high", "p", "clusters", "note",
]  # fmt: skip


def _measure(counts, scored):
    """I, N and E of each comparison; 0 where it does not enter, so that sums leave it out."""
    told, fewest = ~counts.comparisons["identical"].to_numpy(), counts.fewest()
    alone = counts.comparisons["arm"].isin(list(scored)).to_numpy()
    crossed, split = (told & ~alone & (fewest >= least) for least in (1, 2))
    across = np.where(crossed, disagree_across(counts.winners), 0)
    within = np.where(counts.asked, disagree_within(counts.winners), 0)
    within = np.where(split, within.sum(axis=1) / np.maximum(counts.asked.sum(axis=1), 1), 0)
    return counts.comparisons.assign(
        row=np.arange(len(split)),
        comparisons=split,
        excluded=told & ~split,
        across=np.where(split, across, 0),
        within=within,
        excess=np.where(split, across - within, 0),
        repeated=told & (counts.comparisons["repeats"] > 1),
        scored=told & alone,
        pc_cross_n=crossed,
        agree=np.where(crossed, 1 - across, 0),
    )


def _estimate(sums, level):
    """Means with their intervals, the share, and what is missing in words."""
    found = {
        "across": share_intervals(sums, "across", "comparisons", level),
        "within": share_intervals(sums, "within", "comparisons", level),
        "excess": difference_intervals(sums, "across", "within", "comparisons", level),
        "share": _share(sums, level),
        "pc_cross": share_intervals(sums, "agree", "pc_cross_n", level),
    }
    group = list(range(sums.index.nlevels - 1))
    total = sums.groupby(level=group, observed=True).sum()
    table = total[["comparisons", "excluded", "identical", "pc_cross_n"]].astype("Int64")
    for name, result in found.items():
        table[name] = result["estimate"]
        table[[f"{name}_low", f"{name}_high"]] = result[["low", "high"]]
    table["clusters"] = found["excess"]["clusters"].astype("Int64")
    share = found["share"]
    table["note"] = np.select(
        [
            table["comparisons"] + table["excluded"] == 0,
            (table["comparisons"] == 0) & (total["scored"] == table["excluded"]),
            total["repeated"] == 0,
            table["comparisons"] == 0,
            total["across"] == 0,
            share["clusters"] < 2,
            share["se"] <= 1e-12,
        ],
        [
            ONLY_IDENTICAL,
            ONE_SCORE,
            NO_REPEATS,
            FEW_VERDICTS,
            "never inconsistent: no share",
            "inconsistent in one cluster only: no interval of the share",
            "the share is the same in all clusters: its interval counts clusters",
        ],
        "",
    )
    return table


def _share(sums, level):
    """Share with its CR2 t interval; by the number of clusters where they do not differ."""
    result = ratio_intervals(sums, "excess", "across", level)
    flat = (result["se"] <= 1e-12) & result["estimate"].between(-1e-12, 1 + 1e-12)
    told = sums.index.droplevel(-1).isin(result.index[flat])
    result.update(share_intervals(sums[told], "excess", "across", level)[["low", "high"]])
    return result
