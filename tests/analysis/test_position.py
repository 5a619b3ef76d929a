"""Position consistency, kinds and preference fairness, by hand and against the paper."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from verdict_tables import pairs, stack

from posbias_kit.analysis import position_bias, verdict_counts
from posbias_kit.data import read_verdicts
from posbias_kit.errors import ParamsError

ALL = ("paper", "tie", "decisive", "half")
B07 = ["FS"] * 4 + ["SF"] * 2 + ["TT"] + ["FF"] * 2 + ["SS", "FT", "IF"]


def test_conventions_side_by_side():
    """B07 by hand: primacy 2 full and 1 half, recency 1 full; 4 verdicts of 11 pairs are ties.

    decisive: of 11 complete, TT and FT leave, 6 of 9 consistent, pf (1 - 2) / 9.
    half: 23 verdicts, 12 first (4 + 2 + 4 + 1 + 1) and 8 second, 3 ties: pf (8 - 12) / 23.
    """
    table = position_bias(pairs(B07), convention=ALL, draws=0).set_index("convention")

    assert table["pc"].to_dict() == {"paper": 7 / 11, "tie": 7 / 11, "decisive": 6 / 9} | {
        "half": 7 / 11
    }
    assert table["pf"].to_dict() == pytest.approx(
        {"paper": (1 - 3) / 11, "tie": (1 - 2) / 11, "decisive": (1 - 2) / 9, "half": -4 / 23}
    )


def test_paper_divides_fairness_by_all_asked_pairs():
    """pf_paper has the incomplete pair in its denominator, pf has not; other rules have none."""
    table = position_bias(pairs(B07), convention=ALL, draws=0).set_index("convention")

    assert table.loc["paper", "pf_paper"] == pytest.approx(-2 / 12)
    assert table["pf_paper"].isna().to_list() == [False, True, True, True]


@given(st.lists(st.sampled_from(["FS", "SF", "TT", "FF", "SS", "FT", "TS"]), min_size=1))
def test_fairness_is_the_papers_score(codes):
    """The paper's raw score rcn irr - pcn ipr, scaled by its bounds, is (rcn - pcn) / series."""
    pcn = sum(code in ("FF", "FT") for code in codes)
    rcn = sum(code in ("SS", "TS") for code in codes)
    raw = (rcn * rcn - pcn * pcn) / (rcn + pcn) if rcn + pcn else 0.0
    low, high = -len(codes), len(codes)
    scaled = (raw - low) / (high - low) * 2 - 1

    assert position_bias(pairs(codes), draws=0)["pf"].item() == pytest.approx(scaled, abs=1e-12)


@given(st.lists(st.sampled_from(["FS", "SF", "FF", "SS"]), min_size=1))
def test_half_convention_equals_fairness_without_ties(codes):
    """With two options (last - first) / verdicts needs no pairing and says the same."""
    table = position_bias(pairs(codes), convention=("paper", "half"), draws=0)

    assert table["pf"].iloc[0] == pytest.approx(table["pf"].iloc[1], abs=1e-12)


def test_pure_judges_reach_the_ends():
    """Always the last slot is +1, always the first -1, always a tie consistent and fair."""
    verdicts = stack(
        pairs(["SS"] * 3, judge="last"),
        pairs(["FF"] * 3, judge="first"),
        pairs(["TT"], judge="tie"),
    )
    table = position_bias(verdicts, draws=0).set_index("judge")

    assert table["pf"].to_dict() == {"first": -1.0, "last": 1.0, "tie": 0.0}
    assert table["pc"].to_dict() == {"first": 0.0, "last": 0.0, "tie": 1.0}


def test_nothing_complete_is_missing_not_zero():
    """Without a complete series pc and pf are missing, and the counts say why."""
    row = position_bias(pairs(["IF", "XX"])).iloc[0]

    assert row[["series", "complete", "incomplete", "pc_n"]].tolist() == [2, 0, 2, 0]
    assert row[["pc", "pc_low", "pf", "pf_high", "pf_paper"]].isna().all()
    assert np.isnan(row["overall_win_rate"])


def test_identical_answers_enter_no_metric():
    """A marked series is counted in `identical` and nowhere else."""
    row = position_bias(pairs(["FS", "EE"])).iloc[0]

    assert row[["series", "complete", "incomplete", "identical"]].tolist() == [1, 1, 0, 1]


