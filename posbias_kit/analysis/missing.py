"""What the missing verdicts could have changed: best and worst case of each headline number."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.position import position_bias
from posbias_kit.analysis.series import SERIES_KEY, build_series, group_columns, take_sides
from posbias_kit.analysis.stability import repetition_stability
from posbias_kit.schema import TIE, TIE_CHOICE, VERDICT_KEY, Status


def missing_bounds(verdicts, by=("judge",)):
    """Bound each headline number over everything that the missing verdicts could have been.

    An invalid or failed verdict, or an order that is not in the table, could have been any
    slot. Each bound is attained by one completion of the table; nothing is assumed about why
    verdicts are missing. Numbers are averages over all series asked, under convention
    ``paper``:

    ===========  ==========================================================================
    pc           an incomplete series can always be made inconsistent, and consistent unless
                 its known verdicts (list-wise) name two winners already
    pf           an incomplete pair whose known verdict is the first slot gives -1 or 0, the
                 second 0 or 1, a TIE or nothing -1 to 1
    first_share  slot 1 takes all missing verdicts, or none
    owr          a known winner gives one half (1/p list-wise) or its own point, nothing known
                 0 to 1, a known TIE or two winners one half
    rs           the missing repeats join the modal verdict, or spread as evenly as they can;
                 the modal share is then at least ceil(R / s) / R for R repeats and s options,
                 TIE counted where any judge used it
    ===========  ==========================================================================

    *Source: C. F. Manski (2003), Partial Identification of Probability Distributions, chapter
    1: worst-case bounds.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment.

    Returns
    -------
    DataFrame
        One row a group: series; incomplete; asked (verdicts that complete series would hold);
        missing (of these); then pc, pf,
        first_share, owr, rs, each as estimated from the verdicts at hand, with `_min` and
        `_max`; note, which says why a number is missing. The estimate from complete series can
        lie outside the bounds, as the known half of an incomplete series tells something, too.
        Sampling error comes on top: these are no intervals.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "question": list("ppqq"),
    ...     "shown": [("a", "b"), ("b", "a")] * 2, "status": ["ok", "ok", "ok", "failed"],
    ...     "reason": ["", "", "", "timeout"], "choice": pd.array([1, 2, 1, None], dtype="Int64")}))
    >>> missing_bounds(verdicts)[["pc", "pc_min", "pc_max"]].values.tolist()
    [[1.0, 0.5, 1.0]]
    """
    keys = group_columns(verdicts, by)
    names = [key for key in keys if key not in ("benchmark", "experiment")]
    bias = position_bias(verdicts, by=names, draws=0).set_index(keys)
    stability = repetition_stability(verdicts, by=names, draws=0).set_index(keys)
    found = _bound_series(verdicts, keys).join(_bound_repeats(verdicts, keys))
    table = pd.DataFrame(index=bias.index)
    table["series"], table["incomplete"] = bias["series"], bias["incomplete"]
    table[["asked", "missing"]] = found[["asked", "missing"]].astype("Int64")
    given = {"pc": bias["pc"], "pf": bias["pf"], "first_share": found["first_share"]}
    given |= {"owr": bias["overall_win_rate"], "rs": stability["rs"]}
    for name, values in given.items():
        table[name] = values.astype(float)
        for end in ("min", "max"):
            table[f"{name}_{end}"] = found[f"{name}_{end}"]
    return table.assign(note=_explain(table)).reset_index()


def _bound_series(verdicts, keys):
    """Bounds of pc, pf and owr: sums over series of the least and the most each can give."""
    series = build_series(verdicts)
    told = series.merge(_known_winners(verdicts), "left", on=SERIES_KEY)
    series = take_sides(told[~told["identical"]].reset_index(drop=True), keys)
    open_, kinds = series["incomplete"], series["known"].fillna(0)
    fixed = {
        name: series[f"{name}_full"] | series[f"{name}_half"] for name in ("recency", "primacy")
    }
    lean = fixed["recency"].astype(float) - fixed["primacy"].astype(float)
    ends = {
        "pc_min": series["consistent"],
        "pc_max": series["consistent"] | open_ & (kinds < 2),
        "pf_min": lean.where(~open_, -(series["second"] == 0).astype(float)),
        "pf_max": lean.where(~open_, (series["first"] == 0).astype(float)),
    }
    ends["owr_min"], ends["owr_max"] = _bound_points(series, open_, kinds)
    groups = [series[key] for key in keys]
    first = _bound_first(series, groups)
    means = pd.DataFrame(ends).astype(float).groupby(groups, observed=True).mean()
    unfit = (series["slots"] > 2).groupby(groups, observed=True).any()
    means.loc[unfit, ["pf_min", "pf_max"]] = np.nan
    unsided = series["win"].isna().groupby(groups, observed=True).any()
    means.loc[unsided, ["owr_min", "owr_max"]] = np.nan
    return means.join(first)


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


def _bound_repeats(verdicts, keys):
    """Bounds of rs: presentations asked more than once, with every repeat filled in."""
    asked = verdicts[verdicts["status"] != Status.IDENTICAL]
    place = [column for column in VERDICT_KEY if column != "repeat"]
    code, head = number_groups(asked, place)
    size = len(head)
    shown = asked[list(dict.fromkeys([*keys, "arm", "slots"]))].iloc[head].reset_index(drop=True)
    width = int(asked["slots"].max()) + 1 if size else 1
    ok = asked["choice"].notna().to_numpy()
    cell = code[ok] * width + asked["choice"][ok].to_numpy(dtype=np.int64)
    counts = np.bincount(cell, minlength=size * width).reshape(size, width)
    repeats, modal = np.bincount(code, minlength=size), counts.max(axis=1, initial=0)
    options = shown["slots"].to_numpy(dtype=np.int64) + _ties_exist(asked, shown)
    even = -(-repeats // options)  # rounded up
    most = modal + repeats - counts.sum(axis=1)
    ends = pd.DataFrame({"rs_min": np.maximum(modal, even) / repeats, "rs_max": most / repeats})
    again = repeats > 1
    return ends[again].groupby([shown.loc[again, key] for key in keys], observed=True).mean()


def _ties_exist(asked, shown):
    """Say where TIE is an option: where any judge ever used it."""
    place = ["benchmark", "experiment", "arm"]
    ties = asked.loc[(asked["choice"] == TIE_CHOICE).fillna(False), place].drop_duplicates()
    return pd.MultiIndex.from_frame(shown[place]).isin(pd.MultiIndex.from_frame(ties))


_NO_RS = "rs: nothing asked twice, or by candidate without a reference"


def _explain(table):
    reasons = {
        "pc_min": "no series", "pf_min": "pf: pairs only", "rs_min": _NO_RS,
        "first_share_min": "first_share: no slot", "owr_min": "owr: no candidate to take sides for",
    }  # fmt: skip
    parts = [np.where(table[name].isna(), text, "") for name, text in reasons.items()]
    return ["; ".join(filter(None, row)) for row in zip(*parts, strict=True)]
