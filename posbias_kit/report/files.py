"""Files of a run: written whole or not at all, tables that keep their types, digests."""

import errno
import hashlib
import os
import re
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import yaml

from posbias_kit.errors import ReadError, TableError, unwritable

_UNWRITABLE = {errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.ENOSPC, errno.EPERM, errno.EROFS}
_FIELD = re.compile(r'("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|\Z)')


@contextmanager
def replacing(path):
    """Give a temporary path to write to, and put it in place of `path` at the end.

    A reader never sees half a file, and a failure leaves the old one as it was.

    Raises
    ------
    RunError
        The disk is full, or nothing may be written there.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            # A file system's own clock may tick too slowly to tell which file came first.
            os.utime(temporary, ns=(time.time_ns(), time.time_ns()))
            temporary.replace(path)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno in _UNWRITABLE:
            raise unwritable(path, os.strerror(error.errno)) from None
        raise


def read_params(folder):
    """Return the study that a run's folder keeps, as plain values; None where it keeps none."""
    path = folder / "params.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None


def write_text(path, text):
    """Write a text file as UTF-8, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_csv(frame, path):
    """Write a table as CSV from which :func:`read_csv` gets the same types back.

    Text stands in quotes and numbers do not, so a judge called ``007`` stays text; an empty
    field without quotes is a missing value. Numbers keep their full precision.

    Parameters
    ----------
    frame : DataFrame
        Its index is not written.
    path : Path

    Raises
    ------
    TableError
        The index has a name and would be lost, or a column holds something else than text,
        numbers and truth values.
    """
    named = [name for name in frame.index.names if name is not None]
    if named:
        raise TableError(
            f"the index {', '.join(map(repr, named))} would be lost",
            place=path.name,
            cure="make it a column first: frame.reset_index()",
        )
    labels = frame.select_dtypes("category").columns
    try:
        table = pa.Table.from_pandas(
            frame.astype(dict.fromkeys(labels, "str")), preserve_index=False
        )
        with replacing(path) as temporary:
            pyarrow.csv.write_csv(table, temporary)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise TableError(
            f"cannot be written as CSV: {error}",
            place=path.name,
            allowed="columns of text, numbers or truth values",
        ) from None


def read_csv(path):
    """Read a table that :func:`write_csv` wrote.

    Parameters
    ----------
    path : Path

    Returns
    -------
    DataFrame
        A column with a quoted field is text; any other is truth values or numbers where all
        its fields are, else text as well.

    Raises
    ------
    ReadError
        There is no such file, or it is no table: its rows differ in length, say.
    """
    if not path.is_file():
        raise ReadError("no such table", place=str(path), cure="run the notebook that saves it")
    try:
        head, *rows = _split(path.read_text(encoding="utf-8-sig"))
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(head)
        named = zip(head, columns, strict=True)
        return pd.DataFrame({_unquote(name): _typed(fields) for name, fields in named})
    except ValueError as error:
        raise ReadError(
            f"not readable as a table: {error}",
            place=str(path),
            cure="run the notebook that saves it again",
        ) from None


def read_table(folder, name):
    """Read a table of a run; None where the run has none of this name."""
    path = folder / "tables" / f"{name}.csv"
    return read_csv(path) if path.is_file() else None


def _split(text):
    rows, row = [], []
    for match in _FIELD.finditer(text):
        if not match[0] and not row:
            break
        row.append(match[1])
        if match[2] != ",":
            rows.append(row)
            row = []
    return rows


def _unquote(field):
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def _typed(fields):
    if any(field.startswith('"') for field in fields):
        return pd.Series([_unquote(field) if field else None for field in fields], dtype="str")
    given = {field for field in fields if field}
    if given and given <= {"true", "false"}:
        kind = "bool" if all(fields) else "boolean"
        return pd.Series(
            [{"true": True, "false": False}.get(field) for field in fields], dtype=kind
        )
    values = pd.Series([field or None for field in fields], dtype="str")
    try:
        return pd.to_numeric(values)
    except ValueError:
        return values


def digest(path):
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_text(text):
    """Return the SHA-256 digest of a text.

    Examples
    --------
    >>> digest_text("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def digest_tree(path):
    """Return the digest of each file at or under `path`, by its relative name.

    Hidden files are left out: a checkout's own records change without its contents changing.
    """
    path = Path(path)
    if path.is_file():
        return {path.name: digest(path)}
    found = {file.relative_to(path): file for file in path.rglob("*") if file.is_file()}
    return {
        name.as_posix(): digest(found[name])
        for name in sorted(found)
        if not any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    }
