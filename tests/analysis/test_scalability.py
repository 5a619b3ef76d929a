"""Lists as they grow: planted slot effects found at p = 3 and 5, and p = 2 is the pairwise case."""

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis
from posbias_kit.data import plan_presentations, prepare_study, read_benchmark
from posbias_kit.judging import judge_presentations, make_judges

EFFECTS = {3: [0.6, 0.0, -0.6], 5: [0.7, 0.2, 0.0, -0.2, -0.7]}


def study(size, judges, seed=0, repeats=2, **plan):
    plan = {"design": "sets", "set_size": size, "sets_per_question": 4, "repeats": repeats, **plan}
    prepared = prepare_study("starter", plan=plan, seed=seed)
    return judge_presentations(make_judges(judges, seed), prepared.presentations, prepared.answers)


@pytest.mark.parametrize("size", EFFECTS)
def test_planted_slot_effects_are_found_in_each_slot(size):
    """Over 12 studies each slot's 95% interval holds the planted effect in 9 or more.

    With coverage .95 fewer than 9 of 12 has probability .002.
    """
    judge = {"name": "j", "kind": "planted", "slot_effect": EFFECTS[size], "ties": 0.3}
    hits = np.zeros(size)
    for seed in range(12):
        table = analysis.slot_effects(study(size, [judge], seed))
        hits += [
            low <= truth <= high
            for low, high, truth in zip(table["low"], table["high"], EFFECTS[size], strict=True)
        ]
    assert (hits >= 9).all(), hits


@pytest.mark.parametrize("size", EFFECTS)
def test_fairness_points_to_the_planted_slots(size):
    judge = {"name": "j", "kind": "planted", "slot_effect": EFFECTS[size]}
    table = analysis.listwise_fairness(study(size, [judge])).set_index("slot")

    assert table["pf"].sum() == pytest.approx(0, abs=1e-12)
    assert table.loc[1, "pf_low"] > 0
    assert table.loc[size, "pf_high"] < 0


def test_a_table_by_hand():
    """Pairs: FS FF; sets: 132 names a in all turns, 111 the first slot in all."""
    both = stack(pairs(["FS", "FF"], reference=""), sets(["132", "111"]))
    table = analysis.scalability(both).set_index("slots")

    assert table["orders"].to_dict() == {2: 2, 3: 3}
    assert table["pc"].to_dict() == {2: 0.5, 3: 0.5}
    assert table["pc_chance"].to_dict() == pytest.approx({2: 1 / 2, 3: 1 / 9})
    assert table["pf_first"].to_dict() == pytest.approx({2: 0.5, 3: 0.5})
    assert table["pf_last"].to_dict() == pytest.approx({2: -0.5, 3: -0.25})
    assert table["slot"].tolist() == [1, 1]


def test_a_size_of_identical_answers_keeps_its_row():
    """One pair of the same text, two sets: the pair's row is there, and says why it is empty."""
    table = analysis.scalability(stack(pairs(["EE"], reference=""), sets(["132", "111"])))

    assert table["slots"].tolist() == [2, 3]
    assert table["note"].tolist() == ["identical answers only: nothing was asked", ""]
    assert table["series"].tolist() == [0, 2]
    assert table.loc[0, ["orders", "pc", "pc_chance", "pf_first", "slot"]].isna().all()
    assert table.loc[1, "pc_chance"] == pytest.approx(1 / 9)


def test_half_a_design_has_no_consistency_to_scale():
    table = analysis.scalability(sets(["1--", "-2-"]))

    assert np.isnan(table["pc"].item())
    assert "one order" in table["note"].item()


def test_sets_of_two_are_pairs():
    """The same judge on the same pairs, planned as sets of two and as all pairs: same tables."""
    (judge,) = make_judges(
        [{"name": "j", "kind": "planted", "slot_effect": 0.6, "ties": 0.4}], seed=0
    )
    starter = read_benchmark("starter")
    sets_of_two = {"design": "sets", "set_size": 2, "sets_per_question": 10}  # every pair
    as_sets, as_pairs = (
        judge_presentations(
            [judge], plan_presentations(starter, repeats=2, **design), starter.answers
        )
        for design in (sets_of_two, {})
    )
    key = ["comparison", "order", "repeat"]
    one, two = (table.sort_values(key, ignore_index=True) for table in (as_sets, as_pairs))

    pd.testing.assert_frame_equal(one, two)
    bias, slots = analysis.position_bias(one, draws=0), analysis.listwise_fairness(one)
    assert slots["pf"].tolist() == pytest.approx([-bias["pf"].item(), bias["pf"].item()])
    assert analysis.slot_effects(one)["effect"].tolist() == pytest.approx(
        [analysis.order_effect(one)["beta_marginal"].item() / 2 * sign for sign in (1, -1)]
    )
    assert analysis.scalability(one)["pc"].item() == bias["pc"].item()
    units = analysis.build_units(one)
    assert units["chance"].eq(0.5).all()


def test_the_gap_of_sets_is_against_one_in_p():
    units = analysis.build_units(study([3, 5], [{"name": "j", "kind": "planted"}]))

    assert dict(zip(units["slots"], units["chance"], strict=True)) == pytest.approx(
        {3: 1 / 3, 5: 0.2}
    )
    gap = (units["owr"] - units["chance"]).abs()
    assert units["gap_own"].tolist() == pytest.approx(gap.tolist())
    assert not (units["gap_own"] > units["gap_bound"] + 1e-12).any()
