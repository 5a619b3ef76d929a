"""The BCa bootstrap of a ratio of sums over clusters, offered beside the headline intervals."""

import numpy as np
import pandas as pd


def bca_intervals(sums, numerator, denominator, level=0.95, draws=2000, seed=0):
    """Bias-corrected and accelerated intervals of a ratio from a bootstrap over clusters.

    With few clusters they are too short: 87 to 92% at 10 clusters and nominal 95%. The t
    intervals of :func:`posbias_kit.analysis.intervals.ratio_intervals` are the headline.

    *Source: B. Efron (1987), Better bootstrap confidence intervals, JASA 82(397). Computed by
    scipy.*

    Parameters
    ----------
    sums : DataFrame
        From :func:`posbias_kit.analysis.intervals.cluster_sums`; the last index level is the
        cluster.
    numerator, denominator : str
        Columns of `sums`.
    level : float
    draws, seed : int

    Returns
    -------
    DataFrame
        Indexed by group: low, high; missing with fewer than two clusters or where no resample
        differs.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["j"], ["q1", "q2", "q3", "q4"]])
    >>> sums = pd.DataFrame({"x": [1.0, 3.0, 2.0, 4.0], "n": 4.0}, index=index)
    >>> bca_intervals(sums, "x", "n").loc["j"].between(0.25, 1).tolist()
    [True, True]
    """
    group = list(range(sums.index.nlevels - 1))
    groups = sums.groupby(level=group, observed=True)
    limits = {}
    for key, rows in groups.indices.items():
        x, n = sums.iloc[rows][[numerator, denominator]].to_numpy(dtype=float).T
        x, n = x[n > 0], n[n > 0]
        limits[key] = _limits(x, n, level, draws, seed)
    found = [limits[key] for key in groups.size().index]
    return pd.DataFrame(found, index=groups.size().index, columns=["low", "high"])


def _limits(x, n, level, draws, seed):
    """Low and high of one group; a ratio that is the same in every cluster has none."""
    from scipy import stats  # heavy, and few call this

    if len(x) < 2 or np.ptp(x / n) == 0:
        return np.nan, np.nan
    found = stats.bootstrap(
        (x, n),
        lambda x, n, axis=-1: x.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=draws,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng([seed, len(x)]),
    )
    return found.confidence_interval
