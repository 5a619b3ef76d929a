"""Repetition stability: does a judge say the same when asked the same again?"""

from itertools import product
from math import factorial
from typing import NamedTuple

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
    return estimate_stability(sum_presentations(verdicts, keys), draws, level, seed)


class StabilitySums(NamedTuple):
    """What :func:`repetition_stability` counts; those of a table are its parts' added up."""

    clusters: pd.DataFrame
    """Indexed by keys and cluster: sums over the presentations that were asked."""
    spread: pd.Series
    """Indexed by keys, repeats and modal (verdicts for the most frequent one): presentations."""


def sum_presentations(verdicts, keys):
    """Count what the repeats of each presentation said, by group and cluster.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table; no presentation may lie in two parts of it.
    keys : list of str
        Grouping columns.

    Returns
    -------
    StabilitySums
    """
    shown = _presentations(verdicts, sorted({*keys, "cluster", "slots"}))
    by = [*keys, "repeats", "modal"]
    code, head = number_groups(shown, by)
    index = pd.MultiIndex.from_frame(shown[by].iloc[head])
    spread = pd.Series(np.bincount(code, minlength=len(head)), index, dtype=float)
    return StabilitySums(cluster_sums(shown, keys, _SUMMED), spread.sort_index())


def estimate_stability(sums, draws=2000, level=0.95, seed=0):
    """Estimate what :func:`repetition_stability` returns from sums over clusters.

    Parameters
    ----------
    sums : StabilitySums
    draws, level, seed
        As for :func:`repetition_stability`.

    Returns
    -------
    DataFrame
    """
    clusters = sums.clusters
    keys = list(clusters.index.names[:-1])
    found = share_intervals(clusters, "stable", "told", level)
    boot = bootstrap_intervals(clusters, "stable", "told", level, draws, seed)
    total = clusters.groupby(level=keys, observed=True).sum()
    table = pd.DataFrame(
        {
            "presentations": total["presentations"].astype("Int64"),
            "missing": (total["presentations"] - total["valid"]).astype("Int64"),
            "repeats": _most_repeats(sums.spread, keys),
            "rs_n": total["told"].astype("Int64"),
            "rs": found["estimate"],
            "rs_low": found["low"] if draws else np.nan,
            "rs_high": found["high"] if draws else np.nan,
            "rs_boot_low": boot["low"],
            "rs_boot_high": boot["high"],
            "rs_sd": _deviation(sums.spread, keys),
            "rs_chance": _over(_chance(total), total["paired"]),
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
    "presentations", "stable", "told", "stable_valid", "agree", "paired", "chance", "chance_tie",
    "tied", "valid",
]  # fmt: skip


def _most_repeats(spread, keys):
    return spread.index.to_frame()["repeats"].groupby(level=keys, observed=True).max()


def _deviation(spread, keys):
    """Standard deviation (ddof 1) of the stability of presentations."""
    repeats, modal = (spread.index.get_level_values(name) for name in ("repeats", "modal"))
    told = ((repeats > 1) & (modal > 0)).astype(float)
    value = pd.Series(modal / repeats, spread.index)

    def total(weight):
        return weight.groupby(level=keys, observed=True).transform("sum")

    size = total(spread * told)
    off = value - total(spread * told * value) / size
    square = (spread * told * off**2).groupby(level=keys, observed=True).sum()
    size = size.groupby(level=keys, observed=True).first()
    return np.sqrt(square / (size - 1).where(size > 1))


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
    shown["modal"] = modal
    shown["presentations"] = 1
    shown["valid"] = valid > 0
    shown["told"] = (valid > 0) & (shown["repeats"] > 1)
    shown["stable"] = np.where(shown["told"], modal / shown["repeats"].clip(lower=1), 0.0)
    shown["paired"] = valid > 1
    shown["stable_valid"] = np.where(valid > 1, modal / np.maximum(valid, 1), 0.0)
    agreeing = (counts * (counts - 1)).sum(axis=1)
    shown["agree"] = agreeing / np.maximum(valid * (valid - 1), 1)
    shown["tied"] = counts[:, TIE_CHOICE] > 0
    slots = shown["slots"].to_numpy(dtype=np.int64)
    shown["chance"], shown["chance_tie"] = (_levels(valid, slots + more) for more in (0, 1))
    return shown[shown["repeats"] > 0]


def _levels(valid, options):
    """Chance level of each presentation, from its valid repeats and its options."""
    level = np.zeros((valid.max(initial=0) + 1, options.max(initial=0) + 1))
    for repeats, choices in product(np.unique(valid), np.unique(options)):
        if repeats > 1:
            level[repeats, choices] = chance_stability(int(repeats), int(choices))
    return level[valid, options]


def _chance(total):
    """Sum of the chance levels; TIE is an option where any judge ever used it."""
    place = [name for name in _PLACE if name in total.index.names]
    tied = total["tied"].groupby(level=place, observed=True).transform("sum") > 0
    return total["chance"].mask(tied, total["chance_tie"])


def _over(top, bottom):
    return (top / bottom).where(bottom > 0)
