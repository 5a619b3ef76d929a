"""Half series stand in `incomplete` beside every number of slots, orders and arms."""

import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis
from posbias_kit.analysis.incomplete import count_incomplete

HALVES = ["FS", "FF", "FI", "XS", "F-", "EE", "XX"]
"""Of seven pairs two are complete, four lack an order or two, one nobody was asked."""
TABLES = {
    "order_effect": analysis.order_effect,
    "slot_wins": analysis.slot_wins,
    "slot_effects": analysis.slot_effects,
    "listwise_fairness": analysis.listwise_fairness,
}
EACH = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@EACH
def test_half_series_are_counted_as_in_position_bias(table):
    """Invalid, failed or not asked in one order, or without any verdict: four of seven."""
    verdicts = pairs(HALVES)

    assert set(table(verdicts)["incomplete"]) == {4}
    assert analysis.position_bias(verdicts, draws=0)["incomplete"].item() == 4


@EACH
def test_each_group_has_its_own_count(table):
    """Judges and repeats: j lacks 4 + 1 series, k none."""
    verdicts = stack(pairs(HALVES), pairs(["FS", "FX"], repeat=2), pairs(["FF", "FS"], judge="k"))
    found = table(verdicts).groupby("judge")["incomplete"].unique()

    assert [counts.tolist() for counts in found] == [[5], [0]]


@EACH
def test_candidates_share_a_series_without_a_side(table):
    """Grouped by candidate, a half series counts for each of the two; against a reference once."""
    both = table(pairs(["FX", "FS"], reference=""), by=("judge", "candidate"))
    one = table(pairs(["FX", "FS"]), by=("judge", "candidate"))

    assert both.groupby("candidate")["incomplete"].first().to_dict() == {"a": 1, "b": 1}
    assert one.groupby("candidate")["incomplete"].first().to_dict() == {"a": 1}


def test_lists_that_lack_an_order():
    """Judge j lacks the third order of the second set, in which judge k was shown it."""
    verdicts = stack(sets(["132", "11-"]), sets(["132", "132"], judge="k"))

    for name in ("slot_wins", "slot_effects", "listwise_fairness"):
        found = TABLES[name](verdicts).groupby("judge")["incomplete"].first()
        assert found.to_dict() == {"j": 1, "k": 0}, name
    assert analysis.order_effect(verdicts)["incomplete"].tolist() == [1, 0]


def test_what_half_series_enter():
    """Slot wins and slot effects hold their verdicts, fairness does not, beta by other repeats."""
    verdicts = stack(pairs(["FF", "FX"]), pairs(["FF", "XS"], repeat=2))

    assert analysis.slot_wins(verdicts)["decided"].tolist() == [6, 6]
    assert analysis.slot_effects(verdicts)["decided"].tolist() == [6, 6]
    assert analysis.listwise_fairness(verdicts)["series"].tolist() == [2, 2]
    assert analysis.order_effect(verdicts)[["comparisons", "incomplete"]].values.tolist() == [
        [2, 2]
    ]


def test_arms_name_their_own_and_the_plain_arms():
    """Plain lacks one series, the arm two; one pair of three was completed by both."""
    verdicts = stack(pairs(["FS", "FF", "SX"]), pairs(["FF", "FX", "I-"], arm="a"))
    table = analysis.arm_differences(verdicts, flips=99)
    values = analysis.arm_values(verdicts).set_index(["arm", "metric"])["incomplete"]

    assert table[["n", "incomplete", "plain_incomplete"]].drop_duplicates().values.tolist() == [
        [1, 2, 1]
    ]
    assert values.xs("a").tolist() == [2] * 5
    assert values.xs("").tolist() == [1] * 5


def test_nothing_was_asked():
    """Identical answers are no half series."""
    assert count_incomplete(pairs(["EE", "EE"]), ["judge"]).to_dict() == {"j": 0}
