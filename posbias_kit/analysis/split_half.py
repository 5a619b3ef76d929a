"""The quality gap from one half of the questions, the bias from the other."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import cluster_sums
from posbias_kit.analysis.quality_gap import RESPONSES, fit_keys, fit_quadratics
from posbias_kit.analysis.series import build_series, group_verdicts, take_sides
from posbias_kit.analysis.units import UNIT
from posbias_kit.errors import ParamsError, check_choice

SPLIT_SOURCES = ("split_half", "split_half_own")
"""Win rate and response from different halves, and from the same half."""

_COLUMNS = [
    "response", "source", "n", "intercept", "linear", "quadratic", "r_squared", "r_squared_sd",
    "reliability", "splits", "note",
]  # fmt: skip


def split_half_fits(verdicts, responses=RESPONSES, splits=200, seed=0):
    """Fit response ~ owr + owr^2 with the two taken from different halves of each unit.

    Each unit's clusters are split at random into two halves, in the same way for all judges and
    candidates of a task. Source ``split_half`` explains the response of one half by the win rate
    of the other, so that no verdict is on both sides; both directions count. Half the questions
    give a noisier win rate, so the R^2 of the whole units is no yardstick: the fair one is
    ``split_half_own``, win rate and response from the same half. Coefficients and R^2 are means
    over the splits, which are not independent: no standard error is given.

    `reliability` is the correlation of the two halves' win rates over the judge's units, mean r
    over the splits, stepped up to the full length by Spearman and Brown: 2 r / (1 + r). It is
    the share of the spread of win rates that is not noise.

    *Source: C. Spearman (1910) and W. Brown (1910), British Journal of Psychology 3(3); the
    split against the circle is ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    responses : sequence of str
        Of ``pc``, ``pf`` and ``pf_paper``.
    splits : int
        Random splits.
    seed : int

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge (arm and slots, where there are several), response
        and source: n (units with two clusters or more), intercept, linear, quadratic, r_squared,
        r_squared_sd (over splits), reliability, splits, note. Where a fit is impossible the
        numbers are missing and `note` says why.

    Raises
    ------
    ParamsError
        An unknown response, or no split.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> chances = np.random.default_rng(0)
    >>> rows = [(f"q{i}", s) for i in range(8) for c in "acde" for s in ((c, "b"), ("b", c))]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "status": "ok", "reference": "b",
    ...     "repeat": 1, "question": [row[0] for row in rows], "shown": [row[1] for row in rows],
    ...     "choice": pd.array(chances.integers(1, 3, size=64), dtype="Int64")}))
    >>> split_half_fits(verdicts, ["pc"], splits=20)[["source", "n"]].values.tolist()
    [['split_half', 4], ['split_half_own', 4]]
    """
    check_settings("split_half_fits", splits=splits, seed=seed)
    for response in responses:
        check_choice(response, [name for name in _SHARES if name != "owr"], "responses")
    if splits < 1:
        raise ParamsError(f"splits {splits} is below 1", place="split_half_fits")
    units, halves = _split(verdicts, splits, seed)
    keys = fit_keys(units)
    rows = [
        dict(zip(keys, np.atleast_1d(name), strict=True))
        | {"response": response, "source": source, "splits": splits}
        | _fit(halves["owr"][..., columns], halves[response][..., columns], source)
        for name, columns in units.groupby(keys, observed=True).indices.items()
        for response in responses
        for source in SPLIT_SOURCES
    ]
    return pd.DataFrame(rows, columns=[*keys, *_COLUMNS])


_SHARES = {
    "owr": ("points", "complete"),
    "pc": ("consistent", "complete"),
    "pf": ("lean", "complete"),
    "pf_paper": ("lean", "asked"),
}


def _split(verdicts, splits, seed):
    """Units, and the shares of their halves as arrays (2 halves, splits, units)."""
    cells = _cells(verdicts)
    names = [name for name in cells.index.names if name != "cluster"]
    unit, units = pd.factorize(cells.index.droplevel("cluster"))
    units = units.to_frame(index=False).set_axis(names, axis=1)
    shared = [name for name in cells.index.names if name not in ("judge", "candidate")]
    place = cells.reset_index().groupby(shared, sort=False, observed=True).ngroup().to_numpy()
    count = np.bincount(unit, minlength=len(units))
    start = np.r_[0, np.cumsum(count)[:-1]]
    rng = np.random.default_rng(seed)
    totals = {name: np.empty((2, splits, len(units))) for name in cells}
    for split in range(splits):
        order = np.lexsort((rng.random(place.max(initial=-1) + 1)[place], unit))
        rank = np.empty(len(unit), dtype=np.int64)
        rank[order] = np.arange(len(unit)) - start[unit[order]]
        code = unit + len(units) * (2 * rank >= count[unit])
        for name in cells:
            total = np.bincount(code, weights=cells[name], minlength=2 * len(units))
            totals[name][:, split] = total.reshape(2, -1)
    return units, {
        name: np.divide(
            totals[top], totals[bottom], where=totals[bottom] > 0,
            out=np.full(totals[top].shape, np.nan),
        )
        for name, (top, bottom) in _SHARES.items()
    }  # fmt: skip


def _cells(verdicts):
    """Sums over each unit and cluster, clusters without a complete series left out."""
    keys = group_verdicts(verdicts, UNIT)
    series = take_sides(build_series(verdicts), keys)
    kinds = {name: series[f"{name}_full"] * 1.0 + series[f"{name}_half"] for name in _LEANS}
    undecided = series["complete"] * 1.0 - series["win"] - series["loss"]
    series = series.assign(
        asked=~series["identical"],
        points=series["win"] + undecided / series["slots"],
        lean=(kinds["recency"] - kinds["primacy"]).where(series["slots"] == 2),
    )
    names = ["asked", "complete", "consistent", "points", "lean"]
    cells = cluster_sums(series, keys, names)
    pair = series.groupby([*keys, "cluster"], observed=True)["slots"].max() == 2
    cells["lean"] = cells["lean"].where(pair.reindex(cells.index))
    return cells[cells["complete"] > 0]


_LEANS = ("recency", "primacy")


def _fit(owr, response, source):
    """Fit both directions of every split; arrays (2 halves, splits, units)."""
    told = ~np.isnan(owr).any(axis=(0, 1))
    result = {"n": int(told.sum()), "reliability": _reliability(owr[..., told])}
    if np.isnan(response).all():
        return result | {"note": "not estimable: not defined for more than two slots"}
    other = response if source == "split_half_own" else response[::-1]
    coefficients, r_squared = fit_quadratics(owr[..., told], other[..., told])
    good = ~np.isnan(r_squared)
    if not good.any():
        few = result["n"] < 4
        cause = "fewer than 4 units with two clusters" if few else "nothing varies"
        return result | {"note": f"not estimable: {cause}"}
    means = coefficients[good].mean(axis=0)
    result |= dict(zip(["intercept", "linear", "quadratic"], means, strict=True))
    lost = int((~good).sum())
    note = f"{lost} of {good.size} halves without a fit" if lost else ""
    spread = r_squared[good].std(ddof=1)
    return result | {"r_squared": r_squared[good].mean(), "r_squared_sd": spread, "note": note}


def _reliability(owr):
    """Spearman-Brown from the mean correlation of the halves over units."""
    if owr.shape[-1] < 3:
        return np.nan
    one, two = owr - owr.mean(axis=-1, keepdims=True)
    spread = np.sqrt((one**2).sum(axis=-1) * (two**2).sum(axis=-1))
    varies = spread > 1e-12
    if not varies.any():
        return np.nan
    r = ((one * two).sum(axis=-1)[varies] / spread[varies]).mean()
    return 2 * r / (1 + r)
