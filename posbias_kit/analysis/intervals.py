"""Intervals for ratios of sums over clusters.

A rate or mean is theta = sum_g x_g / sum_g n_g over clusters g (questions, or questions that
share answer texts). Orders and repeats within a cluster are never taken as independent.
"""

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis._codes import number_groups


def cluster_sums(frame, keys, columns):
    """Sum columns over each group and cluster.

    Parameters
    ----------
    frame : DataFrame
        Holds `keys`, cluster, and `columns` (numbers or flags).
    keys, columns : list of str

    Returns
    -------
    DataFrame
        Indexed by keys and cluster.
    """
    by = [*keys, "cluster"]
    code, head = number_groups(frame, by)

    def total(name):
        return np.bincount(code, weights=frame[name].fillna(0), minlength=len(head))

    index = pd.MultiIndex.from_frame(frame[by].iloc[head])
    return pd.DataFrame({name: total(name) for name in columns}, index=index).sort_index()


def ratio_intervals(sums, numerator, denominator, level=0.95):
    """Estimate a ratio of sums in each group, with its CR2 t interval.

    With h_g = n_g / N and e_g = x_g - theta n_g,

        se^2 = sum_g e_g^2 / (1 - h_g) / N^2,

    and the Bell-McCaffrey (Satterthwaite) degrees of freedom under working independence,

        df = N^2 / (sum_g n_g^2 + ((sum_g a_g^2 n_g^2)^2 - sum_g a_g^4 n_g^4) / N^2),
        a_g^2 = 1 / (1 - h_g),

    which is (tr B)^2 / tr B^2 written without the matrix B.

    Parameters
    ----------
    sums : DataFrame
        From :func:`cluster_sums`; the last index level is the cluster.
    numerator, denominator : str
        Columns x and n of `sums`.
    level : float

    Returns
    -------
    DataFrame
        Indexed by group: estimate, se, df, low, high, clusters. With fewer than two clusters
        everything but the estimate is missing; with an empty denominator the estimate is, too.

    Notes
    -----
    R. M. Bell and D. F. McCaffrey (2002), Bias reduction in standard errors for linear
    regression with multi-stage samples, Survey Methodology 28(2).

    Examples
    --------
    >>> sums = pd.DataFrame({"x": [1.0, 2.0, 3.0], "n": [4.0, 4.0, 4.0]})
    >>> sums.index = pd.MultiIndex.from_product([["j"], ["q1", "q2", "q3"]])
    >>> ratio_intervals(sums, "x", "n").round(3).to_dict("records")[0]["df"]
    2.0
    """
    used = sums[sums[denominator] > 0]
    x, n = used[numerator], used[denominator]
    group = list(range(sums.index.nlevels - 1))

    def total(values):
        return values.groupby(level=group, observed=True).transform("sum")

    size = total(n)
    theta = total(x) / size
    share = n / size
    inflation = (1 / (1 - share)).where(share < 1)
    residual = (x - theta * n) ** 2 * inflation / size**2
    diagonal, square = n**2, (inflation * n**2)
    parts = pd.DataFrame(
        {"x": x, "n": n, "var": residual, "d": diagonal, "s": square, "s2": square**2, "c": 1}
    )
    found = parts.groupby(level=group, observed=True).sum(min_count=1)
    groups = sums.groupby(level=group, observed=True).size().index
    found = found.reindex(groups)
    result = pd.DataFrame({"estimate": found["x"] / found["n"], "clusters": found["c"].fillna(0)})
    several = result["clusters"] > 1
    result["se"] = np.sqrt(found["var"]).where(several)
    spread = found["d"] + (found["s"] ** 2 - found["s2"]) / found["n"] ** 2
    result["df"] = (found["n"] ** 2 / spread).where(several)
    half = special.stdtrit(result["df"], (1 + level) / 2) * result["se"]
    return result.assign(low=result["estimate"] - half, high=result["estimate"] + half)


def share_intervals(sums, numerator, denominator, level=0.95):
    """Estimate a share in each group, with a Wilson interval at its effective sample size.

    The effective size is n_eff = theta (1 - theta) / se^2 with the CR2 error of
    :func:`ratio_intervals`, or the number of clusters when nothing varies, and the normal
    quantile is replaced by the t quantile with Bell-McCaffrey degrees of freedom. Near 0 and 1
    it covers where the plain interval does not. n_eff may exceed the number of verdicts: where
    each answer stands in both slots, a slot's share varies less than coin flips would.

    Parameters
    ----------
    sums, numerator, denominator, level
        As for :func:`ratio_intervals`; every x_g lies between 0 and n_g.

    Returns
    -------
    DataFrame
        As :func:`ratio_intervals`, with n_eff.
    """
    result = ratio_intervals(sums, numerator, denominator, level)
    theta, se = result["estimate"], result["se"]
    n_eff = (theta * (1 - theta) / se.where(se > 1e-12) ** 2).fillna(result["clusters"])
    n_eff = n_eff.where(se.notna())
    low, high = wilson_limits(theta, n_eff, result["df"], level)
    return result.assign(low=low, high=high, n_eff=n_eff)


