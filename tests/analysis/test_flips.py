"""The conditional estimator: closed forms, its equation, one-sided data."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit

from posbias_kit.analysis.flips import bound_one_sided, flip_score, solve_flips

COUNT = st.integers(0, 40).map(float)


def test_full_flips_have_a_closed_form():
    """Without half flips beta = log(FP / FR) / 2; many groups at once."""
    first, second = np.array([6.0, 1.0, 30.0]), np.array([2.0, 1.0, 3.0])

    beta = solve_flips((first, second, np.zeros(3), np.zeros(3)))

    assert beta == pytest.approx(np.log(first / second) / 2, abs=1e-12)


def test_half_flips_have_a_closed_form():
    """With half flips alone P / R = exp(beta)."""
    assert solve_flips(([0], [0], [8], [2])) == pytest.approx([np.log(4)], abs=1e-12)


@given(COUNT, COUNT, COUNT, COUNT)
def test_root_solves_the_equation(full_first, full_second, half_first, half_second):
    """2 (FP - (FP + FR) sigma(2b)) + HP - (HP + HR) sigma(b) = 0; swapping sides flips b."""
    assume(full_first + half_first and full_second + half_second)
    flips = ([full_first], [full_second], [half_first], [half_second])
    beta = solve_flips(flips)

    full, half = full_first + full_second, half_first + half_second
    left = 2 * (full_first - full * expit(2 * beta)) + half_first - half * expit(beta)
    assert left == pytest.approx([0], abs=1e-8)
    swapped = solve_flips((flips[1], flips[0], flips[3], flips[2]))
    assert swapped == pytest.approx(-beta, abs=1e-8)


def test_information_is_the_negative_slope():
    """The second return value is minus the derivative of the first."""
    flips, step = (7, 3, 4, 5), 1e-6
    slope = (flip_score(0.3 + step, flips)[0] - flip_score(0.3 - step, flips)[0]) / (2 * step)

    assert flip_score(0.3, flips)[1] == pytest.approx(-slope, rel=1e-8)


def test_one_sided_flips_are_missing():
    """All flips one way, or none at all: no estimate."""
    none = np.zeros(4)

    beta = solve_flips(([5, 0, 0, 0], [0, 5, 0, 0], [0, 0, 3, 0], none))

    assert np.isnan(beta).all()


def test_firth_adds_half_a_flip_to_each_side():
    """For full flips the penalised estimate is log((FP + 1/2) / (FR + 1/2)) / 2."""
    beta = solve_flips(([6, 9], [0, 4], [0, 0], [0, 0]), penalty=1)

    assert beta == pytest.approx(np.log([6.5 / 0.5, 9.5 / 4.5]) / 2, abs=1e-10)


def test_bound_by_hand():
    """Ten full flips: sigma(2b) = .05^(1/10); ten half ones: sigma(b) = .05^(1/10)."""
    share = 0.05**0.1
    odds = np.log(share / (1 - share))

    assert bound_one_sided([10, 0], [0, 10]) == pytest.approx([odds / 2, odds], abs=1e-10)
