"""What the missing verdicts could have changed: best and worst case of each headline number."""

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.counts import COMPARISON_KEY, count_orders
from posbias_kit.analysis.missing_series import bound_series
from posbias_kit.analysis.position import position_bias
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.analysis.stability import repetition_stability
from posbias_kit.errors import check_choice
from posbias_kit.schema import Convention, Status


def missing_bounds(verdicts, by=("judge",), convention="paper"):
    """Bound each headline number over everything that the missing verdicts could have been.

    An invalid or failed verdict, or an order or repeat that is not in the table, could have been
    any slot. Each bound is attained by one completion of the table; nothing is assumed about why
    verdicts are missing. Numbers are averages over all series asked:

    ===========  ==========================================================================
    pc           an incomplete series can always be made inconsistent, and consistent unless
                 its known verdicts (list-wise) name two winners already
    pf           an incomplete pair whose known verdict is the first slot gives -1 or 0, the
                 second 0 or 1, a TIE or nothing -1 to 1
    first_share  slot 1 takes all missing verdicts, or none
    owr          a known winner gives one half (1/p list-wise) or its own point, nothing known
                 0 to 1, a known TIE or two winners one half
    rs           the missing repeats join the modal verdict, or stay without a verdict, which rs
                 takes for disagreement: from (modal verdicts or 1) / R to
                 (modal + missing) / R for each presentation, R how often its comparison was asked
    ===========  ==========================================================================

    That is convention ``paper``. Under ``tie`` a known TIE gives pf 0; under ``decisive`` a series
    with a known TIE stays out, and others leave numerator and denominator where a TIE would move
    the bound and any judge used one; under ``half`` pf is bounded over single verdicts.

    *Source: C. F. Manski (2003), Partial Identification of Probability Distributions, chapter
    1: worst-case bounds.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment.
    convention : {"paper", "tie", "decisive", "half"}
        As for :func:`posbias_kit.analysis.position_bias`.

    Returns
    -------
    DataFrame
        One row a group: convention; series; incomplete; asked (verdicts that complete series
        would hold); missing (of these); then pc, pf, first_share, owr, rs, each as estimated from
        the verdicts at hand, with `_min` and `_max`; note, which says why a number is missing,
        and where the estimate lies outside its bounds: pc, pf and owr rest on complete series,
        and the known half of an incomplete one tells something, too. Sampling error comes on top:
        these are no intervals.

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
    check_choice(convention, Convention, "convention")
    keys = group_verdicts(verdicts, by)
    names = [key for key in keys if key not in ("benchmark", "experiment")]
    bias = position_bias(verdicts, names, convention, draws=0).set_index(keys)
    stability = repetition_stability(verdicts, by=names, draws=0).set_index(keys)
    found = bound_series(verdicts, keys, convention)
    found[["rs_min", "rs_max"]] = _bound_repeats(verdicts, keys, found.index)
    table = pd.DataFrame({"convention": convention}, index=bias.index)
    table["series"], table["incomplete"] = bias["series"], bias["incomplete"]
    table[["asked", "missing"]] = found[["asked", "missing"]].astype("Int64")
    given = {"pc": bias["pc"], "pf": bias["pf"], "first_share": found["first_share"]}
    given |= {"owr": bias["overall_win_rate"], "rs": stability["rs"]}
    for name, values in given.items():
        table[name] = values.astype(float)
        for end in ("min", "max"):
            table[f"{name}_{end}"] = found[f"{name}_{end}"]
    table["rs_min"] = table[["rs_min", "rs"]].min(axis=1)  # nothing need be filled in
    return table.assign(note=_explain(table)).reset_index()


def _bound_repeats(verdicts, keys, index):
    """Bounds of rs over presentations whose comparison was asked more than once.

    A presentation counts with as many repeats as its comparison was asked, in whatever order,
    and one that is not in the table counts like one without a verdict.
    """
    asked = verdicts[verdicts["status"] != Status.IDENTICAL]
    if asked.empty or "repeat" in keys:
        return pd.DataFrame(np.nan, index, ["rs_min", "rs_max"])
    counts = count_orders(asked)
    _, head = number_groups(asked, [*COMPARISON_KEY, "repeat"])
    series = asked[COMPARISON_KEY].iloc[head].groupby(COMPARISON_KEY, observed=True).size()
    frame = counts.comparisons
    repeats = series.reindex(pd.MultiIndex.from_frame(frame[COMPARISON_KEY])).to_numpy()
    modal, valid = counts.slots.max(axis=2), counts.valid
    ends = {"rs_min": np.maximum(modal, 1), "rs_max": modal + repeats[:, None] - valid}
    told = counts.asked & (repeats > 1)[:, None]
    frame = frame.assign(
        _n=told.sum(axis=1),
        **{name: (values * told).sum(axis=1) / repeats for name, values in ends.items()},
    )
    total = frame.groupby(keys, observed=True)[["_n", *ends]].sum()
    return total[[*ends]].div(total["_n"].where(total["_n"] > 0), axis=0).reindex(index)


_NO_RS = "rs: nothing asked twice, or by candidate without a reference"


def _explain(table):
    reasons = {
        "pc_min": "no series", "pf_min": "pf: pairs only", "rs_min": _NO_RS,
        "first_share_min": "first_share: no slot", "owr_min": "owr: no candidate to take sides for",
    }  # fmt: skip
    parts = [np.where(table[name].isna(), text, "") for name, text in reasons.items()]
    for name in ("pc", "pf", "owr"):
        out = (table[name] < table[f"{name}_min"] - 1e-12) | (
            table[name] > table[f"{name}_max"] + 1e-12
        )
        parts.append(np.where(out, f"{name} lies outside: {_OUTSIDE}", ""))
    return ["; ".join(filter(None, row)) for row in zip(*parts, strict=True)]


_OUTSIDE = "it leaves incomplete series out, the bounds do not"
