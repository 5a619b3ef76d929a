"""FastChat's pairs, one row a pair with g1_winner and g2_winner; also ja-vicuna-qa's dialect."""

import re

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.companions import companion, is_companion
from posbias_kit.data.layouts.fastchat_single import lacks_of_single, read_single, turn_of
from posbias_kit.data.layouts.records import (
    Answer,
    Game,
    Layout,
    Question,
    lacking,
    look_up,
    need,
    task_of,
    two_candidates,
)
from posbias_kit.data.layouts.swap_check import check_swap
from posbias_kit.data.layouts.values import judge_of, made_of, text_of, why_none
from posbias_kit.errors import ReadError

_PAIR = ("question_id", "model_1", "model_2", "g1_winner", "g2_winner")
_JUDGMENT = {"g1_winner", "g2_winner", "judge", "judge_model", "score"}
_NONE = {"error": None, "none": None, "": None}
_MARKS = {"[[A]]": 1, "[[B]]": 2, "[[C]]": 0}
_MARK = re.compile(r"\[\[[ABC]]]")
# Winners are models in both games: in the second one, model_2 is shown first.
_SLOTS = ({"model_1": 1, "model_2": 2, "tie": 0}, {"model_1": 2, "model_2": 1, "tie": 0})


def read_row(row, line, source):
    """Return the two games of a pair and its texts, a grade, or the texts that lie beside.

    >>> row = {"question_id": 81, "model_1": "x", "model_2": "y", "judge": ["j", "pair-v2"]}
    >>> games = read_row(row | {"g1_winner": "model_1", "g2_winner": "model_1"}, 1, None)
    >>> [(game.shown, game.choice) for game in games]
    [(('x', 'y'), 1), (('y', 'x'), 2)]
    """
    if lacking(row, *_PAIR):
        if not lacks_of_single(row):
            return [read_single(row)]
        if is_companion(row, _JUDGMENT):
            return companion(row, source)
    question, first, second, *winners = need(row, *_PAIR)
    pair = two_candidates(first, second, ("model_1", "model_2"))
    judge, template = judge_of(row)
    prompts = [text_of(row.get(f"g{n}_user_prompt"), f"g{n}_user_prompt") for n in (1, 2)]
    check_swap(*prompts)
    said = [text_of(row.get(f"g{n}_judgment"), f"g{n}_judgment") for n in (1, 2)]
    told = {
        "question": id_of(question, "question_id"),
        "judge": judge,
        "task": task_of(row),
        "turn": turn_of(row),
        "template": template,
        "prompt": hash(tuple(prompts)) if any(prompts) else 0,
        "made": made_of(row, *said),
        "format": "mtbench_brackets",
    }
    games = []
    for number, (winner, slots, raw) in enumerate(zip(winners, _SLOTS, said, strict=True), start=1):
        choice = look_up(winner, slots | _NONE, f"g{number}_winner")
        _check_mark(raw, choice, winner, number)
        shown = pair if number == 1 else pair[::-1]
        reason = "" if choice is not None else why_none(raw)
        games.append(Game(shown=shown, choice=choice, reason=reason, raw=raw, **told))
    return games + _texts(row, told["question"], told["task"], pair)


def _check_mark(raw, choice, winner, number):
    """Raise ReadError where a reply that names one slot shows that winners are slots, no models."""
    marks = set(_MARK.findall(raw or ""))
    if choice is None or len(marks) != 1 or choice == _MARKS[(mark := marks.pop())]:
        return
    raise ReadError(
        f"g{number}_winner is {winner!r:.60}, but the reply says {mark} where game {number} shows "
        f"model_{number} as A",
        allowed="the model that the reply names, in both games",
        cure="map the winners of the second game back to models",
    )


def _texts(row, question, task, pair):
    """Return question and answers of the dialect that has them in the row."""
    texts = [text_of(row.get(key), key) for key in ("question", "answer_1", "answer_2")]
    asked, *answers = [None if text is None else (text,) for text in texts]
    found = [] if asked is None else [Question(question, asked, task)]
    return found + [
        Answer(question, name, answer)
        for name, answer in zip(pair, answers, strict=True)
        if answer is not None
    ]


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    judge = [] if "judge" in row or "judge_model" in row else ["judge"]
    return lacking(row, *_PAIR) + judge


FASTCHAT_PAIR = Layout(
    name="fastchat_pair",
    title="one row a pair with g1_winner and g2_winner: FastChat's MT-Bench, ja-vicuna-qa",
    undoes="winners are models in both games (g1 shows model_1 first, g2 model_2): made slots "
    "again; files in a folder reference_answer are left out",
    read=read_row,
    recognise=recognise,
)
