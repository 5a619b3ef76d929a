"""Rows of a table, whatever holds it: CSV, TSV, JSON, Excel or Parquet."""

import csv
import zipfile
import zlib
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from posbias_kit.data.json_rows import json_rows, not_utf8, open_bytes
from posbias_kit.data.layouts.grid import grid_rows
from posbias_kit.errors import ReadError

_LONGEST = 2**30  # characters of a cell; the csv module's own limit is 131,072


class How(NamedTuple):
    """How a table is read."""

    blank: bool = False
    """Whether blank rows count, those at the end apart: where rows are known by their number."""
    sheet: str | None = None
    """Sheet of a workbook, where several hold something."""
    separator: str | None = None
    """Of the cells of CSV; none: the comma, in TSV the tab."""


class Cells(NamedTuple):
    """One row of a table."""

    number: int
    """Of the row among the rows of its file, from 1."""
    values: dict
    """Column -> value. In CSV, TSV and Excel every value is text; an empty Excel cell is None."""


def table_rows(path, how=None):
    r"""Read the rows of a table; the ending of its name says what kind it is.

    Parameters
    ----------
    path : str or Path
        csv, tsv, json or jsonl, also with .gz; xlsx or parquet.
    how : How, optional

    Yields
    ------
    line : int
        CSV and TSV: the line of the file on which the row begins; Excel: the row of the sheet;
        else as :func:`posbias_kit.data.json_rows.json_rows`.
    row : Cells or ReadError

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text('id,winner\n007,"left\nor right"\nNA,None\n')
    ...     [(line, row.number, list(row.values.values())) for line, row in table_rows(path)]
    [(2, 1, ['007', 'left\nor right']), (4, 2, ['NA', 'None'])]
    """
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    rows = _KINDS.get(ending, _no_rows)(path, how or How())
    for number, (line, row) in enumerate(rows, start=1):
        yield line, row if isinstance(row, ReadError) else Cells(number, row)


def _no_rows(path, how):
    yield (
        1,
        ReadError(
            f"not a table by its name, {Path(path).name!r}",
            allowed=", ".join(_KINDS),
            cure="save the table as one of these",
        ),
    )


def _csv_rows(path, how, separator=","):
    csv.field_size_limit(_LONGEST)
    with open_bytes(path) as file:
        text = TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="\n")
        reader = csv.reader(text, delimiter=how.separator or separator, strict=True)
        # A blank line is how a lone empty cell may be written.
        yield from grid_rows(
            _records(reader),
            how.blank,
            lambda cells, columns: cells or [""] * (columns == 1),
            "mend the row; a cell that holds the separator needs double quotes",
        )


def _tsv_rows(path, how):
    return _csv_rows(path, how, "\t")


def _records(reader):
    """Yield (line on which it begins, cells or ReadError)."""
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
            "".join(cells).encode()
        except StopIteration:
            return
        except csv.Error as error:
            cells = ReadError(
                f"not readable as CSV, up to line {reader.line_num}: {error}",
                allowed='cells in double quotes, "" for a double quote inside',
                cure="mend the quotes",
            )
        except UnicodeEncodeError as error:
            byte = ord(error.object[error.start]) - 0xDC00
            cells = not_utf8(byte, first=line == 1 and error.start == 0)
        yield line, cells


def _excel_rows(path, how):
    """Yield the rows of a sheet; a whole number is written without a point."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    broken = (InvalidFileException, zipfile.BadZipFile, zlib.error, OSError, EOFError, LookupError,
              SyntaxError, TypeError, ValueError)  # fmt: skip
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        yield from _book_rows(book.worksheets, how)
        book.close()
    except broken as error:
        yield 1, _unreadable("an Excel workbook", error)


def _book_rows(sheets, how):
    if how.sheet is not None:
        filled = [sheet for sheet in sheets if sheet.title == how.sheet]
    else:
        filled = [sheet for sheet in sheets if any(cells for _, cells in _sheet_cells(sheet))]
    if how.sheet is not None and not filled:
        yield 1, _which(f"no sheet {how.sheet!r}", sheets, "correct the mapping's `sheet`")
    elif len(filled) > 1:
        what = f"{len(filled)} sheets hold something"
        yield 1, _which(what, filled, "name the one to read in the mapping: `sheet`")
    for sheet in filled if len(filled) == 1 else ():
        yield from grid_rows(
            _sheet_cells(sheet),
            how.blank,
            lambda cells, columns: cells + [None] * (columns - len(cells)),
            f"mend the row, or delete what stands above the header of sheet {sheet.title!r}",
        )


def _which(problem, sheets, cure):
    return ReadError(problem, allowed=", ".join(repr(s.title) for s in sheets), cure=cure)


def _sheet_cells(sheet):
    rows = enumerate(sheet.iter_rows(values_only=True), start=1)
    return ((line, _trimmed(cells)) for line, cells in rows)


def _trimmed(cells):
    """Return the cells as text, without the empty ones at the end."""
    texts = [None if value is None else _text(value) for value in cells]
    while texts and texts[-1] is None:
        texts.pop()
    return texts


def _text(value):
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _json_rows(path, how):
    """Yield the objects; a blank line between them has no key."""
    last = 0
    for line, row in json_rows(path):
        for number in range(last + 1, line) if how.blank else ():
            yield number, {}
        yield line, row
        last = line


def _parquet_rows(path, how):
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            rows = (row for batch in file.iter_batches() for row in batch.to_pylist())
            yield from enumerate(rows, start=1)
    except (pyarrow.ArrowException, OSError) as error:
        yield 1, _unreadable("a Parquet file", error)


def _unreadable(what, error):
    return ReadError(f"not readable as {what}: {error}", cure="save or copy the file again")


_KINDS = {
    ".csv": _csv_rows,
    ".tsv": _tsv_rows,
    ".json": _json_rows,
    ".jsonl": _json_rows,
    ".xlsx": _excel_rows,
    ".parquet": _parquet_rows,
}
