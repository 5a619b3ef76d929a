"""The stopping rule on verdict tables: what is drawn, when it ends, and what a run then knows."""

import numpy as np
import pandas as pd
import pytest

from posbias_kit.analysis import (
    StoppingRule,
    betting_sequence,
    build_series,
    position_bias,
    stopped_consistency,
    take_rule_intervals,
)
from posbias_kit.data import presentations_of, read_verdicts
from posbias_kit.errors import ParamsError
from tests.verdict_tables import pairs, stack

RNG = np.random.default_rng(6)
CODES = RNG.choice(["FS", "SF", "FF", "TI"], 200, p=[0.4, 0.4, 0.15, 0.05]).tolist()


@pytest.fixture(scope="module")
def verdicts():
    return pairs(CODES)


@pytest.fixture(scope="module")
def plan(verdicts):
    return presentations_of(verdicts)


def ask(verdicts, plan, rule, asked, judge="j"):
    """Keep what a judge was asked first."""
    (drawn,) = rule.arrange(plan, judge)
    return verdicts[verdicts["comparison"].isin(drawn["comparison"][:asked])]


def test_every_comparison_is_drawn_whole(plan):
    (drawn,) = StoppingRule(seed=4).arrange(plan, "j")
    rows = [row for rows in drawn["rows"] for row in rows]

    assert sorted(rows) == list(range(400))
    assert (drawn["calls"] == 2).all()
    assert drawn["comparison"].tolist() != plan["comparison"].drop_duplicates().tolist()


def test_identical_answers_are_not_drawn_and_arms_are_apart():
    """Two arms of three comparisons, one of them identical: two populations of two."""
    table = stack(*(pairs(["FS", "FF", "EE"], arm=arm) for arm in ("x", "y")))
    drawn = StoppingRule().arrange(presentations_of(table), "j")

    assert [part["arm"].unique().tolist() for part in drawn] == [["x"], ["y"]]
    assert [len(part) for part in drawn] == [2, 2]


def test_follow_counts_in_the_order_drawn(verdicts, plan):
    """The same numbers as the counts by hand, 60 drawn of 200."""
    rule = StoppingRule(half_width=0.1, batch=30)
    (drawn,) = rule.arrange(plan, "j")
    series = build_series(verdicts).set_index("comparison").loc[drawn["comparison"][:60]]
    told = rule.follow(drawn, ask(verdicts, plan, rule, 60))
    by_hand = betting_sequence(
        series["consistent"], series["complete"], 200, half_width=0.1, looks=[30, 60]
    )

    pd.testing.assert_frame_equal(told, by_hand)


def test_what_came_out_of_turn_does_not_count(verdicts, plan):
    """A gap ends what a rule may look at: the first 40, not the 59 others that are there."""
    rule = StoppingRule(half_width=0.1)
    (drawn,) = rule.arrange(plan, "j")
    some = ask(verdicts, plan, rule, 100)
    some = some[some["comparison"] != drawn["comparison"][40]]

    assert rule.follow(drawn, some)["asked"].tolist() == [20, 40]


def test_a_half_asked_comparison_is_not_asked(verdicts, plan):
    """One order of the 21st is there: 20 count."""
    rule = StoppingRule(half_width=0.1)
    (drawn,) = rule.arrange(plan, "j")
    some = ask(verdicts, plan, rule, 21)
    last = some["comparison"] == drawn["comparison"][20]

    assert rule.follow(drawn, some[~last | (some["order"] == "AB")])["asked"].tolist() == [20]


@pytest.mark.parametrize("rule", ["betting", "fixed_width"])
def test_stop_is_the_first_look_that_is_narrow_enough(verdicts, plan, rule):
    rule = StoppingRule(rule, half_width=0.08, batch=10)
    (drawn,) = rule.arrange(plan, "j")
    asked = rule.stop(drawn, verdicts)

    assert 0 < asked < 200
    assert rule.reached(drawn, verdicts, asked)
    assert not any(rule.reached(drawn, verdicts, look) for look in range(10, asked, 10))
    told = stopped_consistency(ask(verdicts, plan, rule, asked), plan, rule).iloc[0]
    assert told[["planned", "asked", "not_made"]].tolist() == [200, asked, 200 - asked]
    assert told[["calls", "calls_planned"]].tolist() == [2 * asked, 400]
    assert told["reached"]
    assert told["note"] == "about the planned comparisons only, not about other questions"
    truth = position_bias(verdicts, draws=0)["pc"].iloc[0]
    assert told["pc_low"] <= truth <= told["pc_high"]


