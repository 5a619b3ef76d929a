"""Which candidate wins by a rule set beforehand, and what could overturn it."""

import pandas as pd
import pytest

from posbias_kit.analysis import decide
from posbias_kit.errors import ParamsError
from tests.verdict_tables import pairs, repeated, sets, stack


def _row(verdicts, **rule):
    return decide(verdicts, **rule).decision.iloc[0]


def test_a_judge_that_always_names_one_answer_decides():
    """FS in both orders: a wins every question, lead 1, and nothing is open."""
    row = _row(pairs(["FS"] * 8))

    assert (row["outcome"], row["winner"], row["lead"]) == ("decided", "a", 1.0)
    assert (row["pairs"], row["resolved"], row["unresolved"], row["excluded"]) == (8, 8, 0, 0)
    assert not row["could_reverse"]
    assert "no pair is unresolved or excluded" in row["why"]


def test_a_leader_under_one_order_only_is_not_decided():
    """AB alone: a wins all ten (+1). BA alone: FF names b in eight, FS a in two (-.6)."""
    outcome = decide(pairs(["FF"] * 8 + ["FS"] * 2), unresolved="average")
    row = outcome.decision.iloc[0]

    assert row["outcome"] == "not decided"
    assert pd.isna(row["winner"])
    assert row["lead"] == pytest.approx(0.2)  # (1 - .6) / 2
    assert row["why"] == (
        "the order decides: order BA alone names b (by +0.600), while AB and the average over the "
        "orders name a (by +0.200)"
    )
    orders = outcome.orders.set_index("order")
    assert orders["leader"].to_dict() == {"AB": "a", "BA": "b"}
    assert orders["lead"].tolist() == pytest.approx([1.0, 0.6])


def test_a_wide_interval_is_not_decided():
    """Four of seven questions: the lead is 1/7, and its interval holds 0."""
    row = _row(pairs(["FS"] * 4 + ["SF"] * 3))

    assert (row["outcome"], row["leader"]) == ("not decided", "a")
    assert row["lead"] == pytest.approx(1 / 7)
    assert row["lead_low"] < 0 < row["lead_high"]
    assert "the rule asks that the interval lies above 0.00" in row["why"]


def test_equal_candidates_are_not_decided():
    """Nobody leads."""
    row = _row(pairs(["FS", "SF"] * 3))

    assert (row["outcome"], row["leader"]) == ("not decided", None)
    assert row["why"] == "a and b lead alike"


def test_open_pairs_that_could_reverse_it_pause():
    """Six for a, four open (T in one order): at worst 6 - 4 of 10; with seven open 6 - 7 of 13."""
    safe = _row(pairs(["FS"] * 6 + ["FT"] * 4))
    open_ = _row(pairs(["FS"] * 6 + ["FT"] * 7), pause_above=0.6)
    told = _row(pairs(["FS"] * 6 + ["FT"] * 7), pause_above=0.6, worst_case="tell")

    assert (safe["outcome"], safe["worst_lead"]) == ("decided", pytest.approx(0.2))
    assert (open_["outcome"], open_["worst_lead"]) == ("pause", pytest.approx(-1 / 13))
    assert open_["could_reverse"]
    assert "the 7 unresolved and 0 excluded pairs" in open_["why"]
    assert (told["outcome"], told["could_reverse"]) == ("decided", True)


def test_too_many_open_pairs_pause():
    """Four of ten are open, and the rule allows three."""
    row = _row(pairs(["FS"] * 6 + ["FT"] * 4), pause_above=0.3)

    assert row["outcome"] == "pause"
    assert row["why"].startswith("4 of 10 pairs are unresolved or excluded, more than the 30%")


@pytest.mark.parametrize(
    ("rule", "lead"),
    [
        ({"unresolved": "half"}, 6 / 10),
        ({"unresolved": "average"}, (6 + 4 * 0.5) / 10),  # F and T: a has .75, b .25
        ({"unresolved": "leave_out"}, 1.0),
    ],
)
def test_what_an_unresolved_pair_counts(rule, lead):
    """Six pairs for a, four with a tie in one order."""
    assert _row(pairs(["FS"] * 6 + ["FT"] * 4), **rule)["lead"] == pytest.approx(lead)


