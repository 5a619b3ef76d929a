"""List-wise order effect: what each slot adds to the log-odds of being chosen."""

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.incomplete import count_incomplete
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.notes import add_note
from posbias_kit.analysis.pooled import fit_pooled, list_terms
from posbias_kit.analysis.series import group_verdicts, spread_candidates

ATTENUATES = "drawn towards 0 where quality varies by question"
"""What an estimate with one ability a candidate must say of itself."""

_COLUMNS = [
    "slot", "wins", "decided", "incomplete", "effect", "se", "df", "low", "high", "p", "p_slot",
    "clusters", "note",
]  # fmt: skip


def slot_effects(verdicts, by=("judge",), level=0.95, scores=None, features=None):
    """Estimate the effect of every slot, summing to 0, from a multinomial logit.

    With s_k the effect of slot k and a the candidates' abilities,

        P(slot k) = exp(s_k + a_k) / sum_j exp(s_j + a_j),   sum_k s_k = 0,

    where a TIE, if the judge gives any, is one more alternative with the mean of the worths. For
    pairs s_1 = -s_2 is half the order effect of the pooled logit.

    One ability a candidate is too few where quality varies by question: the effects are then
    drawn towards 0, in about the same proportion, and their intervals do not know of it. Planted
    .6, 0 and -.6 come back as .48, .33 and .18 for the first slot at a spread of 1, 2 and 4
    log-odds (``python -m benchmarks.slot_pull``). What they say of sign and ranking of the slots
    holds; their size is a lower bound. Known worth of the answers (`scores`) cures it as far
    as it is right.

    *Source: D. McFadden (1974), Conditional logit analysis of qualitative choice behavior, in
    Frontiers in Econometrics.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment; each group is a fit of its own.
    level : float
        Level of the intervals.
    scores, features : DataFrame, optional
        As for :func:`posbias_kit.analysis.pooled_order`.

    Returns
    -------
    DataFrame
        One row a group and slot: wins (verdicts for the slot); decided (verdicts for any slot);
        incomplete (series that an order lacks; the verdicts they have enter the fit);
        effect, se (CR2 by cluster), df (Satterthwaite), low, high in log-odds; p (t test of 0);
        p_holm over the judges and slots of a benchmark and experiment, or p_bh where `by` holds
        `task` (the two slots of a pair are one test); p_slot = P(slot | equal answers, decisive),
        to be read against 1/p for p slots; clusters; note (why a number is missing; and
        once a group, without `scores`, that the estimates are drawn towards 0).

    Raises
    ------
    ParamsError
        An unknown grouping column, or a level outside (0, 1).

    Examples
    --------
    Of three slots the first wins half of the verdicts.

    >>> from posbias_kit.data import build_verdicts
    >>> sets = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")] * 4
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1,
    ...     "question": [f"q{n // 3}" for n in range(12)], "shown": sets,
    ...     "order": [f"r{n % 3}" for n in range(12)],
    ...     "choice": pd.array([1, 1, 1, 2, 2, 2, 3, 3, 3, 1, 1, 1], dtype="Int64")}))
    >>> slot_effects(verdicts)[["slot", "wins", "p_slot"]].round(2).values.tolist()
    [[1.0, 6.0, 0.5], [2.0, 3.0, 0.25], [3.0, 3.0, 0.25]]
    """
    check_settings("slot_effects", level=level)
    keys = group_verdicts(verdicts, by)
    models = fit_pooled(verdicts, keys, scores, features)
    tables = [_list_slots(model, level).assign(**model.group) for model in models]
    if scores is None:
        tables = [_warn_first(table) for table in tables]
    name = "p_bh" if "task" in keys else "p_holm"
    columns = [*keys, *_COLUMNS]
    columns.insert(columns.index("p") + 1, name)
    tables += _list_silent(verdicts, keys, [model.group for model in models])
    if not tables:
        return pd.DataFrame(columns=columns)
    table = pd.concat(tables, ignore_index=True).sort_values([*keys, "slot"], kind="stable")
    table = table.merge(count_incomplete(verdicts, keys).reset_index(), "left", on=keys)
    return _adjust_once(table.reset_index(drop=True), keys)[columns]


def _warn_first(table):
    """Put the warning beside the first slot of a group with an estimate."""
    told = (table["slot"] == 1) & table["effect"].notna()
    return table.assign(note=add_note(table["note"], np.where(told, ATTENUATES, "")))


def _list_silent(verdicts, keys, told):
    """The slots of each group without a verdict: a row each, that says so."""
    asked = verdicts[list(dict.fromkeys([*keys, "comparison", "candidate", "slots"]))]
    asked = spread_candidates(asked.drop_duplicates(), keys)
    slots = asked.groupby(keys, observed=True)["slots"].max()
    told = {tuple(group[key] for key in keys) for group in told}
    return [
        pd.DataFrame({"slot": range(1, int(size) + 1)}).assign(
            **dict(zip(keys, name, strict=True)),
            wins=0, decided=0, clusters=0, twin=False, note="no verdict",
        )
        for name, size in slots.items()
        if name not in told
    ]  # fmt: skip


def _adjust_once(table, keys):
    """Correct p over the table; the second slot of a pair repeats the first's test."""
    twin, p = table["twin"], table["p"]
    table = adjust_p(table.assign(p=p.mask(twin)), keys)
    name = table.columns[table.columns.get_loc("p") + 1]
    return table.assign(**{"p": p, name: table[name].mask(twin, table[name].shift())})


def _list_slots(model, level):
    """The slots of one group; for pairs the order effect is halved over both."""
    table = list_terms(model, level)
    table = (
        table[table["kind"] == "order"].drop(columns="term").rename(columns={"estimate": "effect"})
    )
    scaled = ["effect", "low", "high"]
    if len(table) == 1:
        table = pd.concat([table] * 2, ignore_index=True)
        table[[*scaled, "se"]] /= 2
        table.loc[1, ["effect", "low", "high"]] = -table.loc[
            0, ["effect", "high", "low"]
        ].to_numpy()
    slots = len(table)
    wins = model.chosen[:slots]
    return table.assign(
        slot=np.arange(1, slots + 1),
        twin=(slots == 2) & (np.arange(slots) == 1),
        wins=wins.astype("int64"),
        decided=int(wins.sum()),
        p_slot=special.softmax(table["effect"].to_numpy(dtype=float)),
    )
