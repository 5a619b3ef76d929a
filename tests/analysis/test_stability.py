"""Repetition stability by hand, its chance level as fractions, and against the paper."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from verdict_tables import pairs, stack

from posbias_kit.analysis import chance_stability, repetition_stability
from posbias_kit.data import read_verdicts


def _repeats(*codes, **columns):
    """One comparison, asked once for each code."""
    return stack(*(pairs([code], repeat=r, **columns) for r, code in enumerate(codes, start=1)))


@pytest.mark.parametrize(
    ("repeats", "options", "level"),
    [
        (3, 2, Fraction(3, 4)),
        (3, 3, Fraction(17, 27)),
        (3, 4, Fraction(9, 16)),
        (3, 5, Fraction(13, 25)),
        (2, 2, Fraction(3, 4)),
        (2, 3, Fraction(2, 3)),
        (5, 2, Fraction(11, 16)),
    ],
)
def test_chance_level_by_enumeration(repeats, options, level):
    """The formula equals the mean modal share over all equally likely outcomes."""
    outcomes = list(product(range(options), repeat=repeats))
    modal = sum(max(map(row.count, row)) for row in outcomes)

    assert Fraction(modal, repeats * len(outcomes)) == level
    assert chance_stability(repeats, options) == pytest.approx(float(level), rel=1e-12)


def test_modal_share_by_hand():
    """AB: F F S is 2/3; BA: S S S is 1; the mean is 5/6, the sd over both 0.2357."""
    row = repetition_stability(_repeats("FS", "FS", "SS")).iloc[0]

    assert row["rs"] == pytest.approx(5 / 6)
    assert row["rs_sd"] == pytest.approx(((1 / 6) ** 2 * 2) ** 0.5)
    assert row["repeat_agreement"] == pytest.approx((1 / 3 + 1) / 2)
    assert row["rs_chance"] == pytest.approx(3 / 4)  # no tie was ever used: two options
    assert row["rs_corrected"] == pytest.approx((5 / 6 - 3 / 4) / (1 / 4))


def test_tie_used_by_any_judge_is_an_option_for_all():
    """With a tie in the experiment the chance level is that of three options."""
    verdicts = stack(_repeats("FS", "FS", "FS"), _repeats("TT", "TT", "TT", judge="k"))

    assert repetition_stability(verdicts)["rs_chance"].tolist() == pytest.approx([17 / 27] * 2)


def test_invalid_repeat_counts_in_the_denominator_only():
    """F F I is 2/3 in rs and 1 in rs_valid: invalid is not instability."""
    row = repetition_stability(_repeats("F-", "F-", "I-")).iloc[0]

    assert row["rs"] == pytest.approx(2 / 3)
    assert row["rs_valid"] == 1
    assert row["rs_corrected"] == pytest.approx((2 / 3 - 3 / 4) / (1 / 4))
    assert row["rs_chance"] == pytest.approx(3 / 4)  # two valid repeats, two options


def test_stable_judge_with_failures_is_above_chance():
    """F F I and S S I: rs is 2/3, below the chance 3/4; rs_valid is 1, and what compares."""
    row = repetition_stability(_repeats("FS", "FS", "II")).iloc[0]

    assert row["rs"] == pytest.approx(2 / 3)
    assert row["rs"] < row["rs_chance"] < row["rs_valid"] == 1


def test_interval_where_nothing_varied():
    """Always the same: 1 [n / (n + t^2), 1] with n = 9 clusters, and t with 8 df (Wilson)."""
    verdicts = stack(*(pairs(["FS"] * 9, repeat=repeat) for repeat in (1, 2)))
    row = repetition_stability(verdicts, draws=1).iloc[0]

    t = stats.t.ppf(0.975, 8)
    assert row[["rs", "rs_low", "rs_high"]].tolist() == pytest.approx([1, 9 / (9 + t**2), 1])


def test_presentation_without_any_verdict_is_missing_but_counted():
    """Two presentations, one of them without a verdict: rs is that of the other."""
    row = repetition_stability(_repeats("FI", "FX", "FI")).iloc[0]

    assert row[["presentations", "missing", "rs"]].tolist() == [2, 1, 1.0]


def test_denominators():
    """AB of q0 has two valid repeats, BA one; q1 has none and enters neither."""
    row = repetition_stability(stack(_repeats("FS", "FI"), pairs(["II"], questions=["q1"]))).iloc[0]

    assert row[["presentations", "rs_n", "repeat_n"]].tolist() == [4, 2, 1]


def test_nothing_asked_twice_has_no_stability():
    """One repeat says nothing: missing, not 1."""
    row = repetition_stability(pairs(["FS", "FF"])).iloc[0]

    assert row[["repeats", "rs_n", "repeat_n"]].tolist() == [1, 0, 0]
    assert row[["rs", "rs_low", "rs_chance", "repeat_agreement"]].isna().all()


def test_equal_to_the_papers_numbers(paper_data):
    """Mean and sd of every judge's stability, to 1e-6, with the number of presentations."""
    expected = pd.read_csv(paper_data / "expected" / "repetition_stability.csv")
    found = repetition_stability(read_verdicts("paper", paper_data, rule="first_match"), draws=0)
    found = found[found["experiment"] == "repetition"]

    both = expected.merge(found, on=["benchmark", "judge"], suffixes=("_expected", ""))

    assert len(both) == len(expected) == len(found)
    assert (both["presentations"] == both["presentations_expected"]).all()
    np.testing.assert_allclose(both["rs"], both["rs_mean"], atol=1e-6, rtol=0)
    np.testing.assert_allclose(both["rs_sd"], both["rs_sd_expected"], atol=1e-6, rtol=0)
