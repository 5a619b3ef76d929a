"""Entries of sheets: files that say the same, long texts, and what a spreadsheet does to a text."""

import csv

import pandas as pd
import pytest
from openpyxl import load_workbook

from posbias_kit.report.blind import KEY
from posbias_kit.report.cells import write_xlsx
from posbias_kit.report.review_files import ENTRY
from posbias_kit.report.review_import import read_sheet, take_reviews
from posbias_kit.report.review_store import read_reviews
from posbias_kit.report.worksheet import write_safe_csv

PLACED = {"reviewer": "anna", "item": "bcdf", "benchmark": "B", "experiment": "", "arm": "",
          "turn": "", "comparison": "c", "question": "q", "digest": "d"}  # fmt: skip
KEYS = pd.DataFrame([{**PLACED, "candidate": name, "answer": f"{name * 4}"} for name in "xz"])[KEY]
ANSWERS = pd.DataFrame([{"benchmark": "B", "question": "q", "candidate": name, "digest": "d"}
                        for name in "xz"])  # fmt: skip


def entry(decision, explanation="because", number=2):
    """Return one row of anna's sheet."""
    return (number, {"sheet": "s", "reviewer": "anna", "item": "bcdf", "decision": decision,
                     "explanation": explanation})  # fmt: skip


@pytest.fixture
def none(tmp_path):
    """Return the table of reviews before anybody has reviewed."""
    return read_reviews(tmp_path)


def counts_of(taken):
    """Return the counts that are not 0."""
    return {name: count for name, count in taken.counts.items() if count}


def test_files_that_differ_do_not_flip_a_decision(none):
    """Neither entry is believed: both are refused by file and row, at every import."""
    sheets = [("a.csv", [entry("TIE")]), ("a.xlsx", [entry("xxxx")])]
    first = take_reviews(sheets, KEYS, ANSWERS, none)
    again = take_reviews(sheets, KEYS, ANSWERS, first.reviews)

    assert counts_of(first) == counts_of(again) == {"refused": 2}
    assert again.reviews.empty
    assert first.refused["problem"].unique().tolist() == [
        "the item stands in a.csv, row 2 and in a.xlsx, row 2, and differs"
    ]


def test_files_that_say_the_same_are_both_taken(none):
    """Page and spreadsheet of one reviewer: one decision."""
    sheets = [("a.csv", [entry("TIE")]), ("b.csv", [entry("tie"), entry("TIE", number=3)])]
    taken = take_reviews(sheets, KEYS, ANSWERS, none)

    assert counts_of(taken) == {"new": 1, "unchanged": 2}


def test_a_row_mended_in_another_file_is_taken(none):
    """A refused entry does not stand in the way of the right one."""
    sheets = [("a.csv", [entry("nobody")]), ("b.csv", [entry("TIE")])]

    assert counts_of(take_reviews(sheets, KEYS, ANSWERS, none)) == {"new": 1, "refused": 1}


@pytest.mark.parametrize("text", ["one\r\ntwo\rthree", "bell \x07 rings", "x" * 33_005])
def test_a_spreadsheet_revises_no_explanation(none, tmp_path, text):
    """What a cell cannot hold is no change by the reviewer; another text is."""
    first = take_reviews([("a.csv", [entry("TIE", text)])], KEYS, ANSWERS, none)
    write_xlsx(pd.DataFrame([entry("TIE", text)[1]]), tmp_path / "a.xlsx", "review")
    sheet = read_sheet(tmp_path / "a.xlsx")
    back = take_reviews([("a.xlsx", sheet)], KEYS, ANSWERS, first.reviews)
    other = take_reviews([("a.csv", [entry("TIE", f"{text}!")])], KEYS, ANSWERS, first.reviews)

    assert counts_of(back) == {"unchanged": 1}
    assert back.reviews["explanation"].tolist() == [text]
    assert counts_of(other) == {"revised": 1}


def test_long_texts_are_read_whole(tmp_path):
    """A request of 200,000 characters; the reader's limit is as before afterwards."""
    limit = csv.field_size_limit()
    row = dict.fromkeys(ENTRY, "x") | {"request": "long " * 40_000}
    write_safe_csv(pd.DataFrame([row]), tmp_path / "a.csv")

    assert read_sheet(tmp_path / "a.csv") == [(2, dict.fromkeys(ENTRY, "x"))]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_sheet_saved_with_another_separator_is_read(tmp_path, between):
    """A spreadsheet program of another language saves semicolons."""
    row = dict.fromkeys(ENTRY, "x, y; z")
    with (tmp_path / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, ENTRY, delimiter=between)
        writer.writeheader()
        writer.writerow(row)

    assert read_sheet(tmp_path / "a.csv") == [(2, row)]


def test_a_sheet_in_front_of_the_review_is_passed_over(tmp_path):
    """Somebody put notes of their own before it."""
    write_xlsx(pd.DataFrame([dict.fromkeys(ENTRY, "x")]), tmp_path / "a.xlsx", "review")
    book = load_workbook(tmp_path / "a.xlsx")
    book.create_sheet("notes", 0)["A1"] = "mine"
    book.save(tmp_path / "a.xlsx")

    assert read_sheet(tmp_path / "a.xlsx") == [(2, dict.fromkeys(ENTRY, "x"))]
