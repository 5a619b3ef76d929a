"""Ranks and how far noise alone moves them."""

import numpy as np
import pytest

from posbias_kit.analysis.ranks import rank_estimates


def test_largest_is_first_and_equal_ones_share():
    """0.9 first, two at 0.5 share rank 2, a missing estimate has no rank."""
    table = rank_estimates([0.5, 0.9, np.nan, 0.5])

    assert table["rank"].fillna(0).tolist() == [2, 1, 0, 2]
    assert table[["rank_low", "rank_high"]].isna().all(axis=None)


def test_two_exchangeable_estimates():
    """Equal estimates with independent noise take both ranks half the time."""
    table = rank_estimates([0.5, 0.5], np.eye(2))

    assert table[["rank_low", "rank_high"]].values.tolist() == [[1, 2], [1, 2]]


def test_common_noise_moves_no_rank():
    """Noise that all estimates share leaves the ranks as they are, however large it is."""
    table = rank_estimates([0.1, 0.3, 0.2], np.full((3, 3), 25.0))

    assert table["rank_low"].tolist() == table["rank_high"].tolist() == [3, 1, 2]


def test_infinite_estimates_keep_their_ends():
    """Never lost stays first, never won last; the others are ranked between them."""
    table = rank_estimates([0.0, np.inf, 0.1, -np.inf], np.diag([1.0, np.nan, 1.0, np.nan]))

    assert table["rank"].tolist() == [3, 1, 2, 4]
    assert table["rank_low"].tolist() == [2, 1, 2, 4]
    assert table["rank_high"].tolist() == [3, 1, 3, 4]


def test_limits_from_the_normal_model():
    """Two estimates 1 apart with sd 1 each swap with probability Phi(-1 / sqrt 2) = .24."""
    swapped = rank_estimates([1.0, 0.0], np.eye(2), level=0.6).iloc[0]
    held = rank_estimates([1.0, 0.0], np.eye(2), level=0.4).iloc[0]

    assert swapped[["rank_low", "rank_high"]].tolist() == [1, 2]
    assert held[["rank_low", "rank_high"]].tolist() == [1, 1]


@pytest.mark.parametrize(("covariance", "draws"), [(None, 100), (np.eye(1), 0)])
def test_no_limits_without_errors_or_draws(covariance, draws):
    """Nothing is drawn, nothing is said."""
    assert rank_estimates([0.5], covariance, draws=draws)["rank_low"].isna().all()


def test_equal_ones_hold_all_their_ranks():
    """Four equal estimates without noise hold ranks 1 to 4 each, whichever comes first."""
    table = rank_estimates([0.5] * 4, np.zeros((4, 4)))

    assert table[["rank", "rank_last"]].values.tolist() == [[1, 4]] * 4
    assert table[["rank_low", "rank_high"]].values.tolist() == [[1, 4]] * 4


def test_rounding_parts_nobody():
    """.1 + .2 and .3 are equal, in the estimates and in draws that move both alike."""
    together = np.outer([1.0, 1.0, 0.5], [1.0, 1.0, 0.5])
    table = rank_estimates([0.1 + 0.2, 0.3, -50.0], together)

    assert table["rank"].tolist() == [1, 1, 3]
    assert table[["rank_low", "rank_high"]].values.tolist() == [[1, 2], [1, 2], [3, 3]]


def test_limits_hold_the_rank():
    """Of 100 equal estimates each draw gives one rank of 100, yet all have rank 1: limits 1, 100.

    2.5% of the draws have rank 2 or less, so that the quantile alone would leave rank 1 out.
    """
    table = rank_estimates(np.zeros(100), np.eye(100))

    assert set(table["rank"]) == set(table["rank_low"]) == {1}
    assert set(table["rank_high"]) == {100}


def test_several_without_a_loss_share_their_ranks():
    """Two that never lost hold ranks 1 and 2, and the third stands behind both."""
    table = rank_estimates([np.inf, np.inf, 0.0], np.diag([np.nan, np.nan, 1.0]))

    assert table[["rank", "rank_low", "rank_high"]].values.tolist() == [[1, 1, 2]] * 2 + [[3] * 3]
