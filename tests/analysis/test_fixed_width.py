"""The stratified fixed-width rule: by hand, at its stop, and when all have come."""

import numpy as np
import pytest

from posbias_kit.analysis.fixed_width import fixed_width_sequence
from posbias_kit.data.arrival import arrival_order
from posbias_kit.errors import ParamsError

Z = 1.959963984540054


def wilson(share, size):
    """Wilson's limits with 1.1 z."""
    t2 = (1.1 * Z) ** 2
    middle = (share + t2 / (2 * size)) / (1 + t2 / size)
    half = np.sqrt(t2 * (share * (1 - share) / size + t2 / (4 * size**2))) / (1 + t2 / size)
    return pytest.approx([middle - half, middle + half])


def test_estimate_and_interval_by_hand():
    """Stratum s is known whole, PC 1/2; of t two of three came, PC 1/2, e = +-1/2.

    pc = (2 x 1/2 + 3 x 1/2) / 5; se2 = 9 x 1/3 x 1/2 / 2 / 25 + (1 - 4/5) / 16 = .03 + .0125.
    """
    found = fixed_width_sequence([1, 0, 1, 0], [1] * 4, list("sstt"), {"s": 2, "t": 3}).iloc[0]

    assert found["pc"] == 0.5
    assert found[["pc_low", "pc_high"]].tolist() == wilson(0.5, 0.25 / 0.0425)


def test_strata_weigh_as_planned():
    """Two of each came, of 2 and 8 that are planned: pc = .2 x 1/2 + .8 x 1."""
    found = fixed_width_sequence([1, 0, 1, 1], [1] * 4, list("sstt"), {"s": 2, "t": 8}).iloc[0]

    assert found["pc"] == pytest.approx(0.9)


def test_all_that_were_planned_give_pc_itself():
    found = fixed_width_sequence([1, 2, 0, 0], [2, 2, 1, 0], list("stst"), {"s": 2, "t": 2},
                                 most=2).iloc[0]  # fmt: skip

    assert found[["pc", "pc_low", "pc_high"]].tolist() == pytest.approx([0.6] * 3)
    assert found["half_width"] == 0


def test_order_of_arrival_does_not_matter():
    rng = np.random.default_rng(2)
    n = rng.integers(0, 3, 60)
    yes, strata = rng.binomial(n, 0.6), rng.choice(list("stu"), 60)
    planned = {"s": 40, "t": 40, "u": 40}
    order = rng.permutation(60)
    one = fixed_width_sequence(yes, n, strata, planned, most=2)
    other = fixed_width_sequence(yes[order], n[order], strata[order], planned, most=2)

    np.testing.assert_allclose(one, other)


def test_no_limits_before_each_stratum_is_known():
    """Stratum t has one of two; a stratum of one comparison is known with it."""
    path = fixed_width_sequence([1, 1, 1, 0, 1], [1] * 5, list("sstut"), {"s": 4, "t": 2, "u": 1},
                                looks=[4, 5])  # fmt: skip

    assert path["pc_low"].isna().tolist() == [True, False]


def test_a_good_beginning_is_not_believed_at_once():
    """Forty consistent series of 1,000: Wilson's limits for 40 / .96 of them."""
    found = fixed_width_sequence([1] * 40, [1] * 40, ["s"] * 40, {"s": 1000}).iloc[0]

    assert found[["pc_low", "pc_high"]].tolist() == wilson(1.0, 40 / 0.96)


@pytest.mark.parametrize("rates", [(0.5, 0.9), (0.95, 0.99)])
def test_truth_is_held_at_the_stop(rates):
    """Planted strata in 200 orders: at least 93% at the stop, and the strata pay."""
    rng = np.random.default_rng(4)
    strata = np.repeat(["s", "t"], 400)
    yes = (rng.random(800) < np.repeat(rates, 400)).astype(int)
    held, asked = [], []
    for seed in range(200):
        order = arrival_order(800, strata, seed)
        path = fixed_width_sequence(yes[order], np.ones(800), strata[order], {"s": 400, "t": 400},
                                    looks=range(20, 801, 20))  # fmt: skip
        at = path[path["half_width"] <= 0.05].iloc[0]
        held.append(at["pc_low"] <= yes.mean() <= at["pc_high"])
        asked.append(at["asked"])

    assert np.mean(held) >= 0.93
    assert np.mean(asked) < 300


@pytest.mark.parametrize(
    ("strata", "planned", "said"),
    [
        (["s", "u"], {"s": 2}, "unknown stratum u"),
        (["s"], {"s": 2}, "1 strata"),
        (["s", "s"], {"s": 1, "t": 3}, "more asked than planned in s"),
        (["s", "s"], {"s": 1}, "2 complete of 1 planned"),
    ],
)
def test_strata_that_do_not_fit_are_refused(strata, planned, said):
    with pytest.raises(ParamsError, match=said):
        fixed_width_sequence([1, 1], [1, 1], strata, planned)
