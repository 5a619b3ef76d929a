"""The order of arrival: everything once, seeded, and strata in proportion."""

import numpy as np
import pytest

from posbias_kit.data import plan_presentations, read_benchmark
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


def test_repeats_on_a_share_of_each_task():
    """A quarter of the starter's comparisons, whole ones, of every task; the others once."""
    bench = read_benchmark("starter")
    plan = plan_presentations(bench, repeats=3, repeated_share=0.25, seed=2)
    whole = plan_presentations(bench, repeats=3, seed=2)
    by_comparison = plan.groupby("comparison")["repeats"]
    repeated = by_comparison.first() == 3

    assert (by_comparison.nunique() == 1).all()
    assert set(plan["repeats"]) == {1, 3}
    assert repeated.sum() == 120
    of_task = plan.drop_duplicates("comparison").groupby("task")["repeats"]
    assert of_task.apply(lambda told: (told == 3).mean()).between(0.2, 0.3).all()
    assert plan.drop(columns="repeats").equals(whole.drop(columns="repeats"))
    assert (whole["repeats"] == 3).all()


@pytest.mark.parametrize(("share", "repeated"), [(0.0, 0), (0.001, 1), (1.0, 480)])
def test_share_of_repeats_is_rounded_up(share, repeated):
    plan = plan_presentations(read_benchmark("starter"), repeats=2, repeated_share=share)

    assert (plan["repeats"] == 2).sum() == 2 * repeated
