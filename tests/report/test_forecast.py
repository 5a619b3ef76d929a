"""What `posbias plan` says: comparisons, orders, repeats and calls of each arm, half-widths."""

import pytest

from posbias_kit.analysis.planning import expected_half_width
from posbias_kit.params import check_study
from posbias_kit.report.forecast import PILOTS, describe_forecast, forecast_study

ARMS = [{"name": "same", "identical": True}, {"name": "points", "scale": 5, "judges": ["j"]}]


def tree(arms=(), **plan):
    judges = [{"name": name, "kind": "planted"} for name in "jk"]
    study = {"run_name": "x", "judging": {"judges": judges, "arms": list(arms)}}
    study["data_preparation"] = {"plan": {"repeats": 3, **plan}}
    return check_study(study).model_dump()


def test_arms_are_counted():
    """48 questions x 10 pairs x 2 orders x 3 repeats; 240 answers; scored alone by one judge."""
    table = forecast_study(tree(ARMS)).arms.set_index("arm")

    assert table["comparisons"].to_dict() == {"": 480, "same": 240, "points": 480}
    assert table["calls"].to_dict() == {"": 2880, "same": 1440, "points": 720}
    assert table["judges"].to_dict() == {"": 2, "same": 2, "points": 1}
    assert table["live"].to_dict() == {"": 0, "same": 0, "points": 0}
    assert "all arms and judges: no call" in describe_forecast(tree(ARMS))


def test_half_widths_are_those_of_the_planning_functions():
    text = describe_forecast(tree())
    wide = [float(expected_half_width(parts, 48, 10, 3)) for parts in PILOTS.values()]

    assert f"{wide[0]:.3f} for a steady judge, {wide[1]:.3f} for an unsteady one" in text


def test_answers_scored_alone_are_asked_once_for_all_sizes():
    """48 questions x 5 answers, in sets of every size, are 240 calls and no more."""
    study = tree([{"name": "points", "scale": 5}], design="sets", set_size=[2, 3, 4, 5],
                 sets_per_question=2, repeats=1)  # fmt: skip
    table = forecast_study(study).arms

    assert table.groupby("arm")["calls"].sum()["points"] == 240


def test_repeats_of_a_share_are_no_repeats_of_all():
    """5 repeats of 48 of 480: 672 series; a comparison weighs with its repeats."""
    text = describe_forecast(tree(repeats=5, repeated_share=0.1))
    equal = 672**2 / (48 * 25 + 432)
    wide = [float(expected_half_width(parts, 48, equal / 48, 672 / equal))
            for parts in PILOTS.values()]  # fmt: skip
    once = float(expected_half_width(PILOTS["steady"], 48, 10, 1))

    assert "480 comparisons x 2 orders x up to 5 repeats, 1,344 verdicts a judge" in text
    assert f"{wide[0]:.3f} for a steady judge, {wide[1]:.3f} for an unsteady one" in text
    assert wide[0] > float(expected_half_width(PILOTS["steady"], 48, 10, 5))
    assert wide[0] > 0.9 * once


def test_a_stopping_rule_is_told():
    study = tree()
    study["judging"]["stop"] = {"rule": "betting", "half_width": 0.05}

    assert "the rule 'betting' stops a judge earlier" in describe_forecast(study)
    assert "stops" not in describe_forecast(tree())


def test_half_a_design_is_said_to_have_none():
    text = describe_forecast(tree(orders="balanced_half"))

    assert "480 comparisons x 1 order x 3 repeats, 1,440 verdicts a judge" in text
    assert "none, for each comparison is shown in one order" in text


def test_sets_are_told_by_size():
    table = forecast_study(tree(design="sets", set_size=[2, 4])).arms

    assert table[["slots", "orders", "calls"]].values.tolist() == [[2, 2, 288], [4, 4, 576]]


def test_pilots_are_near_what_they_were_taken_from(paper_data):
    """The sum of the variances is that of consistency .87 and .69: pc (1 - pc), within .02."""
    steady, unsteady = (sum(parts.values()) for parts in PILOTS.values())

    assert steady == pytest.approx(0.87 * 0.13, abs=0.02)
    assert unsteady == pytest.approx(0.69 * 0.31, abs=0.02)
