"""Win rates with position taken out, side by side with what one order alone would say."""

import json

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.bradley_terry import fit_abilities
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.half import (
    NOT_PLACED,
    count_once,
    say_once,
    shown_once,
    weigh_slots,
)
from posbias_kit.analysis.intervals import bootstrap_intervals, cluster_sums, share_intervals
from posbias_kit.analysis.notes import add_note
from posbias_kit.analysis.ranks import rank_estimates
from posbias_kit.analysis.series import SERIES_KEY, build_series, group_verdicts
from posbias_kit.schema import TIE_CHOICE

ADJUSTED, CONDITIONAL, MODEL = "order_averaged", "both_agree", "bradley_terry"
"""Methods that use every order; those of one order are named ``order_AB``, ``first_shown``, .."""
_CHOSEN = "conditional: consistent series only"


def adjusted_win_rates(verdicts, by=("judge",), level=0.95, draws=2000, seed=0):
    """Estimate every candidate's win rate from one order, and with the order taken out.

    A verdict gives a candidate 1 when it wins, 1/p for a TIE, else 0. All methods use the same
    complete series, so that they differ by the order alone. Comparisons shown in one order have
    none: the order average takes their verdicts in so that each slot of a candidate weighs the
    same (and not at all unless it stood in every slot), the model takes them as they are, the
    other methods leave them out, and the notes say how many there are.

    ==================  =====================================================================
    order_AB, order_BA  the verdicts of one order, as if only it had been asked (with a
                        reference, the candidate is shown first in AB and second in BA)
    first_shown,        without a reference: the verdicts in which the candidate was shown
    second_shown        first, or second
    both_agree          the series in which all orders name the same winner. Conditional: it
                        speaks of the pairs on which the judge is consistent, not of all pairs
    order_averaged      the mean over the orders. Every order weighs the same, but the mean of
                        two biased rates is nearer to one half than the rate of a judge without
                        the bias: with log-odds 1 for the answer and 2 for the first slot it is
                        .61, not .73
    bradley_terry       abilities with an order term, see
                        :func:`posbias_kit.analysis.fit_abilities`; the rate is what the model
                        expects without the order term. It holds where one ability describes a
                        candidate on all questions
    ==================  =====================================================================

    *Source: the model: Davidson and Beaver (1977), Biometrics 33(4); position swapping in
    judging: Zheng et al., Judging LLM-as-a-judge (arXiv 2306.05685).*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment; `candidate` is always added.
    level : float
        Level of the intervals.
    draws : int
        Bootstrap draws over clusters, and draws of the ranks; 0 gives point estimates without any
        interval.
    seed : int

    Returns
    -------
    DataFrame
        One row a group, candidate (the reference left out) and method: n (verdicts; for
        both_agree series), win_rate, win_rate_low, win_rate_high (Wilson at the effective
        size with CR2 error; bradley_terry CR2 t), win_rate_boot_low, win_rate_boot_high
        (bootstrap over clusters; not for bradley_terry), ability, ability_low, ability_high
        (log-odds, sum 0 over the candidates and the reference; bradley_terry only), rank (1 the
        best; equal ones share the smaller), rank_low, rank_high, rank_change (the smallest move
        from a rank held under order_averaged to one held here: equal ones hold several, so that
        a tie that parts or forms moves nobody), clusters, note.

    Raises
    ------
    ParamsError
        An unknown grouping column, or a level outside (0, 1).

    Examples
    --------
    The candidate wins both series when shown first, one when shown second.

    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "status": "ok", "reference": "b",
    ...     "question": ["q1", "q1", "q2", "q2"], "shown": [("a", "b"), ("b", "a")] * 2,
    ...     "repeat": 1, "choice": pd.array([1, 2, 1, 1], dtype="Int64")}))
    >>> rates = adjusted_win_rates(verdicts).set_index("method")["win_rate"]
    >>> rates[["order_AB", "order_BA", "both_agree", "order_averaged"]].tolist()
    [1.0, 0.5, 1.0, 0.75]
    """
    check_settings("adjusted_win_rates", level=level, draws=draws, seed=seed)
    by = [by] if isinstance(by, str) else by
    keys = group_verdicts(verdicts, [name for name in by if name != "candidate"], some=True)
    told = _mark_complete(verdicts, keys)
    sides = _take_sides(told, keys)
    settings = {"level": level, "draws": draws, "seed": seed}
    tables = [
        _rates(sides.assign(weight=weight), keys, **settings).assign(method=name)
        for name, weight in _methods(sides, keys).items()
    ]
    known = tables[0][[*keys, "candidate"]]
    tables.append(_model(told[told["whole"] | told["half"]], keys, known, **settings))
    table = pd.concat(tables, ignore_index=True)
    seen = count_once(told, sides, keys)
    table["note"] = _say(table.merge(seen, on=[*keys, "candidate"], how="left"))
    place = table["method"].map({name: k for k, name in enumerate(table["method"].unique())})
    table = table.assign(_place=place).sort_values([*keys, "candidate", "_place"])
    table["rank_change"] = _rank_change(table, [*keys, "candidate"])
    return table.reindex(columns=[*keys, "candidate", *_COLUMNS]).reset_index(drop=True)


