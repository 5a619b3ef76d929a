"""One row a pair, both orders in it: winner_ab and winner_ba."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.companions import companion, is_companion
from posbias_kit.data.layouts.records import (
    ALL,
    Game,
    Grade,
    Layout,
    lacking,
    look_up,
    need,
    two_candidates,
)
from posbias_kit.data.layouts.values import score_of, text_of, why_none

_PAIR = ("question_id", "model_a", "model_b", "judge_id", "winner_ab", "winner_ba")
_GRADE = ("question_id", "model_id", "judge_id", "avg_score")
_LABELS = {"a": 1, "b": 2, "tie": 0, "c": 0, "error": None, "none": None, "": None}


def read_row(row, line, source):
    """Return the two games of a pair, the grade of an answer, or the texts that lie beside."""
    if not lacking(row, *_PAIR):
        return _games(row, source.replies)
    if not lacking(row, *_GRADE):
        return [_grade(row)]
    if is_companion(row):
        return companion(row, source)
    return need(row, *_PAIR)


def _games(row, replies):
    pair = two_candidates(row["model_a"], row["model_b"], ("model_a", "model_b"))
    question = id_of(row["question_id"], "question_id")
    judge, task = id_of(row["judge_id"], "judge_id"), str(row.get("category") or ALL)
    games = []
    for name, shown in (("ab", pair), ("ba", pair[::-1])):
        label, raw = row[f"winner_{name}"], text_of(row.get(f"judgment_{name}"), f"judgment_{name}")
        choice = look_up("" if label is None else label, _LABELS, f"winner_{name}")
        reason = "" if choice is not None else why_none(raw)
        game = Game(question, shown, judge, choice, reason, task)
        games.append(game._replace(raw=raw, format="mtbench_brackets") if replies else game)
    return games


def _grade(row):
    score = score_of(row["avg_score"], "avg_score")
    return Grade(
        question=id_of(row["question_id"], "question_id"),
        candidate=id_of(row["model_id"], "model_id"),
        judge=id_of(row["judge_id"], "judge_id"),
        score=score,
        reason="" if score is not None else why_none(None),
    )


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    return [] if not lacking(row, *_GRADE) else lacking(row, *_PAIR)


SWAP_COLUMNS = Layout(
    name="swap_columns",
    title="one row a pair with winner_ab and winner_ba, as Korean MT-Bench publishes it",
    undoes="labels are slots in both orders (in winner_ba, A is model_b); nothing is mapped back",
    read=read_row,
    recognise=recognise,
)
