"""Separation and flat directions against what can be seen without a linear programme."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from posbias_kit.analysis.separation import identify_columns, rule_out


def _logistic(columns):
    design = np.zeros((len(columns), 2, columns.shape[1]))
    design[:, 0] = columns
    return design


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=12))
def test_one_number_separates_when_its_ranges_do_not_overlap(rows):
    """With an intercept, x separates if all x of wins lie on one side of all x of losses."""
    x, won = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    assume(0 < won.sum() < len(won) and np.ptp(x) > 0)
    wins, losses = x[won == 1], x[won == 0]
    separated = wins.min() >= losses.max() or wins.max() <= losses.min()
    counts = np.c_[won, 1 - won]

    possible = rule_out(_logistic(np.c_[np.ones(len(x)), x]), counts, np.ones((len(x), 2), bool))

    assert possible.all() == (not separated)
    assert possible[counts > 0].all()


def test_both_chosen_keeps_both():
    """A presentation that brought both slots rules out neither, and so holds the direction."""
    design = _logistic(np.array([[1.0], [1.0]]))
    counts = np.array([[2.0, 1.0], [3.0, 0.0]])

    assert rule_out(design, counts, np.ones((2, 2), dtype=bool)).all()


def test_two_islands_of_candidates():
    """Where two groups never meet, abilities across them are not determined; within them they are.

    Columns: candidates b, c, d with a at 0; a meets b, c meets d.
    """
    design = np.zeros((2, 2, 3))
    design[0, 1, 0] = 1
    design[1, 0, 1], design[1, 1, 2] = 1, 1
    counts = np.ones((2, 2))

    kept, known = identify_columns(design, counts, np.ones((2, 2), dtype=bool))

    assert known.tolist() == [True, False, False]
    assert len(kept) == 2


@pytest.mark.parametrize("size", [0, 1])
def test_little_data(size):
    """No row, or one, is no error."""
    kept, known = identify_columns(
        np.zeros((size, 2, 1)), np.ones((size, 2)), np.ones((size, 2), dtype=bool)
    )

    assert len(kept) == 0
    assert not known.any()
