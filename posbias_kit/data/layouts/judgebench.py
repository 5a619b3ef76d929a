"""JudgeBench's outputs: two answers of one model, a gold label, two judgments.

Both answers are the same model's, so a model's name cannot tell them apart: the candidates are
called A and B, after the columns ``response_A`` and ``response_B``. Which of them is right
changes from pair to pair; compare with the gold labels, not candidate with candidate.
"""

import re

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.arena_hard import check_games, slot_of
from posbias_kit.data.layouts.records import (
    GOLD,
    Answer,
    Game,
    Label,
    Layout,
    Question,
    lacking,
    look_up,
    need,
    task_of,
)
from posbias_kit.data.layouts.swap_check import check_swap
from posbias_kit.data.layouts.values import text_of, why_none
from posbias_kit.schema import TIE, Reason

_ROW = ("pair_id", "response_A", "response_B", "label", "judge_name", "judgments")
_PAIR = ("A", "B")
_GOLD = {"a>b": "A", "b>a": "B", "a=b": TIE, "none": None}


def read_row(row, line, source):
    """Return the two games of a pair, its gold label, its question and its answers.

    >>> from pathlib import Path
    >>> from posbias_kit.data.layouts.records import Source
    >>> row = {"pair_id": "p", "response_A": "4", "response_B": "5", "label": "A>B"}
    >>> row |= {"judge_name": "vanilla", "judgments": [{"decision": "A>B"}, None]}
    >>> first, second, gold, *_ = read_row(row, 1, Source(Path("p.jsonl"), "p.jsonl", {}))
    >>> first.shown, first.choice, str(second.reason), gold.winner
    (('A', 'B'), 1, 'connection', 'A')
    """
    pair, *answers, label, name, judgments = need(row, *_ROW)
    pair, name = id_of(pair, "pair_id"), id_of(name, "judge_name")
    judgments = check_games(judgments, "judgments")
    calls = [_call(judgment) for judgment in judgments]
    prompts = [text_of(call.get("prompt"), "prompt") for call in calls]
    check_swap(*prompts, *[None] * (2 - len(calls)))
    told = {
        "question": pair,
        "judge": _judge(calls, source) or name,
        "template": name,
        "task": task_of(row, "source"),
        "format": "arena_hard" if name == "arena_hard" else "",
    }
    games = [
        _game(shown, judgment, call, told)
        for shown, judgment, call in zip((_PAIR, _PAIR[::-1]), judgments, calls, strict=False)
    ]
    winner = look_up(label, _GOLD, "label")
    gold = [] if winner is None else [Label(pair, _PAIR, GOLD, winner)]
    return games + gold + _texts(row, pair, told["task"], answers)


def _call(judgment):
    call = (judgment or {}).get("judgment")
    return call if isinstance(call, dict) else {}


def _judge(calls, source):
    """Return the judge's model: from a call, or from the file's name where all have failed."""
    models = [call["judge_model"] for call in calls if call.get("judge_model") is not None]
    named = re.search(r"judge_model=([^,]+?)(?:\.jsonl?)?(?:\.gz)?$", source.file.name)
    return id_of(models[0], "judge_model") if models else named and named[1]


def _game(shown, judgment, call, told):
    if judgment is None:
        return Game(shown=shown, choice=None, reason=Reason.CONNECTION, **told)
    raw, prompt = text_of(call.get("response"), "response"), call.get("prompt")
    choice = slot_of(judgment.get("decision"), "decision")
    reason = "" if choice is not None else why_none(raw)
    seen = {"raw": raw, "prompt": hash(prompt) if prompt else 0}
    return Game(shown=shown, choice=choice, reason=reason, **seen, **told)


def _texts(row, pair, task, answers):
    asked = text_of(row.get("question"), "question")
    texts = [(name, text_of(t, f"response_{name}")) for name, t in zip(_PAIR, answers, strict=True)]
    found = [] if asked is None else [Question(pair, (asked,), task)]
    return found + [Answer(pair, name, (text,)) for name, text in texts if text is not None]


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    return lacking(row, *_ROW)


JUDGEBENCH = Layout(
    name="judgebench",
    title="one row a pair with response_A, response_B, label and judgments: JudgeBench",
    undoes="decisions are slots in both games (the second shows response_B as A): nothing is "
    "mapped back; the candidates are called A and B",
    read=read_row,
    recognise=recognise,
)
