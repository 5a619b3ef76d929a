"""Sign flips and label shuffles against enumeration by hand and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from posbias_kit.analysis.randomization import label_permutation_test, sign_flip_test

MONTE_CARLO = 0.02  # 4 standard errors of a share over 9,999 draws


def test_four_clusters_by_hand():
    """With 3 kept, +-1 +-1 +-1 gives totals 6, 4, 4, 4, 2, 2, 2, 0: four of eight reach 4."""
    assert sign_flip_test([3, 1, 1, -1]) == 4 / 8


def test_a_cluster_that_does_not_lean_says_nothing():
    """Zeros change no p; all zeros give 1."""
    assert sign_flip_test([0, 3, 0, 1, 1, -1]) == 4 / 8
    assert sign_flip_test([0, 0]) == 1


def test_clusters_of_one_mind():
    """Only all plus and all minus are as extreme: 2 / 2^G."""
    assert sign_flip_test(np.ones(8)) == 2 / 2**8


def test_equal_sums_of_fractions_tie():
    """0.1 + 0.2 and 0.3 are the same sum, whatever the rounding: 4 of 8 patterns reach 0.6."""
    assert sign_flip_test([0.1, 0.2, 0.3]) == 1 / 4
    assert sign_flip_test([0.1, 0.2, -0.3]) == 1


def test_monte_carlo_is_near_the_exact_value():
    """Where patterns are too many, random ones find the p of all 2^15."""
    differences = np.array([4, -2, 3, 1, 1, -1, 2, 5, -3, 1, 2, -1, 1, 2, -2])
    exact = sign_flip_test(differences, flips=2**15)
    drawn = sign_flip_test(differences, flips=9999)

    assert exact * 2**15 % 1 == 0
    assert drawn == pytest.approx(exact, abs=MONTE_CARLO)
    assert drawn * 10_000 == pytest.approx(round(drawn * 10_000))


def test_several_tests_share_patterns_and_keep_their_values():
    """Each row is what it is alone, though other rows fill its zeros."""
    rows = np.array([[3, 1, 1, -1, 0], [0, 1, 1, 1, 1], [2, 0, 0, 0, -1]])

    assert sign_flip_test(rows).tolist() == [sign_flip_test(row) for row in rows]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_sides_and_scale_do_not_matter(differences):
    """The p of d, of -d and of 10 d is the same, and lies in (0, 1]."""
    p = sign_flip_test(differences)

    assert 0 < p <= 1
    assert sign_flip_test(np.negative(differences)) == p
    assert sign_flip_test(np.multiply(differences, 10)) == p


def test_labels_over_one_block_by_hand():
    """Residuals 1, 1, -1, -1: T = 4/2 + 4/2, reached by 2 of the 6 ways to split four cells."""
    statistic, p = label_permutation_test([1, 1, -1, -1], [1] * 4, [0, 0, 1, 1], [0] * 4)

    assert statistic == 4
    assert p == pytest.approx(2 / 6, abs=MONTE_CARLO)


def test_labels_within_blocks_by_hand():
    """Three blocks of +1, -1: T is largest where all agree, 2 of the 8 patterns."""
    labels, blocks = [0, 1] * 3, [0, 0, 1, 1, 2, 2]
    statistic, p = label_permutation_test([1, -1] * 3, [1] * 6, labels, blocks)

    assert statistic == 9 / 3 + 9 / 3
    assert p == pytest.approx(2 / 8, abs=MONTE_CARLO)


def test_labels_equal_scipy():
    """With one block it is scipy's permutation of samples under the same statistic."""
    samples = np.array([1.0, 4, 2]), np.array([5.0, 3, 6, 6])
    values = np.concatenate(samples)
    residual = values - values.mean()
    theirs = stats.permutation_test(
        samples, lambda a, b: len(a) * (a.mean() - values.mean()) ** 2
        + len(b) * (b.mean() - values.mean()) ** 2, alternative="greater",
    )  # fmt: skip
    statistic, p = label_permutation_test(residual, np.ones(7), [0] * 3 + [1] * 4, [0] * 7)

    assert statistic == pytest.approx(theirs.statistic)
    assert p == pytest.approx(theirs.pvalue, abs=MONTE_CARLO)


def test_unequal_cells_move_with_their_sizes():
    """A cell keeps its size: only labels move, so that T = 9/3 + 9/6 in one of two splits."""
    _, p = label_permutation_test([3, -3], [3, 6], [0, 1], [0, 0])

    assert p == 1  # both splits give the same two groups


def test_tests_side_by_side_equal_tests_alone():
    """Rows of residuals share shuffles and give what each gives alone."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3, 12))
    args = (np.ones(12), np.repeat([0, 1, 2], 4), np.zeros(12, dtype=int), 199)
    together = label_permutation_test(rows, *args)

    for index, row in enumerate(rows):
        alone = label_permutation_test(row, *args)
        assert [values[index] for values in together] == pytest.approx([float(v) for v in alone])
