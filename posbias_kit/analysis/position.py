"""Position consistency, the kinds of inconsistency, and preference fairness."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.half import note_once
from posbias_kit.analysis.intervals import (
    bootstrap_intervals,
    difference_intervals,
    share_intervals,
)
from posbias_kit.analysis.position_sums import COUNTS, sum_series
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.errors import check_choice
from posbias_kit.schema import Convention


def position_bias(verdicts, by=("judge",), convention="paper", draws=2000, level=0.95, seed=0):
    """Measure position consistency and preference fairness.

    Position consistency is pc = consistent / complete series. Preference fairness is
    pf = (recency - primacy) / complete series: +1 always the last slot, -1 always the first,
    0 fair. It equals the seed paper's raw score rcn x irr - pcn x ipr, scaled by its bounds:
    with rcn and pcn the recency and primacy counts, irr = rcn / (rcn + pcn) and
    ipr = pcn / (rcn + pcn),

        rcn irr - pcn ipr = (rcn^2 - pcn^2) / (rcn + pcn) = rcn - pcn,

    and the bounds are -series and +series. The paper divides by all asked pairs (`pf_paper`),
    `pf` by the complete ones. Half flips (one verdict a TIE) count by convention:

    ========  ==========================================================================
    paper     inconsistent, and they lean
    tie       inconsistent, without a lean
    decisive  a series with any TIE leaves numerator and denominator
    half      pc as in `paper`; pf = (last - first) / verdicts, which needs no pairing
    ========  ==========================================================================

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), sections on position consistency
    and preference fairness.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment. `candidate` is the non-reference one;
        without a reference a series counts for each candidate in it.
    convention : str or sequence of str
        Of ``paper``, ``tie``, ``decisive``, ``half``.
    draws, level, seed
        Of the bootstrap over clusters; 0 draws give point estimates without any interval.

    Returns
    -------
    DataFrame
        One row a group and convention: the grouping columns; convention; comparisons; series
        (asked: complete + incomplete); complete; incomplete; identical; consistent;
        consistent_win, consistent_loss, consistent_tie (from the candidate's side; missing
        without one); primacy_full, primacy_half, recency_full, recency_half; pc_n, pc, pc_low,
        pc_high (Wilson at the effective size, CR2 error); pf_n, pf, pf_low, pf_high (CR2 t);
        pc_boot_low ... pf_boot_high (bootstrap over clusters); pf_paper (convention paper);
        overall_win_rate; clusters; note (why pc is missing). For more than two slots the kinds
        and pf are missing.

    Raises
    ------
    ParamsError
        An unknown convention or grouping column, or a level outside (0, 1).

    Examples
    --------
    Of three pairs, one is consistent, one leans to the first slot, one to the last.

    >>> from posbias_kit.data import build_verdicts
    >>> rows = [("q1", "a", "b", 1), ("q1", "b", "a", 2), ("q2", "a", "b", 1),
    ...         ("q2", "b", "a", 1), ("q3", "a", "b", 2), ("q3", "b", "a", 2)]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok",
    ...     "question": [row[0] for row in rows], "shown": [row[1:3] for row in rows],
    ...     "choice": pd.array([row[3] for row in rows], dtype="Int64")}))
    >>> position_bias(verdicts)[["judge", "series", "pc", "pf"]].round(3).values.tolist()
    [['j', 3, 0.333, 0.0]]
    """
    check_settings("position_bias", draws=draws, level=level, seed=seed)
    _list_conventions(convention)
    keys = group_verdicts(verdicts, by, keys=False)
    sums = sum_series(verdicts, keys) if len(verdicts) else None
    return estimate_bias(sums, keys, convention, draws, level, seed)


def estimate_bias(sums, keys, convention="paper", draws=2000, level=0.95, seed=0):
    """Estimate what :func:`position_bias` returns from sums over clusters.

    Parameters
    ----------
    sums : DataFrame or None
        From :func:`posbias_kit.analysis.position_sums.sum_series`; None where there is no verdict.
    keys : list of str
        Grouping columns, all levels of its index but the last.
    convention, draws, level, seed
        As for :func:`position_bias`.

    Returns
    -------
    DataFrame
    """
    conventions = _list_conventions(convention)
    if sums is None:
        return pd.DataFrame(columns=[*keys, *_COLUMNS])
    facts = _facts(sums, keys)
    counted = dict(enumerate(apply_convention(sums, name) for name in conventions))
    counted = pd.concat(counted, names=["convention"])
    table = _estimate(facts, counted, draws, level, seed).reset_index()
    table["convention"] = table["convention"].map(dict(enumerate(conventions)))
    table["pf_paper"] = table["pf_paper"].where(table["convention"] == Convention.PAPER)
    return note_once(_blank_sets(table), keys)[[*keys, *_COLUMNS]]


_COLUMNS = [
    "convention", "comparisons", "series", "complete", "incomplete", "identical", "consistent",
    "consistent_win", "consistent_loss", "consistent_tie",
    "primacy_full", "primacy_half", "recency_full", "recency_half",
    "pc_n", "pc", "pc_low", "pc_high", "pf_n", "pf", "pf_low", "pf_high",
    "pc_boot_low", "pc_boot_high", "pf_boot_low", "pf_boot_high",
    "pf_paper", "overall_win_rate", "clusters", "note",
]  # fmt: skip
_LIMITS = [name for name in _COLUMNS if name.endswith(("_low", "_high"))]


def _list_conventions(convention):
    names = [convention] if isinstance(convention, str) else list(convention)
    return [check_choice(name, Convention, "convention") for name in names]


def _facts(sums, keys):
    """Counts that are the same under every convention."""
    facts = sums.groupby(level=keys, observed=True).sum(min_count=1)
    facts[COUNTS] = facts[COUNTS].astype("Int64")
    facts["comparisons"] = facts["comparisons"].astype("int64")
    facts["series"] = facts["complete"] + facts["incomplete"]
    sided = facts["unsided"] == 0
    for side in ("win", "loss", "tie"):
        facts[f"consistent_{side}"] = facts[side].where(sided).astype("Int64")
    complete = facts["complete"].astype(float)
    facts["overall_win_rate"] = (facts["owr_points"] / complete).where(sided & (complete > 0))
    return facts


def apply_convention(sums, convention):
    """Say what counts as consistent, primacy and recency under a convention, and out of what.

    Parameters
    ----------
    sums : DataFrame
        Counts of kinds, as flags a series or summed over series.
    convention : str

    Returns
    -------
    DataFrame
        As `sums`: yes out of pc_n, and recency and primacy out of pf_n.
    """
    full, half = (
        {side: sums[f"{side}_{size}"] for side in ("primacy", "recency")}
        for size in ("full", "half")
    )
    result = {"yes": sums["consistent"], "pc_n": sums["complete"], "pf_n": sums["complete"]}
    result |= full
    if convention == Convention.PAPER:
        result |= {side: full[side] + half[side] for side in full}
    elif convention == Convention.DECISIVE:
        decisive = sums["complete"] - sums["any_tie"]
        result |= {"yes": sums["consistent"] - sums["tie_consistent"]}
        result |= {"pc_n": decisive, "pf_n": decisive}
    elif convention == Convention.HALF:
        result |= {"primacy": sums["first"], "recency": sums["second"], "pf_n": sums["verdicts"]}
    return pd.DataFrame(result)


def _estimate(facts, sums, draws, level, seed):
    """Estimate pc and pf for each convention (the first index level) and group."""
    lean = sums.assign(lean=sums["recency"] - sums["primacy"])
    total = lean.groupby(level=lean.index.names[:-1], observed=True).sum()
    table = facts.reindex(total.index.droplevel("convention")).set_axis(total.index)
    counted = (lean["pc_n"] > 0).groupby(level=total.index.names, observed=True).sum()
    table["clusters"] = counted.astype("Int64")
    for name, plus in (("pc", "yes"), ("pf", "lean")):
        size = total[f"{name}_n"]
        table[f"{name}_n"] = size.astype("Int64")
        table[name] = total[plus] / size.where(size > 0)
    table[_LIMITS] = _intervals(lean, draws, level, seed) if draws else np.nan
    asked = table["series"].astype(float)
    return table.assign(pf_paper=(total["lean"] / asked).where(table["complete"] > 0))


def _intervals(sums, draws, level, seed):
    """Limits of pc and pf, by CR2 and from the bootstrap over clusters."""
    found = {
        "pc": share_intervals(sums, "yes", "pc_n", level),
        "pf": difference_intervals(sums, "recency", "primacy", "pf_n", level),
    }
    boot = _bootstrap(sums, level, draws, seed)
    sides = [(name, side) for name in found for side in ("low", "high")]
    limits = {f"{name}_{side}": found[name][side] for name, side in sides}
    limits |= {f"{name}_boot_{side}": boot.loc[name, side] for name, side in sides}
    return pd.DataFrame(limits)[_LIMITS]


def _bootstrap(sums, level, draws, seed):
    """Resample pc and pf together: groups with as many clusters share their draws."""
    ratios = {"pc": ["yes", "pc_n"], "pf": ["lean", "pf_n"]}
    both = {name: sums[pair].set_axis(["x", "n"], axis=1) for name, pair in ratios.items()}
    return bootstrap_intervals(pd.concat(both), "x", "n", level, draws, seed)


def _blank_sets(table):
    """Take the pairwise kinds from groups of list-wise series: they have none there."""
    kinds = [name for name in table if name.startswith(("primacy", "recency", "pf"))]
    table.loc[table["pairs"] == 0, kinds] = pd.NA
    return table
