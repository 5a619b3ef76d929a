"""The table of what reviewers decided, and the words of their sheets."""

import pandera.pandas as pa

from posbias_kit._schema_errors import table_error
from posbias_kit.schema import TIE

INSUFFICIENT = "INSUFFICIENT"
"""The decision of a reviewer who cannot tell from what was shown."""

WORDS = (TIE, INSUFFICIENT)
"""Decisions that name no answer."""

PLACE = ["benchmark", "experiment", "arm", "turn", "comparison"]
"""What identifies a comparison, whoever judged it."""


def _text():
    return pa.Column(str, coerce=True)


REVIEWS = pa.DataFrameSchema(
    {
        **{name: _text() for name in PLACE},
        "question": _text(),
        "reviewer": _text(),
        "version": pa.Column("Int64", pa.Check.ge(1), coerce=True),  # 1.., the last one counts
        "decision": _text(),  # candidate id, TIE or INSUFFICIENT
        "explanation": _text(),
        "file": _text(),
        "row": pa.Column("Int64", pa.Check.ge(1), coerce=True),
    },
    strict=True,
    unique=[*PLACE, "reviewer", "version"],
    name="reviews",
)


def validate_reviews(frame, place="reviews"):
    """Return `frame` with the types of the table of reviews, or say what breaks it.

    Parameters
    ----------
    frame : DataFrame
    place : str
        File or function named in the message.

    Raises
    ------
    TableError
        A column is missing or unknown, a value is not allowed, or a key stands twice.
    """
    try:
        return REVIEWS.validate(frame, lazy=True)[list(REVIEWS.columns)]
    except pa.errors.SchemaErrors as error:
        raise table_error(error, REVIEWS, place) from None
