"""List-wise fairness by hand, its identities, and pairs as the special case."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis import position_bias
from posbias_kit.analysis.fairness import listwise_fairness
from posbias_kit.analysis.slots import UNBALANCED, slot_wins


def test_by_hand():
    """132 is consistent, 111 all slot 1, 120 half slot 1 and 2: PC 1/3, shares 3/4, 1/4, 0."""
    table = listwise_fairness(sets(["132", "111", "120"]))

    assert table[["series", "inconsistent"]].drop_duplicates().values.tolist() == [[3, 2]]
    assert table["pc"].tolist() == pytest.approx([1 / 3] * 3)
    assert table["share"].tolist() == pytest.approx([3 / 4, 1 / 4, 0])
    expected = [2 / 3 * (share - 1 / 3) * 3 / 2 for share in (3 / 4, 1 / 4, 0)]
    assert table["pf"].tolist() == pytest.approx(expected)
    stretched = [expected[0], 2 * expected[1], 2 * expected[2]]
    assert table["pf_rescaled_biased"].tolist() == pytest.approx(stretched)


def test_sums_to_zero_and_is_the_excess_of_slot_wins():
    """Without ties and with cyclic orders PF is the excess times p / (p - 1), to 1e-15."""
    texts = ["".join(slots) for slots in product("123", repeat=3)]
    judge = np.random.default_rng(2).integers(12, size=len(texts)).astype(str)
    verdicts = sets(texts)
    verdicts["judge"] = judge[verdicts["question"].str[1:].astype(int)]
    table = listwise_fairness(verdicts)
    share = slot_wins(verdicts, permutations=0)["share"]

    assert table.groupby("judge")["pf"].sum().abs().max() < 1e-15
    assert (table["pf"] - (share - 1 / 3) * 3 / 2).abs().max() < 1e-15


def test_pairs_are_the_paper_convention():
    """The last slot's PF is `pf` with half flips leaning fully; the first's is its negative."""
    codes = np.array(["FS", "SF", "TT", "FF", "SS", "FT", "TF", "ST", "TS", "FI"])
    drawn = np.random.default_rng(4).choice(codes, size=200)
    verdicts = pairs(drawn)
    verdicts["judge"] = (verdicts["question"].str[1:].astype(int) // 10).astype(str)
    columns = ["pf", "pf_low", "pf_high"]
    bias = position_bias(verdicts, convention="paper")[columns].astype(float)
    table = listwise_fairness(verdicts)
    last = table.loc[table["slot"] == 2, columns].reset_index(drop=True)
    first = table.loc[table["slot"] == 1, "pf"].reset_index(drop=True)

    pd.testing.assert_frame_equal(last, bias)
    pd.testing.assert_series_equal(-first, bias["pf"])


def test_ends():
    """Always slot 3: 1 there, -1/2 elsewhere; stretched, -1."""
    table = listwise_fairness(sets(["333"] * 5))

    assert table["pf"].tolist() == [-0.5, -0.5, 1.0]
    assert table["pf_rescaled_biased"].tolist() == [-1.0, -1.0, 1.0]
    assert table["pf_low"].iloc[2] < 1 == table["pf_high"].iloc[2]


def test_always_a_tie_is_fair_with_a_note():
    """PC is 1 and PF is 0 with an interval that is not a point; the share is missing."""
    row = listwise_fairness(sets(["000"] * 4)).iloc[0]

    assert row[["pc", "pf"]].tolist() == [1, 0]
    assert row["pf_low"] < 0 < row["pf_high"]
    assert np.isnan(row["share"])
    assert row["note"] == "no inconsistent series: pf is 0 because pc is 1"


def test_incomplete_series_do_not_count():
    """An order without a verdict leaves the series out; with none left PF is missing."""
    table = listwise_fairness(stack(pairs(["FI"]), pairs(["SX"], judge="k")))

    assert table["series"].tolist() == [0, 0, 0, 0]
    assert table["pf"].isna().all()
    assert (table["note"] == "no complete series").all()


def test_without_a_position_effect():
    """Mean 0 over studies of coin flips; the stretched version is below, as labelled."""
    rng = np.random.default_rng(1)
    texts = ["".join(row) for row in rng.choice(list("123"), size=(150 * 24, 3))]
    verdicts = sets(texts)
    number = verdicts["question"].str[1:].astype(int)
    table = listwise_fairness(verdicts.assign(judge=(number // 24).astype(str)))
    by_slot = table.groupby("slot")[["pf", "pf_rescaled_biased"]].mean()
    error = table["pf"].std() / np.sqrt(150)

    assert (by_slot["pf"].abs() < 4 * error).all()
    assert (by_slot["pf_rescaled_biased"] < -3 * error).all()


def test_unbalanced_orders_are_said():
    """Orders of other kinds are kept; the note says that slot and candidate mix."""
    verdicts = sets(["111", "11-"])  # with the kit's own names the second would be incomplete
    table = listwise_fairness(verdicts.assign(order="of " + verdicts["order"].astype("str")))

    assert not table["balanced"].any()
    assert (table["note"] == UNBALANCED).all()
