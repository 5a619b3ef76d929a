"""Rankings of single orders against the average: by hand, with ties, and without ranks."""

import numpy as np
import pandas as pd
import pytest

from posbias_kit.analysis.rank_changes import largest_moves, moves, rank_changes


def _rates(**methods):
    """Ranks of candidates a, b, c, .. under each method."""
    tables = [
        pd.DataFrame({"method": name, "candidate": [*"abcd"[: len(ranks)]], "rank": ranks})
        for name, ranks in methods.items()
    ]
    table = pd.concat(tables, ignore_index=True).astype({"rank": "Int64"})
    return table.assign(benchmark="B", experiment="", judge="j")


def test_by_hand():
    """AB 1 2 3 4 against 2 1 3 4: one of six pairs turned, tau (5 - 1) / 6; BA turns all of AB."""
    rates = _rates(order_AB=[1, 2, 3, 4], order_BA=[4, 3, 2, 1], order_averaged=[2, 1, 3, 4])
    table = rank_changes(rates).set_index(["method", "against"])

    near, far = table.loc[("order_AB", "order_averaged")], table.loc[("order_AB", "order_BA")]
    assert near["kendall"] == pytest.approx(4 / 6)
    assert near[["moved", "largest_change", "candidate"]].tolist() == [2, -1, "a"]
    assert far[["kendall", "moved", "largest_change"]].tolist() == [-1, 4, -3]
    assert len(table) == 3


def test_equal_ranks():
    """All equal in the average: no tau, nobody moves, and the note says why.

    With a tie of b and c in the average: 2 pairs agree, none turned, tau-b 2 / sqrt(3 x 2).
    """
    flat = rank_changes(_rates(order_AB=[1, 2, 3], order_averaged=[1, 1, 1])).iloc[0]
    tied = rank_changes(_rates(order_AB=[1, 2, 3], order_averaged=[1, 2, 2])).iloc[0]

    assert flat[["moved", "largest_change", "note"]].tolist() == [
        0, 0, "order_averaged: all candidates are equal",
    ]  # fmt: skip
    assert np.isnan(flat["kendall"])
    assert tied["kendall"] == pytest.approx(2 / 6**0.5)
    assert tied["moved"] == 0


def test_candidates_without_a_rank_stay_out():
    """A missing rank is no change; with one candidate left nothing is compared."""
    row = rank_changes(_rates(order_AB=[1, 2], order_averaged=[1, None])).iloc[0]

    assert row[["candidates", "note"]].tolist() == [1, "fewer than two candidates with a rank"]
    assert rank_changes(_rates(order_AB=[None] * 2, order_averaged=[1, 2])).empty


def test_moves_are_between_ranks_held():
    """1 2 2 holds 1, 2-3, 2-3; against 3 1 1 (3, 1-2, 1-2) only the first moves."""
    one, two = pd.Series([1, 2, 2], dtype="Int64"), pd.Series([3, 1, 1], dtype="Int64")

    assert moves(one, two).tolist() == [-2, 0, 0]
    assert moves(two, one).tolist() == [2, 0, 0]


def test_largest_moves_come_first():
    """Neither missing ranks nor the average are listed."""
    rates = _rates(order_AB=[3, 1, 2, None], order_averaged=[1, 2, 3, None])
    rates["rank_change"] = pd.array([2, -1, -1, None] + [0] * 3 + [None], dtype="Int64")

    assert largest_moves(rates)["candidate"].tolist() == ["a", "b", "c"]
    assert largest_moves(rates, 1)["candidate"].tolist() == ["a"]
