"""Direction: does a judge lean to the first or to the last slot?"""

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import cluster_sums, difference_intervals
from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.notes import note_draws, note_effect
from posbias_kit.analysis.planning import detectable_effect
from posbias_kit.analysis.randomization import explain_floor, sign_flip_test
from posbias_kit.analysis.series import group_verdicts


def direction_test(verdicts, by=("judge",), convention="paper", level=0.95, flips=9999, seed=0):
    """Test whether inconsistent series lean to one slot.

    The lean of a cluster is recency - primacy. Without a direction it is as likely as its
    negative, so that the signs of the clusters are flipped
    (:func:`posbias_kit.analysis.randomization.sign_flip_test`). Series of one question share
    what the judge makes of it: a sign test on single flips takes them as independent and
    rejects far too often.

    Beside each result stands the minimum detectable effect, ``(t_.975 + t_.80) x se`` with the CR2
    error: a larger ``|pf|`` would have been found with probability .8. A test that finds nothing is
    not evidence of fairness beyond that.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment.
    convention : {"paper", "tie", "decisive", "half"}
        Which series lean; as for :func:`posbias_kit.analysis.position_bias`.
    level : float
        Of the interval and the detectable effect.
    flips : int
        Random sign patterns where there are too many to try all.
    seed : int

    Returns
    -------
    DataFrame
        One row a group: convention; series (complete pairs that pf rests on; under ``half`` all
        with a verdict, each counting with its verdicts); primacy; recency; lean (recency -
        primacy); pf, pf_low, pf_high; clusters; leaning (clusters whose lean is not 0); p; p_holm
        over the table's rows of the same benchmark and experiment, or p_bh where `by` holds
        `task`; mde; note. Where nothing leans, p is missing and the note says so, as it says where
        mde is beyond 1.

    Raises
    ------
    ParamsError
        An unknown convention or grouping column.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> rows = [(f"q{n}", a, b) for n in range(7) for a, b in ("xy", "yx")]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok",
    ...     "question": [row[0] for row in rows], "shown": [row[1:] for row in rows],
    ...     "choice": pd.array([1] * 14, dtype="Int64")}))
    >>> direction_test(verdicts)[["lean", "p"]].values.tolist()
    [[-7, 0.015625]]
    """
    check_settings("direction_test", level=level, flips=flips, seed=seed)
    keys = group_verdicts(verdicts, by)
    series = measure_series(verdicts, "pf", convention, keys)
    series["series"] = series["n"] > 0
    sums = cluster_sums(series, keys, ["series", "plus", "minus", "x", "n"])
    found = difference_intervals(sums, "plus", "minus", "n", level)
    total = sums.groupby(level=keys, observed=True).sum()
    leaning = (sums["x"] != 0).groupby(level=keys, observed=True).sum()
    blocks = sums["x"].groupby(level=keys, observed=True)
    p = blocks.agg(lambda x: float(sign_flip_test(x.to_numpy(), flips, seed)))
    known = total["n"] > 0
    table = pd.DataFrame(
        {
            "convention": convention,
            "series": total["series"].astype("Int64"),
            **{
                name: total[column].where(known).astype("Int64")
                for name, column in (("primacy", "minus"), ("recency", "plus"), ("lean", "x"))
            },
            "pf": found["estimate"],
            "pf_low": found["low"],
            "pf_high": found["high"],
            "clusters": found["clusters"].astype("Int64"),
            "leaning": leaning.astype("Int64"),
            "p": p.where(leaning > 0),
            "mde": detectable_effect(found["se"], found["df"], level),
        }
    )
    flipped = total["plus"] + total["minus"]
    sets = (series["slots"] > 2).groupby([series[key] for key in keys], observed=True).all()
    table["note"] = _explain(table, known, flipped, level, sets.reindex(table.index))
    table = note_effect(note_draws(table, flips, "flips"), 1)
    return adjust_p(table.reset_index(), keys)


def _explain(table, known, flipped, level, sets):
    """Say in words why a number is missing, or what a test cannot reach."""
    few = table["leaning"]
    conditions = [sets, ~known, flipped == 0, few == 0]
    words = [
        "pairs only: for sets see slot_wins and listwise_fairness",
        "no complete pair",
        "no series leans",
        "recency equals primacy in every cluster",
    ]
    return np.select(conditions, words, explain_floor(few, level))