_COLUMNS = [
    "method", "n", "win_rate", "win_rate_low", "win_rate_high", "win_rate_boot_low",
    "win_rate_boot_high", "ability", "ability_low", "ability_high", "rank", "rank_low",
    "rank_high", "rank_change", "clusters", "note",
]  # fmt: skip


def _rank_change(table, place):
    """Smallest move from the ranks held in the average to those held here; 0 where they meet."""
    usual = table[table["method"] == ADJUSTED].set_index(place)[["rank", "rank_last"]]
    usual = usual.reindex(pd.MultiIndex.from_frame(table[place]))
    first, last = usual["rank"].array, usual["rank_last"].array
    down = (table["rank"] - last).clip(lower=0)
    return down + (table["rank_last"] - first).clip(upper=0)


def _say(table):
    """Why a number is missing, the condition of both_agree, and what one order alone adds."""
    empty, averaged = table["n"].fillna(0) == 0, table["method"] == ADJUSTED
    conditional, model = table["method"] == CONDITIONAL, table["method"] == MODEL
    own = table.get("note", pd.Series("", table.index)).fillna("")
    return np.select(
        [empty & conditional, empty & averaged & (table["once"] > 0), empty],
        ["no consistent series", NOT_PLACED, "no complete series"],
        add_note(own.mask(conditional, _CHOSEN), say_once(table, averaged, model)),
    )


def _mark_complete(verdicts, keys):
    """Add what is known of each verdict's series; an incomplete one counts nowhere.

    The verdicts of a comparison that was shown in one order are marked `half`.
    """
    series = build_series(verdicts)
    code, _ = number_groups(verdicts, SERIES_KEY)  # numbers the series as they stand in `series`
    of = {"whole": "complete", "agree": "consistent", "orders": "verdicts"}
    told = verdicts.assign(**{name: series[flag].to_numpy()[code] for name, flag in of.items()})
    half = shown_once(verdicts, keys) & verdicts["choice"].notna().to_numpy()
    return told.assign(half=half & ~told["whole"].to_numpy())


def _take_sides(told, keys):
    """Count verdicts by cell and spread each cell over the candidates shown in it."""
    cell = [*dict.fromkeys([*keys, "cluster", "reference", "slots"])]
    cell += ["order", "orders", "shown", "choice", "agree", "whole", "half"]
    code, head = number_groups(told, cell)
    cells = told[cell].iloc[head].assign(count=np.bincount(code, minlength=len(head)))
    texts, lists = pd.factorize(cells["shown"])
    names = pd.Series([json.loads(text) for text in lists], dtype=object)
    cells["candidate"] = names.iloc[texts].array
    sides = cells.drop(columns="shown").explode("candidate", ignore_index=True)
    sides["candidate"] = sides["candidate"].astype("str")
    sides["slot"] = sides.groupby(np.repeat(np.arange(len(cells)), cells["slots"])).cumcount() + 1
    choice = sides["choice"].to_numpy(dtype=np.int64, na_value=-1)
    tie = (choice == TIE_CHOICE) / sides["slots"].to_numpy(dtype=float)
    sides["score"] = tie + (choice == sides["slot"])
    return sides[(sides["candidate"] != sides["reference"]).to_numpy()]


