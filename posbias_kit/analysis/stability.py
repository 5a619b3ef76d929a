"""Repetition stability: does a judge say the same when asked the same again?"""

from itertools import product
from math import factorial

import numpy as np
import pandas as pd
from numpy.polynomial import polynomial

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings, refuse_doubles
from posbias_kit.analysis.intervals import bootstrap_intervals, cluster_sums, share_intervals
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.schema import TIE_CHOICE, VERDICT_KEY, Status

_PLACE = ["benchmark", "experiment", "arm"]


def repetition_stability(verdicts, by=("judge",), draws=2000, level=0.95, seed=0):
    """Measure how often repeats of the same presentation agree.

    A presentation's stability is the share of its modal verdict among its repeats. An invalid
    or failed repeat counts in that denominator; a presentation without any verdict is missing
    but counted in `presentations`. `rs` thus falls with every call that brings no verdict, and
    `rs_valid`, the same over valid repeats, does not. Stability depends on the number of repeats
    and of options: read `rs_valid` beside `rs_chance`, what a judge that guesses would reach with
    as many valid repeats. Without invalid repeats the two stabilities are the same; with them
    `rs` may lie below the chance level, and `rs_corrected` below 0, for a judge that never
    contradicts itself. A judge that always names the same slot scores 1.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on repetition stability;
    the chance level and the versions below are ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment.
    draws : int
        Bootstrap draws over clusters; 0 gives point estimates without any interval.
    level : float
    seed : int

    Returns
    -------
    DataFrame
        One row a group: presentations; missing (without any verdict); repeats (the largest
        number); rs_n (presentations that rs rests on: asked twice, with a verdict); rs, rs_low,
        rs_high (Wilson at the effective size, CR2 error); rs_boot_low, rs_boot_high; rs_sd (over
        presentations, ddof 1); rs_chance; rs_corrected = (rs - chance) / (1 - chance);
        repeat_n (presentations with two valid verdicts, on which rs_chance and the next two rest);
        rs_valid (invalid repeats left out: the one that compares with rs_chance);
        repeat_agreement (share of agreeing pairs of valid repeats, comparable over numbers of
        repeats); clusters. Where nothing was asked twice, all but the counts are missing.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b")] * 3, "repeat": [1, 2, 3],
    ...     "choice": pd.array([1, 1, 2], dtype="Int64")}))
    >>> repetition_stability(verdicts)[["rs", "rs_chance"]].round(3).values.tolist()
    [[0.667, 0.75]]
    """
    check_settings("repetition_stability", draws=draws, level=level, seed=seed)
    keys = group_verdicts(verdicts, by, keys=False)
    shown = _presentations(verdicts, sorted({*keys, *_PLACE, "cluster", "slots"}))
    sums = cluster_sums(shown, keys, _SUMMED)
    found = share_intervals(sums, "stable", "told", level)
    boot = bootstrap_intervals(sums, "stable", "told", level, draws, seed)
    total = sums.groupby(level=list(range(len(keys))), observed=True).sum()
    groups = shown.groupby(keys, observed=True)
    told = shown["stable"].where(shown["told"])
    table = pd.DataFrame(
        {
            "presentations": total["presentations"].astype("Int64"),
            "missing": (total["presentations"] - total["valid"]).astype("Int64"),
            "repeats": groups["repeats"].max(),
            "rs_n": total["told"].astype("Int64"),
            "rs": found["estimate"],
            "rs_low": found["low"] if draws else np.nan,
            "rs_high": found["high"] if draws else np.nan,
            "rs_boot_low": boot["low"],
            "rs_boot_high": boot["high"],
            "rs_sd": told.groupby([shown[key] for key in keys], observed=True).std(),
            "rs_chance": _over(total["chance"], total["paired"]),
        }
    )
    valid = _over(total["stable_valid"], total["paired"])
    chance = table["rs_chance"]
    table["rs_corrected"] = (table["rs"] - chance) / (1 - chance)
    table["repeat_n"] = total["paired"].astype("Int64")
    table["rs_valid"] = valid
    table["repeat_agreement"] = _over(total["agree"], total["paired"])
    table["clusters"] = found["clusters"].astype("Int64")
    return table.reset_index()


_SUMMED = [
    "presentations", "stable", "told", "stable_valid", "agree", "paired", "chance", "valid",
]  # fmt: skip


def chance_stability(repeats, options):
    """Return the expected modal share of a judge that guesses among `options`.

    E[max] / R with P(max <= m) = R! / s^R [x^R] (sum_{j <= m} x^j / j!)^s for R repeats and s
    options, TIE counted as one.

    Examples
    --------
    >>> [round(chance_stability(3, options), 4) for options in (2, 3, 4, 5)]
    [0.75, 0.6296, 0.5625, 0.52]
    """
    below = []
    for most in range(repeats):
        terms = [1 / factorial(count) for count in range(most + 1)]
        power = polynomial.polypow(terms, options)
        below.append(power[repeats] if len(power) > repeats else 0.0)
    cumulative = np.array(below) * factorial(repeats) / options**repeats
    return float((1 - cumulative).sum() / repeats)


def _presentations(verdicts, columns):
    """One row a judge and presentation that was asked, with what its repeats said."""
    key = [column for column in VERDICT_KEY if column != "repeat"]
    code, head = number_groups(verdicts, key)
    repeat = verdicts["repeat"].to_numpy(dtype=np.int64)
    refuse_doubles(code * (repeat.max(initial=0) + 1) + repeat, verdicts)
    shown = verdicts[columns].iloc[head].reset_index(drop=True)
    asked = (verdicts["status"] != Status.IDENTICAL).to_numpy()
    choice = verdicts["choice"].to_numpy(dtype=np.int16, na_value=-1)
    width = int(verdicts["slots"].max()) + 1 if len(head) else 1
    cell = (code * width + choice)[choice >= 0]
    counts = np.bincount(cell, minlength=len(head) * width).reshape(len(head), width)
    valid, modal = counts.sum(axis=1), counts.max(axis=1, initial=0)
    shown["repeats"] = np.bincount(code[asked], minlength=len(head))
    shown["presentations"] = 1
    shown["valid"] = valid > 0
    shown["told"] = (valid > 0) & (shown["repeats"] > 1)
    shown["stable"] = np.where(shown["told"], modal / shown["repeats"].clip(lower=1), 0.0)
    shown["paired"] = valid > 1
    shown["stable_valid"] = np.where(valid > 1, modal / np.maximum(valid, 1), 0.0)
    agreeing = (counts * (counts - 1)).sum(axis=1)
    shown["agree"] = agreeing / np.maximum(valid * (valid - 1), 1)
    shown["chance"] = _chance(shown, valid, counts[:, TIE_CHOICE] > 0)
    return shown[shown["repeats"] > 0]


def _chance(shown, valid, tied):
    """Chance level of each presentation; TIE is an option where any judge ever used it."""
    place, head = number_groups(shown, _PLACE)
    tie = np.bincount(place[tied], minlength=len(head)) > 0
    options = shown["slots"].to_numpy(dtype=np.int64) + tie[place]
    level = np.zeros((valid.max(initial=0) + 1, options.max(initial=0) + 1))
    for repeats, choices in product(np.unique(valid), np.unique(options)):
        if repeats > 1:
            level[repeats, choices] = chance_stability(int(repeats), int(choices))
    return level[valid, options]


def _over(top, bottom):
    return (top / bottom).where(bottom > 0)
