"""How much of the own-gap parabola is arithmetic: the coupling null, and all sources together."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.quality_gap import (
    OWR,
    RESPONSES,
    fit_keys,
    fit_quadratics,
    quality_gap_fits,
)
from posbias_kit.analysis.split_half import split_half_fits
from posbias_kit.cluster import spread


def coupling_null(units, responses=RESPONSES, draws=2000, level=0.95, seed=0):
    """Find the R^2 that win rate and response reach with no relation but the bound.

    A unit's own win rate cannot leave -pc / p <= owr - 1/p <= pc (1 - 1/p), so pc and owr make a
    parabola even where quality and bias have nothing to do with each other. The null keeps each
    unit's response and counts (complete, consistent, ties), permutes the share of wins among
    decisive consistent series over the judge's units, redraws the wins (binomial), recomputes
    owr and fits the quadratic. Only what is above the null is a claim: `own_minus_null`.

    The observed shares already hold chance, and the redraw adds it once more. With 8 to 10 series
    a unit the null lies .02 to .08 too high (planted studies without a relation; p < .05 in 0 to
    2% of them, also where all units of a candidate share one consistency and one quality), and
    a relation can hide below it (planted, 8 series: own .37, null .35; 40 series: .58, .22). So
    `own_minus_null` is a lower bound, and 0 is no proof of absence. `shrunk_mean` is the mean of
    the same null with the shares first drawn towards their mean until their variance is free of
    binomial noise, factor sqrt((var - mean of s (1 - s) / (d - 1)) / var) with d the decisive
    consistent series; it lies within .01 of where it should (.24 in the example). No p-value
    comes with it: it would not allow for units of one candidate being alike.

    *Source: ours; the gap: Shi et al., Judging the Judges (arXiv 2406.07791).*

    Parameters
    ----------
    units : DataFrame
        From :func:`posbias_kit.analysis.build_units`.
    responses : sequence of str
        Columns of `units`.
    draws : int
        Of the null; 0 gives the own R^2 only.
    level : float
        Of the upper quantile.
    seed : int

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge (arm and slots, where there are several) and
        response: n (units), own (R^2 of the quadratic in the own win rate), null_mean, null_high
        (quantile at `level`), own_minus_null (own - null_mean), null_p =
        (1 + #{null >= own}) / (draws + 1), shrunk_mean, draws, note.

    Raises
    ------
    ParamsError
        A negative number of draws, or a level outside (0, 1).

    Examples
    --------
    >>> units = pd.DataFrame({
    ...     "benchmark": "B", "experiment": "", "judge": "j", "candidate": [*"abcdef"],
    ...     "complete": 10, "consistent": [9, 8, 7, 6, 5, 4], "wins": [8, 1, 6, 1, 3, 2],
    ...     "losses": [1, 7, 1, 5, 2, 2], "chance": 0.5, "owr": [0.85, 0.2, 0.75, 0.3, 0.55, 0.5],
    ...     "pc": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
    >>> null = coupling_null(units, ["pc"], draws=500).iloc[0]
    >>> bool(0 < null["null_mean"] < null["null_high"] < 1)
    True
    """
    check_settings("coupling_null", draws=draws, level=level, seed=seed)
    keys = fit_keys(units)
    names, blocks = [*zip(*units.groupby(keys, observed=True), strict=True)] or ([], [])
    told = spread(_null, [(block, responses, draws, level, seed) for block in blocks])
    rows = [
        dict(zip(keys, name, strict=True)) | row
        for name, rows in zip(names, told, strict=True)
        for row in rows
    ]
    return pd.DataFrame(rows, columns=[*keys, *_NULL_COLUMNS])


_NULL_COLUMNS = [
    "response", "n", "own", "null_mean", "null_high", "own_minus_null", "null_p",
    "shrunk_mean", "draws", "note",
]  # fmt: skip


def _null(units, responses, draws, level, seed):
    """Return a row a response for the units of one fit, which have a stream of their own."""
    drawn = {
        name: _redraw(units, draws, np.random.default_rng(seed), shrink=name == "shrunk")
        for name in ("null", "shrunk")
    }
    return [
        {"response": response, "n": int(units[[response, "owr"]].notna().all(axis=1).sum())}
        | _compare(units, response, drawn, level)
        for response in responses
    ]


def _redraw(units, draws, rng, shrink):
    """Win rates under the null, (draws, units); a unit without a win rate stays missing."""
    complete, wins, losses = (
        units[name].to_numpy(dtype=float, na_value=np.nan)
        for name in ("complete", "wins", "losses")
    )
    decisive = np.nan_to_num(wins + losses)
    some = np.flatnonzero(decisive > 0)
    observed = wins[some] / decisive[some]
    if shrink:
        observed = _shrink(observed, decisive[some])
    share = np.zeros((draws, len(units)))
    share[:, some] = rng.permuted(np.broadcast_to(observed, (draws, len(some))), axis=1)
    drawn = rng.binomial(decisive.astype(np.int64), share)
    undecided = (complete - decisive) * units["chance"].to_numpy(dtype=float)
    told = np.broadcast_to(units["owr"].notna().to_numpy(), drawn.shape)
    missing = np.full(drawn.shape, np.nan)
    return np.divide(drawn + undecided, complete, out=missing, where=told)


def _shrink(share, size):
    """Draw shares towards their mean until their variance is free of binomial noise."""
    several = size > 1
    if several.sum() < 2 or share.var() == 0:
        return share
    noise = (share * (1 - share))[several] / (size[several] - 1)
    variance = share.var(ddof=1)
    factor = np.sqrt(max(variance - noise.mean(), 0) / variance)
    return share.mean() + factor * (share - share.mean())


def _compare(units, response, drawn, level):
    y = units[response].to_numpy(dtype=float, na_value=np.nan)
    own = float(fit_quadratics(units["owr"].to_numpy(dtype=float), y)[1])
    draws = len(drawn["null"])
    result = {"own": own, "draws": draws, "note": "" if draws else "no draws"}
    if np.isnan(own):
        return result | {"note": "not estimable: too few units, or the response does not vary"}
    null, shrunk = (fit_quadratics(drawn[name], y)[1] for name in ("null", "shrunk"))
    null, shrunk = null[~np.isnan(null)], shrunk[~np.isnan(shrunk)]
    if len(null) == 0 or len(shrunk) == 0:
        return result
    return result | {
        "null_mean": null.mean(),
        "null_high": np.quantile(null, level),
        "own_minus_null": own - null.mean(),
        "null_p": (1 + (null >= own - 1e-12).sum()) / (len(null) + 1),
        "shrunk_mean": shrunk.mean(),
    }


def quality_gap_sources(
    verdicts, units, responses=RESPONSES, draws=2000, splits=200, level=0.95, seed=0
):
    """Put the R^2 of every gap source side by side, each with its fair comparator.

    ``own`` is to be read against the coupling null, ``split_half`` against ``split_half_own``.
    ``other_judges`` has no comparator here: it falls below ``own`` because the circle is gone,
    and also because other judges are noisy and hold another opinion.

    Parameters
    ----------
    verdicts, units : DataFrame
        The verdicts, and :func:`posbias_kit.analysis.build_units` of the same.
    responses : sequence of str
        Of ``pc``, ``pf`` and ``pf_paper``.
    draws, splits, level, seed
        As for :func:`coupling_null` and :func:`posbias_kit.analysis.split_half_fits`.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge (arm and slots, where there are several) and
        response: the columns of :func:`coupling_null`, then the R^2 of other_judges, scores,
        split_half and split_half_own, reliability (of the own win rate), and `note`: why a number
        is missing.
    """
    null = coupling_null(units, responses, draws, level, seed)
    fits = quality_gap_fits(units, tuple(OWR)[1:], responses)
    halves = split_half_fits(verdicts, responses, splits, seed)
    place = [*fit_keys(units), "response"]
    many = pd.concat([fits, halves])
    wide = many.pivot(index=place, columns="source", values="r_squared").reset_index()
    whole = halves[[*place, "reliability"]].drop_duplicates(place)
    table = null.merge(wide, on=place, how="left").merge(whole, on=place, how="left")
    reasons = (many["source"] + ": " + many["note"]).where(many["note"].fillna("") != "", "")
    notes = reasons.groupby([many[key] for key in place], observed=True)
    told = notes.agg(lambda each: "; ".join(filter(None, each))).rename("_more").reset_index()
    table = table.merge(told, on=place, how="left")
    both = zip(table.pop("note"), table.pop("_more"), strict=True)
    sources = ["other_judges", "scores", "split_half", "split_half_own"]
    table = table.reindex(columns=[*place, *_NULL_COLUMNS[1:-1], *sources, "reliability"])
    return table.assign(note=["; ".join(filter(None, pair)) for pair in both])
