"""Planning: errors, power and detectable effects against statsmodels and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from posbias_kit.analysis.components import variance_components
from posbias_kit.analysis.planning import (
    cheapest_designs,
    design_error,
    detectable_effect,
    expected_half_width,
    expected_power,
    planning_table,
)
from tests.verdict_tables import pairs, stack

PARTS = {"s2_q": 0.04, "s2_c": 0.1, "s2_r": 0.06}
NAN = float("nan")


def test_error_by_hand():
    """.04/20 + .1/100 + .06/300 = .0032."""
    assert design_error(PARTS, 20, 5, 3) ** 2 == pytest.approx(0.0032)


def test_half_width_by_hand():
    """The t quantile with G - 1 degrees of freedom times the error."""
    half = stats.t.ppf(0.95, 19) * np.sqrt(0.0032)

    assert expected_half_width(PARTS, 20, 5, 3, level=0.9) == pytest.approx(half)


def test_more_of_anything_is_never_worse():
    """Questions, comparisons and repeats each narrow the interval."""
    base = expected_half_width(PARTS, 20, 5, 1)

    assert expected_half_width(PARTS, 40, 5, 1) < base
    assert expected_half_width(PARTS, 20, 10, 1) < base
    assert expected_half_width(PARTS, 20, 5, 3) < base


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.15])
def test_power_equals_statsmodels(effect):
    """It is the power of a one-sample t test on cluster means."""
    sd = design_error(PARTS, 20, 5, 3) * np.sqrt(20)
    theirs = TTestPower().power(effect / sd, nobs=20, alpha=0.05)

    assert expected_power(PARTS, effect, 20, 5, 3) == pytest.approx(theirs, abs=1e-6)


def test_detectable_effect_has_the_power_it_names():
    """At the detectable effect the exact power is near .8."""
    effect = detectable_effect(design_error(PARTS, 40, 5, 3), 39)

    assert expected_power(PARTS, effect, 40, 5, 3) == pytest.approx(0.8, abs=0.01)


def test_nothing_varied_is_no_sensitivity():
    """An error of 0 detects nothing: it was not measured."""
    assert np.isnan(detectable_effect(0.0, 10))


def test_what_the_pilot_did_not_tell_apart():
    """Without repeats one repeat can be planned, more cannot; likewise comparisons."""
    no_repeats = {**PARTS, "s2_r": NAN}
    single = {"s2_q": 0.04, "s2_c": NAN, "s2_r": NAN}

    assert design_error(no_repeats, 20, 5, 1) ** 2 == pytest.approx(0.04 / 20 + 0.1 / 100)
    assert np.isnan(design_error(no_repeats, 20, 5, 3))
    assert design_error(single, 20, 1, 1) ** 2 == pytest.approx(0.04 / 20)
    assert np.isnan(design_error(single, 20, 5, 1))


@pytest.fixture
def pilot():
    """Two repeats of two judges on eight questions, one comparison each."""
    codes = {"a": ["FS", "FF", "FS", "FS", "SS", "FS", "FF", "FS"], "b": ["FF"] * 4 + ["FS"] * 4}
    return stack(
        *(pairs(codes[j], judge=j, repeat=1) for j in codes),
        *(pairs(codes[j][::-1], judge=j, repeat=2) for j in codes),
    )


NOTE = "one comparison a cluster: s2_q holds s2_c"


def test_table_lays_out_designs(pilot):
    """Every design of every judge, with its calls in both orders."""
    table = planning_table(variance_components(pilot), [10, 20], [1], [1, 3])

    assert table["calls"].tolist() == [20, 60, 40, 120] * 2
    assert table["judge"].tolist() == ["a"] * 4 + ["b"] * 4
    assert set(table["metric"]) == {"pc"}
    assert (table["half_width"] <= table["half_width_high"]).all()
    assert (table["mde"] <= table["mde_high"]).all()


def test_table_equals_its_parts():
    """Half-width, effect and bound of one design, by the formulas."""
    about = {"benchmark": "B", "judge": "j", "metric": "pc", "estimate": 0.7}
    counts = {"clusters": 10, "comparisons": 20, "series": 40, "orders": 3, "note": ""}
    parts = pd.DataFrame([about | PARTS | {"s2_mean": 0.1, "df": 9.0} | counts])
    row = planning_table(parts, [20], [5], [3]).iloc[0]
    high = np.sqrt(0.0032 + 0.1 * (9 / stats.chi2.ppf(0.1, 9) - 1) / 20)

    assert row["calls"] == 20 * 5 * 3 * 3
    assert row["half_width"] == pytest.approx(expected_half_width(PARTS, 20, 5, 3))
    assert row["half_width_high"] == pytest.approx(stats.t.ppf(0.975, 19) * high)
    assert row["mde_high"] == pytest.approx(detectable_effect(high, 19))


def test_one_question_has_no_half_width(pilot):
    """Nothing is known between questions of which there is one: missing, with the reason."""
    table = planning_table(variance_components(pilot), [1, 10], [1], [1])

    assert table["half_width"].isna().tolist() == [True, False] * 2
    assert table["note"].tolist()[:2] == [f"one question: no half-width; {NOTE}", NOTE]


def test_designs_without_an_answer_say_why(pilot):
    """Five comparisons a question cannot be planned from a pilot with one."""
    table = planning_table(variance_components(pilot), [10], [1, 5], [1])

    assert table["half_width"].isna().tolist() == [False, True] * 2
    assert table["note"].str.endswith(NOTE).all()


def test_what_the_pilot_says_stands_beside_its_numbers():
    """A variance that came out below 0 is said where a half-width rests on it."""
    about = {"benchmark": "B", "judge": "j", "metric": "pc", "convention": "tie", "estimate": 0.7}
    note = "s2_q came out below 0 and is taken as 0"
    counts = {"clusters": 10, "comparisons": 20, "series": 40, "orders": 2, "note": note}
    parts = pd.DataFrame([about | PARTS | {"s2_mean": 0.1, "df": 9.0} | counts])
    row = planning_table(parts, [20], [5], [3]).iloc[0]

    assert row["half_width"] > 0
    assert row[["convention", "note"]].tolist() == ["tie", note]


def test_cheapest_designs_name_every_judge():
    """One judge has two cheap enough designs of three, the other none: its narrowest, and words."""
    rows = [
        ("a", 20, 40, 0.05), ("a", 80, 160, 0.02), ("a", 40, 80, 0.03), ("a", 160, 320, 0.01),
        ("b", 20, 40, 0.09), ("b", 40, 80, 0.08),
    ]  # fmt: skip
    plans = pd.DataFrame(rows, columns=["judge", "questions", "calls", "half_width_high"])
    plans.insert(0, "metric", "pc")
    table = cheapest_designs(plans.assign(benchmark="B", note="")[
        ["benchmark", "judge", "metric", "questions", "calls", "half_width_high", "note"]
    ], 0.03)  # fmt: skip

    assert table["judge"].tolist() == ["a", "a", "b"]
    assert table["calls"].tolist() == [80, 160, 80]
    assert table["note"].tolist() == ["", "", "no design of this grid reaches 0.03"]
