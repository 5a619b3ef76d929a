"""Worst-case bounds against every completion of small tables."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from posbias_kit import analysis
from posbias_kit.analysis.missing import missing_bounds
from posbias_kit.data import build_verdicts
from posbias_kit.schema import TIE
from tests.verdict_tables import pairs, stack

METRICS = ("pc", "pf", "first_share", "owr", "rs")


def completions(verdicts, ties, also=()):
    """Yield the table with its missing verdicts filled in every possible way; None leaves one."""
    lost = verdicts.index[verdicts["status"].isin(["invalid", "failed"])]
    slots = int(verdicts["slots"].max())
    for choices in product([*range(0 if ties else 1, slots + 1), *also], repeat=len(lost)):
        table = verdicts.copy()
        filled = lost[[choice is not None for choice in choices]]
        table.loc[filled, "status"], table.loc[filled, "reason"] = "ok", ""
        for row, choice in zip(lost, choices, strict=True):
            if choice is None:
                continue
            shown = json.loads(table.at[row, "shown"])
            table.at[row, "choice"] = choice
            table.at[row, "winner"] = shown[choice - 1] if choice else TIE
        yield table


def measure(verdicts, convention="paper"):
    """The metrics of every judge in a table."""
    found = analysis.position_bias(verdicts, convention=convention, draws=0).set_index("judge")
    found = found.rename(columns={"overall_win_rate": "owr"})[["pc", "pf", "owr"]]
    counts = analysis.verdict_counts(verdicts, by=["judge"]).set_index("judge")
    stability = analysis.repetition_stability(verdicts, draws=0).set_index("judge")
    return found.join([counts["first_share"], stability["rs"]]).astype(float)


def assert_bounds(verdicts, ties, metrics=METRICS, convention="paper", also=()):
    """The bounds are the least and the greatest value over all completions."""
    found = missing_bounds(verdicts, convention=convention).iloc[0]
    filled = enumerate(completions(verdicts, ties, also))
    filled = [table.assign(judge=f"j{n}") for n, table in filled]
    every = measure(stack(*filled), convention)
    assert len(every) == len(filled)
    for name in metrics:
        ends = [float(found[f"{name}_min"]), float(found[f"{name}_max"])]
        assert ends == pytest.approx([every[name].min(), every[name].max()], abs=1e-12), name


@pytest.mark.parametrize(
    "codes",
    [["FI", "FS"], ["SX", "FF"], ["TI", "FF"], ["IX", "SF"], ["FX", "IS", "TF"], ["XX", "II"]],
)
def test_pairs_by_enumeration(codes):
    """Known verdicts F, S, T or nothing beside a missing one."""
    ties = any("T" in code for code in codes)
    assert_bounds(pairs(codes), ties, ("pc", "pf", "first_share", "owr"))


@pytest.mark.parametrize("second", ["FS", "FT", "SI", "IX"])
def test_repeats_by_enumeration(second):
    """Two presentations asked twice: missing repeats join the mode or spread."""
    verdicts = stack(pairs(["FI"], repeat=1), pairs([second], repeat=2))
    assert_bounds(verdicts, "T" in second)


@pytest.mark.parametrize("convention", ["tie", "decisive", "half"])
@pytest.mark.parametrize(
    "codes",
    [
        ["FI", "FT"],
        ["SX", "FF"],
        ["TI", "FF"],
        ["IX", "SF"],
        ["FX", "IS", "FS", "TF"],
        ["SI", "IT"],
    ],
)
def test_conventions_by_enumeration(convention, codes):
    """Half flips count otherwise, or leave: least and greatest over all completions."""
    ties = any("T" in code for code in codes)
    assert_bounds(pairs(codes), ties, ("pc", "pf", "first_share"), convention)


@pytest.mark.parametrize("third", ["FS", "SI", "IX"])
def test_three_repeats_by_enumeration(third):
    """Missing repeats may be any slot, or stay without a verdict."""
    verdicts = stack(pairs(["FI"]), pairs(["II"], repeat=2), pairs([third], repeat=3))
    assert_bounds(verdicts, ties=False, metrics=["rs"], also=[None])


def test_stability_of_nothing():
    """Three repeats, all missing: from one verdict of three to three alike."""
    verdicts = stack(*(pairs(["II"], repeat=repeat) for repeat in (1, 2, 3)))
    row = missing_bounds(verdicts).iloc[0]

    assert row[["rs_min", "rs_max"]].tolist() == pytest.approx([1 / 3, 1])
    assert np.isnan(row["rs"])


def test_stability_lies_within_its_bounds():
    """F F I and S S I: rs takes I for disagreement and is 2/3, the least that it can be."""
    verdicts = stack(pairs(["FS"]), pairs(["FS"], repeat=2), pairs(["II"], repeat=3))
    row = missing_bounds(verdicts).iloc[0]

    assert row[["rs", "rs_min", "rs_max"]].tolist() == pytest.approx([2 / 3, 2 / 3, 1])


def test_repeats_that_are_not_there_are_missing():
    """AB asked three times and BA once: BA has 1 of 3 at least, (1 + 1/3) / 2, as if invalid."""
    absent = stack(pairs(["FS"]), pairs(["F-"], repeat=2), pairs(["F-"], repeat=3))
    invalid = stack(pairs(["FS"]), pairs(["FI"], repeat=2), pairs(["FX"], repeat=3))

    for verdicts in (absent, invalid):
        row = missing_bounds(verdicts).iloc[0]
        assert row[["rs_min", "rs_max"]].tolist() == pytest.approx([2 / 3, 1])
    assert missing_bounds(absent)["rs"].tolist() == [1.0]


def test_an_estimate_outside_its_bounds_says_why():
    """One complete pair leans last, pf 1; one incomplete F can give -1 or 0: bounds 0 to 1/2."""
    row = missing_bounds(pairs(["SS", "FI"])).iloc[0]

    assert row[["pf", "pf_min", "pf_max"]].tolist() == [1, 0, 0.5]
    assert "pf lies outside: it leaves incomplete series out" in row["note"]


def listwise(choices):
    """One comparison of three, a choice in each cyclic order; None is missing."""
    orders = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    lost = [choice is None for choice in choices]
    return build_verdicts(
        pd.DataFrame(
            {
                "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "question": "q",
                "shown": orders, "order": ["r0", "r1", "r2"],
                "status": np.where(lost, "invalid", "ok"),
                "reason": np.where(lost, "no_label", ""),
                "choice": pd.array(choices, dtype="Int64"),
            }
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    "choices",
    [
        [1, 3, None],  # a twice
        [2, None, None],  # b
        [1, 1, None],  # a and b: cannot be consistent any more
        [0, None, 0],  # ties
        [None, None, None],
    ],
)
def test_sets_by_enumeration(choices):
    """List-wise pc and win rate over all completions; pf has no pairs."""
    verdicts = listwise(choices).assign(candidate="a")
    assert_bounds(verdicts, 0 in choices, ("pc", "first_share", "owr"))

    row = missing_bounds(verdicts).iloc[0]
    assert np.isnan(row["pf_min"])
    assert "pf: pairs only" in row["note"]


def test_an_order_that_is_not_there_is_missing():
    """A row that does not exist could have been anything, too."""
    row = missing_bounds(pairs(["F-", "FS"])).iloc[0]

    assert row[["pc", "pc_min", "pc_max"]].tolist() == [1.0, 0.5, 1.0]
    assert row[["pf_min", "pf_max"]].tolist() == [-0.5, 0.0]


def test_nothing_missing_gives_points():
    """Bounds equal the estimates, and identical answers take no part."""
    verdicts = stack(pairs(["FS", "FF", "EE", "TS"]), pairs(["FS", "SF", "EE", "TS"], repeat=2))
    row = missing_bounds(verdicts).iloc[0]

    assert row[["series", "incomplete", "missing"]].tolist() == [6, 0, 0]
    for name in METRICS:
        ends = row[[f"{name}_min", f"{name}_max"]].astype(float).tolist()
        assert ends == pytest.approx([row[name]] * 2), name


def test_missing_numbers_have_reasons():
    """Without a reference there is no side; asked once there is no stability."""
    row = missing_bounds(pairs(["FI"], reference="")).iloc[0]

    assert row[["owr_min", "owr_max", "rs_min"]].isna().all()
    assert row["note"] == (
        "rs: nothing asked twice, or by candidate without a reference; "
        "owr: no candidate to take sides for"
    )


def test_by_candidate_each_has_a_side():
    """Without a reference, each candidate is bounded: a won AB, b can have won both."""
    table = missing_bounds(pairs(["FI"], reference=""), by=("judge", "candidate"))
    table = table.set_index("candidate")

    assert table.loc["a", ["owr_min", "owr_max"]].tolist() == [0.5, 1.0]
    assert table.loc["b", ["owr_min", "owr_max"]].tolist() == [0.0, 0.5]


def test_orders_that_are_not_there_are_counted():
    """One row of three F- pairs is there in AB only: two verdicts could have been anything."""
    row = missing_bounds(pairs(["FS", "F-", "F-"])).iloc[0]

    assert row[["asked", "missing", "incomplete"]].tolist() == [6, 2, 2]
    ends = row[["first_share_min", "first_share", "first_share_max"]].tolist()
    assert ends == pytest.approx([3 / 6, 3 / 4, 5 / 6])
