"""Ranks of estimates, with how far noise alone could move them."""

import numpy as np
import pandas as pd


def rank_estimates(estimates, covariance=None, level=0.95, draws=2000, seed=0, equal=1e-9):
    """Rank estimates, 1 the largest; equal ones share the smaller rank.

    Estimates within `equal` of each other are equal: what parts them is rounding. The limits are
    quantiles of the ranks of normal draws around the estimates, with their joint covariance:
    estimates of candidates judged on the same questions move together. In a draw as in the
    estimates, t equal ones behind k better ones hold the ranks k + 1 to k + t each: the low end
    is a quantile of the smallest, the high end one of the largest, and together they hold the
    ranks that the estimate itself has. With close estimates they are wide; they do not correct
    for the number of candidates.

    Parameters
    ----------
    estimates : array-like of length k
        A missing one has no rank; an infinite one keeps its end.
    covariance : ndarray of shape (k, k), optional
        Without it, or with draws=0, the limits are missing.
    level : float
    draws : int
    seed : int
    equal : float

    Returns
    -------
    DataFrame
        rank, rank_last (the largest rank that equal ones hold), rank_low, rank_high.

    Examples
    --------
    >>> table = rank_estimates([0.2, 0.7, 0.2], np.diag([1e-6, 1e-6, 1e-6]))
    >>> table[["rank", "rank_low", "rank_high"]].values.tolist()
    [[2, 2, 3], [1, 1, 1], [2, 2, 3]]
    """
    estimates = np.asarray(estimates, dtype=float)
    known, free = ~np.isnan(estimates), np.isfinite(estimates)
    table = pd.DataFrame(pd.NA, range(len(estimates)), _COLUMNS, dtype="Int64")
    first, last = _rank_ends(estimates[known][None], equal)
    table.loc[known, "rank"], table.loc[known, "rank_last"] = first[0], last[0]
    if not draws or covariance is None or not free.any():
        return table
    part = covariance[np.ix_(free, free)]
    if np.isnan(part).any():
        return table
    values, vectors = np.linalg.eigh(part)
    values[values < values.max(initial=0) * _ROUNDING] = 0  # else what moves together parts
    drawn = np.random.default_rng(seed).standard_normal((draws, len(values)))
    first, last = _rank_ends(estimates[free] + drawn @ (vectors * np.sqrt(values)).T, equal)
    better = int((estimates == np.inf).sum())
    low = np.floor(np.quantile(first, (1 - level) / 2, axis=0) + 1e-9) + better
    high = np.ceil(np.quantile(last, (1 + level) / 2, axis=0) - 1e-9) + better
    table["rank_low"], table["rank_high"] = table["rank"], table["rank_last"]
    table.loc[free, "rank_low"] = np.minimum(low, table.loc[free, "rank"]).astype(int)
    table.loc[free, "rank_high"] = np.maximum(high, table.loc[free, "rank_last"]).astype(int)
    return table


_COLUMNS = ["rank", "rank_last", "rank_low", "rank_high"]
_ROUNDING = 1e-12
"""Share of the largest variance below which a direction's variance is rounding."""


def _rank_ends(rows, equal):
    """Smallest and largest rank of each estimate in each row, equal ones holding several."""
    order = np.argsort(-rows, axis=1, kind="stable")
    falling = np.take_along_axis(rows, order, axis=1)
    place, size = np.arange(rows.shape[1]), rows.shape[1]
    parts = ~np.isclose(falling[:, 1:], falling[:, :-1], rtol=0, atol=equal)
    starts, ends = np.ones(rows.shape, dtype=bool), np.ones(rows.shape, dtype=bool)
    starts[:, 1:], ends[:, :-1] = parts, parts
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1) + 1
    last = np.where(ends, place, size)[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1] + 1
    result = np.empty((2, *rows.shape), dtype=np.int64)
    for ranks, sorted_ranks in zip(result, (first, last), strict=True):
        np.put_along_axis(ranks, order, sorted_ranks, axis=1)
    return result
