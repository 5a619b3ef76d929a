"""The words of the kit as enums, and the schema of every table that passes between stages.

A verdict speaks of *slots* (1..p, the place shown); 0 stands for TIE. A winner speaks of
*candidates*. The step from one to the other is made in one place,
:func:`posbias_kit.data.verdicts.build_verdicts`.
"""

from enum import StrEnum

import pandera.pandas as pa

from posbias_kit._schema_errors import table_error

TIE = "TIE"
"""The winner of a tied verdict."""

TIE_CHOICE = 0
"""The choice of a tied verdict; slots count from 1."""


class Status(StrEnum):
    """What became of one presentation."""

    OK = "ok"
    """A usable verdict."""
    INVALID = "invalid"
    """A reply without a usable verdict."""
    FAILED = "failed"
    """No reply."""
    IDENTICAL = "identical"
    """The answers are the same text, so nobody was asked."""


class Reason(StrEnum):
    """Why a presentation has no verdict."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    NO_LABEL = "no_label"
    CONTRADICTION = "contradiction"
    ERROR_MARKER = "error_marker"
    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    HTTP_4XX = "http_4xx"
    HTTP_5XX = "http_5xx"
    CONNECTION = "connection"
    BOTH_GOOD = "both_good"
    """Four-option mode only: a tie with both answers good."""
    NEITHER = "neither"
    """Four-option mode only: a tie with neither answer good."""


FAILED_REASONS = frozenset(
    {Reason.TIMEOUT, Reason.RATE_LIMIT, Reason.HTTP_4XX, Reason.HTTP_5XX, Reason.CONNECTION}
)
INVALID_REASONS = frozenset(Reason) - FAILED_REASONS - {Reason.BOTH_GOOD, Reason.NEITHER}


class Convention(StrEnum):
    """How a half flip (one verdict a tie, the other not) is counted."""

    PAPER = "paper"
    """Inconsistent, and it leans: the seed paper's rule."""
    TIE = "tie"
    """Inconsistent, without a lean."""
    DECISIVE = "decisive"
    """A series with any TIE leaves numerator and denominator."""
    HALF = "half"
    """Preference from single verdicts: (last - first) / verdicts."""


class Design(StrEnum):
    """Which candidates of a question are compared."""

    REFERENCE = "reference"
    """Each candidate against one reference candidate."""
    ALL_PAIRS = "all_pairs"
    """Every pair of candidates."""
    SETS = "sets"
    """Sampled sets of p candidates, shown together."""


def _text(nullable=False, **kwargs):
    return pa.Column(str, nullable=nullable, coerce=True, **kwargs)


def _whole(low, nullable=False, **kwargs):
    return pa.Column("Int64", pa.Check.ge(low), nullable=nullable, coerce=True, **kwargs)


def _number(nullable=True):
    return pa.Column(float, nullable=nullable, coerce=True)


QUESTIONS = pa.DataFrameSchema(
    {
        "benchmark": _text(),
        "question": _text(),
        "task": _text(),
        "turns": _text(),  # JSON list of the user's messages
        "reference_answer": _text(nullable=True),  # JSON list, one a turn
        "guidance": _text(nullable=True),
        "cluster": _text(),
    },
    strict=True,
    unique=["benchmark", "question"],
    name="questions",
)

ANSWERS = pa.DataFrameSchema(
    {
        "benchmark": _text(),
        "question": _text(),
        "candidate": _text(),  # the generator's identity: no prompt ever sees this column
        "answer_id": _text(unique=True),
        "turns": _text(),  # JSON list, one text a turn
        "digest": _text(),
        "length": _whole(0),  # characters, turns summed
    },
    strict=True,
    unique=["benchmark", "question", "candidate"],
    name="answers",
)

_WHERE = {
    "benchmark": _text(),
    "experiment": _text(),
    "task": _text(),
    "question": _text(),
    "turn": _text(),
    "cluster": _text(),
    "arm": _text(),
    "comparison": _text(),
    "slots": _whole(2),
    "order": _text(),
    "shown": _text(),
    "candidate": _text(),
    "reference": _text(),
}

PRESENTATION_KEY = ["benchmark", "experiment", "arm", "turn", "comparison", "order"]
"""What identifies a presentation; with judge and repeat it identifies a verdict."""

PRESENTATIONS = pa.DataFrameSchema(
    {**_WHERE, "identical": pa.Column(bool), "repeats": _whole(1)},
    strict=True,
    unique=PRESENTATION_KEY,
    name="presentations",
)

VERDICT_KEY = ["judge", *PRESENTATION_KEY, "repeat"]

VERDICTS = pa.DataFrameSchema(
    {
        **_WHERE,
        "judge": _text(),
        "repeat": _whole(1),
        "status": _text(checks=pa.Check.isin(list(Status))),
        "reason": _text(checks=pa.Check.isin(["", *Reason])),
        "choice": _whole(TIE_CHOICE, nullable=True),
        "winner": _text(nullable=True),
        "margin": _number(),
    },
    checks=[
        pa.Check(
            lambda frame: (frame["status"] == Status.OK) == frame["choice"].notna(),
            error="choice is given exactly where status is ok",
        ),
        pa.Check(
            lambda frame: frame["choice"].fillna(0) <= frame["slots"],
            error="choice is at most slots",
        ),
    ],
    strict=True,
    unique=VERDICT_KEY,
    name="verdicts",
)

REPLIES = pa.DataFrameSchema(
    {
        **{key: _text() for key in VERDICT_KEY if key != "repeat"},
        "repeat": _whole(1),
        "format": _text(),
        "options": _whole(2),
        "raw": _text(nullable=True),
        "file": _text(),
        "line": _whole(1),
    },
    strict=True,
    unique=VERDICT_KEY,
    name="replies",
)

SCORES = pa.DataFrameSchema(
    {
        "benchmark": _text(),
        "question": _text(),
        "turn": _text(),
        "candidate": _text(),
        "judge": _text(),
        "repeat": _whole(1),
        "score": _number(),  # missing where there is none
        "reason": _text(checks=pa.Check.isin(["", *Reason])),
    },
    strict=True,
    unique=["benchmark", "question", "turn", "candidate", "judge", "repeat"],
    name="scores",
)

LABELS = pa.DataFrameSchema(
    {
        "benchmark": _text(),
        "question": _text(),
        "turn": _text(),
        "comparison": _text(),
        "labeller": _text(),
        "winner": _text(),  # candidate id, or TIE
    },
    strict=True,
    name="labels",
)

_ALL = (QUESTIONS, ANSWERS, PRESENTATIONS, VERDICTS, REPLIES, SCORES, LABELS)
TABLES = {schema.name: schema for schema in _ALL}


def validate(frame, table, place=""):
    """Return `frame` with the types of the named table's schema, or say what breaks it.

    Parameters
    ----------
    frame : DataFrame
    table : {"questions", "answers", "presentations", "verdicts", "replies", "scores", "labels"}
    place : str
        File or function named in the message.

    Raises
    ------
    TableError
        A column is missing or unknown, a value is not allowed, or a key stands twice. The
        message names up to three of the offending values with their rows.
    """
    schema = TABLES[table]
    try:
        return schema.validate(frame, lazy=True)[list(schema.columns)]
    except pa.errors.SchemaErrors as error:
        raise table_error(error, schema, place or table) from None
