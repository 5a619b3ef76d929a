"""Batches in the judgment log: what was sent in which batch, written before anything is awaited.

A batch has a token of ours, and an id once the endpoint has given one. Its events are added, never
changed: prepared (before anything is sent), submitted (with the id), collected (every request has
its attempt in the log) or dropped (its requests were not asked, or nobody knows).
"""

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from posbias_kit.judging.log_table import COLUMNS, INSERT, Totals, open_to_read

_SCHEMA = [
    """CREATE TABLE IF NOT EXISTS batch_events (id INTEGER PRIMARY KEY, token TEXT NOT NULL,
    event TEXT NOT NULL, judge TEXT NOT NULL, arm TEXT NOT NULL, requests INTEGER NOT NULL,
    batch TEXT, note TEXT, time TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS batch_calls (token TEXT NOT NULL, "call" TEXT NOT NULL,
    attempt INTEGER NOT NULL, told TEXT NOT NULL, tokens INTEGER NOT NULL, money REAL NOT NULL,
    PRIMARY KEY (token, "call")) WITHOUT ROWID""",
    *(
        f"""CREATE TRIGGER IF NOT EXISTS no_{table}_{verb} BEFORE {verb} ON {table}
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"""
        for table in ("batch_events", "batch_calls")
        for verb in ("UPDATE", "DELETE")
    ),
]
_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'batch_events'"
_EVENT = """
INSERT INTO batch_events (token, event, judge, arm, requests, batch, note, time)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_TOLD = "INSERT INTO batch_calls VALUES (?, ?, ?, ?, ?, ?)"
# MAX picks the row that the other columns come from: the last event of a batch.
_OUT = """
SELECT token, event, judge, arm, requests, batch, time FROM (
    SELECT *, MAX(id) FROM batch_events GROUP BY token) WHERE event IN ('prepared', 'submitted')
"""
_WAITING = """
SELECT c."call", c.tokens, c.money FROM batch_calls c
LEFT JOIN attempts a ON a."call" = c."call" AND a.attempt = c.attempt
WHERE c.token = ? AND a.id IS NULL
"""


class Out(NamedTuple):
    """A batch that is on its way."""

    token: str
    event: str
    judge: str
    arm: str
    requests: int
    batch: str | None
    """Its id; none where it is not known whether the endpoint has taken it."""
    time: str

    def __str__(self):
        return f"{self.batch or 'not confirmed'} ({self.requests:,} requests)"


class BatchLog:
    """The batches in an open judgment log.

    Parameters
    ----------
    log : posbias_kit.judging.log.JudgmentLog
    """

    def __init__(self, log):
        self._log = log

    def prepare(self, token, judge, arm, calls):
        """Write down what is about to be sent.

        Parameters
        ----------
        token, judge, arm : str
        calls : list of (Call, dict)
            Each with what its row, its settings and its parser need later, as JSON values.
        """
        for statement in _SCHEMA:
            self._log.read(statement)
        told = [
            (token, call.key, call.attempts + 1, json.dumps(rest, ensure_ascii=False),
             call.most.tokens, call.most.money)
            for call, rest in calls
        ]  # fmt: skip
        out = Out(token, "prepared", judge, arm, len(calls), None, _now())
        self._log.write((_TOLD, told), (_EVENT, [_event(out, "prepared", None, "")]))
        return out

    def note(self, out, event, batch=None, note="", rows=()):
        """Add an event of a batch, and attempts with it; returns the batch as it is now."""
        batch = batch or out.batch
        self._log.write((INSERT, list(map(_values, rows))),
                        (_EVENT, [_event(out, event, batch, note)]))  # fmt: skip
        return out._replace(event=event, batch=batch)

    def add(self, rows):
        """Add attempts while more of the same batch are to come."""
        self._log.write((INSERT, list(map(_values, rows))))

    def out(self, judge=None, arm=None):
        """Return the batches on their way, of one judge in one arm or all."""
        every = _select_out(self._log.read)
        return [out for out in every if judge is None or (out.judge, out.arm) == (judge, arm)]

    def known(self):
        """Return every batch id that stands in the log."""
        rows = self._log.read("SELECT DISTINCT batch FROM batch_events WHERE batch IS NOT NULL")
        return {batch for (batch,) in rows}

    def waiting(self, out):
        """Return the requests of a batch without an attempt: call -> what it may use up."""
        return _select_waiting(self._log.read, out)

    def recall(self, out, call):
        """Return what :meth:`prepare` was told of a call; its prompt, as far as parsers need it."""
        query = 'SELECT told FROM batch_calls WHERE token = ? AND "call" = ?'
        told = json.loads(self._log.read(query, [out.token, call])[0][0])
        row = told["row"]
        prompt = SimpleNamespace(labels=tuple(told["labels"]), format=row["format"],
                                 slots=row["slots"], options=row["options"])  # fmt: skip
        return row, told["sent"], prompt


def held_back(log):
    """Return what the requests that are on their way may still use up."""
    batches = BatchLog(log)
    most = [each for out in batches.out() for each in batches.waiting(out).values()]
    return Totals(*map(sum, zip(Totals(), *most, strict=True)))


def calls_out(path):
    """Return the calls of a log that are on their way in batches: call -> what it may use up."""
    if not Path(path).is_file():
        return {}
    with closing(open_to_read(path)) as file:
        read = file.execute
        waiting = [_select_waiting(read, out) for out in _select_out(read)]
    return {call: most for calls in waiting for call, most in calls.items()}


def _select_out(read):
    there = list(read(_THERE))
    return [Out(*row) for row in list(read(_OUT))] if there else []


def _select_waiting(read, out):
    rows = read(_WAITING, [out.token])
    return {call: Totals(1, *most) for call, *most in rows}


def _now():
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _event(out, event, batch, note):
    return out.token, event, out.judge, out.arm, out.requests, batch, note, _now()


def _values(row):
    return [row.get(name) for name in COLUMNS]
