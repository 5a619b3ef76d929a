"""Intervals for claims about new candidates as well as new questions."""

import json

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import wilson_limits
from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.series import group_verdicts, take_sides


def two_way_intervals(verdicts, metric="pc", by=("judge",), convention="paper", level=0.95):
    """Give pc or pf an interval by clusters and by candidates.

    The kit's other intervals speak of these candidates on new questions. Here both are a
    sample: with e_s = x_s - theta n_s of a series s, and E its sum over a cluster g, a candidate
    c, or a cell of both,

        se^2 = f max(sum_g E_g^2 + sum_c E_c^2 - sum_gc E_gc^2, sum_g E_g^2) / N^2,

    f = m / (m - 1) with m the smaller number of clusters and candidates, and m - 1 degrees of
    freedom. Without a reference a series stands at both of its candidates; the pairs (same two
    candidates) that this counts twice are taken out, of the candidates' sum and of the cells'.
    The reference, where there is one, is fixed.

    *Source: A. C. Cameron, J. B. Gelbach and D. L. Miller (2011), Robust inference with multiway
    clustering, Journal of Business and Economic Statistics 29(2); for pairs P. M. Aronow,
    C. Samii and V. A. Assenova (2015), Cluster-robust variance estimation for dyadic data,
    Political Analysis 23(4). The floor at the one-way sum is ours: the two-way sum can fall
    below it by chance, even below 0.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, of pairs.
    metric : {"pc", "pf"}
    by : sequence of str
        Grouping columns after benchmark and experiment, without `candidate`.
    convention : {"paper", "tie", "decisive", "half"}
        As for :func:`posbias_kit.analysis.position_bias`.
    level : float

    Returns
    -------
    DataFrame
        One row a group: metric; convention; estimate, low, high (cut at the metric's range); se;
        se_clusters, se_candidates (one-way, same factor); df; clusters; candidates; note. Where
        nothing varies low and high are Wilson's limits at the smaller number of the two (for pf
        from those of recency and primacy). With
        fewer than two clusters or candidates the interval is missing, as for more than two
        slots.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> rows = [(q, *pair, k) for q, codes in (("p", ("12", "11")), ("q", ("11", "22")))
    ...         for c, code in zip("xy", codes)
    ...         for pair, k in zip(((c, "r"), ("r", c)), map(int, code))]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok",
    ...     "question": [row[0] for row in rows], "shown": [row[1:3] for row in rows],
    ...     "choice": pd.array([row[3] for row in rows], dtype="Int64"), "reference": "r"}))
    >>> two_way_intervals(verdicts)[["estimate", "se", "candidates"]].round(3).values.tolist()
    [[0.25, 0.25, 2]]
    """
    check_settings("two_way_intervals", level=level)
    keys = group_verdicts(verdicts, by)
    series = measure_series(verdicts, metric, convention)
    groups = series.groupby(keys, observed=True)
    total = groups[["x", "plus", "minus", "n"]].sum()
    total["pairs"] = groups["slots"].max() == 2
    used = series[(series["n"] > 0) & (series["slots"] == 2)].reset_index(drop=True)
    own = used[keys].merge(total.reset_index(), "left", on=keys)
    used["e"] = used["x"] - own["x"] / own["n"] * used["n"]
    squares = _squares(used, keys).reindex(total.index)
    table = _bound(total, squares, metric, level)
    table = table.assign(metric=metric, convention=convention)
    return table.reset_index()[[*keys, *_COLUMNS]]


_COLUMNS = [
    "metric", "convention", "estimate", "low", "high", "se", "se_clusters", "se_candidates",
    "df", "clusters", "candidates", "note",
]  # fmt: skip


def _squares(series, keys):
    """Sums of squares of residual sums over clusters, candidates and cells of both."""
    open_side = (series["candidate"] == "").to_numpy()
    texts = series["comparison"].where(open_side, "")
    code, unique = pd.factorize(texts)
    pair = np.array([json.dumps(sorted(json.loads(text)[1:])) if text else "" for text in unique])
    sided = take_sides(series.assign(pair=pair[code]), ["candidate"])
    dyads = series.assign(pair=pair[code])[open_side]

    def add(frame, *columns):
        sums = frame.groupby([*keys, *columns], observed=True)["e"].sum() ** 2
        return sums.groupby(level=keys, observed=True).agg(["sum", "size"])

    clusters, candidates = add(series, "cluster"), add(sided, "candidate")
    twice = [add(dyads, *columns)["sum"] for columns in (["pair"], ["cluster", "pair"])]
    twice = [sums.reindex(clusters.index, fill_value=0.0) for sums in twice]
    return pd.DataFrame(
        {
            "g": clusters["sum"],
            "c": candidates["sum"] - twice[0],
            "gc": add(sided, "cluster", "candidate")["sum"] - twice[1],
            "clusters": clusters["size"],
            "candidates": candidates["size"],
        }
    )


def _bound(total, squares, metric, level):
    counts = squares[["clusters", "candidates"]].astype("Int64").fillna(0)
    least = counts.min(axis=1).astype(float)
    estimate = (total["x"] / total["n"]).where(total["n"] > 0)
    known = total["pairs"] & (least > 1)
    df = (least - 1).where(known)
    unit = (least / df) / total["n"] ** 2
    both = np.maximum(squares["g"] + squares["c"] - squares["gc"], squares["g"])
    se = np.sqrt(unit * both)
    half = special.stdtrit(df, (1 + level) / 2) * se
    flat = se <= 1e-12
    (plus_low, plus_high), (minus_low, minus_high) = (
        wilson_limits(total[side] / total["n"].where(total["n"] > 0), least, df, level)
        for side in ("plus", "minus")
    )
    if metric == "pc":
        minus_low, minus_high = 0, 0
    lowest = 0 if metric == "pc" else -1
    notes = [~total["pairs"], total["n"] == 0, least < 2, flat]
    words = ["for pairs only", "no complete pair", "fewer than two clusters or candidates", _FLAT]
    return pd.DataFrame(
        {
            "estimate": estimate,
            "low": (estimate - half).mask(flat, plus_low - minus_high).clip(lower=lowest),
            "high": (estimate + half).mask(flat, plus_high - minus_low).clip(upper=1),
            "se": se,
            "se_clusters": np.sqrt(unit * squares["g"]),
            "se_candidates": np.sqrt(unit * squares["c"].clip(lower=0)),
            "df": df,
            **counts,
            "note": np.select(notes, words, ""),
        }
    )


_FLAT = "nothing varies: the interval counts clusters or candidates, whichever are fewer"
