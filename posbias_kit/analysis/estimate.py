"""One number with everything that its interval rests on, by whichever method is asked for."""

from dataclasses import dataclass

import pandas as pd

from posbias_kit.analysis.bca import bca_intervals
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import (
    bootstrap_intervals,
    cluster_sums,
    difference_intervals,
    ratio_intervals,
    share_intervals,
)
from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.errors import ParamsError, check_choice

METHODS = ("headline", "cr2", "bootstrap", "bca")


@dataclass(frozen=True)
class Estimate:
    """An estimate, its interval, and how the interval was made."""

    metric: str
    """pc or pf."""
    convention: str
    """How half flips count."""
    estimate: float
    """Missing (nan) where the metric is not defined."""
    low: float
    """Lower limit; nan where there is none, for fewer than two clusters for example."""
    high: float
    """Upper limit."""
    level: float
    """Nominal two-sided level."""
    method: str
    """One of :data:`METHODS`."""
    df: float | None
    """Bell-McCaffrey degrees of freedom; None for a bootstrap."""
    draws: int | None
    """Bootstrap draws; None without a bootstrap."""
    seed: int | None
    """Of the draws; None without a bootstrap."""
    clusters: int
    """Independent units that the estimate rests on."""


def estimate_metric(verdicts, metric="pc", method="headline", convention="paper", level=0.95,
                    draws=2000, seed=0):  # fmt: skip
    """Estimate consistency or fairness over all verdicts given, with one interval by name.

    ===========  =========================================================================
    headline     as in the tables: for pc Wilson's interval at the effective sample size,
                 for pf CR2 t, cut at -1 and 1
    cr2          theta +- t se, CR2 error and Bell-McCaffrey degrees of freedom
    bootstrap    percentile, expanded, over clusters
    bca          bias-corrected and accelerated, over clusters; too short with few
    ===========  =========================================================================

    *Source: the functions of :mod:`posbias_kit.analysis.intervals` and
    :func:`posbias_kit.analysis.bca.bca_intervals` name theirs.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table of one benchmark, experiment and judge, in one arm and of one number of
        slots.
    metric : {"pc", "pf"}
    method : {"headline", "cr2", "bootstrap", "bca"}
    convention : {"paper", "tie", "decisive", "half"}
    level : float
    draws, seed : int

    Returns
    -------
    Estimate

    Raises
    ------
    ParamsError
        A name that is not allowed, or verdicts of several judges, benchmarks, experiments,
        arms or numbers of slots.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "question": list("ppqqrr"),
    ...     "shown": [("a", "b"), ("b", "a")] * 3, "status": "ok",
    ...     "choice": pd.array([1, 2, 1, 1, 2, 1], dtype="Int64")}))
    >>> found = estimate_metric(verdicts, "pc", method="cr2")
    >>> round(found.estimate, 3), round(found.df, 3), found.clusters
    (0.667, 2.0, 3)
    """
    check_settings("estimate_metric", level=level, draws=draws, seed=seed)
    check_choice(method, METHODS, "method")
    keys = group_verdicts(verdicts, ["judge"])
    series = measure_series(verdicts, metric, convention)
    groups = series[keys].drop_duplicates()
    if len(groups) != 1:
        raise ParamsError(
            f"verdicts of {len(groups)} groups of {', '.join(keys)}",
            place="estimate_metric",
            allowed="one",
            cure="choose the rows of one judge, or take position_bias for a table of all",
        )
    sums = cluster_sums(series, keys, ["x", "plus", "minus", "n"])
    found = _interval(sums, metric, method, level, draws, seed)
    drawn = method in ("bootstrap", "bca")
    return Estimate(
        metric, convention, float(found["estimate"]), float(found["low"]), float(found["high"]),
        level, method, None if drawn else float(found["df"]), draws if drawn else None,
        seed if drawn else None, int(found["clusters"]),
    )  # fmt: skip


def _interval(sums, metric, method, level, draws, seed):
    """Estimate, limits, degrees of freedom and clusters of the only group."""
    if method == "headline":
        return (
            share_intervals(sums, "x", "n", level)
            if metric == "pc"
            else difference_intervals(sums, "plus", "minus", "n", level)
        ).iloc[0]
    found = ratio_intervals(sums, "x", "n", level).iloc[0]
    if method == "cr2":
        return found
    make = bootstrap_intervals if method == "bootstrap" else bca_intervals
    limits = make(sums, "x", "n", level, draws, seed).iloc[0]
    return pd.concat([found.drop(["low", "high"]), limits])
