"""The order of arrival: everything once, seeded, and strata in proportion."""

import numpy as np
import pytest

from posbias_kit.data.arrival import arrival_order
from posbias_kit.errors import ParamsError


@pytest.mark.parametrize("strata", [None, ["s"] * 30 + ["t"] * 10])
def test_everything_arrives_once(strata):
    assert sorted(arrival_order(40, strata, seed=3)) == list(range(40))


def test_seed_and_judge_make_the_order():
    one = arrival_order(50, seed=1, name="a").tolist()

    assert arrival_order(50, seed=1, name="a").tolist() == one
    assert arrival_order(50, seed=2, name="a").tolist() != one
    assert arrival_order(50, seed=1, name="b").tolist() != one


def test_each_stratum_has_its_share_wherever_one_stops():
    """Of 90 and 30, after k comparisons within one of 3k/4 and k/4."""
    strata = np.array(["s"] * 90 + ["t"] * 30)
    for seed in range(20):
        came = np.cumsum(strata[arrival_order(120, strata, seed)] == "t")

        assert np.abs(came - np.arange(1, 121) / 4).max() <= 1


def test_every_comparison_may_come_first():
    """Uniform without strata, in 4,000 orders of four within 4 standard errors of 1,000."""
    first = np.bincount([arrival_order(4, seed=seed)[0] for seed in range(4000)])

    assert np.abs(first - 1000).max() < 4 * np.sqrt(4000 * 0.25 * 0.75)


def test_a_missing_stratum_is_refused():
    with pytest.raises(ParamsError, match="1 strata of 2 comparisons"):
        arrival_order(2, ["s"])
