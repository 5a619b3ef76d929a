"""JSON lines in, each row with the number of its line; ids as text."""

import json
from pathlib import Path

from posbias_kit.errors import ReadError


def read_json_lines(path):
    """Read the objects of a JSON-lines file, each with its place.

    Lines end at line feeds only (a carriage return before it is dropped), so that characters
    like U+2028 may stand inside a text. Blank lines and a byte-order mark are skipped.

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
        The file is missing, empty or not UTF-8, or a line is no JSON object.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.jsonl")
    ...     _ = path.write_text('{"id": 1}' + chr(10) * 2 + '{"id": "007"}')
    ...     [(place.rpartition(", ")[2], row) for place, row in read_json_lines(path)]
    [('line 1', {'id': 1}), ('line 3', {'id': '007'})]
    """
    path = Path(path)
    if not path.is_file():
        raise ReadError("no such file", place=str(path), cure="check the path")
    rows = []
    for number, line in enumerate(_decode(path).split("\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            rows.append((place, _parse(line, place)))
    if not rows:
        raise ReadError(
            "the file is empty",
            place=str(path),
            allowed="one JSON object a line",
            cure="write the file again, or remove it",
        )
    return rows


def id_text(value, key, place):
    """Return an id as text: 81 and "81" are the same id, "007" keeps its zeros.

    >>> id_text(81, "question_id", "question.jsonl, line 1")
    '81'
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise ReadError(
        f"{key} is {value!r}",
        place=place,
        allowed="a text or a whole number",
        cure=f"give the row its {key}",
    )


def _decode(path):
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"byte {data[error.start]:#04x} is not UTF-8",
            place=f"{path}, line {number}",
            cure="save the file as UTF-8",
        ) from None


def _parse(line, place):
    try:
        row = json.loads(line)
        # An escaped half of a surrogate pair is JSON, but no text: no table could hold it.
        json.dumps(row, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"not readable as JSON: {error}",
            place=place,
            allowed="one JSON object a line",
            cure="mend or remove the line",
        ) from None
    if not isinstance(row, dict):
        raise ReadError(
            f"{line.strip()[:60]!r} is no JSON object",
            place=place,
            allowed="one JSON object a line",
            cure="a JSON array has to be written one element a line",
        )
    return row
