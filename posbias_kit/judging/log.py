"""The judgment log: every attempt a row, written before its verdict is used, never changed.

It is the record of what judging brought; the verdict table of live judges is derived from it. A
call is identified by judge, settings to be sent, prompt, presentation and repeat, so one repeat
is never answered by another.
"""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path

from posbias_kit.errors import ReadError, unwritable
from posbias_kit.hold import take_hold
from posbias_kit.judging.log_table import (
    COLUMNS,
    INSERT,
    REPLIES,
    SCHEMA,
    TOTALS,
    Totals,
    check_version,
    select_states,
    unreadable,
)


class JudgmentLog:
    """The log of a run, open for writing by one process; a context manager.

    Rows are committed in groups, each written through to the disk, so that a kill or a power cut
    takes nothing that was acknowledged.

    Parameters
    ----------
    path : str or Path
        ``judgments.sqlite`` of a run folder; made where it is missing.

    Raises
    ------
    RunError
        Another process judges in this run, or the folder cannot be written.
    ReadError
        The file is no log of this version.
    """

    def __init__(self, path):
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.path.parent, error.strerror) from None
        self._waiting, self._writer = [], None

    def __enter__(self):
        self._lock = take_hold(
            self.path.with_name(f".{self.path.name}.lock"),
            "is judging in this run",
            "wait for it to end, or give this study another run_name",
        )
        try:
            self._file = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            check_version(self._file, self.path)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=FULL")
            self._file.executescript(SCHEMA)
        except sqlite3.OperationalError as error:
            self._lock.close()
            raise unwritable(self.path, error) from None
        except sqlite3.DatabaseError as error:
            self._lock.close()
            raise unreadable(self.path, error) from None
        except ReadError:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_):
        # Out of WAL mode, so that a copy opens from a read-only folder. Where somebody reads just
        # now, or the disk is full, the companion files stay: the log is whole with them.
        with suppress(sqlite3.OperationalError):
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._file.execute("PRAGMA journal_mode=DELETE")
        self._file.close()
        self._lock.close()

    def states(self):
        """Return what is known of each call: identity -> State."""
        return select_states(self._file)

    def totals(self):
        """Return attempts, tokens and money of the whole log."""
        return Totals(*self._file.execute(TOTALS).fetchone())

    def replies(self, judge):
        """Return (call, model, settings not sent, reason) of each reply of a judge."""
        return self._file.execute(REPLIES, [judge]).fetchall()

    async def add(self, row):
        """Write one attempt; returns when it is on the disk.

        Parameters
        ----------
        row : dict
            Values of :data:`COLUMNS`; those left out are missing.
        """
        done = asyncio.get_running_loop().create_future()
        self._waiting.append(([_storable(row.get(name)) for name in COLUMNS], done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        await asyncio.shield(done)

    async def flush(self):
        """Wait until everything handed in is on the disk."""
        while self._writer is not None:
            await asyncio.wait([self._writer])

    async def _write(self):
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._commit(batch)
        finally:
            self._writer = None

    async def _commit(self, batch):
        try:
            await asyncio.to_thread(self._insert, [values for values, _ in batch])
        except BaseException as error:
            full = isinstance(error, sqlite3.OperationalError)
            told = unwritable(self.path, error) if full else error
            for _, done in batch:
                if not done.done():
                    done.set_exception(told)
            if not isinstance(error, Exception):
                raise
        for _, done in batch:
            if not done.done():
                done.set_result(None)

    def _insert(self, rows):
        self.write((INSERT, rows))

    def write(self, *statements):
        """Run statements, each with its rows, as one: on the disk when this returns, or none."""
        with self._file:
            self._file.execute("BEGIN")
            for statement, rows in statements:
                self._file.executemany(statement, rows)

    def read(self, query, values=()):
        """Return the rows of a query."""
        return self._file.execute(query, values).fetchall()


def _storable(value):
    """Return a text without halves of surrogate pairs, which no file holds: they become escapes."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode("utf-8")
