"""Do judges differ? Paired on the same series."""

from itertools import combinations

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import cluster_sums, difference_intervals
from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.notes import note_draws, note_effect
from posbias_kit.analysis.planning import detectable_effect
from posbias_kit.analysis.randomization import explain_floor, sign_flip_test
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.errors import ParamsError, check_choice


def judge_differences(
    verdicts,
    metric="pc",
    baseline=None,
    by=(),
    convention="paper",
    level=0.95,
    flips=9999,
    seed=0,
):
    """Compare judges on the series that both completed.

    The difference is the mean over paired series (same presentation arm, comparison and repeat)
    of one judge's value minus the other's. Its interval is the CR2 t interval over clusters;
    its p-value flips the signs of the clusters' sums of differences
    (:func:`posbias_kit.analysis.randomization.sign_flip_test`). A judge's own row in another
    table may rest on more series than a pair does.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table; with one judge there is nothing to compare, and no row.
    metric : {"pc", "pf", "first", "ties"}
        As for :func:`posbias_kit.analysis.measure.measure_series`.
    baseline : str, optional
        The judge that all others are compared with; none compares all pairs.
    by : sequence of str
        Grouping columns after benchmark and experiment, without `judge`.
    convention : {"paper", "tie", "decisive", "half"}
        As for :func:`posbias_kit.analysis.position_bias`; under ``half`` pf is taken over
        complete series.
    level : float
    flips : int
        Random sign patterns where there are too many to try all.
    seed : int

    Returns
    -------
    DataFrame
        One row a group and pair: judge; other; metric; convention; series (paired); value,
        other_value (on these series); difference, difference_low, difference_high; clusters;
        p; p_holm over the pairs of a benchmark and experiment, or p_bh where `by` holds `task`;
        mde (minimum detectable difference at power .8); note.

    Raises
    ------
    ParamsError
        `by` holds `judge`, or the baseline is no judge of the table.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> rows = [(j, f"q{n}", a, b, k) for j, c in (("i", "12"), ("j", "11")) for n in range(6)
    ...         for (a, b), k in zip(("xy", "yx"), map(int, c))]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": [row[0] for row in rows], "repeat": 1,
    ...     "question": [row[1] for row in rows], "shown": [row[2:4] for row in rows],
    ...     "status": "ok", "choice": pd.array([row[4] for row in rows], dtype="Int64")}))
    >>> judge_differences(verdicts)[["judge", "other", "difference", "p"]].values.tolist()
    [['i', 'j', 1.0, 0.03125]]
    """
    check_settings("judge_differences", level=level, flips=flips, seed=seed)
    if "judge" in ([by] if isinstance(by, str) else by):
        raise ParamsError(
            "judges are compared, not grouped by", place="judge_differences, by",
            cure="leave `judge` out of `by`",
        )  # fmt: skip
    keys = group_verdicts(verdicts, by)
    series = measure_series(verdicts, metric, convention, keys)
    places, values = _pair_up(series, keys)
    pairs = name_pairs(list(values), baseline)
    reach = 2 if metric == "pf" else 1  # the largest difference of two values
    tables = []
    for judge, other in pairs:
        sums = _sum_pairs(places, values[judge], values[other], keys, reach)
        if len(sums):
            table = _compare(sums, reach, level, flips, seed)
            tables.append(table.reset_index().assign(judge=judge, other=other))
    if not tables:
        return adjust_p(pd.DataFrame(columns=[*keys, *_COLUMNS]), keys)
    table = pd.concat(tables, ignore_index=True).assign(metric=metric, convention=convention)
    table = note_effect(note_draws(table, flips, "flips"), reach)
    table = table.sort_values(keys, kind="stable", ignore_index=True)
    return adjust_p(table[[*keys, *_COLUMNS]], keys)


_COLUMNS = [
    "judge", "other", "metric", "convention", "series", "value", "other_value", "difference",
    "difference_low", "difference_high", "clusters", "p", "mde", "note",
]  # fmt: skip


def _pair_up(series, keys):
    """Give each judge a column of values, aligned on the series; missing where not complete."""
    place = ["benchmark", "experiment", "arm", "turn", "comparison", "repeat"]
    place += ["candidate"] * ("candidate" in keys)
    series = series[series["complete"] & (series["n"] > 0)].reset_index(drop=True)
    code, head = number_groups(series, place)
    places = series[[*keys, "cluster"]].iloc[head].reset_index(drop=True)
    value = (series["x"] / series["n"]).to_numpy()
    values = {}
    for judge, rows in sorted(series.groupby("judge", observed=True).indices.items()):
        values[judge] = np.full(len(places), np.nan)
        values[judge][code[rows]] = value[rows]
    return places, values


def name_pairs(judges, baseline):
    """List which judges are compared: each with `baseline`, or all pairs without one."""
    if baseline is None:
        return list(combinations(judges, 2))
    check_choice(baseline, judges, "baseline")
    return [(judge, baseline) for judge in judges if judge != baseline]


def _sum_pairs(places, value, other, keys, reach):
    """Sums of each cluster over paired series, kept for groups in which both judges stand."""
    both = ~np.isnan(value) & ~np.isnan(other)
    gap = np.where(both, value - other, 0.0)
    columns = {
        "series": both, "value": np.where(both, value, 0.0), "other": np.where(both, other, 0.0),
        "up": np.maximum(gap, 0) / reach, "down": np.maximum(-gap, 0) / reach,
        "gap": gap, "one": ~np.isnan(value), "two": ~np.isnan(other),
    }  # fmt: skip
    sums = cluster_sums(places.assign(**columns), keys, list(columns))
    present = sums[["one", "two"]].groupby(level=keys, observed=True).transform("sum").min(axis=1)
    return sums[present > 0]


def _compare(sums, reach, level, flips, seed):
    group = sums.index.names[:-1]
    found = difference_intervals(sums, "up", "down", "series", level)
    total = sums.groupby(level=group, observed=True).sum()
    differ = (sums["gap"] != 0).groupby(level=group, observed=True).sum()
    gaps = sums["gap"].groupby(level=group, observed=True)
    p = gaps.agg(lambda gap: float(sign_flip_test(gap.to_numpy(), flips, seed)))
    known = total["series"] > 0
    words = ["no series that both completed", "the judges differ in no cluster"]
    return pd.DataFrame(
        {
            "series": total["series"].astype("Int64"),
            "value": (total["value"] / total["series"]).where(known),
            "other_value": (total["other"] / total["series"]).where(known),
            "difference": found["estimate"] * reach,
            "difference_low": found["low"] * reach,
            "difference_high": found["high"] * reach,
            "clusters": found["clusters"].astype("Int64"),
            "p": p.where(differ > 0),
            "mde": detectable_effect(found["se"], found["df"], level) * reach,
            "note": np.select([~known, differ == 0], words, explain_floor(differ, level)),
        }
    )
