"""Preference fairness of every slot, for sets of any size."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.counts import COMPARISON_KEY
from posbias_kit.analysis.incomplete import count_incomplete
from posbias_kit.analysis.intervals import cluster_sums, difference_intervals, share_intervals
from posbias_kit.analysis.series import SERIES_KEY, build_series, group_verdicts, spread_candidates
from posbias_kit.analysis.slots import UNBALANCED, tally_arrangements


def listwise_fairness(verdicts, by=("judge",), level=0.95):
    """Measure the preference fairness of each slot against all others.

    Over complete series, with PC their consistency and share_k the mean over the inconsistent
    ones of the share of a series' verdicts for a slot that name slot k,

        PF_k = (1 - PC) (share_k - 1/p) p / (p - 1).

    It runs from -1 / (p - 1) to 1, sums to 0 over the slots, and has mean 0 without a position
    effect. It is a difference of two means over complete series, which gives its interval: with
    f_k a series' share, 0 where consistent,

        PF_k = mean f_k - mean g_k,     g_k = (1 - f_k) / (p - 1) where inconsistent, else 0.

    For pairs PF_2 = -PF_1 is `pf` of :func:`posbias_kit.analysis.position_bias` under the
    `paper` convention: a half flip's only verdict for a slot is all of its share. Without ties,
    and with balanced orders, it is the excess of :func:`posbias_kit.analysis.slot_wins` over
    complete series times p / (p - 1).

    `pf_rescaled_biased` is stretched by p - 1 below 0, so that both ends are reached. It no
    longer has mean 0 without a position effect (about -.015 for 3 slots, -.027 for 8), and is
    there for comparison with others' numbers only.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on list-wise evaluation;
    the unstretched form is ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, with `shown`.
    by : sequence of str
        Grouping columns after benchmark and experiment.
    level : float
        Level of the intervals.

    Returns
    -------
    DataFrame
        One row a group and slot: series (complete), incomplete (series that an order lacks: they
        enter no number), inconsistent, pc; share (missing without an inconsistent series);
        expected = 1/p; pf with its interval (CR2 t); pf_rescaled_biased; balanced; clusters;
        note.

    Raises
    ------
    ParamsError
        An unknown grouping column, or a level outside (0, 1).

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "repeat": 1, "shown": [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")],
    ...     "order": ["r0", "r1", "r2"], "choice": pd.array([1, 1, 1], dtype="Int64")}))
    >>> listwise_fairness(verdicts)["pf"].tolist()
    [1.0, -0.5, -0.5]
    """
    check_settings("listwise_fairness", level=level)
    keys = group_verdicts(verdicts, by, some=True)
    series = _share_slots(verdicts)
    series = spread_candidates(series[~series["identical"]], keys)
    width = int(verdicts["slots"].max())
    each = [f"{name}_{slot}" for slot in range(1, width + 1) for name in ("on", "off")]
    sums = cluster_sums(series, keys, ["complete", "consistent", "inconsistent", *each])
    tally = tally_arrangements(verdicts, [*COMPARISON_KEY, *({"repeat"} & {*keys})])
    arranged = spread_candidates(tally.frame, keys).groupby(keys, observed=True)
    facts = pd.DataFrame({"balanced": arranged["balanced"].all(), "_p": arranged["slots"].max()})
    facts["incomplete"] = count_incomplete(verdicts, keys)
    table = pd.concat([_estimate(sums, facts, slot, level) for slot in range(1, width + 1)])
    table = table.reset_index()
    table = table[table["slot"] <= table["_p"]].sort_values([*keys, "slot"], kind="stable")
    return table[[*keys, *_COLUMNS]].reset_index(drop=True)


_COLUMNS = [
    "slot", "series", "incomplete", "inconsistent", "pc", "share", "expected", "pf", "pf_low",
    "pf_high", "pf_rescaled_biased", "balanced", "clusters", "note",
]  # fmt: skip


def _share_slots(verdicts):
    """Add f_k and g_k, as on_k and off_k, to each series; 0 unless it is inconsistent."""
    series = build_series(verdicts)
    code, _ = number_groups(verdicts, SERIES_KEY)  # numbers the series as build_series does
    width = int(verdicts["slots"].max())
    choice = verdicts["choice"].fillna(0).to_numpy(dtype=np.int64)
    named = np.bincount(code * (width + 1) + choice, minlength=len(series) * (width + 1))
    named = named.reshape(len(series), width + 1)[:, 1:]
    others = series["slots"].to_numpy(dtype=float) - 1
    used = series["inconsistent"].to_numpy()
    share = named / np.maximum(named.sum(axis=1, keepdims=True), 1)
    for slot in range(1, width + 1):
        series[f"on_{slot}"] = np.where(used, share[:, slot - 1], 0)
        series[f"off_{slot}"] = np.where(used, (1 - share[:, slot - 1]) / others, 0)
    return series


def _estimate(sums, facts, slot, level):
    found = difference_intervals(sums, f"on_{slot}", f"off_{slot}", "complete", level)
    total = sums.groupby(level=list(range(sums.index.nlevels - 1)), observed=True).sum()
    table = facts.reindex(total.index).assign(slot=slot)
    table["series"] = total["complete"].astype("Int64")
    table["inconsistent"] = total["inconsistent"].astype("Int64")
    table["pc"] = share_intervals(sums, "consistent", "complete", level)["estimate"]
    table["share"] = total[f"on_{slot}"] / total["inconsistent"].replace(0, np.nan)
    table["expected"] = 1 / table["_p"].astype(float)
    table["pf"] = found["estimate"]
    table[["pf_low", "pf_high"]] = found[["low", "high"]]
    stretch = np.where(table["pf"] < 0, table["_p"].astype(float) - 1, 1)
    table["pf_rescaled_biased"] = table["pf"] * stretch
    table["clusters"] = found["clusters"].astype("Int64")
    table["note"] = np.select(
        [
            table["series"] == 0,
            table["inconsistent"] == 0,
            table["clusters"] < 2,
            ~table["balanced"].astype(bool),
        ],
        [
            "no complete series",
            "no inconsistent series: pf is 0 because pc is 1",
            "one cluster: no interval",
            UNBALANCED,
        ],
        "",
    )
    return table
