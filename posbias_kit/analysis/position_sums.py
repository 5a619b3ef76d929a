"""What :func:`posbias_kit.analysis.position_bias` counts: sums that add over parts of a table."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.half import shown_once
from posbias_kit.analysis.intervals import cluster_sums
from posbias_kit.analysis.series import build_series, take_sides
from posbias_kit.schema import Status

COUNTS = [
    "complete", "incomplete", "identical", "consistent",
    "primacy_full", "primacy_half", "recency_full", "recency_half",
]  # fmt: skip
"""Kinds of series."""

_BESIDE = [
    "win", "loss", "tie", "owr_points", "verdicts", "first", "second", "any_tie", "tie_consistent",
    "pairs", "comparisons", "unsided",
]  # fmt: skip


def sum_series(verdicts, keys):
    """Count the series of each group and cluster by their kinds.

    Nothing in :func:`posbias_kit.analysis.position_bias` needs the single series again, and the
    counts of a table are those of its parts added up, as long as no comparison lies in two parts.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : list of str
        Grouping columns.

    Returns
    -------
    DataFrame
        Indexed by keys and cluster: the kinds of :data:`COUNTS`; win, loss, tie (of consistent
        series, by the candidate's side); owr_points; verdicts, first, second; any_tie,
        tie_consistent; pairs; comparisons; unsided (series without a side); turned (verdicts on
        comparisons seen in several orders, where the group has no complete series in this table).
    """
    columns = sorted({*keys, "cluster", "comparison", "candidate", "slots"})
    series = _flag(take_sides(build_series(verdicts, columns), keys), keys)
    sums = cluster_sums(series, keys, [*COUNTS, *_BESIDE])
    return sums.assign(turned=_count_turned(verdicts, sums))


def _flag(series, keys):
    """Add what a series gives to the sums: half a point for a tie or an inconsistent one."""
    undecided = series["complete"] * 1.0 - series["win"] - series["loss"]
    told = ~series["identical"]
    distinct = np.zeros(len(series), dtype=bool)
    distinct[number_groups(series, [*keys, "comparison"])[1]] = True
    return series.assign(
        owr_points=series["win"] + undecided / series["slots"],
        tie_consistent=series["consistent"] & (series["ties"] > 0),
        verdicts=series["verdicts"] * told,
        first=series["first"] * told,
        second=series["second"] * told,
        pairs=series["slots"] == 2,
        comparisons=distinct,
        unsided=series["win"].isna(),
    )


def _count_turned(verdicts, sums):
    """Count verdicts on comparisons seen in several orders; 0 where a group has complete series."""
    keys = list(sums.index.names)
    complete = sums.groupby(level=keys[:-1], observed=True)["complete"].sum()
    if "candidate" in keys or (complete > 0).all():
        return 0.0
    asked = (verdicts["status"] != Status.IDENTICAL).to_numpy()
    turned = pd.Series(asked & ~shown_once(verdicts, keys[:-1]), verdicts.index)
    turned = turned.groupby([verdicts[key] for key in keys], observed=True).sum()
    return turned.reindex(sums.index).astype(float)
