"""FastChat's grades, one row an answer: they stand alone, or beside the pairs."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.records import Grade, is_missing, lacking, need
from posbias_kit.data.layouts.values import judge_of, made_of, score_of, text_of, why_none

_GRADE = ("question_id", "model", "score")


def lacks_of_single(row):
    """Return what a row lacks to be a grade in FastChat's layout."""
    judge = [] if "judge" in row or "judge_model" in row else ["judge"]
    return lacking(row, *_GRADE) + judge


def read_single(row):
    """Return the grade in a row; a score of -1 is none.

    Rows that differ in ``user_prompt`` are about different answers, and no repeats.

    >>> row = {"question_id": "81_DE", "model": "m", "judge": ["gpt-4", "single-v1"], "turn": 1}
    >>> read_single(row | {"score": -1, "judgment": "$ERROR$"}).reason
    <Reason.ERROR_MARKER: 'error_marker'>
    """
    question, model, score = need(row, *_GRADE)
    raw = text_of(row.get("judgment"), "judgment")
    prompt = text_of(row.get("user_prompt"), "user_prompt")
    value = score_of(score, "score")
    return Grade(
        question=id_of(question, "question_id"),
        candidate=id_of(model, "model"),
        judge=judge_of(row)[0],
        score=value,
        reason="" if value is not None else why_none(raw),
        turn=turn_of(row),
        prompt=hash(prompt) if prompt else 0,
        made=made_of(row, raw),
    )


def turn_of(row):
    """Return the turn as text, empty where the dialect has none."""
    turn = row.get("turn")
    return "" if turn is None or is_missing(turn) else id_of(turn, "turn")