def test_all_asked_and_too_few_asked_say_so(verdicts, plan):
    rule = StoppingRule(half_width=0.05)
    whole = stopped_consistency(verdicts, plan, rule).iloc[0]
    part = stopped_consistency(ask(verdicts, plan, rule, 20), plan, rule).iloc[0]

    assert whole["pc_low"] == whole["pc_high"] == position_bias(verdicts, draws=0)["pc"].iloc[0]
    assert whole["note"] == "all were asked: PC of the planned benchmark is known"
    assert not part["reached"]
    assert part["note"] == "ended before the rule was met: wider than was asked for"


def test_nothing_complete_goes_to_the_end():
    """Failed calls only: no rule ends, and there is no estimate."""
    table = pairs(["XX"] * 30)
    plan = presentations_of(table)
    for name in ("betting", "fixed_width"):
        rule = StoppingRule(name)
        told = stopped_consistency(table, plan, rule).iloc[0]

        assert rule.stop(rule.arrange(plan, "j")[0], table) == 30
        assert np.isnan(told["pc"])


def test_without_a_rule_there_is_no_row(verdicts, plan):
    assert stopped_consistency(verdicts, plan, None).empty


def test_reports_take_the_interval_of_a_judge_that_was_stopped(verdicts, plan):
    """Judge j was stopped, judge k was asked all; decisive is not what the rule watched."""
    rule = StoppingRule(half_width=0.1)
    other = pairs(CODES, judge="k")
    some = stack(ask(verdicts, plan, rule, 120), other)
    stopped = stopped_consistency(some, plan, rule)
    bias = position_bias(some, convention=("paper", "decisive"), draws=50)
    taken = take_rule_intervals(bias, stopped).set_index(["judge", "convention"])
    before = bias.set_index(["judge", "convention"])

    assert taken["pc_interval"].to_dict() == {
        ("j", "paper"): "betting", ("j", "decisive"): "clusters",
        ("k", "paper"): "clusters", ("k", "decisive"): "clusters",
    }  # fmt: skip
    own = stopped.set_index("judge").loc["j"]
    assert taken.loc[("j", "paper"), ["pc_low", "pc_high"]].tolist() == [
        own["pc_low"], own["pc_high"],
    ]  # fmt: skip
    same = taken.drop(("j", "paper")).drop(columns="pc_interval")
    pd.testing.assert_frame_equal(same, before.drop(("j", "paper")))


def test_a_table_of_another_run_is_not_taken(verdicts, plan):
    """Where its counts are not these, the interval stays."""
    rule = StoppingRule(half_width=0.1)
    stopped = stopped_consistency(ask(verdicts, plan, rule, 120), plan, rule)
    bias = position_bias(ask(verdicts, plan, rule, 100), draws=50)

    assert take_rule_intervals(bias, stopped)["pc_interval"].tolist() == ["clusters"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rule": "sprt"}, "unknown value 'sprt'"),
        ({"strata": "length"}, "unknown value 'length'"),
        ({"batch": 0}, "batch 0"),
        ({"half_width": 0.6}, r"half_width 0.6 is outside \(0, 0.5\)"),
        ({"level": 1}, "level 1"),
    ],
)
def test_settings_out_of_range_are_refused(settings, said):
    with pytest.raises(ParamsError, match=said):
        StoppingRule(**settings)


@pytest.mark.parametrize(("rule", "most"), [("betting", 0.40), ("fixed_width", 0.32)])
def test_published_run_is_known_from_part_of_its_calls(paper_data, rule, most):
    """gpt-4-0613 on MTBench, 5 orders: PC to .03 from so few calls, and held."""
    table = read_verdicts("paper", paper_data, benchmark="MTBench")
    table = table[(table["experiment"] == "full") & (table["judge"] == "gpt-4-0613")]
    plan, truth = presentations_of(table), position_bias(table, draws=0)["pc"].iloc[0]
    asked = []
    for seed in range(5):
        chosen = StoppingRule(rule, seed=seed)
        (drawn,) = chosen.arrange(plan, "gpt-4-0613")
        path = chosen.follow(drawn, table)
        at = path[path["half_width"] <= 0.03].iloc[0]
        asked.append(at["asked"] / len(drawn))
        assert at["pc_low"] <= truth <= at["pc_high"]

    assert np.mean(asked) <= most
