"""Rows of JSON lines and JSON arrays, plain or gzipped; ids as text."""

import gzip
import json
import zlib
from contextlib import contextmanager
from pathlib import Path

from pydantic_core import from_json

from posbias_kit.errors import ReadError

_MARK = b"\xef\xbb\xbf"


def json_rows(path):
    """Read the objects of a file, JSON lines or one JSON array, whichever it holds.

    Lines end at line feeds only (a carriage return before it is dropped), so that characters
    like U+2028 may stand inside a text. Blank lines and a byte-order mark are skipped, and a
    file whose name ends in ``.gz`` is unpacked.

    Parameters
    ----------
    path : str or Path

    Yields
    ------
    line : int
        Number of the line; in an array that of the element. From 1.
    row : dict or ReadError
        The object, or why there is none in this line.

    Raises
    ------
    ReadError
        The file is missing, or cannot be unpacked.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.json")
    ...     _ = path.write_text('[{"id": 1}, {"id": "007"}]')
    ...     list(json_rows(path))
    [(1, {'id': 1}), (2, {'id': '007'})]
    """
    with open_bytes(path) as file:
        yield from _rows(file)


def read_json_lines(path):
    """Read all objects of a file at once, each with its place, and refuse what is broken.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    list of (str, dict)
        Place (file and line number, for messages) and object.

    Raises
    ------
    ReadError
        The file is missing or empty, or one of its lines is no JSON object.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.jsonl")
    ...     _ = path.write_text('{"id": 1}' + chr(10) * 2 + '{"id": "007"}')
    ...     [(place.rpartition(", ")[2], row) for place, row in read_json_lines(path)]
    [('line 1', {'id': 1}), ('line 3', {'id': '007'})]
    """
    if not Path(path).is_file():
        raise ReadError("no such file", place=str(path), cure="check the path")
    rows = [(f"{path}, line {line}", row) for line, row in json_rows(path)]
    for place, row in rows:
        if isinstance(row, ReadError):
            raise ReadError(row.problem, place=place, allowed=row.allowed, cure=row.cure)
    if not rows:
        raise ReadError(
            "the file is empty",
            place=str(path),
            allowed="one JSON object a line",
            cure="write the file again, or remove it",
        )
    return rows


def id_of(value, key, place=""):
    """Return an id as text: 81 and "81" are the same, "007" keeps its zeros, "None" is a name.

    >>> id_of(81, "question_id"), id_of("007", "question_id"), id_of("None", "model")
    ('81', '007', 'None')
    """
    if isinstance(value, str) and value:
        return value
    if type(value) is int:  # which a bool is not
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    raise ReadError(
        f"{key} is {value!r}",
        place=place,
        allowed="a text or a whole number",
        cure=f"give the row its {key}",
    )


@contextmanager
def open_bytes(path):
    """Open a file for reading, unpacked where its name ends in ``.gz``.

    What goes wrong while the block reads is raised as ReadError.
    """
    path = Path(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(
            f"not readable: {error}",
            place=str(path),
            cure="check the path, and copy the file again",
        ) from None


def _rows(file):
    start = _first_line(file)
    if start is None:
        return
    first, line = start
    if line.lstrip().startswith(b"["):
        yield from _elements(line + file.read())
        return
    yield first, _parse(line)
    for number, line in enumerate(file, start=first + 1):
        if line.strip():
            yield number, _parse(line)


def _first_line(file):
    for number, line in enumerate(file, start=1):
        line = line.removeprefix(_MARK) if number == 1 else line
        if line.strip():
            return number, line
    return None


def _elements(data):
    array = _parse(data, list)
    if isinstance(array, ReadError):
        try:  # One text that is none must not cost the other elements.
            array = [_checked(row) for row in json.loads(data, strict=False)]
        except (ValueError, RecursionError):
            array = [array]
    for number, row in enumerate(array, start=1):
        yield number, row if isinstance(row, dict | ReadError) else _no_object(row)


def _checked(row):
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        problem = f"half of a surrogate pair, {half.encode('unicode-escape').decode()}, is no text"
        return ReadError(problem, allowed="whole characters", cure="mend or remove the element")
    return row


def _parse(line, kind=dict):
    try:
        # Three times as fast as json.loads, and it refuses the escaped half of a surrogate pair,
        # which is JSON but no text: no table could hold it.
        row = from_json(line, cache_strings="keys")
    except ValueError as error:
        return _no_json(line, error)
    return row if isinstance(row, kind) else _no_object(row)


def _no_json(line, error):
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return not_utf8(line[wrong.start], first=wrong.start == 0)
    return ReadError(
        f"not readable as JSON: {error}",
        allowed="one JSON object a line, or one JSON array",
        cure="mend or remove the line",
    )


def not_utf8(byte, first):
    """Return the error of a byte that is not UTF-8; `first` is whether the text begins with it.

    >>> not_utf8(0xE9, first=False).problem
    'byte 0xe9 is not UTF-8'
    """
    other = "; the file looks like UTF-16" if first and byte in (0xFE, 0xFF) else ""
    return ReadError(
        f"byte {byte:#04x} is not UTF-8{other}",
        cure="save the file as UTF-8 (in Excel: CSV UTF-8)",
    )


def _no_object(value):
    return ReadError(
        f"{str(value)[:60]!r} is no JSON object",
        allowed="a JSON object",
        cure="mend or remove the line",
    )
