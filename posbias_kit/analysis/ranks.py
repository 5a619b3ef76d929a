"""Ranks of estimates, with how far noise alone could move them."""

import numpy as np
import pandas as pd


def rank_estimates(estimates, covariance=None, level=0.95, draws=2000, seed=0):
    """Rank estimates, 1 the largest; equal ones share the smaller rank.

    The limits are quantiles of the ranks of normal draws around the estimates, with their joint
    covariance: estimates of candidates judged on the same questions move together. With close
    estimates they are wide; they do not correct for the number of candidates.

    Parameters
    ----------
    estimates : array-like of length k
        A missing one has no rank; an infinite one keeps its end.
    covariance : ndarray of shape (k, k), optional
        Without it, or with draws=0, the limits are missing.
    level : float
    draws : int
    seed : int

    Returns
    -------
    DataFrame
        rank, rank_low, rank_high.

    Examples
    --------
    >>> rank_estimates([0.2, 0.7, 0.3], np.diag([1e-6, 1e-6, 1e-6])).values.tolist()
    [[3, 3, 3], [1, 1, 1], [2, 2, 2]]
    """
    estimates = np.asarray(estimates, dtype=float)
    rank = pd.Series(estimates).rank(method="min", ascending=False).astype("Int64")
    table = pd.DataFrame({"rank": rank, "rank_low": pd.NA, "rank_high": pd.NA}, dtype="Int64")
    free = np.isfinite(estimates)
    if not draws or covariance is None or not free.any():
        return table
    part = covariance[np.ix_(free, free)]
    if np.isnan(part).any():
        return table
    values, vectors = np.linalg.eigh(part)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    drawn = np.random.default_rng(seed).standard_normal((draws, len(root)))
    drawn = estimates[free] + drawn @ root.T
    above = np.argsort(np.argsort(-drawn, axis=1, kind="stable"), axis=1) + 1
    better = int((estimates == np.inf).sum())
    ends = np.quantile(above + better, [(1 - level) / 2, (1 + level) / 2], axis=0)
    table.loc[free, "rank_low"] = np.floor(ends[0] + 1e-9).astype(int)
    table.loc[free, "rank_high"] = np.ceil(ends[1] - 1e-9).astype(int)
    table.loc[np.isinf(estimates), "rank_low"] = table["rank"]
    table.loc[np.isinf(estimates), "rank_high"] = table["rank"]
    return table
