"""Which slot wins how often, against what winners that do not depend on the slot would give."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.counts import COMPARISON_KEY
from posbias_kit.analysis.incomplete import count_incomplete
from posbias_kit.analysis.intervals import cluster_sums, difference_intervals, share_intervals
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.notes import note_draws
from posbias_kit.analysis.series import group_verdicts, spread_candidates
from posbias_kit.analysis.slot_labels import slot_label_test
from posbias_kit.schema import Status

UNBALANCED = "candidates did not stand in each slot equally often: a share mixes slot and candidate"
"""Why a slot's share must not be held against 1/p."""

_CARRIED = ["task", "question", "cluster", "candidate", "reference", "slots"]


def slot_wins(verdicts, by=("judge",), level=0.95, permutations=1000, seed=0):
    """Count how often each slot wins, and test against winners that do not depend on the slot.

    The share of slot k is wins_k over the verdicts for any slot. Where each candidate stood in
    each slot equally often it is held against 1/p. Else, and where verdicts are missing, the
    winners of a comparison are taken as exchangeable over its orders: with t_c verdicts for
    candidate c, n_o verdicts (ties among them) in order o and n in all, slot k is expected to win

        sum over o of n_o t_c(o,k) / n,     c(o,k) the candidate that stood there,

    which is sum_c t_c / p when balanced. The excess is wins - expected per verdict for a slot, over
    the comparisons that have verdicts in two or more arrangements: in one arrangement slot and
    candidate cannot be told apart. Where arrangements are not balanced it is drawn towards 0.

    The test is :func:`posbias_kit.analysis.slot_labels.slot_label_test` on the clusters' sums of
    wins - expected.

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, with `shown`.
    by : sequence of str
        Grouping columns after benchmark and experiment.
    level : float
        Level of the intervals.
    permutations, seed : int
        Of the test; 0 permutations give no p.

    Returns
    -------
    DataFrame
        One row a group and slot: verdicts, ties, decided (verdicts for any slot); incomplete
        (series that an order lacks; the verdicts they have count here); wins; share
        with its interval (Wilson at the effective size, CR2 error); expected = 1/p; balanced;
        expected_shown (share expected in the orders shown); excess_n (verdicts it rests on),
        excess with its interval (CR2 t; where clusters do not differ Wilson's); clusters; note; p
        (one test a group), and p_holm over the groups of a benchmark and experiment, or p_bh where
        `by` holds `task`.

    Raises
    ------
    ParamsError
        An unknown grouping column, or a level outside (0, 1).

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b"), ("b", "a")] * 2, "repeat": [1, 1, 2, 2],
    ...     "choice": pd.array([1, 1, 1, 2], dtype="Int64")}))
    >>> slot_wins(verdicts)[["slot", "wins", "share", "excess"]].values.tolist()
    [[1, 3, 0.75, 0.25], [2, 1, 0.25, -0.25]]
    """
    check_settings("slot_wins", level=level, permutations=permutations, seed=seed)
    keys = group_verdicts(verdicts, by, some=True)
    tally = tally_arrangements(verdicts, [*COMPARISON_KEY, *({"repeat"} & {*keys})])
    slots = range(1, tally.wins.shape[1] + 1)
    frame = tally.frame.assign(told=np.where(tally.told, tally.frame["decided"], 0))
    for slot in slots:
        frame[f"wins_{slot}"] = tally.wins[:, slot - 1]
        frame[f"expected_{slot}"] = tally.expected[:, slot - 1]
        frame[f"told_{slot}"] = np.where(tally.told, tally.wins[:, slot - 1], 0)
        frame[f"null_{slot}"] = np.where(tally.told, tally.expected[:, slot - 1], 0)
    frame = spread_candidates(frame, keys)
    each = [f"{name}_{slot}" for slot in slots for name in ("wins", "expected", "told", "null")]
    sums = cluster_sums(frame, keys, ["verdicts", "ties", "decided", "told", *each])
    groups = frame.groupby(keys, observed=True)
    facts = pd.DataFrame({"balanced": groups["balanced"].all(), "_p": groups["slots"].max()})
    facts["incomplete"] = count_incomplete(verdicts, keys)
    facts["p"] = _test_groups(sums, facts["_p"], permutations, seed)
    table = pd.concat([_estimate(sums, facts, slot, level) for slot in slots]).reset_index()
    table = table[table["slot"] <= table["_p"]].sort_values([*keys, "slot"], kind="stable")
    adjusted = adjust_p(facts[["p"]].reset_index(), keys)  # one test a group, not one a slot
    table = table[[*keys, *_COLUMNS]].merge(adjusted, on=keys)
    return note_draws(table, permutations, "permutations")


_COLUMNS = [
    "slot", "verdicts", "ties", "decided", "incomplete", "wins", "share", "share_low",
    "share_high", "expected", "balanced", "expected_shown", "excess_n", "excess", "excess_low",
    "excess_high", "clusters", "note",
]  # fmt: skip


class ArrangementTally(NamedTuple):
    """Verdicts by what was shown (P rows) and slot."""

    frame: pd.DataFrame
    """One row a comparison, judge and arrangement: the key, what groups, verdicts, ties, decided,
    and balanced (of the comparison: as asked, each candidate stood in each slot equally often)."""
    wins: np.ndarray
    """(P, p) verdicts for each slot."""
    expected: np.ndarray
    """(P, p) the same if winners did not depend on the slot."""
    told: np.ndarray
    """(P,) whether the comparison has verdicts in two or more arrangements."""


