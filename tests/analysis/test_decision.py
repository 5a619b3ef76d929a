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
        "the order decides: order BA alone names b (by +0.600), while AB (by +1.000) and the "
        "average (by +0.200) name a"
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
    assert "the rule asks that the interval lies above 0" in row["why"]


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


def settle(verdicts, words):
    """Return what reviewers settled of q0, q1, ...; None says that they differ."""
    place = verdicts.drop_duplicates("comparison")[["benchmark", "turn", "comparison"]]
    return place.head(len(words)).assign(winner=words)


def test_the_reviewers_word_holds_in_an_order_without_verdicts():
    """Twelve settled for a, two for b by the judge; BA alone holds all of them, as AB does."""
    verdicts = pairs(["FX"] * 12 + ["SF"] * 2)
    outcome = decide(verdicts, evidence="reviewers_first", settled=settle(verdicts, ["a"] * 12))

    assert outcome.orders["leader"].tolist() == ["a", "a"]
    assert outcome.orders["lead"].tolist() == pytest.approx([10 / 14, 10 / 14])
    assert outcome.decision[["outcome", "winner"]].values.tolist() == [["decided", "a"]]


@pytest.mark.parametrize("unresolved", ["half", "average"])
def test_reviewers_alone_leave_the_judges_out(unresolved):
    """Six for a, four on which they differ: 6/10 in every order, whatever the judge says."""
    verdicts = pairs(["SF"] * 10)
    settled = settle(verdicts, ["a"] * 6 + [None] * 4)
    rule = {"evidence": "reviewers", "unresolved": unresolved, "settled": settled}
    outcome = decide(verdicts, **rule)

    assert outcome.decision["lead"].tolist() == pytest.approx([0.6])
    assert outcome.orders["lead"].tolist() == pytest.approx([0.6, 0.6])
    assert outcome.decision["unresolved"].tolist() == [4]


def test_reviewers_alone_decide_though_the_judge_flips():
    """The judge always names the first slot: no order of the reviewers' words does."""
    verdicts = pairs(["FF"] * 10)
    settled = settle(verdicts, ["a"] * 8 + [None] * 2)
    row = _row(verdicts, evidence="reviewers", settled=settled)

    assert (row["outcome"], row["winner"]) == ("decided", "a")


def test_a_leader_that_loses_to_its_closest_rival():
    """A beats c in all four, loses to b by 5 to 3: -1/4; b loses to c by 5 to 6."""
    won = _renamed(pairs(["FS"] * 4, questions=list("stuv")), "b", "c")
    lost = pairs(["FS"] * 3 + ["SF"] * 5)
    rest = _renamed(
        pairs(["FS"] * 5 + ["SF"] * 6, questions=[f"z{n}" for n in range(11)]), "a", "c"
    )
    row = _row(stack(won, lost, rest))

    assert row["lead"] == pytest.approx(-1 / 4)
    assert (row["outcome"], row["leader"]) == ("not decided", None)
    assert row["why"] == "b beats a by 0.250, though a leads on average"


def _renamed(verdicts, old, new):
    """Return the verdicts with another candidate in the place of one."""
    for name in ("comparison", "shown", "candidate", "winner"):
        verdicts[name] = verdicts[name].str.replace(f'"{old}"', f'"{new}"').replace(old, new)
    return verdicts


def test_as_many_open_pairs_as_allowed_are_no_pause():
    """29 of 100 with .29 allowed: not more than the rule allows, though 100 * .29 < 29."""
    row = _row(pairs(["FT"] * 29 + ["FS"] * 71), pause_above=0.29)

    assert (row["unresolved"], row["outcome"]) == (29, "decided")


def test_the_rule_is_told_with_its_numbers():
    """A margin of .005 is no .01, and .125 no 12%."""
    row = _row(pairs(["FS"] * 7 + ["FT"]), margin=0.005, pause_above=0.12)
    rule = _row(pairs(["FS"] * 8), margin=0.005, pause_above=0.125)
    wide = _row(pairs(["FS"] * 4 + ["SF"] * 3), margin=0.005)

    assert "must lie above 0.005; pause where more than 12.5% of the pairs" in rule["rule"]
    assert ", above 0.005; " in rule["why"]
    assert "more than the 12% that" in row["why"]
    assert wide["why"].endswith("lies above 0.005")


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
