"""Betting: limits by hand and by a slow second way, what they hold, and when all have come."""

import numpy as np
import pytest

from posbias_kit.analysis.betting import betting_sequence
from posbias_kit.errors import ParamsError


@pytest.mark.parametrize(
    ("half_width", "low"),
    [
        (0.40, 1 - (2 / 0.98 - 1) / 1.6),  # the bet is .4 / .25 = 1.6: 1 + 1.6 (1 - m) = 2 / .98
        (0.45, 0.75 / (2 / 0.98 - 1 + 0.75)),  # 1.8 would risk over 3/4: 1 + .75 (1 - m) / m
    ],
)
def test_first_bet_by_hand(half_width, low):
    """One consistent comparison of four, at a level of .02: what 2 / .98 rules out."""
    found = betting_sequence([1], [1], 4, half_width=half_width, level=0.02).iloc[0]

    assert found["pc_low"] == pytest.approx(low, abs=2e-6)
    assert found["pc_high"] == 1.0


def slow_capital(m, yes, n, planned, most, half_width, side):
    """Capital of one gambler, one bet after another, as the formula reads."""
    money, scores, known, squares = 1.0, 0.0, [0.5, 1.0], 0.25
    for i, (y, c) in enumerate(zip(yes, n, strict=True)):
        y, c, left = y / most, c / most, planned - i
        mean = -scores / left
        bet = half_width * planned / left / (squares / (i + 1))
        bet = min(bet, 0.75 / (m + mean if side > 0 else 1 - m - mean))
        money *= 1 + side * bet * (y - m * c - mean)
        scores += y - m * c
        known = [known[0] + y, known[1] + c]
        squares += (y - known[0] / known[1] * c) ** 2
    return money


def test_limits_are_where_the_capital_is_reached():
    """With repeats, incomplete series and half of the plan: just outside is out, inside is not."""
    rng = np.random.default_rng(3)
    n = rng.integers(0, 4, 120)
    yes = rng.binomial(n, 0.7)
    found = betting_sequence(yes, n, 240, most=3, half_width=0.1, level=0.8).iloc[0]
    told = (yes, n, 240, 3, 0.1)

    for side, limit in ((1, found["pc_low"]), (-1, found["pc_high"])):
        assert slow_capital(limit - side * 1e-4, *told, side) > 10
        assert slow_capital(limit + side * 1e-4, *told, side) < 10


def test_all_that_were_planned_give_pc_itself():
    """Whatever came, in whatever order: 1 + 2 + 0 of 2 + 2 + 1 series, one comparison without."""
    for yes, n in (([1, 2, 0, 0], [2, 2, 1, 0]), ([0, 0, 2, 1], [0, 1, 2, 2])):
        found = betting_sequence(yes, n, 4, most=2).iloc[0]

        assert [found[name] for name in ("pc", "pc_low", "pc_high")] == [0.6, 0.6, 0.6]
        assert found["half_width"] == 0


def test_nothing_complete_says_nothing():
    """Without a complete series there is no estimate, and every PC is possible."""
    found = betting_sequence([0, 0], [0, 0], 9).iloc[0]

    assert np.isnan(found["pc"])
    assert [found["pc_low"], found["pc_high"]] == [0, 1]


def test_limits_only_narrow_and_more_looks_never_widen():
    rng = np.random.default_rng(1)
    yes = rng.random(400) < 0.8
    path = betting_sequence(yes, np.ones(400), 500, looks=range(20, 401, 20))
    once = betting_sequence(yes, np.ones(400), 500).iloc[0]

    assert (np.diff(path["pc_low"]) >= 0).all()
    assert (np.diff(path["pc_high"]) <= 0).all()
    assert path["pc_low"].iloc[-1] >= once["pc_low"]
    assert path["pc_high"].iloc[-1] <= once["pc_high"]


@pytest.mark.parametrize(("pc", "missing", "level"), [(0.7, 0.1, 0.8), (0.95, 0.0, 0.8),
                                                      (0.5, 0.3, 0.5)])  # fmt: skip
def test_truth_is_held_at_every_look(pc, missing, level):
    """A planted population in 100 orders: the level holds for all looks together."""
    rng = np.random.default_rng(5)
    n = (rng.random(200) >= missing).astype(int)
    yes = n * (rng.random(200) < pc)
    truth = yes.sum() / n.sum()
    held, excluded = [], []
    for _ in range(100):
        order = rng.permutation(200)
        path = betting_sequence(yes[order], n[order], 200, half_width=0.06, level=level,
                                looks=range(20, 200, 20))  # fmt: skip
        held.append(((path["pc_low"] <= truth) & (truth <= path["pc_high"])).all())
        excluded.append(path["half_width"].iloc[-1] < 0.12)

    assert np.mean(held) >= level - 3 * np.sqrt(level * (1 - level) / 100)
    assert np.mean(held) < 1 or level > 0.5  # at a level of one half it does miss
    assert np.mean(excluded) > 0.95  # and it is not held by saying nothing


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1], [1], 0), "planned 0"),
        (([1, 1], [1], 4), "2 consistent and 1 complete of 4 planned"),
        (([], [], 4), "from 1 to `planned`"),
        (([1, 1], [1, 1], 1), "of 1 planned"),
        (([1, 2], [1, 1], 4), "comparison 1 has 2 consistent of 1"),
        (([1, 2], [1, 2], 4), "complete <= 1"),
        (([0.0], [float("nan")], 4), "comparison 0"),
        (([0.5], [1], 4), "comparison 0 has 0.5 consistent of 1 complete"),
        (([0], [0.5], 4), "comparison 0 has 0 consistent of 0.5 complete"),
    ],
)
def test_counts_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ParamsError, match=said):
        betting_sequence(*arguments)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"level": 95}, "level 95"),
        ({"half_width": 0}, "half_width 0"),
        ({"half_width": "wide"}, "half_width 'wide'"),
        ({"most": 0}, "most 0"),
        ({"looks": [2]}, "looks"),
        ({"looks": []}, "looks"),
        ({"looks": [0.5]}, "looks \\[0.5\\]"),
    ],
)
def test_settings_out_of_range_are_refused(settings, said):
    with pytest.raises(ParamsError, match=said):
        betting_sequence([1], [1], 4, **settings)
