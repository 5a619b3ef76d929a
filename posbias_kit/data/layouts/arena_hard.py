"""Arena-Hard, v0.1 and v2: one row a model and question, two games against a baseline."""

import re

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.companions import companion, is_companion
from posbias_kit.data.layouts.records import (
    Answer,
    Game,
    Layout,
    Question,
    is_missing,
    lacking,
    look_up,
    need,
    task_of,
    two_candidates,
)
from posbias_kit.data.layouts.swap_check import check_swap
from posbias_kit.data.layouts.values import made_of, text_of, why_none
from posbias_kit.errors import ReadError
from posbias_kit.schema import Reason

_ROW = ("judge", "model", "games")
_ANSWER = ("uid", "model", "messages")
_QUESTION = ("uid", "prompt")
_JUDGMENT = {"judge", "games", "baseline"}
_SLOTS = {"a>>b": 1, "a>b": 1, "a=b": 0, "b>a": 2, "b>>a": 2}
_SLOTS |= {"b<<a": 1, "b<a": 1, "b=a": 0, "a<b": 2, "a<<b": 2}


def slot_of(label, key):
    """Return the slot that a label such as ``A>>B`` names.

    Parameters
    ----------
    label : str or None
    key : str
        Its column, for the message.

    Returns
    -------
    int or None
        0 for a tie; None for no label, or one like ``A>A`` that says nothing.

    Raises
    ------
    ReadError
        Not even the signs of a label.

    Examples
    --------
    >>> [slot_of(label, "score") for label in ("A>>B", "A<B", "A=B", "A>A", None)]
    [1, 2, 0, None, None]
    """
    if is_missing(label):
        return None
    plain = "".join(label.split()) if isinstance(label, str) else ""
    if isinstance(label, str) and re.fullmatch(r"[AaBb<>=]*", plain):
        return _SLOTS.get(plain.lower())
    return look_up(label, _SLOTS, key)


def check_games(games, key):
    """Return the games of a row, or raise ReadError.

    Parameters
    ----------
    games : list of dict or None
        One or two; None where the call failed.
    key : str
        Their column, for the message.
    """
    fine = isinstance(games, list) and len(games) in (1, 2)
    if fine and all(game is None or isinstance(game, dict) for game in games):
        return games
    raise ReadError(
        f"{key} is {str(games)[:60]!r}",
        allowed="a list of two games, each an object or null",
        cure=f"mend {key}",
    )


def read_row(row, line, source):
    """Return the two games of a pair, or the texts that lie beside.

    >>> from pathlib import Path
    >>> from posbias_kit.data.layouts.records import Source
    >>> row = {"uid": "u", "judge": "j", "model": "m", "baseline": "b"}
    >>> games = [{"score": "A>>B"}, {"score": "A>B"}]
    >>> found = read_row(row | {"games": games}, 1, Source(Path("m.jsonl"), "m.jsonl", {}))
    >>> [(game.shown, game.choice) for game in found]
    [(('b', 'm'), 1), (('m', 'b'), 1)]
    """
    if _JUDGMENT.isdisjoint(row):
        if is_companion(row, _JUDGMENT):
            return companion(row, source)
        if not lacking(row, *_ANSWER):
            return [_answer(row)]
        if not lacking(row, *_QUESTION):
            return [_question(row)]
    judge, model, games = need(row, *_ROW)
    pair = two_candidates(_baseline(row, source), model, ("baseline", "model"))
    key = "uid" if "uid" in row else "question_id"
    games = check_games(games, "games")
    prompts = [game and _prompt(game) for game in games]
    check_swap(*prompts, *[None] * (2 - len(games)))
    told = {
        "question": id_of(*need(row, key), key),
        "judge": id_of(judge, "judge"),
        "task": task_of(row),
        "made": made_of(row, *(str(game) for game in games if game)),
        "reference": pair[0],
        "format": "arena_hard",
    }
    found = []
    for shown, game, prompt in zip((pair, pair[::-1]), games, prompts, strict=False):
        if game is None:
            found.append(Game(shown=shown, choice=None, reason=Reason.CONNECTION, **told))
            continue
        choice, raw = slot_of(game.get("score"), "score"), _reply(game)
        reason = "" if choice is not None else why_none(raw)
        seen = {"raw": raw, "prompt": hash(prompt) if prompt else 0}
        found.append(Game(shown=shown, choice=choice, reason=reason, **seen, **told))
    return found


def _baseline(row, source):
    named = [row.get("baseline"), source.options.get("baseline")]
    baseline = next((name for name in named if not is_missing(name)), None)
    if baseline is None:
        raise ReadError(
            "the row does not name the baseline that its model was compared with",
            allowed="a column 'baseline', or the option of that name",
            cure="give the option, e.g. baseline='gpt-4-0314'",
        )
    return baseline


def _prompt(game):
    """Return what the judge was shown: v0.1 has one text, v2 a list of messages."""
    messages = game.get("prompt")
    if not isinstance(messages, list):
        return text_of(game.get("user_prompt"), "user_prompt")
    texts = [message.get("content") for message in messages if isinstance(message, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _reply(game):
    raw = game.get("judgment")
    return text_of(raw.get("answer") if isinstance(raw, dict) else raw, "judgment")


def _question(row):
    text = text_of(row["prompt"], "prompt") or ""
    return Question(id_of(row["uid"], "uid"), (text,), task_of(row))


def _answer(row):
    turns = []
    for message in row["messages"] if isinstance(row["messages"], list) else []:
        if isinstance(message, dict) and message.get("role") == "assistant":
            said = message.get("content")
            said = said.get("answer") if isinstance(said, dict) else said
            turns.append(text_of(said, "content") or "")
    return Answer(id_of(row["uid"], "uid"), id_of(row["model"], "model"), tuple(turns))


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    return lacking(row, *_ROW, *(["question_id"] if "uid" not in row else []))


ARENA_HARD = Layout(
    name="arena_hard",
    title="one row a model and question, games against a baseline: Arena-Hard v0.1 and v2",
    undoes="labels are slots in both games (the first shows the baseline as A, the second the "
    "model): nothing is mapped back; rows whose second game shows other answers are set aside",
    read=read_row,
    recognise=recognise,
    options=("baseline",),
)