def tally_arrangements(verdicts, unit):
    """Count wins by arrangement and slot, with their expectation within each unit.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, with `shown`.
    unit : list of str
        What identifies a comparison within which winners are exchangeable.

    Returns
    -------
    ArrangementTally
    """
    asked = verdicts[verdicts["status"] != Status.IDENTICAL]
    code, head = number_groups(asked, [*unit, "order", "shown"])
    columns = list(dict.fromkeys([*unit, *_CARRIED, "shown"]))
    frame = asked[columns].iloc[head].reset_index(drop=True)
    width = int(asked["slots"].max()) if len(asked) else 2
    ok = asked["choice"].notna().to_numpy()
    cell = code[ok] * (width + 1) + asked["choice"][ok].to_numpy(dtype=np.int64)
    counts = np.bincount(cell, minlength=len(head) * (width + 1)).reshape(len(head), width + 1)
    wins, valid = counts[:, 1:], counts.sum(axis=1)
    group, _ = number_groups(frame, unit)
    candidate, number = _stood(frame["shown"], width)
    _, pair = np.unique(group[:, None] * (number + 1) + candidate, return_inverse=True)
    pair = pair.reshape(candidate.shape)
    total = np.bincount(group, weights=valid)[group]
    won = np.bincount(pair.ravel(), weights=wins.ravel())[pair]
    expected = won * (valid / np.maximum(total, 1))[:, None]
    place = np.bincount(code, minlength=len(head))
    told = np.bincount(group, weights=valid > 0)[group] > 1
    frame["verdicts"], frame["ties"], frame["decided"] = valid, counts[:, 0], wins.sum(axis=1)
    frame["balanced"] = _balance(group, pair, place, frame["slots"].to_numpy(dtype=np.int64))
    return ArrangementTally(frame, wins, expected, told)


def _stood(shown, width):
    """Number of the candidate in each slot, one past the last where there is no such slot."""
    codes, texts = pd.factorize(shown)
    lists = [json.loads(text) for text in texts]
    names = sorted({name for ids in lists for name in ids})
    numbers = {name: number for number, name in enumerate(names)}
    table = np.full((len(lists), width), len(numbers))
    for row, ids in enumerate(lists):
        table[row, : len(ids)] = [numbers[name] for name in ids]
    return table[codes], len(names)


def _balance(group, pair, asked, slots):
    """Whether in each row's comparison every candidate stood in every slot equally often."""
    width = pair.shape[1]
    cell = pair * width + np.arange(width)
    weights = np.repeat(asked, width)
    times = np.bincount(cell.ravel(), weights=weights, minlength=(pair.max() + 1) * width)
    times = times.reshape(-1, width)[pair]  # rows, the slot it stands in, the slots it stood in
    real = np.arange(width) < slots[:, None]
    differs = (times != times[:, :, :1]) & real[:, None, :] & real[:, :, None]
    return np.bincount(group, weights=differs.any(axis=(1, 2)))[group] == 0


def _estimate(sums, facts, slot, level):
    share = share_intervals(sums, f"wins_{slot}", "decided", level)
    excess = _excess_intervals(sums, slot, level)
    total = sums.groupby(level=list(range(sums.index.nlevels - 1)), observed=True).sum()
    counts = ["verdicts", "ties", "decided"]
    table = facts.assign(slot=slot, **total[counts].astype("Int64"))
    table["wins"], table["excess_n"] = total[f"wins_{slot}"], total["told"]
    table = table.astype({"wins": "Int64", "excess_n": "Int64"})
    for name, found in (("share", share), ("excess", excess)):
        table[name] = found["estimate"]
        table[[f"{name}_low", f"{name}_high"]] = found[["low", "high"]]
    table["expected"] = 1 / facts["_p"].astype(float)
    table["expected_shown"] = total[f"expected_{slot}"] / total["decided"].replace(0, np.nan)
    table["clusters"] = share["clusters"].astype("Int64")
    table["note"] = np.select(
        [total["decided"] == 0, total["told"] == 0, table["clusters"] < 2, ~facts["balanced"]],
        [
            "no verdict for a slot",
            "each comparison shown in one arrangement: slot and candidate cannot be told apart",
            "one cluster: no interval and no test",
            UNBALANCED,
        ],
        "",
    )
    return table


def _excess_intervals(sums, slot, level):
    """Excess with its CR2 t interval, within what the expected share leaves possible.

    Where clusters do not differ that interval would have no width. The expected share e is fixed
    there, and the limits are those of the share of wins, less e.
    """
    excess = difference_intervals(sums, f"told_{slot}", f"null_{slot}", "told", level)
    wins = share_intervals(sums, f"told_{slot}", "told", level)
    expected, flat = wins["estimate"] - excess["estimate"], excess["se"] <= 1e-12
    for end in ("low", "high"):
        excess[end] = excess[end].mask(flat, wins[end] - expected)
        excess[end] = excess[end].clip(lower=-expected, upper=1 - expected)
    excess["high"] = excess[["high", "estimate"]].max(axis=1, skipna=False)  # rounding
    return excess


def _test_groups(sums, slots, permutations, seed):
    """Return p of each group; missing with fewer than two clusters."""
    names = [f"{{}}_{slot}" for slot in range(1, int(slots.max()) + 1)]
    told, null = (sums[[name.format(kind) for name in names]] for kind in ("told", "null"))
    apart, used = told.to_numpy() - null.to_numpy(), (sums["told"] > 0).to_numpy()
    groups = sums.groupby(level=list(range(sums.index.nlevels - 1)), observed=True)
    return pd.Series(
        {
            group: slot_label_test(apart[rows[used[rows]], : slots[group]], permutations, seed)
            for group, rows in groups.indices.items()
        },
        dtype=float,
    )
