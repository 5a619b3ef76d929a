"""JSON lines: what splits a line, what an id is, and what is refused."""

import pytest

from posbias_kit.data.json_rows import id_of, json_rows, read_json_lines
from posbias_kit.errors import ReadError


def test_lines_end_at_line_feeds_only(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes('\ufeff{"t": "one\u2028two\u0085"}\r\n \r\n{"t": "three"}'.encode())

    rows = read_json_lines(path)

    assert [row for _, row in rows] == [{"t": "one\u2028two\u0085"}, {"t": "three"}]
    assert [place for place, _ in rows] == [f"{path}, line 1", f"{path}, line 3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": \n', "line 2: not readable as JSON"),
        (b"[1, 2]\n", "line 1: '1' is no JSON object"),
        (b'{"a": "\\ud800"}\n', "line 1: not readable as JSON"),
        (b'{"a": 1}\n{"a": "\xff"}\n', "line 2: byte 0xff is not UTF-8"),
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf\n \n", "the file is empty"),
    ],
)
def test_broken_files_name_file_and_line(tmp_path, content, message):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)

    with pytest.raises(ReadError) as caught:
        read_json_lines(path)

    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_broken_element_costs_itself_alone(tmp_path):
    """Half a surrogate pair is JSON, but no text; the others are read, with their numbers."""
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"a": 1}, {"a": {"b": ["\\ud800"]}}, 7, {"a": "\\ud83d\\ude00"}]')
    rows = list(json_rows(path))

    assert [line for line, _ in rows] == [1, 2, 3, 4]
    assert [rows[0][1], rows[3][1]] == [{"a": 1}, {"a": "\U0001f600"}]
    assert rows[1][1].problem == "half of a surrogate pair, \\ud800, is no text"
    assert rows[2][1].problem == "'7' is no JSON object"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'[{"a": 1}, {"a": ]', "not readable as JSON"),
        (b'[{"a": 1}, {"a": "\xff"}]', "byte 0xff is not UTF-8"),
    ],
)
def test_an_array_that_is_none_is_one_row(tmp_path, content, problem):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    ((line, row),) = json_rows(path)

    assert line == 1
    assert row.problem.startswith(problem)


def test_missing_file(tmp_path):
    with pytest.raises(ReadError, match="no such file"):
        read_json_lines(tmp_path / "none.jsonl")


def test_ids_are_text():
    assert [id_of(value, "id", "here") for value in (81, "81", 81.0, "007", "81_DE")] == [
        "81",
        "81",
        "81",
        "007",
        "81_DE",
    ]


@pytest.mark.parametrize("value", [None, "", True, 81.5, ["81"]])
def test_other_ids_are_refused(value):
    with pytest.raises(ReadError, match="question_id is"):
        id_of(value, "question_id", "here")
