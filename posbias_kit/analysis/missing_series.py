"""Worst cases of consistency, fairness, win rate and first-slot share over incomplete series."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.series import SERIES_KEY, build_series, take_sides
from posbias_kit.schema import TIE, TIE_CHOICE, Convention, Status


def bound_series(verdicts, keys, convention="paper"):
    """Bound pc, pf, first_share and owr; :func:`posbias_kit.analysis.missing_bounds` has the rules.

    Parameters
    ----------
    verdicts : DataFrame
    keys : list of str
        Grouping columns.
    convention : str

    Returns
    -------
    DataFrame
        Indexed by group: asked, missing, first_share, and `_min` and `_max` of each number.
    """
    series = build_series(verdicts)
    told = series.merge(_known_winners(verdicts), "left", on=SERIES_KEY)
    told["tie_exists"] = _ties_exist(verdicts, told)
    series = take_sides(told[~told["identical"]].reset_index(drop=True), keys)
    open_, kinds = series["incomplete"], series["known"].fillna(0)
    groups = [series[key] for key in keys]
    tied = (series["ties"] > 0) & (convention == Convention.DECISIVE)  # leaves the ratio
    stuck = open_ & (kinds >= 2)  # cannot be consistent any more
    counts = {
        "yes_min": series["consistent"] & ~tied, "n": ~tied,
        "yes_max": (series["consistent"] | open_ & ~stuck) & ~tied,
        "n_max": ~tied & ~(stuck & series["tie_exists"] & (convention == Convention.DECISIVE)),
    }  # fmt: skip
    sums = _total(counts, groups)
    table = pd.DataFrame(
        {
            "pc_min": _over(sums["yes_min"], sums["n"]),
            "pc_max": _over(sums["yes_max"], sums["n_max"]),
        }
    )
    points = dict(zip(("owr_min", "owr_max"), _bound_points(series, open_, kinds), strict=True))
    table[[*points]] = pd.DataFrame(points).astype(float).groupby(groups, observed=True).mean()
    bound = _bound_half if convention == Convention.HALF else _bound_lean
    table[["pf_min", "pf_max"]] = bound(series, groups, tied, convention)
    unfit = (series["slots"] > 2).groupby(groups, observed=True).any()
    table.loc[unfit, ["pf_min", "pf_max"]] = np.nan
    unsided = series["win"].isna().groupby(groups, observed=True).any()
    table.loc[unsided, ["owr_min", "owr_max"]] = np.nan
    return table.join(_bound_first(series, groups))


def _bound_lean(series, groups, tied, convention):
    """Bounds of pf: an incomplete pair gives -1, 0 or 1, or, under `decisive`, leaves by a TIE."""
    fixed = {
        side: series[f"{side}_full"]
        | (series[f"{side}_half"] if convention == Convention.PAPER else False)
        for side in ("recency", "primacy")
    }
    lean = fixed["recency"].astype(float) - fixed["primacy"].astype(float)
    open_ = series["incomplete"] & ~tied
    free = open_ & ~((series["ties"] > 0) & (convention == Convention.TIE))
    least = lean.where(~series["incomplete"], -(free & (series["second"] == 0)).astype(float))
    most = lean.where(~series["incomplete"], (free & (series["first"] == 0)).astype(float))
    leaves = open_ & series["tie_exists"] & (convention == Convention.DECISIVE)
    counts = {
        "least": least.mask(tied, 0.0), "most": most.mask(tied, 0.0), "n": ~tied,
        "up": leaves & (least == 0), "down": leaves & (most == 0),
    }  # fmt: skip
    sums = _total(counts, groups)
    low = sums["n"] - sums["up"].where(sums["least"] < 0, 0)  # a 0 draws a lean to 0, no series not
    high = sums["n"] - sums["down"].where(sums["most"] > 0, 0)
    return pd.DataFrame({"pf_min": _over(sums["least"], low), "pf_max": _over(sums["most"], high)})


def _bound_half(series, groups, *_):
    """Bounds of pf over single verdicts: all missing ones for the first slot, or the last."""
    lost = series["orders"] - series["verdicts"]
    lean = series["second"] - series["first"]
    sums = _total({"least": lean - lost, "most": lean + lost, "n": series["orders"]}, groups)
    return pd.DataFrame(
        {"pf_min": _over(sums["least"], sums["n"]), "pf_max": _over(sums["most"], sums["n"])}
    )


def _total(columns, groups):
    return pd.DataFrame(columns).astype(float).groupby(groups, observed=True).sum()


def _over(top, bottom):
    return (top / bottom).where(bottom > 0)


def _ties_exist(verdicts, series):
    """Say where TIE is an option: where any judge ever used it."""
    place = ["benchmark", "experiment", "arm"]
    ties = verdicts.loc[(verdicts["choice"] == TIE_CHOICE).fillna(False), place].drop_duplicates()
    return pd.MultiIndex.from_frame(series[place]).isin(pd.MultiIndex.from_frame(ties))


def _known_winners(verdicts):
    """Of each series, how many winners its known verdicts name, and one of them."""
    ok = verdicts[verdicts["status"] == Status.OK]
    winners = ok.groupby(SERIES_KEY, observed=True)["winner"]
    return winners.agg(known="nunique", named="first").reset_index()


def _bound_points(series, open_, kinds):
    """Least and most win points of a series: 1 won, 0 lost, 1 / p undecided."""
    part = 1 / series["slots"].astype(float)
    now = series["win"] + (1 - series["win"] - series["loss"]) * part
    free, one = kinds == 0, (kinds == 1) & (series["named"] != TIE)
    own = one & (series["named"] == series["candidate"])
    low = part.mask(free | (one & ~own), 0.0)
    high = part.mask(free | own, 1.0)
    return now.where(~open_, low), now.where(~open_, high)


def _bound_first(series, groups):
    """Verdicts asked and missing; the first slot's share, with the missing ones for it or not."""
    counted = ["orders", "verdicts", "first", "ties"]
    total = series[counted].astype(float).groupby(groups, observed=True).sum()
    lost, decided = total["orders"] - total["verdicts"], total["verdicts"] - total["ties"]
    size = (decided + lost).where(decided + lost > 0)
    return pd.DataFrame(
        {
            "asked": total["orders"],
            "missing": lost,
            "first_share": total["first"] / decided.where(decided > 0),
            "first_share_min": total["first"] / size,
            "first_share_max": (total["first"] + lost) / size,
        }
    )
