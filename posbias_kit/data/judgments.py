"""Published judgments in, whatever their layout: files found, read, and accounted for."""

import gc
import re
import warnings
from contextlib import contextmanager

from posbias_kit.data.detect import looks_like
from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.layouts.collect import Ledger
from posbias_kit.data.layouts.files import find_files, flat_paths, shared_folder
from posbias_kit.data.layouts.records import Answer, Question, Reference
from posbias_kit.data.layouts.tables import build_reading
from posbias_kit.errors import ReadError, check_choice

_ENDINGS = re.compile(r"(\.(csv|tsv|jsonl?|xlsx|parquet))?(\.gz)?$", re.IGNORECASE)


def read_judgments(format, *paths, benchmark=None, replies=True, **options):
    """Read judgments that others published, with an account of every row.

    Parameters
    ----------
    format : str
        A name of :data:`posbias_kit.data.layouts.LAYOUTS`.
    *paths : str, Path or list of them
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
    >>> from pathlib import Path
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
    paths = flat_paths(paths)
    files = find_files(layout, paths)
    ledger = Ledger(layout, benchmark or _name_of(paths) or layout.name, options, replies)
    place = ", ".join(map(str, paths))
    with _no_collection():
        for file, name in files:
            ledger.read(file, name)
        ledger.end()
        _check_anything(ledger, paths)
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
    return _ENDINGS.sub("", shared_folder(path.resolve() for path in paths).name)


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


def _check_anything(ledger, paths):
    place = ", ".join(map(str, paths))
    if not ledger.places:
        raise ReadError(
            "there is no row in it", place=place, cure="check that this is the file with judgments"
        )
    if len(ledger.aside) == len(ledger.places):
        error, (file, line) = ledger.aside[0], ledger.places[0]
        raise ReadError(
            f"none of {len(ledger.places)} rows is a row of layout {ledger.layout.name!r}; "
            f"the first: {error.problem}",
            place=f"{ledger.sources[file].file}, line {line}",
            allowed=error.allowed,
            cure=f"{error.cure}; {_hint(ledger, paths)}",
        )
    texts = (Question, Answer, Reference)
    if not any(found for kind, found in ledger.records.items() if kind not in texts):
        raise ReadError(
            "the files hold texts but no judgment",
            place=place,
            cure=f"give the files with the judgments as well; {_hint(ledger, paths)}",
        )


def _hint(ledger, paths):
    """Say which other layout files look like."""
    other = looks_like(paths, but=ledger.layout.name)
    return (
        f"they look like layout {other!r}"
        if other
        else "`posbias read --detect` says what files lack for each layout"
    )
