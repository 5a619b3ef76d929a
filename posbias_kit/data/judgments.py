"""Published judgments in, whatever their layout: files found, read, and accounted for."""

import fnmatch
import gc
import os
import re
import warnings
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pandas as pd

from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.layouts.collect import Ledger
from posbias_kit.data.layouts.records import Answer, Question, Reference, Source
from posbias_kit.data.layouts.tables import build_reading
from posbias_kit.errors import ParamsError, ReadError, check_choice

_ENDINGS = re.compile(r"(\.(csv|tsv|jsonl?|xlsx|parquet))?(\.gz)?$", re.IGNORECASE)


def read_judgments(format, *paths, benchmark=None, replies=True, **options):
    """Read judgments that others published, with an account of every row.

    Parameters
    ----------
    format : str
        A name of :data:`posbias_kit.data.layouts.LAYOUTS`.
    *paths : str or Path
        Files, or folders whose files of this layout are read in the order of their names.
    benchmark : str, optional
        Name in the tables; by default that of the file or folder, of several the folder's that
        holds them all.
    replies : bool
        Whether to keep the texts of the replies, which need most of the memory.
    **options
        Of the layout.

    Returns
    -------
    Reading
        Verdicts, and whatever stands beside them: texts, replies, grades, labels; the order
        convention that was undone; rows read, kept and set aside.

    Raises
    ------
    ParamsError
        The format or an option is unknown, or no path is given.
    ReadError
        Nothing lies there, or no row can be used.

    Examples
    --------
    >>> import json, tempfile
    >>> row = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.jsonl")
    ...     _ = path.write_text(json.dumps(row | {"winner_ab": "A", "winner_ba": "A"}))
    ...     reading = read_judgments("swap_columns", path)
    >>> reading.verdicts[["order", "choice", "winner"]].values.tolist()
    [['AB', 1, 'x'], ['BA', 1, 'y']]
    """
    layout = LAYOUTS[check_choice(format, LAYOUTS, "format")]
    for name in options:
        check_choice(name, layout.options, f"option of format {format!r}")
    files = find_files(layout, paths)
    ledger = Ledger(layout, benchmark or _name_of(paths) or layout.name, options, replies)
    place = ", ".join(map(str, paths))
    with _no_collection():
        for file, name in files:
            ledger.read(file, name)
        ledger.end()
        _check_anything(ledger, place)
        reading = build_reading(ledger, place)
    if len(reading.set_aside):
        first = reading.set_aside.iloc[0]
        warnings.warn(
            f"{place}: {len(reading.set_aside)} of {len(ledger.places)} rows set aside, the first "
            f"is {first['file']}, line {first['line']}: {first['problem']}",
            stacklevel=2,
        )
    return reading


def _name_of(paths):
    """Return the name of what is read, without the endings that tell the kind of a file."""
    return _ENDINGS.sub("", _shared_folder(path.resolve() for path in map(Path, paths)).name)


def _shared_folder(paths):
    return Path(os.path.commonpath(list(paths)))


@contextmanager
def _no_collection():
    """Keep Python from looking for garbage cycles: records have none, and it takes a third."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def find_files(layout, paths):
    """Return (file, name) of each file of a layout under `paths`, in order of their names.

    The name is the path below the folder that was given, of several the one that holds them all,
    with forward slashes. Hidden files and folders are passed over, and a file is read once,
    however often it is given.
    """
    if not paths:
        raise ParamsError("no path given", place=layout.name, cure="name a file or folder")
    paths, found = [Path(path).absolute() for path in paths], {}
    folder = _shared_folder(path if path.is_dir() else path.parent for path in paths)
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if _is_shown(file, path))
            fits = [f for f in inside if any(fnmatch.fnmatch(f.name, p) for p in layout.files)]
            if not fits:
                raise ReadError(
                    f"no file of layout {layout.name!r} here",
                    place=str(path),
                    allowed=", ".join(layout.files),
                    cure="check the folder, or name the file itself",
                )
        elif path.is_file():
            fits = [path]
        else:
            raise ReadError("no such file or folder", place=str(path), cure="check the path")
        for file in fits:
            # The folder alone: two links to one file may tell two judges by their names.
            found.setdefault(file.parent.resolve() / file.name, file)
    return [(file, file.relative_to(folder).as_posix()) for file in found.values()]


def _is_shown(file, folder):
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.is_file() and not hidden


def _check_anything(ledger, place):
    if not ledger.places:
        raise ReadError(
            "the files are empty", place=place, cure="check that this is the file with judgments"
        )
    if len(ledger.aside) == len(ledger.places):
        error = ledger.aside[0]
        raise ReadError(
            f"none of {len(ledger.places)} rows is a row of layout {ledger.layout.name!r}; "
            f"the first: {error.problem}",
            place=f"{place}, {ledger.place(0)}",
            allowed=error.allowed,
            cure=f"{error.cure}; `posbias read --detect` names the layout of a file",
        )
    texts = (Question, Answer, Reference)
    if not any(found for kind, found in ledger.records.items() if kind not in texts):
        raise ReadError(
            "the files hold texts but no judgment",
            place=place,
            cure="give the files with the judgments as well",
        )


def detect_layout(*paths, rows=20):
    """Say for each layout what the files lack to be of it.

    Parameters
    ----------
    *paths : str or Path
    rows : int
        How many rows of each file are looked at.

    Returns
    -------
    DataFrame
        One row a layout, the best first: layout, title, files (that its file names fit), rows
        (looked at), fitting (rows that have all it needs), lacks (what the others lack).
    """
    table = []
    for layout in LAYOUTS.values():
        try:
            files = find_files(layout, paths)
        except ReadError as error:
            table.append((layout.name, layout.title, 0, 0, 0, error.problem))
            continue
        told = [_lacks(layout, file, name, rows) for file, name in files]
        looked, fitting = sum(len(t) for t in told), sum(not lack for t in told for lack in t)
        lacks = sorted({word for t in told for lack in t for word in lack})
        table.append((layout.name, layout.title, len(files), looked, fitting, ", ".join(lacks)))
    columns = ["layout", "title", "files", "rows", "fitting", "lacks"]
    frame = pd.DataFrame(table, columns=columns)
    return frame.sort_values("fitting", ascending=False, kind="stable", ignore_index=True)


def _lacks(layout, file, name, rows):
    source = Source(file, name, {})
    return [
        [row.problem.partition(":")[0]]
        if isinstance(row, ReadError)
        else layout.recognise(row, source)
        for _, row in islice(layout.rows(source), rows)
    ]
