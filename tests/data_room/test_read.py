"""Readers by name."""

import warnings

from paper_files import message_of, write_record

from posbias_kit.data import read_verdicts
from posbias_kit.errors import ParamsError, TableError


def test_read_verdicts_by_name(tmp_path):
    write_record(tmp_path / "one", ("1", "x", "y", "[[A]]"))
    write_record(tmp_path / "two", ("1", "x", "y", "[[B]]"), judge="claude")
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        both = read_verdicts("paper", tmp_path / "one", tmp_path / "two", rule="first_match")

        assert both[["judge", "choice"]].values.tolist() == [["gpt", 1], ["claude", 2]]
        assert "share a key" in message_of(
            TableError, read_verdicts, "paper", tmp_path / "one", tmp_path / "one"
        )
    assert "allowed: verdicts, paper, swap_columns" in message_of(
        ParamsError, read_verdicts, "papyrus", tmp_path
    )
    assert "unknown value 'rules'" in message_of(
        ParamsError, read_verdicts, "paper", tmp_path, rules="strict"
    )
    assert "no path given" in message_of(ParamsError, read_verdicts, "paper")
