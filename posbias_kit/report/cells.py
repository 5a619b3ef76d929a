"""Cells of spreadsheets that cannot act: texts of models and people stay texts."""

import re

import pandas as pd

from posbias_kit.report.files import replacing

LONGEST = 32_000
"""Characters of a text in a spreadsheet's cell; a longer one is cut, and says so."""

_ACTS = re.compile(r"['=+\-@\t\r\n]")
_WAS_SAFE = re.compile(r"'['=+\-@\t\r\n]")


def safe_cell(text):
    """Return a text that no spreadsheet takes for a formula; :func:`plain_cell` undoes it.

    A text that begins with one of ``= + - @``, a tab, a line break or an apostrophe gets an
    apostrophe in front.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("fine"), plain_cell(safe_cell("'=1"))
    ("'=1+1", 'fine', "'=1")
    """
    return f"'{text}" if _ACTS.match(text) else text


def plain_cell(text):
    """Return the text that :func:`safe_cell` made safe."""
    return text[1:] if _WAS_SAFE.match(text) else text


def cut_cell(text):
    """Shorten a text that no spreadsheet's cell can hold, and say so at its end.

    Examples
    --------
    >>> cut_cell("x" * 40_000)[-20:]
    'the page or the CSV]'
    """
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} [cut: {len(text)} characters, see the page or the CSV]"


def cell_text(text):
    r"""Return a text as a spreadsheet's cell can hold it: cut, and without control signs.

    Examples
    --------
    >>> cell_text("one\r\ntwo") == "one\ntwo"
    True
    """
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    lines = cut_cell(text).replace("\r\n", "\n").replace("\r", "\n")
    return ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", lines)


def write_xlsx(frame, path, title, choices=None, wide=()):
    """Write a table as a spreadsheet of text and numbers, without a formula in it.

    Parameters
    ----------
    frame : DataFrame
    path : Path
    title : str
        Of the sheet, at most 31 characters.
    choices : dict, optional
        Column -> for each row the list of what may be entered there.
    wide : sequence of str
        Columns of long texts: wide, with their lines wrapped.
    """
    from openpyxl import Workbook  # half a second that only this needs
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    sheet.title = title
    for column, name in enumerate(frame.columns, start=1):
        _fill(sheet.cell(1, column), name)
        sheet.cell(1, column).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(column)].width = 60 if name in wide else 16
        for row, value in enumerate(frame[name], start=2):
            cell = sheet.cell(row, column)
            _fill(cell, value)
            if name in wide:
                cell.alignment = Alignment(wrap_text=True, vertical="top")
            if name in (choices or {}):
                allowed = ",".join(choices[name][row - 2])
                rule = DataValidation(type="list", formula1=f'"{allowed}"', allow_blank=True)
                sheet.add_data_validation(rule)
                rule.add(cell)
    sheet.freeze_panes = "A2"
    with replacing(path) as temporary:
        book.save(temporary)


def _fill(cell, value):
    """Put text into a cell as text, whatever it begins with, and numbers as numbers."""
    if isinstance(value, str):
        cell.value = cell_text(value)
        cell.data_type = "s"
        cell.quotePrefix = bool(_ACTS.match(value))
    elif value is not None and not pd.isna(value):
        cell.value = value.item() if hasattr(value, "item") else value
