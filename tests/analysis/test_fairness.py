"""List-wise fairness by hand, its identities, and pairs as the special case."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_slots import sets
from verdict_tables import pairs, stack

from posbias_kit.analysis import position_bias
from posbias_kit.analysis.fairness import listwise_fairness
from posbias_kit.analysis.slots import UNBALANCED, slot_wins

TRIPLES = st.lists(st.text("123", min_size=3, max_size=3), min_size=1, max_size=8)


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


@settings(max_examples=20)
@given(TRIPLES)
def test_sums_to_zero_and_is_the_excess_of_slot_wins(texts):
    """Without ties and with cyclic orders PF is the excess times p / (p - 1), to 1e-15."""
    verdicts = sets(texts)
    pf = listwise_fairness(verdicts)["pf"].to_numpy()
    share = slot_wins(verdicts, permutations=0)["share"].to_numpy()

    assert abs(pf.sum()) < 1e-15
    assert np.abs(pf - (share - 1 / 3) * 3 / 2).max() < 1e-15


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["FS", "TT", "FF", "SS", "FT", "TS", "SF", "FI"]), min_size=1))
def test_pairs_are_the_paper_convention(codes):
    """For p = 2 the last slot's PF is pf with half flips leaning fully, the first's its negative."""
    bias = position_bias(pairs(codes), convention="paper").iloc[0]
    table = listwise_fairness(pairs(codes))

    columns = ["pf", "pf_low", "pf_high"]
    expected = bias[columns].astype(float).tolist()
    assert table.loc[1, columns].astype(float).tolist() == pytest.approx(expected, nan_ok=True)
    assert -table.loc[0, "pf"] == pytest.approx(bias["pf"], nan_ok=True)


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
    verdicts = sets(["111", "11-"])
    table = listwise_fairness(verdicts)

    assert not table["balanced"].any()
    assert (table["note"] == UNBALANCED).all()
