"""Faults that users of other tools reported: each has a test that carries its number.

B01 to B06 are about parsing (test_parsing.py), B02 also about candidates' texts
(analysis/test_parser_audit.py), B07 and B08 about counting (analysis/).
"""

import re
from pathlib import Path

import pytest
from verdict_tables import pairs

from posbias_kit.analysis import verdict_counts

TESTS = Path(__file__).parent


@pytest.mark.parametrize("number", range(1, 9))
def test_each_case_has_a_named_test(number):
    texts = (path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))

    assert any(re.search(rf"^def test_b{number:02}_\w+\(", text, re.M) for text in texts)


def test_b08_shares_add_up_to_one():
    """1 win, 1 loss, 98 ties, both orders agreeing; the shares are of all verdicts."""
    row = verdict_counts(pairs(["FS", "SF"] + ["TT"] * 98), by=("judge",)).iloc[0]
    shares = row[["slot_1", "slot_2", "tie"]] / row["asked"]

    assert shares.tolist() == [0.01, 0.01, 0.98]


def test_b08_a_run_without_ties_shows_none():
    row = verdict_counts(pairs(["FS"]), by=("judge",)).iloc[0]

    assert row["tie"] == 0
