"""Cells that a spreadsheet cannot take for a formula."""

import csv

import pandas as pd
import pytest
from openpyxl import load_workbook

from posbias_kit.report.cells import LONGEST, plain_cell, safe_cell, write_xlsx
from posbias_kit.report.worksheet import sheet_html, write_safe_csv

HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "'", "''=1", "plain", ""]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_made_safe_comes_back(text):
    """No text is lost, and none begins like a formula."""
    assert plain_cell(safe_cell(text)) == text
    assert safe_cell(text)[:1] not in tuple("=+-@\t\r\n")


def test_spreadsheet_holds_no_formula(tmp_path):
    """Every cell is text or a number; what no cell can hold is replaced or cut, and says so."""
    texts = [*HOSTILE, "bell \x07", "x" * 40_000]
    frame = pd.DataFrame({"text": texts, "number": range(len(texts))})
    write_xlsx(frame, tmp_path / "a.xlsx", "a", {"text": [["yes", "no"]] * len(texts)})
    sheet = load_workbook(tmp_path / "a.xlsx").active
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]

    assert {cell.data_type for cell in cells if cell.value is not None} == {"s"}
    assert cells[0].value == "=1+1"
    assert cells[0].quotePrefix
    assert cells[-2].value == "bell \N{REPLACEMENT CHARACTER}"
    assert cells[-1].value.startswith("x" * LONGEST)
    assert "40000 characters" in cells[-1].value
    assert sheet["B2"].value == 0
    assert len(sheet.data_validations.dataValidation) == len(texts)


def test_csv_is_safe(tmp_path):
    """No field begins like a formula."""
    write_safe_csv(pd.DataFrame({"text": HOSTILE}), tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *told = (field for (field,) in csv.reader(file))

    assert head == "text"
    assert [text for text in told if text[:1] in tuple("=+-@\t\r\n")] == []
    assert [plain_cell(text) for text in told] == HOSTILE


def test_sortable_page_escapes_its_texts():
    """A name is text, and the only script is the page's own."""
    page = sheet_html(pd.DataFrame({"<b>": ["<script>alert(1)</script>"]}), "A <i>")

    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert "<title>A &lt;i&gt;</title>" in page
    assert "default-src 'none'" in page
