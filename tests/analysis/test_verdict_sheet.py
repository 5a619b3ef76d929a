"""The worksheet with verdicts mapped to answers."""

from posbias_kit.analysis import verdict_sheet, worksheet
from tests.verdict_tables import repeated, sets


def test_every_verdict_stands_there_as_the_answer_it_names():
    """FFS in AB: a, a, b; STI in BA: a, TIE, and no verdict."""
    row = verdict_sheet(repeated(["FFS STI"])).iloc[0]

    assert row["ab_verdicts"] == "a, a, b"
    assert row["ba_verdicts"] == "a, TIE, –invalid"
    assert row["ab_distribution"] == "a 2, b 1"
    assert row["ba_distribution"] == "a 1, TIE 1"
    assert row["distribution"] == "a 3, b 1, TIE 1"


def test_classes_are_those_of_the_worksheet():
    """Stable, order-sensitive and unstable, and why there is no class."""
    verdicts = repeated(["FFF SSS", "FFF FFF", "FSF SFS", "FF SS", "EE EE"])
    sheet, other = verdict_sheet(verdicts), worksheet(verdicts)

    assert sheet["class"].tolist() == other["class"].tolist()
    assert sheet["class"].tolist()[:2] == ["stable", "order_sensitive_first"]
    assert sheet["reason"].tolist() == other["reason"].tolist()
    assert sheet["ab_verdicts"].iloc[-1] == "identical, identical"


def test_lists_have_a_column_for_each_order():
    """Three cyclic orders of a set."""
    row = verdict_sheet(sets(["213"])).iloc[0]

    assert [row[f"r{turn}_verdicts"] for turn in range(3)] == ["b", "b", "b"]
    assert row["distribution"] == "b 3"


def test_no_verdict_at_all_leaves_the_distributions_empty():
    """Calls that failed are named; there is nothing to count."""
    row = verdict_sheet(repeated(["XX XX"])).iloc[0]

    assert row[["ab_verdicts", "ab_distribution", "distribution"]].tolist() == [
        "–failed, –failed", "", ""
    ]  # fmt: skip
