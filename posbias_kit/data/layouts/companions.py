"""FastChat's files of texts that often lie beside judgments: questions and answers."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.records import ALL, Answer, Question, lacking
from posbias_kit.errors import ReadError

_QUESTION = ("question_id", "turns")
_ANSWER = ("question_id", "model_id", "choices")


def is_companion(row):
    """Whether a row is a question or an answer in FastChat's layout."""
    return not lacking(row, *_ANSWER) or not lacking(row, *_QUESTION)


def companion(row, source):
    """Return the text in a row of ``question.jsonl`` or ``model_answer/*.jsonl``.

    Parameters
    ----------
    row : dict
    source : posbias_kit.data.layouts.records.Source

    Returns
    -------
    list of Question or Answer
    """
    question = id_of(row["question_id"], "question_id")
    if source.file.parent.name == "reference_answer":
        return []  # nobody compares them: they are no candidate's
    if "choices" in row:
        choices = row["choices"] if isinstance(row["choices"], list) else []
        first = choices[0] if choices and isinstance(choices[0], dict) else {}
        turns = _texts(first.get("turns"), "choices[0].turns")
        return [Answer(question, id_of(row["model_id"], "model_id"), turns)]
    reference = row.get("reference")
    reference = [reference] if isinstance(reference, str) else reference
    return [
        Question(
            question,
            _texts(row["turns"], "turns"),
            str(row.get("category") or ALL),
            _texts(reference, "reference") if reference else None,
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