def test_what_a_resolved_pair_counts():
    """Two of three repeats name a in each order: 2/3 - 1/3 by verdicts, 1 by their agreement."""
    verdicts = repeated(["FFS SSF"] * 4)

    assert _row(verdicts)["lead"] == pytest.approx(1 / 3)
    assert _row(verdicts, estimate="both_agree")["lead"] == pytest.approx(1.0)


def test_missing_orders_and_identical_answers_are_counted_apart():
    """X has no reply in an order: excluded. E was not asked, and does not count as open."""
    row = _row(pairs(["FS"] * 5 + ["FX", "EE"]))

    assert (row["excluded"], row["identical"], row["pairs"]) == (1, 1, 7)
    assert row["lead"] == pytest.approx(1.0)
    assert row["worst_lead"] == pytest.approx((5 - 1) / 6)


def test_margin_is_asked_of_the_whole_interval():
    """A lead of .8 with its lower end near .5 clears a margin of .4 and not one of .6."""
    verdicts = pairs(["FS"] * 8 + ["FF"] * 2)

    assert _row(verdicts, margin=0.4)["outcome"] == "decided"
    assert _row(verdicts, margin=0.6)["outcome"] == "not decided"


def test_reviewers_settle_what_the_rule_leaves_to_them():
    """Four flips settled for b: the lead is 2/10; where reviewers differ the pair stays open."""
    verdicts = pairs(["FS"] * 6 + ["FF"] * 4)
    settled = verdicts[verdicts["question"].isin(["q6", "q7", "q8", "q9"])]
    settled = settled.drop_duplicates("comparison")[["benchmark", "turn", "comparison"]]
    settled = settled.assign(winner=["b", "b", "b", None])
    first = _row(verdicts, evidence="reviewers_first", settled=settled)
    only = _row(verdicts, evidence="reviewers", settled=settled)
    judges = _row(verdicts, settled=settled)

    assert first["lead"] == pytest.approx((6 - 3) / 10)
    assert (first["reviewed"], first["resolved"], first["unresolved"]) == (3, 9, 1)
    assert (only["leader"], only["excluded"]) == ("b", 6)
    assert only["lead"] == pytest.approx(3 / 4)
    assert (judges["reviewed"], judges["lead"]) == (0, pytest.approx(0.6))


def test_rivals_meet_through_the_reference():
    """A beats the reference in all, c in none: a leads c by 1 on every question."""
    won, lost = pairs(["FS"] * 9), pairs(["SF"] * 9)
    for name in ("comparison", "shown", "candidate"):
        lost[name] = lost[name].str.replace("a", "c")
    outcome = decide(stack(won, lost))

    rivals = outcome.rivals.set_index("rival")
    assert outcome.decision["leader"].tolist() == ["a"]
    assert rivals.loc["c", "difference"] == pytest.approx(1.0)
    assert rivals.loc["b", "difference"] == pytest.approx(0.5)  # b: 0 against a, 1 against c


def test_lists_are_decided_too():
    """Candidate b is named in each of the three cyclic orders: slots 2, 1, 3."""
    outcome = decide(sets(["213"] * 10))

    assert outcome.decision["winner"].tolist() == ["b"]
    assert outcome.rivals["difference"].tolist() == pytest.approx([1.0, 1.0])
    assert len(outcome.orders) == 3


def test_moves_are_what_a_pair_weighs():
    """Ten questions of one pair: a resolved one could move the lead by 2/10, an even one 1/10."""
    outcome = decide(pairs(["FS"] * 9 + ["FF"]))
    moves = outcome.moves.set_index("comparison")["could_move"]

    assert moves['["q0","a","b"]'] == pytest.approx(2 / 10)
    assert moves['["q9","a","b"]'] == pytest.approx(1 / 10)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"candidates": ["a", "z"]}, "decision.candidates: unknown value 'z'"),
        ({"judges": ["nobody"]}, "decision.judges: unknown value 'nobody'"),
        ({"evidence": "oracle"}, "decision.evidence: unknown value 'oracle'"),
    ],
)
def test_unknown_names_are_refused(rule, words):
    """The message names the value and the key."""
    with pytest.raises(ParamsError, match=words):
        decide(pairs(["FS"] * 3), **rule)


def test_nothing_settled_is_not_decided():
    """No verdict at all: every pair is excluded, and no number is made up."""
    row = _row(pairs(["XX"] * 3))

    assert row["outcome"] == "not decided"
    assert pd.isna(row["lead"])
    assert row["why"] == "no question has a settled comparison of both"
