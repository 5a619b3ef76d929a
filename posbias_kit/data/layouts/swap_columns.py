"""One row a pair, both orders in it: winner_ab and winner_ba."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.companions import companion, is_companion
from posbias_kit.data.layouts.fastchat_single import turn_of
from posbias_kit.data.layouts.records import (
    Game,
    Grade,
    Layout,
    is_missing,
    lacking,
    look_up,
    need,
    task_of,
    two_candidates,
)
from posbias_kit.data.layouts.values import made_of, score_of, text_of, why_none
from posbias_kit.errors import ReadError

_PAIR = ("question_id", "model_a", "model_b", "judge_id", "winner_ab", "winner_ba")
_NEEDED = frozenset(_PAIR)
_GRADE = ("question_id", "model_id", "judge_id", "avg_score")
_JUDGMENT = {"judge_id", "winner_ab", "winner_ba", "avg_score"}
_LABELS = {"a": 1, "b": 2, "tie": 0, "c": 0, "error": None, "none": None, "": None}


def read_row(row, line, source):
    """Return the two games of a pair, the grade of an answer, or the texts that lie beside.

    >>> row = {"question_id": 81, "model_a": "x", "model_b": "y", "judge_id": "j", "turn": 2}
    >>> from posbias_kit.data.layouts.records import Source
    >>> games = read_row(row | {"winner_ab": "A", "winner_ba": "A"}, 1, Source(None, "", {}))
    >>> [(game.shown, game.choice, game.turn) for game in games]
    [(('x', 'y'), 1, '2'), (('y', 'x'), 1, '2')]
    """
    if row.keys() >= _NEEDED:  # faster than lacking, for files of a million rows
        return _games(row, source.replies)
    if not lacking(row, *_GRADE):
        return [_grade(row)]
    if is_companion(row, _JUDGMENT):
        return companion(row, source)
    return need(row, *_PAIR)


def _games(row, replies):
    pair = two_candidates(row["model_a"], row["model_b"], ("model_a", "model_b"))
    question = id_of(row["question_id"], "question_id")
    judge, task, turn = id_of(row["judge_id"], "judge_id"), task_of(row), turn_of(row)
    # Written out for both orders: a file may have a million rows.
    ab = text_of(row.get("judgment_ab"), "judgment_ab")
    ba = text_of(row.get("judgment_ba"), "judgment_ba")
    first = look_up(row["winner_ab"], _LABELS, "winner_ab")
    second = look_up(row["winner_ba"], _LABELS, "winner_ba")
    if "winner" in row:
        _check_winner(row["winner"], pair, (first, second))
    digest = row.get("input_sha256")  # of what was shown
    prompt = 0 if digest is None else hash(text_of(digest, "input_sha256"))
    told, why = (task, turn, prompt, made_of(row, ab, ba)), ("", "")
    if first is None or second is None:
        why = ["" if c is not None else why_none(raw) for c, raw in ((first, ab), (second, ba))]
    games = [
        Game(question, pair, judge, first, why[0], *told),
        Game(question, pair[::-1], judge, second, why[1], *told),
    ]
    if not replies:
        return games
    return [
        game._replace(raw=raw, format="mtbench_brackets")
        for game, raw in zip(games, (ab, ba), strict=True)
    ]


def _check_winner(told, pair, choices):
    """Raise ReadError where `winner` shows that the labels are models, and not slots.

    Nothing is said of ties and failures, of which authors make a winner in several ways.
    """
    if is_missing(told) or not all(choices):
        return
    told = id_of(told, "winner")
    first, second = pair[choices[0] - 1], pair[2 - choices[1]]
    named = (*pair, "tie", "inconsistent") if first == second else pair
    if told in named and not first == second == told:
        raise ReadError(
            f"winner is {told!r}, but as slots winner_ab names {first!r} and winner_ba {second!r}",
            allowed="A and B for the answer shown first and second, in both orders",
            cure="map winner_ba back to slots: in it, A is model_b",
        )


def _grade(row):
    score = score_of(row["avg_score"], "avg_score")
    return Grade(
        question=id_of(row["question_id"], "question_id"),
        candidate=id_of(row["model_id"], "model_id"),
        judge=id_of(row["judge_id"], "judge_id"),
        score=score,
        reason="" if score is not None else why_none(None),
        made=made_of(row, *(str(row.get(f"judgment_turn{n}") or "") for n in (1, 2))),
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
