"""From records to the tables that the notebooks read."""

from typing import NamedTuple

import pandas as pd

from posbias_kit.data.benchmark import build_benchmark
from posbias_kit.data.layouts.records import ALL, GOLD, Answer, Game, Grade, Label, Question
from posbias_kit.data.presentations import name_comparison
from posbias_kit.data.verdicts import build_verdicts
from posbias_kit.schema import FAILED_REASONS, VERDICT_KEY, Reason, Status, validate


class Reading(NamedTuple):
    """What was read, and what became of every row."""

    layout: str
    undoes: str
    """The order convention of the files, and what the reader did about it."""
    questions: pd.DataFrame
    answers: pd.DataFrame
    """Empty where the files hold no texts."""
    verdicts: pd.DataFrame
    replies: pd.DataFrame
    """Row by row the verdicts whose file holds a reply; empty where none does."""
    scores: pd.DataFrame
    labels: pd.DataFrame
    files: pd.DataFrame
    """One row a file: file, rows, kept, set_aside, records of each kind."""
    set_aside: pd.DataFrame
    """One row a row that was set aside: file, line, problem, allowed, cure."""


def build_reading(ledger, place):
    """Return the :class:`Reading` of all that a ledger has collected.

    Parameters
    ----------
    ledger : Ledger
    place : str
        What was read, for messages.
    """
    repeats = ledger.settle()
    files, aside = ledger.account()
    bench = _build_texts(ledger, place)
    verdicts, replies = _build_judgments(ledger, repeats[Game], bench.questions, place)
    return Reading(
        ledger.layout.name,
        ledger.layout.undoes,
        *bench,
        verdicts,
        replies,
        _build_scores(ledger, repeats[Grade], place),
        _build_labels(ledger, place),
        files,
        aside,
    )


def _build_texts(ledger, place):
    """Return questions and answers; questions that only have an id have no turns."""
    told = sorted(ledger.records[Question], key=lambda q: (q.task != ALL, bool(q.reference_answer)))
    texts = {record.question: record for record in told}
    games = ledger.records[Game]
    tasks = {game.question: game.task for game in reversed(games)}
    asked = {r.question: ALL for kind in (Grade, Label) for r in ledger.records[kind]} | tasks
    questions = [
        texts.get(question, Question(question, (), asked.get(question, ALL)))
        for question in {**texts, **asked}
    ]
    answers = list({record[:2]: record for record in ledger.records[Answer]}.values())
    frame = pd.DataFrame(
        {
            "question": [q.question for q in questions],
            "task": [q.task if q.task != ALL else asked.get(q.question, ALL) for q in questions],
            "turns": [list(q.turns) for q in questions],
            "reference_answer": [
                q.reference_answer and list(q.reference_answer) for q in questions
            ],
        }
    )
    told = pd.DataFrame(answers, columns=list(Answer._fields))
    told = told[told["question"].isin(frame["question"])]
    return build_benchmark(
        ledger.benchmark, frame, told.assign(turns=told["turns"].map(list)), place
    )


def _build_judgments(ledger, repeats, questions, place):
    games = _frame(ledger.records[Game]).assign(benchmark=ledger.benchmark, repeat=repeats)
    told = games["choice"].notna()
    failed = games["reason"].isin(FAILED_REASONS)
    games["status"] = Status.INVALID.value
    games.loc[failed, "status"] = Status.FAILED.value
    games.loc[told, "status"] = Status.OK.value
    games["choice"] = games["choice"].astype("Int64")
    games["reason"] = (
        games["reason"].mask(told, "").mask(~told & (games["reason"] == ""), Reason.NO_LABEL.value)
    )
    asked = questions.set_index("question")
    games["cluster"] = games["question"].map(asked["cluster"])
    tasks = games["question"].map(asked["task"])
    games["task"] = games["task"].mask(games["task"] == ALL, tasks)
    texts = games[["raw", "format", "options"]]
    verdicts = build_verdicts(games.drop(columns=["raw", "format", "options"]), place)
    assert len(verdicts) == len(ledger.records[Game])  # noqa: S101  none vanishes
    rows = pd.Series(ledger.rows_of[Game], index=verdicts.index, dtype="int64")
    shown = texts["raw"].notna() & (texts["format"] != "")
    where = [ledger.places[row] for row in rows[shown]]
    replies = (
        verdicts.loc[shown, VERDICT_KEY]
        .join(texts[shown])
        .assign(file=[ledger.names[file] for file, _ in where], line=[line for _, line in where])
    )
    return verdicts, validate(replies.reset_index(drop=True), "replies", place)


_SETTLED = ("prompt", "made", "template")
"""What told repeats and arms, and stands in no table."""


def _frame(games):
    """Arrange games as a table; a column that says one thing is made of one value: it is fast."""
    if not games:
        return pd.DataFrame(columns=[name for name in Game._fields if name not in _SETTLED])
    columns = {}
    for name, values in zip(Game._fields, zip(*games, strict=True), strict=True):
        if name in _SETTLED:
            continue
        same = name != "shown" and values.count(values[0]) == len(values)
        columns[name] = values[0] if same else list(values)
    return pd.DataFrame(columns, index=range(len(games)))


def _build_scores(ledger, repeats, place):
    grades = pd.DataFrame(ledger.records[Grade], columns=list(Grade._fields))
    grades = grades.drop(columns=["prompt", "made"]).assign(
        benchmark=ledger.benchmark, repeat=repeats
    )
    grades["reason"] = grades["reason"].mask(grades["score"].notna(), "")
    return validate(grades, "scores", place)


def _build_labels(ledger, place):
    labels = pd.DataFrame(ledger.records[Label], columns=list(Label._fields))
    told = zip(labels["question"], labels["candidates"], strict=True)
    comparison = [name_comparison(*place) for place in told]
    labels = labels.drop(columns="candidates").assign(
        benchmark=ledger.benchmark, comparison=pd.Series(comparison, dtype="str")
    )
    again = labels.duplicated() & (labels["labeller"] == GOLD)  # it stands beside every judge
    return validate(labels[~again].reset_index(drop=True), "labels", place)
