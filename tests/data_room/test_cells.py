"""Rows of tables: which line a row begins on, and what is no row."""

import pandas as pd
import pytest

from posbias_kit.data.layouts.cells import How, table_rows
from posbias_kit.errors import ReadError


def rows_of(path, content):
    path.write_bytes(content)
    return list(table_rows(path))


def test_lines_are_those_of_the_file(tmp_path):
    """A row begins where its first cell does; blank lines count, and are no rows."""
    content = b'\xef\xbb\xbf\nid,text\r\n1,"a\r\nb\r\nc"\r\n\r\n2,d\r\n3,"e\xe2\x80\xa8f"\r\n'
    rows = rows_of(tmp_path / "a.csv", content)

    assert [(line, row.number) for line, row in rows] == [(3, 1), (7, 2), (8, 3)]
    assert [row.values["text"] for _, row in rows] == ["a\r\nb\r\nc", "d", "e\u2028f"]


def test_long_cells(tmp_path):
    """Longer than the csv module allows by itself."""
    (row,) = rows_of(tmp_path / "a.tsv", b"id\ttext\n1\t" + b"x" * 200_000 + b"\n")

    assert len(row[1].values["text"]) == 200_000


@pytest.mark.parametrize(
    ("content", "problem", "cure"),
    [
        (b"id,v\n1\n2,b\n", "1 cells, but the header has 2", "needs double quotes"),
        (b"id,v\n1,a,b\n2,b\n", "3 cells, but the header has 2", "needs double quotes"),
        (b"id,v\n1,\xff\n2,b\n", "byte 0xff is not UTF-8", "save the file as UTF-8"),
        (b'id,v\n1,"a"x\n2,b\n', "not readable as CSV, up to line 2", "mend the quotes"),
        (b"id,v\n1,a\rx\n2,b\n", "new-line character seen in unquoted field", "mend the quotes"),
    ],
)
def test_a_bad_row_leaves_the_others(tmp_path, content, problem, cure):
    """It is told with its line; the next row is read."""
    (line, error), (_, row) = rows_of(tmp_path / "a.csv", content)

    assert line == 2
    assert isinstance(error, ReadError)
    assert problem in error.problem
    assert cure in error.cure
    assert row.values == {"id": "2", "v": "b"}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.csv", b'id,v\n1,"a\n2,b\n', "not readable as CSV, up to line 3: unexpected end of"),
        ("a.csv", b"id,v,id\n1,a,2\n", "columns stand twice in the header: 'id'"),
        ("a.csv", b'"id"x,v\n1,a\n', "not readable as CSV"),
        ("a.csv", b"\xff,v\n1,a\n", "byte 0xff is not UTF-8"),
        ("a.xlsx", b"id,v\n", "not readable as an Excel workbook"),
        ("a.parquet", b"PAR1", "not readable as a Parquet file"),
        ("a.txt", b"id,v\n", "not a table by its name, 'a.txt'"),
        ("a.json", b'[{"id": 1},', "not readable as JSON"),
    ],
)
def test_a_bad_file_is_one_bad_row(tmp_path, name, content, problem):
    """So that the other files of a folder are read."""
    ((_, error),) = rows_of(tmp_path / name, content)

    assert isinstance(error, ReadError)
    assert problem in error.problem
    assert error.cure


@pytest.mark.parametrize("content", [b"", b"\n\n", b"id,v\n", b"\xef\xbb\xbf"])
def test_no_rows(tmp_path, content):
    """Nothing, or a header alone."""
    assert rows_of(tmp_path / "a.csv", content) == []


def test_a_broken_archive(tmp_path):
    """Then the file cannot be read at all."""
    with pytest.raises(ReadError, match="not readable"):
        rows_of(tmp_path / "a.csv.gz", b"id,v\n")


def test_excel(tmp_path):
    """Whole numbers without a point, empty cells, empty rows, cells beside the table."""
    cells = [("id", "v", None), (7.0, "NA", None), (None,) * 3, ("007", None, None)]
    cells.append((1.5, "x", "stray"))
    pd.DataFrame(cells).to_excel(tmp_path / "a.xlsx", header=False, index=False)
    (_, first), (line, second), (_, third) = table_rows(tmp_path / "a.xlsx")

    assert first.values == {"id": "7", "v": "NA"}
    assert (line, second.values) == (4, {"id": "007", "v": None})
    assert third.problem == "3 cells, but the header has 2 (line 1: id, v)"


def test_parquet_keeps_types(tmp_path):
    """Numbers beside gaps stay whole; a gap is None."""
    table = pd.DataFrame({"id": pd.array([2**53 + 1, None], dtype="Int64"), "v": [True, False]})
    table.to_parquet(tmp_path / "a.parquet")
    rows = list(table_rows(tmp_path / "a.parquet"))

    assert [row.values for _, row in rows] == [
        {"id": 2**53 + 1, "v": True},
        {"id": None, "v": False},
    ]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.csv", b"\nv\nA\n\nB\n\n\n", [(3, 1, "A"), (4, 2, ""), (5, 3, "B")]),
        ("a.tsv", b'v\nA\n""\nB\n', [(2, 1, "A"), (3, 2, ""), (4, 3, "B")]),
        ("a.jsonl", b'{"v": "A"}\n\n{"v": "B"}\n\n', [(1, 1, "A"), (2, 2, None), (3, 3, "B")]),
        ("a.json", b'\n[{"v": "A"},\n\n{"v": "B"}]\n', [(1, 1, "A"), (2, 2, "B")]),
    ],
)
def test_blank_rows_count_where_rows_are_known_by_their_number(tmp_path, name, content, found):
    """Those inside; one at the end is none, nor a blank line inside an array."""
    path = tmp_path / name
    path.write_bytes(content)
    rows = list(table_rows(path, How(blank=True)))

    assert [(line, row.number, row.values.get("v")) for line, row in rows] == found


def test_blank_row_of_a_sheet(tmp_path):
    """It lies between two others, and has no verdict."""
    path = tmp_path / "a.xlsx"
    pd.DataFrame({"v": ["A", None, "B", None]}).to_excel(path, index=False)

    assert [row.values for _, row in table_rows(path, How(blank=True))] == [
        {"v": "A"}, {"v": None}, {"v": "B"}
    ]  # fmt: skip
    assert [row.number for _, row in table_rows(path)] == [1, 2]


def test_blank_line_of_several_columns_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"v,w\nA,1\n\nB,2\n")
    rows = list(table_rows(path, How(blank=True)))

    assert rows[1][0] == 3
    assert rows[1][1].problem == "0 cells, but the header has 2 (line 1: v, w)"
    assert rows[2][1].number == 3