def _methods(sides, keys):
    """Say what each verdict weighs under each method."""
    whole = sides["whole"] * sides["count"]
    orders = sorted(sides.loc[sides["whole"], "order"].unique())
    weights = {f"order_{name}": whole * (sides["order"] == name) for name in orders}
    open_pair = (sides["reference"] == "") & (sides["slots"] == 2)
    if open_pair.any():
        for slot, name in ((1, "first_shown"), (2, "second_shown")):
            weights[name] = whole * (open_pair & (sides["slot"] == slot))
    # The verdicts of a consistent series are one case, those of different orders are several.
    agree = whole * sides["agree"] / sides["orders"].clip(lower=1)
    return weights | {CONDITIONAL: agree, ADJUSTED: whole + weigh_slots(sides, keys)}


def _rates(sides, keys, level, draws, seed):
    """Rates, intervals and ranks of one method."""
    sides = sides.assign(x=sides["weight"] * sides["score"])
    sums = cluster_sums(sides, [*keys, "candidate"], ["x", "weight"])
    found = share_intervals(sums, "x", "weight", level)
    boot = bootstrap_intervals(sums, "x", "weight", level, draws, seed)
    group = list(range(len(keys)))
    ranks = [
        _rank(block, level, draws, seed) for _, block in sums.groupby(level=group, observed=True)
    ]
    total = sums["weight"].groupby(level=[*group, len(keys)], observed=True).sum()
    table = pd.DataFrame(
        {
            "n": total.round().astype("Int64"),
            "win_rate": found["estimate"],
            "win_rate_low": found["low"] if draws else np.nan,
            "win_rate_high": found["high"] if draws else np.nan,
            "win_rate_boot_low": boot["low"],
            "win_rate_boot_high": boot["high"],
            "clusters": found["clusters"].astype("Int64"),
        }
    )
    return table.join(pd.concat(ranks)).reset_index() if len(table) else table.reset_index()


def _rank(sums, level, draws, seed):
    """Ranks of one group's rates; their joint covariance from the clusters they share."""
    x, n = (sums[name].unstack("cluster", fill_value=0) for name in ("x", "weight"))
    size = n.sum(axis=1)
    theta = x.sum(axis=1) / size
    rest = 1 - n.div(size, axis=0)
    error = (x - n.mul(theta, axis=0)).div(size, axis=0) / np.sqrt(rest.where(rest > 0))
    covariance = error.to_numpy() @ error.to_numpy().T
    return rank_estimates(theta, covariance, level, draws, seed).set_index(theta.index)


def _model(told, keys, known, level, draws, seed):
    """Order-free rates and ranks of the candidates in `known`, by Bradley-Terry."""
    tables = [pd.DataFrame(columns=[*keys, "candidate"])]
    for fit in fit_abilities(told, keys, level):
        here = (known[keys] == pd.Series(fit.group)).all(axis=1)
        use = fit.table["candidate"].isin(known.loc[here, "candidate"]).to_numpy()
        table = fit.table[use].reset_index(drop=True).assign(**fit.group)
        covariance = fit.covariance[np.ix_(use, use)]
        if not draws:
            table[[name for name in table if name.endswith(("_low", "_high"))]] = np.nan
        ranks = rank_estimates(table["place"], covariance, level, draws, seed, equal=_ROUNDING)
        tables.append(table.join(ranks))
    found = pd.concat(tables[1:] or tables, ignore_index=True)
    return known.merge(found, on=[*keys, "candidate"], how="left").assign(method=MODEL)


_ROUNDING = 1e-6
"""Abilities (log-odds) no further apart are equal: the fit stops there."""
