"""Where a pilot's variance sits: between questions, between comparisons, between repeats."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.planning import PARTS, design_error
from posbias_kit.analysis.series import group_verdicts


def variance_components(verdicts, metric="pc", by=("judge",), convention="paper"):
    """Split the variance of a series into clusters, comparisons and repeats.

    For y of repeat r of comparison c in cluster g, y = theta + q_g + c_gc + r_gcr; the variances
    of the three parts follow by equating sums of squares with their expectations. With n_gc
    repeats of a comparison, n_g of a cluster, N of all, C comparisons and G clusters,

        E SS_r = (N - C) s2_r
        E SS_c = (C - G) s2_r + (N - D) s2_c,                      D = sum_g sum_c n_gc^2 / n_g
        E SS_q = (G - 1) s2_r + (D - sum_gc n_gc^2 / N) s2_c + (N - sum_g n_g^2 / N) s2_q.

    An estimate below 0 is cut there, and the note says so. Candidates are fixed in a study and
    taken as a sample here, so that their differences count to s2_c.

    How well the pilot knows its variance: the variance of a cluster's mean, s2_mean, has
    2 / df = 2 / (G - 1) + (kurtosis - 3) / G, with the kurtosis of the cluster residuals and
    never more than G - 1.

    *Source: S. R. Searle, G. Casella and C. E. McCulloch, Variance Components (1992), chapter
    5: analysis-of-variance estimators of the nested unbalanced model; B. O'Neill (2014), Some
    useful moment results in sampling problems, The American Statistician 68(4), for df.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table of the pilot.
    metric : {"pc", "pf"}
    by : sequence of str
        Grouping columns after benchmark and experiment.
    convention : str
        As for :func:`posbias_kit.analysis.position_bias`.

    Returns
    -------
    DataFrame
        One row a group: metric, convention, estimate, s2_q, s2_c, s2_r, s2_mean, df, clusters,
        comparisons, series, orders (calls for one repeat of a comparison: the orders it was shown
        in, the
        largest number), note. A part that the pilot cannot tell apart (s2_r without repeats, s2_c
        with one comparison a cluster) is missing and contained in the one before it.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> rows = [(q, a, b, k) for q, c in zip("pqrs", ("12", "11", "12", "22"))
    ...         for (a, b), k in zip(("xy", "yx"), map(int, c))]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok",
    ...     "question": [row[0] for row in rows], "shown": [row[1:3] for row in rows],
    ...     "choice": pd.array([row[3] for row in rows], dtype="Int64")}))
    >>> variance_components(verdicts)[["estimate", "s2_q"]].round(3).values.tolist()
    [[0.5, 0.333]]
    """
    keys = group_verdicts(verdicts, by)
    table = split_variance(measure_series(verdicts, metric, convention, keys), keys)
    table.insert(len(keys), "metric", metric)
    table.insert(len(keys) + 1, "convention", convention)
    return table


def split_variance(series, keys):
    """Split the variance of measured series; the docstring above has the formulas.

    Parameters
    ----------
    series : DataFrame
        From :func:`posbias_kit.analysis.measure.measure_series`.
    keys : list of str
        The grouping columns.

    Returns
    -------
    DataFrame
        As :func:`variance_components`, without metric.
    """
    orders = series.groupby(keys, observed=True)["orders"].max()
    sums = _cluster_parts(series[series["n"] > 0], keys)
    groups = sums.groupby(level=keys, observed=True)
    total = groups.sum().reindex(orders.index, fill_value=0)
    raw = _solve(total)
    parts = np.maximum(raw, 0)  # a missing part stays missing
    parts = parts.where(parts.sum(axis=1) > _NOTHING)
    notes = [_note(*row) for row in zip(raw.to_numpy(), total.to_numpy(), strict=True)]
    table = parts.assign(estimate=(total["t"] / total["n"]).where(total["n"] > 0))
    table = _add_precision(table, sums, total)
    counts = {"clusters": "clusters", "comparisons": "comparisons", "series": "n"}
    for name, source in counts.items():
        table[name] = total[source].astype("Int64")
    table = table.assign(orders=orders, note=notes)
    columns = ["estimate", *PARTS, "s2_mean", "df", *counts, "orders", "note"]
    return table[columns].reset_index()


def _cluster_parts(series, keys):
    """Sums of each cluster from which the sums of squares follow, for any set of clusters."""
    y = series["x"] / series["n"]
    place = ["arm", "turn", "comparison"] + ["candidate"] * ("candidate" in keys)
    by = [*keys, "cluster", *(name for name in place if name not in keys)]
    cells = pd.DataFrame({"n": 1.0, "t": y, "q": y**2})
    cells = cells.groupby([series[name] for name in by], observed=True).sum()
    cells = cells.assign(comparisons=1.0, a=cells["t"] ** 2 / cells["n"], e=cells["n"] ** 2)
    sums = cells.groupby(level=[*keys, "cluster"], observed=True).sum()
    return sums.assign(
        clusters=1.0, b=sums["t"] ** 2 / sums["n"], d=sums["e"] / sums["n"], n2=sums["n"] ** 2
    )[_PARTS]


_PARTS = ["clusters", "comparisons", "n", "t", "q", "a", "b", "d", "e", "n2"]


def _solve(total):
    """Solve the three equations of :func:`variance_components` for each row of totals."""
    g, c, n, t, q, a, b, d, e, n2 = total[_PARTS].to_numpy(dtype=float).T
    with np.errstate(invalid="ignore", divide="ignore"):
        s2_r = np.where(n > c, (q - a) / (n - c), np.nan)
        noise = np.nan_to_num(s2_r)
        s2_c = np.where(c > g, (a - b - (c - g) * noise) / (n - d), np.nan)
        between = b - t**2 / n - (g - 1) * noise - (d - e / n) * np.nan_to_num(s2_c)
        s2_q = np.where(g > 1, between / (n - n2 / n), np.nan)
    return pd.DataFrame(dict(zip(PARTS, (s2_q, s2_c, s2_r), strict=True)), index=total.index)


def _add_precision(table, sums, total):
    """Add the variance of a cluster's mean in the pilot, and its degrees of freedom."""
    group = table.index.names
    g = total["clusters"].where(total["clusters"] > 1)
    mean = sums.index.droplevel("cluster")
    residual = sums["t"] - table["estimate"].reindex(mean).to_numpy() * sums["n"]
    moments = pd.DataFrame({"two": residual**2, "four": residual**4})
    moments = moments.groupby(level=group, observed=True).mean().reindex(table.index)
    varies = moments["two"] > 0
    excess = (moments["four"] / moments["two"].where(varies) ** 2 - 3).clip(lower=0).fillna(0)
    size, repeats = total["comparisons"] / g, total["n"] / total["comparisons"]
    known = table.assign(s2_c=table["s2_c"].fillna(0), s2_r=table["s2_r"].fillna(0))
    error = design_error(known, g, size, repeats)
    return table.assign(s2_mean=error**2 * g, df=2 / (2 / (g - 1) + excess / g))


def _note(parts, total):
    g, c, n = total[:3]
    if g < 2:
        return "fewer than two clusters: nothing is known between them"
    if not np.nansum(np.maximum(parts, 0)) > _NOTHING:
        return "nothing varied in the pilot"
    notes = [
        f"{name} came out below 0 and is taken as 0"
        for name, value in zip(PARTS, parts, strict=True)
        if value < 0
    ]
    if g == c:
        notes.append("one comparison a cluster: s2_q holds s2_c")
    if n == c:
        notes.append("no repeats: what they would bring is not known")
    return "; ".join(notes)


_NOTHING = 1e-12