def wilson_limits(share, size, df, level=0.95):
    """Wilson's limits of a share from so many trials, with the t quantile in place of the normal.

    Parameters
    ----------
    share, size, df : Series or float
    level : float

    Returns
    -------
    low, high

    Examples
    --------
    >>> low, high = wilson_limits(pd.Series([1.0]), 10, np.inf)
    >>> low.round(4).item(), high.item()
    (0.7225, 1.0)
    """
    t2 = special.stdtrit(df, (1 + level) / 2) ** 2
    middle = (share + t2 / (2 * size)) / (1 + t2 / size)
    half = np.sqrt(t2 * (share * (1 - share) / size + t2 / (4 * size**2))) / (1 + t2 / size)
    return (middle - half).clip(lower=0), (middle + half).clip(upper=1)


def difference_intervals(sums, plus, minus, denominator, level=0.95):
    """Estimate a difference of two shares, (plus - minus) / denominator, in each group.

    The interval is that of :func:`ratio_intervals`, cut at -1 and 1. Where nothing varies
    between clusters it would have no width; there the Wilson limits of the two shares give it:
    low = low(plus) - high(minus), high = high(plus) - low(minus).

    Parameters
    ----------
    sums, denominator, level
        As for :func:`ratio_intervals`.
    plus, minus : str
        Columns of `sums`.

    Returns
    -------
    DataFrame
        As :func:`ratio_intervals`.
    """
    sums = sums.assign(_difference=sums[plus] - sums[minus])
    result = ratio_intervals(sums, "_difference", denominator, level)
    up = share_intervals(sums, plus, denominator, level)
    down = share_intervals(sums, minus, denominator, level)
    flat = result["se"] <= 1e-12
    low = result["low"].where(~flat, up["low"] - down["high"])
    high = result["high"].where(~flat, up["high"] - down["low"])
    return result.assign(low=low.clip(lower=-1), high=high.clip(upper=1))


def bootstrap_intervals(sums, numerator, denominator, level=0.95, draws=2000, seed=0):
    """Percentile intervals of a ratio from a bootstrap over clusters.

    A draw takes G clusters with replacement; as only their counts matter, all draws are one
    product of a (draws x G) matrix of counts with the cluster sums, the same for all groups of
    G clusters. The percentiles are taken at
    Phi(-+ sqrt(G / (G - 1)) t) with t the t quantile with G - 1 degrees of freedom, because the
    plain percentile interval is too short with few clusters.

    Parameters
    ----------
    sums, numerator, denominator, level
        As for :func:`ratio_intervals`.
    draws : int
        Bootstrap draws; 0 gives missing limits.
    seed : int

    Returns
    -------
    DataFrame
        Indexed by group: low, high.

    Notes
    -----
    T. C. Hesterberg (2015), What teachers should know about the bootstrap, The American
    Statistician 69(4): the expanded percentile interval.
    """
    used = sums.loc[sums[denominator] > 0, [numerator, denominator]]
    levels = list(range(sums.index.nlevels - 1))
    groups = used.groupby(level=levels, observed=True)
    named = sums.groupby(level=levels, observed=True).size().index
    limits = np.full((len(named), 2), np.nan)
    sizes, values = groups.size(), used.to_numpy()
    blocks = {key: values[rows] for key, rows in groups.indices.items()}
    for size in sorted({*sizes[sizes > 1]}) if draws else []:
        keys = [key for key, block in blocks.items() if len(block) == size]
        drawn = _resample(np.hstack([blocks[key] for key in keys]), draws, seed)
        t = special.stdtrit(size - 1, (1 + level) / 2) * np.sqrt(size / (size - 1))
        ends = np.quantile(drawn[:, ::2] / drawn[:, 1::2], special.ndtr([-t, t]), axis=0)
        limits[[named.get_loc(key) for key in keys]] = ends.T
    return pd.DataFrame(limits, index=named, columns=["low", "high"])


def _resample(columns, draws, seed):
    """Sum the columns over `draws` resamples of their rows, some draws at a time."""
    size = len(columns)
    rng = np.random.default_rng([seed, size])
    step = max(1, _CELLS // size)
    totals = []
    for start in range(0, draws, step):
        count = min(step, draws - start)
        cell = rng.integers(size, size=(count, size)) + size * np.arange(count)[:, None]
        counts = np.bincount(cell.ravel(), minlength=count * size).reshape(count, size)
        totals.append(counts.astype(float) @ columns)
    return np.vstack(totals)


_CELLS = 200_000
"""Cells of the matrix of counts held at a time: what fits a processor's cache."""
