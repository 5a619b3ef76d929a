"""FastChat's files of texts that often lie beside judgments: questions and answers."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.records import (
    Answer,
    Question,
    Reference,
    is_missing,
    lacking,
    need,
    task_of,
)
from posbias_kit.errors import ReadError

_QUESTION = ("question_id", "turns")
_ANSWER = ("question_id", "model_id", "choices")


def is_companion(row, judgment):
    """Whether a row is a question or an answer in FastChat's layout.

    Parameters
    ----------
    row : dict
    judgment : set of str
        Keys that tell of a judgment: a row with any of them is no mere text.
    """
    text = not lacking(row, *_ANSWER) or not lacking(row, *_QUESTION)
    return text and judgment.isdisjoint(row)


def companion(row, source):
    """Return the text in a row of ``question.jsonl`` or ``model_answer/*.jsonl``.

    Parameters
    ----------
    row : dict
    source : posbias_kit.data.layouts.records.Source

    Returns
    -------
    list of Question, Answer or Reference
    """
    question = id_of(row["question_id"], "question_id")
    if source.file.parent.name == "reference_answer":
        return [Reference(question)]  # no candidate's
    if "choices" in row:
        (model,) = need(row, "model_id")
        choices = row["choices"] if isinstance(row["choices"], list) else []
        first = choices[0] if choices and isinstance(choices[0], dict) else {}
        turns = _texts(first.get("turns"), "choices[0].turns")
        return [Answer(question, id_of(model, "model_id"), turns)]
    reference = row.get("reference")
    reference = [reference] if isinstance(reference, str) else reference
    return [
        Question(
            question,
            _texts(row["turns"], "turns"),
            task_of(row),
            _texts(reference, "reference") if reference and not is_missing(reference) else None,
        )
    ]


def _texts(value, key):
    """Return the texts of the turns; Arena-Hard v0.1 has an object with ``content`` for each."""
    turns = value if isinstance(value, list) else [None]
    texts = [turn.get("content") if isinstance(turn, dict) else turn for turn in turns]
    if all(isinstance(text, str) for text in texts):
        return tuple(texts)
    raise ReadError(
        f"{key} is {str(value)[:60]!r}", allowed="a list of texts, one a turn", cure=f"mend {key}"
    )
