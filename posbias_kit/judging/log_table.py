"""What the judgment log holds: its columns, the identity of a call, and how it is read."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pandas as pd

from posbias_kit.errors import ReadError
from posbias_kit.schema import PRESENTATION_KEY

VERSION = 1
_KINDS = {"TEXT": "str", "INTEGER": "Int64", "REAL": "float64"}
COLUMNS = {
    "call": "TEXT",  # identity of the call
    "attempt": "INTEGER",  # 1.. over all runs
    "judge": "TEXT",
    "settings": "TEXT",  # JSON: as configured, part of the identity
    "endpoint": "TEXT",
    "template": "TEXT",
    "prompt_digest": "TEXT",
    **dict.fromkeys(PRESENTATION_KEY, "TEXT"),
    "shown": "TEXT",
    "repeat": "INTEGER",
    "format": "TEXT",
    "slots": "INTEGER",
    "options": "INTEGER",
    "status": "TEXT",
    "reason": "TEXT",
    "choice": "INTEGER",
    "margin": "REAL",
    "sent": "TEXT",  # JSON: settings as sent
    "raw": "TEXT",
    "text": "TEXT",
    "reasoning": "TEXT",
    "logprobs": "TEXT",
    "stop_reason": "TEXT",
    "input_tokens": "INTEGER",
    "cached_tokens": "INTEGER",
    "output_tokens": "INTEGER",
    "reasoning_tokens": "INTEGER",
    "cost": "REAL",
    "latency": "REAL",  # seconds
    "request_id": "TEXT",
    "model": "TEXT",  # as returned
    "time": "TEXT",  # when the attempt began, ISO 8601 in UTC
    "error": "TEXT",
    "message": "TEXT",
}
"""The log's columns, with the types of SQLite."""

_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_NEEDED = {"call", "attempt", "judge", "settings", "prompt_digest", *PRESENTATION_KEY, "repeat",
           "status"}  # fmt: skip
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS attempts (id INTEGER PRIMARY KEY, {
    ", ".join(
        f'"{name}" {kind}{" NOT NULL" if name in _NEEDED else ""}' for name, kind in COLUMNS.items()
    )
}, UNIQUE ("call", attempt));
CREATE UNIQUE INDEX IF NOT EXISTS one_verdict ON attempts ("call") WHERE status = 'ok';
CREATE TRIGGER IF NOT EXISTS no_update BEFORE UPDATE ON attempts
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER IF NOT EXISTS no_delete BEFORE DELETE ON attempts
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
PRAGMA user_version = {VERSION};
COMMIT;
"""
"""All at once: a process killed on the way leaves no log without its version."""
INSERT = f"INSERT INTO attempts ({_NAMES}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
# MAX picks the row that the other columns come from: a verdict before a reply before a failure.
_STATES = """
SELECT "call", status, reason, choice, margin, COUNT(*),
    MAX(CASE status WHEN 'ok' THEN 2 WHEN 'invalid' THEN 1 ELSE 0 END * (1 << 50) + id)
FROM attempts GROUP BY "call"
"""
TOTALS = """
SELECT COUNT(*), COALESCE(SUM(COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)), 0),
    COALESCE(SUM(cost), 0.0) FROM attempts
"""
REPLIES = """
SELECT "call", model, json_extract(sent, '$.not_sent'), reason FROM attempts
WHERE judge = ? AND status <> 'failed'
"""


class State(NamedTuple):
    """What the log knows of a call: its best attempt, and how many there were."""

    status: str
    reason: str
    choice: int | None
    margin: float | None
    attempts: int


class Totals(NamedTuple):
    """What judging has used up."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


def identify_call(judge, settings, prompt_digest, presentation, repeat):
    """Return the identity of a call.

    Parameters
    ----------
    judge : str
    settings : dict
        As configured to be sent.
    prompt_digest : str
    presentation : sequence of str
        Values of :data:`posbias_kit.schema.PRESENTATION_KEY`; the arm is one of them.
    repeat : int

    Returns
    -------
    str

    Examples
    --------
    >>> call = ("j", {"model": "m"}, "d", ("MTBench", "", "", "", "c", "AB"))
    >>> identify_call(*call, 1) == identify_call(*call, 1) != identify_call(*call, 2)
    True
    """
    key = [judge, settings, prompt_digest, list(presentation), int(repeat)]
    text = json.dumps(key, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_states(path):
    """Return what a log knows of each call, identity -> State; empty without a log."""
    path = Path(path)
    if not path.is_file():
        return {}
    with closing(open_to_read(path)) as file:
        return select_states(file)


def read_totals(path):
    """Return what a log has used up; nothing without a log."""
    path = Path(path)
    if not path.is_file():
        return Totals()
    with closing(open_to_read(path)) as file:
        return Totals(*file.execute(TOTALS).fetchone())


def iterate_log(path):
    """Yield the attempts of a log in the order of writing, each as a dict."""
    with closing(open_to_read(path)) as file:
        for values in file.execute(f"SELECT {_NAMES} FROM attempts ORDER BY id"):  # noqa: S608
            yield dict(zip(COLUMNS, values, strict=True))


def read_log(path):
    """Return the attempts of a log as a table.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    DataFrame
        One row an attempt; columns as :data:`COLUMNS`.

    Raises
    ------
    ReadError
        The file is missing, or no log of this version.
    """
    frame = pd.DataFrame(list(iterate_log(path)), columns=list(COLUMNS))
    return frame.astype({name: _KINDS[kind] for name, kind in COLUMNS.items()})


def select_states(file):
    """Return the state of each call in an open log."""
    return {call: State(*rest) for call, *rest, _ in file.execute(_STATES)}


def open_to_read(path):
    """Open a log that nobody may change through this connection."""
    path = Path(path)
    if not path.is_file():
        raise ReadError("no such judgment log", place=str(path), cure="run the study first")
    file = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
    try:
        check_version(file, path)
    except sqlite3.DatabaseError as error:
        file.close()
        raise unreadable(path, error) from None
    return file


def check_version(file, path):
    """Refuse a file that is no log of this version."""
    (version,) = file.execute("PRAGMA user_version").fetchone()
    tables = file.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if tables and version != VERSION:
        raise unreadable(path, f"version {version}, this kit reads {VERSION}", version > VERSION)


def unreadable(path, why, newer=False):
    """Return the error that says why a file is no log."""
    newer = "take the newer version of the kit that wrote it, or " if newer else ""
    return ReadError(
        f"not readable as a judgment log: {why}",
        place=str(path),
        cure=f"{newer}move the file aside; judging starts a new one",
    )
