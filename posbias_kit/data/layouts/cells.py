"""Rows of a table, whatever holds it: CSV, TSV, JSON, Excel or Parquet."""

import csv
import zipfile
import zlib
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from posbias_kit.data.json_rows import json_rows, open_bytes
from posbias_kit.errors import ReadError

_LONGEST = 2**30  # characters of a cell; the csv module's own limit is 131,072


class Cells(NamedTuple):
    """One row of a table."""

    number: int
    """Of the row among the rows of its file, from 1."""
    values: dict
    """Column -> value. In CSV, TSV and Excel every value is text; an empty Excel cell is None."""


def table_rows(path, blank=False):
    r"""Read the rows of a table; the ending of its name says what kind it is.

    Parameters
    ----------
    path : str or Path
        csv, tsv, json or jsonl, also with .gz; xlsx (the first sheet) or parquet.
    blank : bool
        Whether blank rows count, those at the end apart: where rows are known by their number.

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
    rows = _KINDS.get(ending, _no_rows)(path, blank)
    for number, (line, row) in enumerate(rows, start=1):
        yield line, row if isinstance(row, ReadError) else Cells(number, row)


def _no_rows(path, blank):
    yield (
        1,
        ReadError(
            f"not a table by its name, {Path(path).name!r}",
            allowed=", ".join(_KINDS),
            cure="save the table as one of these",
        ),
    )


def _csv_rows(path, blank, delimiter=","):
    csv.field_size_limit(_LONGEST)
    with open_bytes(path) as file:
        text = TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="\n")
        yield from _parsed(csv.reader(text, delimiter=delimiter, strict=True), blank)


def _tsv_rows(path, blank):
    return _csv_rows(path, blank, "\t")


def _filled(records, blank):
    """Yield the records without those that are empty, or, with `blank`, without the last ones."""
    waiting = []
    for line, cells in records:
        if cells:
            yield from waiting
            waiting = []
            yield line, cells
        elif blank:
            waiting.append((line, cells))


def _parsed(reader, blank):
    """Yield (line, row) of a CSV reader."""
    records = _records(reader)
    line, header = next(_filled(records, blank=False), (1, []))
    problem = header if isinstance(header, ReadError) else _broken_header(header)
    if problem:
        yield line, problem
        return
    for line, cells in _filled(records, blank):
        lone = [""] if len(header) == 1 else []  # a blank line is how a lone empty cell is written
        yield line, cells if isinstance(cells, ReadError) else _row(header, cells or lone)


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
            cells = ReadError(f"byte {byte:#04x} is not UTF-8", cure="save the file as UTF-8")
        yield line, cells


def _broken_header(header):
    twice = sorted({name for name in header if header.count(name) > 1})
    if not twice:
        return None
    return ReadError(
        f"columns stand twice in the header: {', '.join(map(repr, twice))}",
        allowed="different names",
        cure="rename the columns; no row of this file was read",
    )


def _row(header, cells):
    if len(cells) != len(header):
        return ReadError(
            f"{len(cells)} cells, but the header has {len(header)}",
            allowed="a cell for each column",
            cure="mend the row; a cell that holds the separator needs double quotes",
        )
    return dict(zip(header, cells, strict=True))


def _excel_rows(path, blank):
    """Yield the rows of the first sheet; a whole number is written without a point."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    broken = (InvalidFileException, zipfile.BadZipFile, zlib.error, OSError, EOFError, LookupError,
              SyntaxError, TypeError, ValueError)  # fmt: skip
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        yield from _sheet_rows(book.worksheets[0], blank)
        book.close()
    except broken as error:
        yield 1, _unreadable("an Excel workbook", error)


def _sheet_rows(sheet, blank):
    rows = enumerate(sheet.iter_rows(values_only=True), start=1)
    records = ((line, _trimmed(cells)) for line, cells in rows)
    line, header = next(_filled(records, blank=False), (1, []))
    if problem := _broken_header(header):
        yield line, problem
        return
    for line, cells in _filled(records, blank):
        yield line, _row(header, cells + [None] * (len(header) - len(cells)))


def _trimmed(cells):
    """Return the cells as text, without the empty ones at the end."""
    texts = [None if value is None else _text(value) for value in cells]
    while texts and texts[-1] is None:
        texts.pop()
    return texts


def _text(value):
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _json_rows(path, blank):
    """Yield the objects; a blank line between them has no key."""
    last = 0
    for line, row in json_rows(path):
        for number in range(last + 1, line) if blank else ():
            yield number, {}
        yield line, row
        last = line


def _parquet_rows(path, blank):
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
