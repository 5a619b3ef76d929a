"""Grades: one a row as FastChat's, repeated ones in lists, and reviews with two scores."""

import re

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.companions import companion, is_companion
from posbias_kit.data.layouts.fastchat_single import lacks_of_single, read_single
from posbias_kit.data.layouts.records import (
    Game,
    Grade,
    Layout,
    Question,
    lacking,
    need,
    two_candidates,
)
from posbias_kit.data.layouts.values import made_of, score_of, text_of, why_none
from posbias_kit.errors import ReadError
from posbias_kit.schema import Reason

_SINGLE = ("question_id", "model", "judge", "score")
_REVIEW = ("question_id", "answer1_id", "answer2_id", "score", "reviewer_id")
_JUDGMENT = {"judge", "judge_model", "score", "reviewer_id", "full_scores"}
_REPEATS = ("id", "subset", "full_scores")


def read_row(row, line, source):
    """Return the grades in a row; a review is one judgment as well.

    >>> from pathlib import Path
    >>> from posbias_kit.data.layouts.records import Source
    >>> row = {"question_id": 1, "answer1_id": "h", "answer2_id": "k", "reviewer_id": "j"}
    >>> file = Path("review_x_y.jsonl")
    >>> game, *grades = read_row(row | {"score": [8, 9]}, 1, Source(file, file.name, {}))
    >>> game.shown, game.choice, [grade.score for grade in grades]
    (('x', 'y'), 2, [8.0, 9.0])
    """
    if not lacking(row, *_REVIEW):
        return _review(row, source)
    if not lacking(row, *_REPEATS):
        return _repeats(row, source)
    if lacks := lacks_of_single(row):
        if is_companion(row, _JUDGMENT):
            return companion(row, source)
        raise ReadError(
            f"no {', '.join(map(repr, lacks))} in this row",
            allowed=" | ".join(map(", ".join, (_SINGLE, _REVIEW, _REPEATS))),
            cure="complete the row, or read the file with the layout that fits it",
        )
    return [read_single(row)]


def _review(row, source):
    """Read a review of two answers: the higher score wins, equal ones are a tie."""
    question, first, second, scores, judge = need(row, *_REVIEW)
    ids = two_candidates(first, second, ("answer1_id", "answer2_id"))
    question, judge = id_of(question, "question_id"), id_of(judge, "reviewer_id")
    pair = _models(source, question, ids) or ids
    raw = text_of(row.get("text"), "text")
    one, two = (score_of(score, "score") for score in _listed(scores, 2, "score"))
    failed = one is None or two is None
    reason = why_none(raw) if failed else ""
    choice = None if failed else 0 if one == two else 1 if one > two else 2
    made = made_of(row, raw and (raw, ids), key="review_id")
    game = Game(question, pair, judge, choice, reason, raw=raw, prompt=hash(ids), made=made)
    return [game] + [
        Grade(question, name, judge, score, "" if score is not None else reason,
              prompt=hash(seen), made=made)
        for name, seen, score in zip(pair, ids, (one, two), strict=True)
    ]  # fmt: skip


def begin(source):
    """Give each file a place for the ids of the answers that its reviews show."""
    return source._replace(options={})


def _models(source, question, ids):
    """Return the models shown, from a file called ``review_{a}_{b}.jsonl``, else None.

    The first review of a question shows them in that order, and tells which answer is whose.
    Where a name holds an underscore the two cannot be told apart.
    """
    named = re.fullmatch(r"review_([^_]+)_([^_]+?)\.jsonl?(\.gz)?", source.file.name)
    if named is None:
        return None
    swapped = ids == source.options.setdefault(question, ids)[::-1]
    names = (named[2], named[1]) if swapped else (named[1], named[2])
    return two_candidates(*names, ("the file's name",) * 2)


def _repeats(row, source):
    """Read the repeated scores of several answers; the file and the prompt name the run."""
    number, subset, table = need(row, *_REPEATS)
    question = f"{id_of(subset, 'subset')}/{id_of(number, 'id')}"  # an id stands in two subsets
    judge = re.sub(r"\.jsonl?(\.gz)?$", "", source.file.name)
    if variant := text_of(row.get("prompt_variant"), "prompt_variant"):
        judge = f"{judge}/{variant}"
    errors = row.get("full_errors")
    table = _listed(table, None, "full_scores")
    errors = [None] * len(table) if errors is None else _listed(errors, len(table), "full_errors")
    grades = []
    for candidate, (scores, why) in enumerate(zip(table, errors, strict=True), start=1):
        scores = _listed(scores, None, "full_scores")
        why = [None] * len(scores) if why is None else _listed(why, len(scores), "full_errors")
        for repeat, (value, error) in enumerate(zip(scores, why, strict=True), start=1):
            score = score_of(value, "full_scores")
            reason = _why_failed(error) if score is None else ""
            grades.append(Grade(question, str(candidate), judge, score, reason, "", repeat))
    return [Question(question, (), id_of(subset, "subset")), *grades]


def _why_failed(error):
    if error is None:
        return Reason.NO_LABEL
    return Reason.EMPTY if str(error).startswith("empty") else Reason.CONNECTION


def _listed(value, length, key):
    if isinstance(value, list) and value and length in (None, len(value)):
        return value
    raise ReadError(
        f"{key} is {str(value)[:60]!r}",
        allowed=f"a list of {length or 'one or more'}",
        cure=f"mend {key}",
    )


def recognise(row, source):
    """Say what a row lacks to be of this layout: of its three kinds, the nearest."""
    kinds = lacking(row, *_REVIEW), lacking(row, *_REPEATS), lacks_of_single(row)
    return min(kinds, key=len)


SCORES = Layout(
    name="scores",
    title="grades: FastChat's single answers, lists of repeated scores, reviews with two scores",
    undoes="a review's scores stand in the order shown: the higher one is the slot; grades have "
    "no order. A review's candidates are named by its file review_{a}_{b}.jsonl, else by ids; ids "
    "exchanged are the other order",
    read=read_row,
    recognise=recognise,
    begin=begin,
)
