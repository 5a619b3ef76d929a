"""What must not change a metric: names, the order of rows, a second swap, a failed call."""

import json

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from lasting import lasting
from verdict_tables import pairs, stack

from posbias_kit.analysis import (
    judge_agreement,
    order_effect,
    position_bias,
    repetition_stability,
    slot_wins,
    verdict_counts,
    win_rates,
)
from posbias_kit.data import build_verdicts

codes = st.lists(
    st.text("FSTIX", min_size=2, max_size=2) | st.just("EE"), min_size=1, max_size=6
).filter(lambda codes: any(letter in "FST" for letter in "".join(codes)))
INPUT = ["benchmark", "experiment", "task", "question", "turn", "cluster", "arm", "order", "judge",
         "repeat", "status", "reason", "choice"]  # fmt: skip
RATES = {
    "position": lambda table: position_bias(table, convention=("paper", "tie"), draws=0),
    "stability": lambda table: repetition_stability(table, draws=0),
    "agreement": judge_agreement,
    "counts": verdict_counts,
    "effect": order_effect,
    "slots": lambda table: slot_wins(table, permutations=0),
    "wins": win_rates,
}


@st.composite
def tables(draw):
    """Draw verdicts of one or two judges, asked once or twice, without a reference."""
    first = draw(codes)
    parts = []
    for judge in draw(st.sampled_from([["j"], ["j", "k"]])):
        for repeat in range(1, draw(st.integers(1, 2)) + 1):
            told = [draw(st.sampled_from([code, code[::-1], "TF"])) if code != "EE" else code
                    for code in first]  # fmt: skip
            parts.append(pairs(told, judge=judge, repeat=repeat, reference=""))
    return stack(*parts)


def rebuild(table, shown, choice=None):
    """Build a verdict table anew with other candidates shown."""
    rows = table[INPUT].drop(columns="order").assign(shown=shown)
    rows["choice"] = table["choice"] if choice is None else choice
    return build_verdicts(rows)


def compare(one, other, name, swap=None):
    """Compare two results row by row, whatever the order of rows; texts of names apart."""
    ours, theirs = RATES[name](one), RATES[name](other)
    if swap:
        theirs = theirs.replace(swap)
    keys = [c for c in ("benchmark", "experiment", "judge", "other", "candidate", "convention",
                        "order", "slot") if c in ours]  # fmt: skip
    sides = [t.sort_values(keys, ignore_index=True).drop(columns="note", errors="ignore")
             for t in (ours, theirs)]  # fmt: skip
    pd.testing.assert_frame_equal(*sides, check_dtype=False, atol=1e-9)


@lasting
@given(table=tables(), seed=st.integers(0, 99), name=st.sampled_from(sorted(RATES)))
def test_order_of_rows_changes_no_metric(table, seed, name):
    """Rows shuffled: every table is the same."""
    shuffled = table.sample(frac=1, random_state=np.random.RandomState(seed), ignore_index=True)
    compare(table, shuffled, name)


@lasting
@given(table=tables(), names=st.permutations(["x y", "=1", "A", "🙂", "z"]),
       name=st.sampled_from(sorted(RATES)))  # fmt: skip
def test_names_change_no_metric(table, names, name):
    """Judges, and candidates in any alphabetical order, called otherwise."""
    judges = dict(zip(["j", "k"], names[2:], strict=False))
    renamed = table.assign(judge=table["judge"].map(judges))
    back = {new: old for old, new in judges.items()}
    compare(table, renamed, name, dict.fromkeys(("judge", "other"), back))
    if name not in ("position", "stability", "slots"):
        return  # the others have a row for each candidate, or a direction by its name
    called = dict(zip("ab", names, strict=False))
    shown = [tuple(called[c] for c in json.loads(text)) for text in table["shown"]]
    again = rebuild(table, shown)
    compare(table, again, name)


@lasting
@given(table=tables())
def test_swap_twice_is_the_identity(table):
    """Shown the other way round with the choice turned, twice: the table itself; once: the same
    winners, and primacy for recency.
    """
    turn = {1: 2, 2: 1, 0: 0}

    def swap(one):
        shown = [tuple(json.loads(text))[::-1] for text in one["shown"]]
        return rebuild(one, shown, one["choice"].map(turn).astype("Int64"))

    once = swap(table)
    key = ["judge", "comparison", "order", "repeat"]
    pd.testing.assert_frame_equal(
        swap(once).sort_values(key, ignore_index=True), table.sort_values(key, ignore_index=True)
    )
    ours, theirs = (position_bias(t, draws=0).set_index("judge") for t in (table, once))
    assert theirs["primacy_full"].tolist() == ours["recency_full"].tolist()
    assert theirs["recency_half"].tolist() == ours["primacy_half"].tolist()
    assert theirs["pc"].dropna().tolist() == ours["pc"].dropna().tolist()


@lasting
@given(table=tables(), code=st.sampled_from(["XX", "XI", "FX", "XS"]),
       name=st.sampled_from(["slots", "wins", "agreement"]))  # fmt: skip
def test_failed_call_changes_only_denominators(table, code, name):
    """One more question whose calls failed: the rates stay, the counts of what is missing grow."""
    judge = table["judge"].iloc[0]
    more = stack(table, pairs([code], questions=["new"], judge=judge, reference=""))
    ours, theirs = (position_bias(t, draws=0).set_index("judge") for t in (table, more))
    rates = ["complete", "consistent", "pc", "pf", "primacy_full", "recency_half"]
    pd.testing.assert_frame_equal(ours[rates], theirs[rates])
    assert theirs.loc[judge, "series"] == ours.loc[judge, "series"] + 1
    assert theirs.loc[judge, "incomplete"] == ours.loc[judge, "incomplete"] + 1
    if code == "XX":
        told = RATES[name](table), RATES[name](more)
        same = [c for c in ("share", "owr", "agreement") if c in told[0]]
        pd.testing.assert_frame_equal(told[0][same], told[1][same])
