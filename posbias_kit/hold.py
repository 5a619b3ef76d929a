"""One process at a time: a hold that the system gives free however its holder ends."""

import os
import sqlite3
from contextlib import contextmanager

from posbias_kit.errors import RunError, unwritable


def take_hold(path, doing, cure):
    """Hold a file for this process alone, and return what to close to give it free.

    The file is a small database that stays in a transaction: the system ends it with the
    process, be it killed, and others can read meanwhile which process that is.

    Parameters
    ----------
    path : Path
        Made where it is missing.
    doing : str
        What a second process is told that the first one does.
    cure : str

    Returns
    -------
    sqlite3.Connection

    Raises
    ------
    RunError
        Another process, named by its id, has the hold; or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = take_hold(Path(folder, "a"), "is counting", "wait for it")
    ...     try:
    ...         take_hold(Path(folder, "a"), "is counting", "wait for it")
    ...     except RunError as error:
    ...         print(error.problem == f"another process is counting: process {os.getpid()}")
    ...     first.close()
    True
    """
    try:
        file = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise unwritable(path, error) from None
    try:
        file.execute("PRAGMA synchronous=OFF")
        file.execute("BEGIN IMMEDIATE")
        file.execute(f"PRAGMA user_version={os.getpid()}")
        file.execute("COMMIT")
        file.execute("BEGIN IMMEDIATE")
    except sqlite3.DatabaseError as error:
        holder = _holder(file) if _is_busy(error) else None
        file.close()
        if holder is None:
            raise unwritable(path, error) from None
        raise RunError(f"another process {doing}{holder}", place=str(path), cure=cure) from None
    return file


@contextmanager
def hold_folder(folder):
    """Hold a run's folder, made where it is missing: two runs would overwrite each other's files.

    Raises
    ------
    RunError
        Another process runs there, or nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error.strerror) from None
    cure = "wait for it to end, or give this study another run_name"
    hold = take_hold(folder / ".run.lock", "runs a study in this folder", cure)
    try:
        yield
    finally:
        hold.close()


def _is_busy(error):
    # Extended codes hold the plain one in their lowest byte.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _holder(file):
    """Return the holder's process id in words; nothing where it is just being written."""
    try:
        file.execute("PRAGMA busy_timeout=1000")
        (holder,) = file.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError:
        return ""
    return f": process {holder}" if holder else ""
