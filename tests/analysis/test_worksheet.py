"""The worksheet's rows and classes by hand; the chance of a class by enumeration."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, repeated, sets, stack

from posbias_kit.analysis.worksheet import CLASSES, class_counts, worksheet
from posbias_kit.data import read_verdicts


def repeated_sets(choices):
    """One comparison of three; the slots chosen in the repeats of each cyclic order."""
    repeats = ["".join(slots) for slots in zip(*choices, strict=True)]
    return stack(*(sets([text], repeat=r) for r, text in enumerate(repeats, start=1)))


def test_row_by_hand():
    """AB: two for a, one tie; BA: a a b. Counts by slot, agreement within and across."""
    row = worksheet(repeated(["FFT SSF"])).iloc[0]

    assert row[["ab_slot_1", "ab_slot_2", "ab_tie"]].tolist() == [2, 0, 1]
    assert row[["ba_slot_1", "ba_slot_2", "ba_tie"]].tolist() == [1, 2, 0]
    assert row["ab_agreement"] == pytest.approx(1 / 3)
    assert row["ba_agreement"] == pytest.approx(1 / 3)
    assert row["agreement_across"] == pytest.approx(4 / 9)
    assert row["orders"] == "AB BA"


@pytest.mark.parametrize(
    ("orders", "name"),
    [
        ("FFF SSS", "stable"),
        ("TTT TTT", "stable"),
        ("FFF FFF", "order_sensitive_first"),
        ("TTT FFF", "order_sensitive_first"),
        ("SSS SSS", "order_sensitive_last"),
        ("SSSS TTT", "order_sensitive_last"),
        ("FFS SSF", "unstable"),
        ("FFT FTF", "unstable"),
        ("FFF SSF", "undecided"),
        ("FFSS SSS", "undecided"),
    ],
)
def test_classes_of_pairs(orders, name):
    """Unanimous in both orders, in none, or in one."""
    assert worksheet(repeated([orders]))["class"].item() == name


@pytest.mark.parametrize(
    ("choices", "name"),
    [
        (["111", "333", "222"], "stable"),
        (["111", "111", "111"], "order_sensitive_first"),
        (["111", "000", "111"], "order_sensitive_first"),
        (["333", "333", "333"], "order_sensitive_last"),
        (["222", "222", "222"], "order_sensitive_other"),
        (["111", "333", "111"], "order_sensitive_other"),
        (["112", "331", "223"], "unstable"),
        (["111", "331", "222"], "undecided"),
    ],
)
def test_classes_of_sets(choices, name):
    """With three orders the same words; slots in the middle are neither first nor last."""
    assert worksheet(repeated_sets(choices))["class"].item() == name


@pytest.mark.parametrize(
    ("orders", "reason"),
    [
        ("FF SS", "fewest verdicts in an order 2, 3 needed"),
        ("FFF SIS", "fewest verdicts in an order 2, 3 needed"),
        ("FFF ---", "fewest verdicts in an order 0, 3 needed"),
        ("EEE EEE", "identical answers"),
        ("FFF SSS", ""),
    ],
)
def test_no_class_has_a_reason(orders, reason):
    """Fewer than three verdicts in an order: an empty class, and why."""
    row = worksheet(repeated([orders])).iloc[0]

    assert row["reason"] == reason
    assert (row["class"] == "") == (reason != "")
    assert np.isnan(row["order_sensitive_chance"]) == (reason != "")


@pytest.mark.parametrize("text", ["FFF FFF", "FFS SSS", "FFFF FFF", "FFT FFF", "TFF TSS"])
def test_chance_by_enumeration(text):
    """The chance is the share of all orderings in which both orders are pure and differ."""
    first, second = text.split()
    named = first + second.translate(str.maketrans("FS", "SF"))
    pure = [
        len({*one[: len(first)]}) == len({*one[len(first) :]}) == 1 and len({*one}) > 1
        for one in permutations(named)
    ]

    found = worksheet(repeated([text]))["order_sensitive_chance"].item()
    assert found == pytest.approx(np.mean(pure), abs=1e-12)


def test_chance_of_a_set():
    """Three pure orders, three winners: 3! of 9! / 3!^3 arrangements."""
    assert worksheet(repeated_sets(["111"] * 3))["order_sensitive_chance"].item() == pytest.approx(
        6 / 1680
    )


def test_orders_of_several_kinds_are_numbered():
    """A pair and a set have no common names: columns are order_1, order_2, ..."""
    sheet = worksheet(stack(repeated(["FFF SSS"], questions=["p"]), repeated_sets(["111"] * 3)))

    assert sheet["orders"].tolist() == ["AB BA", "r0 r1 r2"]
    assert sheet["order_1_slot_1"].tolist() == [3, 3]
    assert sheet["order_3_slot_1"].isna().tolist() == [True, False]
    assert sheet["order_1_slot_3"].isna().tolist() == [True, False]


def test_counts_beside_expectation():
    """Ten questions, four order-sensitive; noise alone makes .1 for each with three of each."""
    orders = ["SSS SSS"] * 4 + ["FFF SSS"] * 3 + ["FFS SSF", "FFF SSF", "FFS FFS"] + ["FF SS"]
    row = class_counts(repeated(orders)).iloc[0]

    # FFS FFS: winners a a b and b b a, again three of each; the tail is Binomial(5, .1) >= 4
    assert row["order_sensitive_expected"] == pytest.approx(5 * 0.1)
    assert row["order_sensitive_p"] == pytest.approx(5 * 0.1**4 * 0.9 + 0.1**5)
    assert row[list(CLASSES)].tolist() == [3, 0, 4, 0, 2, 1]
    assert row[["comparisons", "without_class", "order_sensitive"]].tolist() == [10, 1, 4]


def test_counts_of_a_worksheet_are_those_of_its_verdicts():
    """The table may be made from the worksheet, by other columns, too."""
    verdicts = repeated(["SSS SSS", "FFF SSS", "FFS SSF"], reference="")
    by = ("judge", "candidate")

    pd.testing.assert_frame_equal(
        class_counts(verdicts, by=by), class_counts(worksheet(verdicts), by=by)
    )


def test_without_repeats_there_are_no_classes():
    """Counts are 0 of 0, the expectation is missing, and the note says why."""
    row = class_counts(pairs(["FF", "FS"])).iloc[0]

    assert row[["comparisons", "without_class", "order_sensitive"]].tolist() == [0, 2, 0]
    assert row[["order_sensitive_expected", "order_sensitive_p"]].isna().all()
    assert row["note"] == "no classes: no repeats"


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["FFF ---", "SSS ---"], "fewer than 3 verdicts in an order of every comparison"),
        (["FFF III"], "fewer than 3 verdicts in an order of every comparison"),
        (["F-- S--", "EEE EEE"], "no repeats"),
        (["EEE EEE"], "identical answers only"),
    ],
)
def test_why_there_are_no_classes(texts, why):
    """Asked once, too few verdicts, or nothing to choose from."""
    assert class_counts(repeated(texts))["note"].item() == f"no classes: {why}"


def test_pure_recency_is_order_sensitive_last():
    """Always the last slot: every comparison, and p says that noise would not."""
    row = class_counts(repeated(["SSS SSS"] * 6)).iloc[0]

    assert row["order_sensitive_last"] == row["comparisons"] == 6
    assert row["order_sensitive_p"] == pytest.approx(0.1**6)


def test_p_is_never_zero():
    """Of 60 comparisons all are order-sensitive: 1e-60 is given as the smallest p, 1e-15."""
    assert class_counts(repeated(["SSS SSS"] * 60))["order_sensitive_p"].item() == 1e-15


def test_papers_order_sensitive_comparisons(paper_data):
    """claude-3-haiku, MTBench repetition: 10 order-sensitive, 1.5 expected from noise."""
    verdicts = read_verdicts("paper", paper_data, benchmark="MTBench", rule="first_match")
    table = class_counts(verdicts[verdicts["experiment"] == "repetition"]).set_index("judge")
    row = table.loc["claude-3-haiku-20240307"]

    assert row["order_sensitive"] == 10
    assert row["order_sensitive_expected"] == pytest.approx(1.5)
