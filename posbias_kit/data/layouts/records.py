"""What one row of a published file can say: a judgment, a grade, a label, or a text.

The reader of a layout turns each row into such records, or raises ReadError: then the row is set
aside with its file, line and cure. Everything else is done once for all layouts in
:mod:`posbias_kit.data.layouts.collect`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from posbias_kit.data.json_rows import id_of, json_rows
from posbias_kit.errors import ReadError
from posbias_kit.schema import TIE

ALL = "all"
"""The task where a file tells none."""


class Game(NamedTuple):
    """One judgment of one presentation."""

    question: str
    shown: tuple[str, ...]
    """Candidates in the order shown, slot 1 first."""
    judge: str
    choice: int | None
    """Slot 1..p, 0 = TIE, None where there is no verdict."""
    reason: str = ""
    """Of :class:`posbias_kit.schema.Reason` where there is no verdict."""
    task: str = ALL
    turn: str = ""
    prompt: int = 0
    """Hash of what the judge was shown, 0 where it is not told; see :func:`.settle.settle`."""
    made: int = 0
    """Hash of when the call was made and what was said, 0 where it is not told."""
    arm: str = ""
    template: str = ""
    """Name of the judge's prompt: the arm, where a judge saw one presentation with several."""
    reference: str = ""
    order: str = ""
    """The source's own name of the order, list-wise only."""
    repeat: int = 0
    """0: the rows of one key are numbered as they come."""
    margin: float | None = None
    raw: str | None = None
    """The reply, where the file has it."""
    format: str = ""
    """How the reply would be parsed, see :func:`posbias_kit.parsing.parse_verdict`."""
    options: int = 3


class Grade(NamedTuple):
    """One grade that a judge gave to one answer."""

    question: str
    candidate: str
    judge: str
    score: float | None
    reason: str = ""
    turn: str = ""
    repeat: int = 0
    prompt: int = 0
    made: int = 0


class Label(NamedTuple):
    """What a human, or whoever made the benchmark, holds to be right."""

    question: str
    candidates: tuple[str, ...]
    labeller: str
    """Who says so; GOLD for the benchmark's own label."""
    winner: str
    """Candidate id, or TIE."""
    turn: str = ""


GOLD = "gold"


class Question(NamedTuple):
    """The text of a question."""

    question: str
    turns: tuple[str, ...]
    task: str = ALL
    reference_answer: tuple[str, ...] | None = None


class Answer(NamedTuple):
    """The text of an answer."""

    question: str
    candidate: str
    turns: tuple[str, ...]


class Reference(NamedTuple):
    """A reference answer, which nobody compares: it is kept, and stands in no table."""

    question: str


class Source(NamedTuple):
    """The file a row stands in, and what the caller asked for."""

    file: Path
    name: str
    """Path below the folder that was given, with forward slashes: what messages and tables say."""
    options: dict
    """Options of the layout, given by name."""
    replies: bool = True
    """Whether the texts of replies are kept; a reader may leave them out itself, to be faster."""


class Layout(NamedTuple):
    """How one published layout is read."""

    name: str
    title: str
    """Whose layout it is."""
    undoes: str
    """The order convention of the files, and what the reader does about it."""
    read: Callable
    """(row, line, Source) -> list of records; raises ReadError for a row that cannot be used."""
    recognise: Callable
    """(row, Source) -> list of what a row lacks to be of this layout; empty where it is."""
    files: tuple[str, ...] = ("*.jsonl", "*.jsonl.gz", "*.json", "*.json.gz")
    """Which files of a folder are read."""
    rows: Callable = lambda source: json_rows(source.file)
    """(Source) -> (line, row or ReadError) one by one."""
    options: tuple[str, ...] = ()
    """Names of the options that the reader takes."""
    begin: Callable = lambda source: source
    """(Source) -> Source, once a file, before its rows; what it raises ends the reading."""
    whole_rows: bool = False
    """Whether `made` is of the whole row: see :func:`.settle.tell_copies`."""
    end: Callable = lambda sources, rows: None
    """(Sources, number of rows of each), once all are read; raises where they do not fit."""


def lacking(row, *keys):
    """Return those of `keys` that a row does not have.

    >>> lacking({"a": None}, "a", "b")
    ['b']
    """
    return [key for key in keys if key not in row]


def need(row, *keys):
    """Return the values of `keys`, or say which of them the row lacks."""
    if missing := lacking(row, *keys):
        raise ReadError(
            f"no {', '.join(map(repr, missing))} in this row",
            allowed=", ".join(keys),
            cure="complete the row, or read the file with the layout that fits it",
        )
    return [row[key] for key in keys]


def is_missing(value):
    """Whether there is no value: null, or not a number as pandas writes it.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    return value is None or (type(value) is float and value != value)


def task_of(row, key="category"):
    """Return the task that a row tells, ALL where it tells none.

    >>> task_of({"category": "math"}), task_of({"category": None}), task_of({})
    ('math', 'all', 'all')
    """
    task = row.get(key)
    if type(task) is str and task:
        return task
    return ALL if not task or is_missing(task) else str(task)


def look_up(value, words, key):
    """Return what a label stands for.

    Spelling is forgiven in case and outer space; 1 and "1" and 1.0 are the same label, and so
    are null and not a number: ``none``.

    Parameters
    ----------
    value : object
    words : dict of str to object
        Lower-case label -> meaning.
    key : str
        Column of the label, for the message.

    Raises
    ------
    ReadError
        No such label.

    Examples
    --------
    >>> look_up(" Tie", {"a": 1, "b": 2, "tie": 0}, "winner")
    0
    """
    if type(value) is str:
        text = value
    elif is_missing(value):
        text = "none"
    else:
        text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    meaning = words.get(text.strip().lower(), _NONE)
    if meaning is _NONE or isinstance(value, bool):
        raise ReadError(
            f"{key} is {value!r:.60}",
            allowed=", ".join(words),
            cure="mend the label, or leave the row out",
        )
    return meaning


_NONE = object()


def two_candidates(first, second, keys):
    """Return the ids of two different candidates."""
    pair = id_of(first, keys[0]), id_of(second, keys[1])
    if pair[0] == pair[1]:
        raise ReadError(
            f"{keys[0]} and {keys[1]} are both {pair[0]!r}",
            allowed="two different candidates",
            cure="give the two answers different names, or leave the row out",
        )
    if TIE in pair:
        raise reserved_name()
    return pair


def reserved_name():
    """Return the error of a candidate whose id is the word for a tie."""
    return ReadError(
        f"a candidate is called {TIE!r}",
        allowed=f"any id but {TIE}, the winner of a tied verdict",
        cure="rename this candidate, or leave the row out",
    )