def test_swapped_order_missing_is_counted_as_incomplete():
    """An order without its swap leaves the rates and is reported."""
    row = position_bias(pairs(["FS", "F-"])).iloc[0]

    assert row[["complete", "incomplete", "pc"]].tolist() == [1, 1, 1.0]


def test_order_of_rows_and_names_of_judges_change_nothing():
    """Shuffled rows give the same table."""
    verdicts = pairs(B07)
    shuffled = verdicts.sample(frac=1, random_state=1)

    pd.testing.assert_frame_equal(position_bias(verdicts), position_bias(shuffled))


def test_swap_of_slots_turns_the_sign():
    """Exchanging first and second in every verdict turns pf and leaves pc."""
    turn = str.maketrans("FS", "SF")
    one = position_bias(pairs(B07)).iloc[0]
    two = position_bias(pairs([code.translate(turn) for code in B07])).iloc[0]

    assert two["pf"] == pytest.approx(-one["pf"])
    assert (two["pf_low"], two["pf_high"]) == pytest.approx((-one["pf_high"], -one["pf_low"]))
    assert two["pc"] == one["pc"]


def test_intervals_see_clusters_not_verdicts():
    """Ten questions in two clusters give a wider interval than ten clusters."""
    codes = ["FS"] * 5 + ["FF"] * 5
    alone = position_bias(pairs(codes)).iloc[0]
    shared = position_bias(pairs(codes, cluster=["x"] * 10 + ["y"] * 10)).iloc[0]

    assert (alone["clusters"], shared["clusters"]) == (10, 2)
    assert shared["pc_high"] - shared["pc_low"] > alone["pc_high"] - alone["pc_low"]


def test_draws_zero_gives_no_interval():
    """Point estimates only."""
    row = position_bias(pairs(B07), draws=0).iloc[0]

    assert row[[name for name in row.index if name.endswith(("_low", "_high"))]].isna().all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"convention": "papper"}, "'papper'"),
        ({"by": ("judges",)}, "'judges'"),
        ({"level": 95}, "level 95"),
    ],
)
def test_bad_arguments_are_named(options, message):
    """The message names the value."""
    with pytest.raises(ParamsError, match=message):
        position_bias(pairs(["FS"]), **options)


def test_counts_add_up():
    """Slots, ties, invalid and failed add up to what was asked, in each order."""
    table = verdict_counts(pairs([*B07, "XE", "EE"])).set_index("order")
    parts = table[["slot_1", "slot_2", "tie", "invalid", "failed"]].sum(axis=1)

    assert (parts == table["asked"]).all()
    assert table["asked"].to_dict() == {"AB": 13, "BA": 12}
    assert table["identical"].to_dict() == {"AB": 1, "BA": 2}
    assert table.loc["AB", "first_share"] == 7 / 10


EXPECTED = {
    "run": "experiment",
    "pairs": "series",
    "invalid": "incomplete",
    "pf": "pf_paper",
}


@pytest.fixture(scope="module")
def paper_verdicts(paper_data):
    """Both benchmarks of the released files, parsed as the paper's code did."""
    return read_verdicts("paper", paper_data, rule="first_match")


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("position_bias", ("judge",)),
        ("position_bias_by_task", ("judge", "task")),
        ("units_judge_candidate_task", ("judge", "candidate", "task")),
    ],
)
def test_equal_to_the_papers_numbers(paper_data, paper_verdicts, name, by):
    """Every count, pc, pf and win rate of the independently computed tables, to 1e-6."""
    expected = pd.read_csv(paper_data / "expected" / f"{name}.csv", keep_default_na=False)
    expected = expected.rename(columns=EXPECTED)
    found = position_bias(paper_verdicts, by=by, draws=0)
    keys = ["benchmark", "experiment", *by]
    expected[["pc", "pf_paper"]] = expected[["pc", "pf_paper"]].apply(pd.to_numeric)

    both = expected.merge(found, on=keys, suffixes=("_expected", ""), validate="1:1")

    assert len(both) == len(expected)
    for column in expected.columns.difference(keys):
        found, wanted = both[column].astype(float), both[f"{column}_expected"].astype(float)
        np.testing.assert_allclose(found, wanted, atol=1e-6, rtol=0, err_msg=column)


def test_no_verdicts_no_rows():
    """A table without rows gives one without rows, with its columns."""
    found = position_bias(pairs(["FF"]).iloc[:0])

    assert found.empty
    assert {"judge", "pc", "pf_low"} <= set(found)
