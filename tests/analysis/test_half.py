"""The balanced half design: what it still says, and that the rest is missing with a reason."""

import numpy as np
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis
from posbias_kit.analysis.half import NOT_PLACED, ONE_ORDER, shown_once
from posbias_kit.data import prepare_study
from posbias_kit.judging import judge_presentations, make_judges

JUDGE = {"name": "j", "kind": "planted", "slot_effect": 1.0, "ties": 0.2}


def study(orders, seed=0, **plan):
    prepared = prepare_study("starter", plan={"orders": orders, "repeats": 1, **plan}, seed=seed)
    panel = make_judges([JUDGE], seed)
    return judge_presentations(panel, prepared.presentations, prepared.answers)


def averaged(verdicts):
    table = analysis.adjusted_win_rates(verdicts, draws=50)
    return table[table["method"] == "order_averaged"].set_index("candidate")


def test_consistency_is_missing_and_says_why():
    row = analysis.position_bias(pairs(["F-", "-S", "-F"])).iloc[0]

    assert row[["series", "complete", "incomplete"]].tolist() == [3, 0, 3]
    assert np.isnan(row["pc"])
    assert np.isnan(row["pf"])
    assert row["note"] == ONE_ORDER


def test_failures_are_no_half_design():
    row = analysis.position_bias(pairs(["FX", "XS"])).iloc[0]

    assert row["note"] == "no complete series"
    assert analysis.position_bias(pairs(["FS"])).iloc[0]["note"] == ""


def test_comparisons_are_told_apart():
    """Two of j and one of k were shown once; a failure was shown, identical answers were not."""
    both = stack(pairs(["F-", "-S", "FX", "EE"]), pairs(["FS", "S-"], judge="k"))
    once = shown_once(both)

    assert both.loc[once, ["judge", "question"]].values.tolist() == [
        ["j", "q0"], ["j", "q1"], ["k", "q1"]
    ]  # fmt: skip
    # shown in AB in one repeat and in BA in another: both orders
    assert not shown_once(stack(pairs(["F-"]), pairs(["-F"], repeat=2))).any()
    assert shown_once(stack(pairs(["F-"]), pairs(["-F"], repeat=2)), ["repeat"]).all()


def test_a_group_with_a_failure_is_no_half_design():
    """One comparison in one order, one that failed in the other: the reason is not the design."""
    bias = analysis.position_bias(stack(pairs(["F-", "FX"]), pairs(["-S"], judge="k")))

    assert bias["note"].tolist() == ["no complete series", ONE_ORDER]


def test_the_average_weighs_each_slot_alike():
    """Candidate a: first slot 2 of 3 wins, second slot 1 of 1: (2/3 + 1) / 2."""
    rates = averaged(pairs(["F-", "F-", "S-", "-S"]))

    assert rates.loc["a", "win_rate"] == pytest.approx((2 / 3 + 1) / 2)
    assert rates.loc["a", "n"] == 4
    assert "averaged over comparisons" in rates.loc["a", "note"]


def test_a_candidate_that_never_stood_second_has_no_rate():
    rates = averaged(pairs(["F-", "S-"]))

    assert np.isnan(rates.loc["a", "win_rate"])
    assert rates.loc["a", "note"] == NOT_PLACED


MIXED = ["F-", "-S", "F-", "-F", "S-", "-S"] * 4 + ["FS"]
"""24 comparisons in one order, and one in both."""


def test_one_full_comparison_does_not_push_out_the_others():
    """In one order: wins 2/3 first, 2/3 second; in both: 1. (24 x 2/3 + 2 x 1) / 26 = 9/13."""
    table = analysis.adjusted_win_rates(pairs(MIXED), draws=2).set_index("method")
    average, first = table.loc["order_averaged"], table.loc["order_AB"]

    assert average["win_rate"] == pytest.approx(9 / 13)
    assert average["n"] == 26
    assert average["note"] == (
        "24 of 25 comparisons in one order: averaged over comparisons, not within them"
    )
    assert first[["n", "win_rate"]].tolist() == [1, 1]
    assert first["note"] == "24 of 25 comparisons in one order left out"
    assert table.loc["both_agree", "note"].endswith("; 24 of 25 comparisons in one order left out")
    assert table.loc["bradley_terry", "n"] == 26


def test_comparisons_in_one_slot_only_are_left_out_and_counted():
    """A first in both that were shown once: the average is that of FS and FF, 1 and 1/2."""
    average = averaged(pairs(["F-", "S-", "FS", "FF"])).loc["a"]

    assert average["win_rate"] == pytest.approx(3 / 4)
    assert average["n"] == 4
    assert average["note"] == ("2 of 4 comparisons in one order left out: not shown in every slot")


def test_each_candidate_has_its_own_count():
    """Without a reference a and b share the comparisons; sets in one turn do so for three."""
    rates = averaged(pairs(["F-", "-S", "FS"], reference=""))
    three = averaged(sets(["1--", "-1-", "--1", "132"]))

    assert rates["note"].str.startswith("2 of 3 comparisons").all()
    assert rates["win_rate"].tolist() == [1, 0]
    # a: 1 of 3 verdicts in one turn, 3 of 3 in the full set
    assert three.loc["a", "win_rate"] == pytest.approx(4 / 6)
    assert three["note"].str.startswith("3 of 4 comparisons").all()


def test_sets_in_one_turn_each():
    """A in slots 1, 3, 2 of three sets: it wins the first only."""
    rates = averaged(sets(["1--", "-1-", "--1"]))

    assert rates.loc["a", "win_rate"] == pytest.approx(1 / 3)


def test_half_the_calls_give_the_win_rates_of_the_full_design():
    """Over 30 seeds: same mean within 4 standard errors, intervals about sqrt(2) wider."""
    full = [averaged(study("both", seed)) for seed in range(30)]
    half = [averaged(study("balanced_half", seed)) for seed in range(30)]
    for name in full[0].index:
        one, two = ([table.loc[name, "win_rate"] for table in each] for each in (full, half))
        error = np.sqrt((np.var(one, ddof=1) + np.var(two, ddof=1)) / 30)
        assert abs(np.mean(one) - np.mean(two)) < 4 * error
    width = [
        np.mean([(t["win_rate_high"] - t["win_rate_low"]).mean() for t in each])
        for each in (half, full)
    ]
    assert 1.1 < width[0] / width[1] < 1.6
    assert half[0]["n"].tolist() == [192] * 5
    assert full[0]["n"].tolist() == [384] * 5
