"""LLMBar's result.json: both orders in one row, told as the output that won."""

import math
from typing import NamedTuple

from posbias_kit.data.layouts.parts import needed_text
from posbias_kit.data.layouts.records import (
    GOLD,
    Answer,
    Game,
    Label,
    Layout,
    Question,
    is_missing,
    lacking,
    look_up,
    need,
)
from posbias_kit.data.layouts.values import why_none
from posbias_kit.errors import ReadError, check_choice

_OUTPUTS = ("output_1", "output_2")
_KEYS = ("input", *_OUTPUTS, "results")
_GAMES = {"swap = False": _OUTPUTS, "swap = True": _OUTPUTS[::-1]}
_WINNERS = {"1": "output_1", "2": "output_2", "none": None}
_STAGES = ("final", "first")
_FOLDER = "evaluators"


class Place(NamedTuple):
    """What the path of a file tells."""

    subset: str
    judge: str
    strategy: str
    stage: str
    """Which round counts, an option."""


def find_place(path):
    """Return subset, judge and prompt strategy, by their place beside the folder evaluators.

    Parameters
    ----------
    path : Path

    Returns
    -------
    (str, str, str) or None

    Examples
    --------
    >>> from pathlib import Path
    >>> find_place(Path("Any/Adversarial/Manual/evaluators/GPT-4/Swap/result.json"))
    ('Adversarial/Manual', 'GPT-4', 'Swap')
    """
    *above, _ = path.absolute().parts
    if _FOLDER not in above:
        return None
    at = len(above) - 1 - above[::-1].index(_FOLDER)
    judge, *strategy = above[at + 1 :] or [""]
    if not strategy or at < 1:
        return None
    nested = at > 1 and above[at - 2] == "Adversarial"
    return "/".join(above[at - 1 - nested : at]), judge, "/".join(strategy)


def begin(source):
    """Read the place of a file from its path, and check the option."""
    stage = check_choice(source.options.get("stage", "final"), _STAGES, "stage")
    if (found := find_place(source.file)) is None:
        raise ReadError(
            "the path tells neither subset nor judge",
            place=str(source.file),
            allowed="SUBSET/evaluators/JUDGE/STRATEGY/result.json",
            cure="keep the file in the folders it was published in",
        )
    return source._replace(options={"place": Place(*found, stage)})


def read_row(row, line, source):
    """Return the games of both orders, the benchmark's label, and the texts."""
    place = source.options["place"]
    text, *outputs, results = need(row, *_KEYS)
    question = f"{place.subset}/{line - 1}"
    told = {
        "question": question,
        "judge": place.judge,
        "task": place.subset,
        "arm": place.strategy,
    }
    records = [
        Game(shown=_GAMES[order], **verdict, **told)
        for order, verdict in _verdicts(_round(results, place.stage)).items()
    ]
    if not is_missing(row.get("label")):
        winner = look_up(row["label"], {"1": "output_1", "2": "output_2"}, "label")
        records.append(Label(question, _OUTPUTS, GOLD, winner))
    records.append(Question(question, (needed_text(text, "input"),), place.subset))
    texts = zip(_OUTPUTS, outputs, strict=True)
    return records + [Answer(question, name, (needed_text(t, name),)) for name, t in texts]


def _round(results, stage):
    """Return the round that counts; helper texts stand before it as lists."""
    rounds = [r for r in results if _is_round(r)] if isinstance(results, list) else []
    if not rounds or not _is_round(results[-1]):
        raise ReadError(
            "the last of `results` holds no verdict",
            allowed="; ".join(map(repr, _GAMES)),
            cure="judge this item again, or leave it out",
        )
    return rounds[0 if stage == "first" else -1]


def _is_round(value):
    return isinstance(value, dict) and any(order in value for order in _GAMES)


def _verdicts(told):
    """Return choice, reason and raw reply of each order that the round holds."""
    keys = [key for key in ("score_1", "score_2") if key in told]
    ratings = [_number(told[key]) for key in keys]
    verdicts = {}
    for order in filter(told.__contains__, _GAMES):
        game = told[order] if isinstance(told[order], dict) else {}
        (winner,) = need(game, "winner")
        winner, raw = look_up(winner, _WINNERS, "winner"), _reply(game.get("completion"))
        if winner and keys:
            winner = _rated(ratings, winner)
        choice = _GAMES[order].index(winner) + 1 if winner else winner  # 0 for a tie
        reason = why_none(raw) if choice is None else ""
        verdicts[order] = {"choice": choice, "reason": reason, "raw": raw}
    return verdicts


def _rated(ratings, winner):
    """Return what two ratings say: 0 where they are equal, which the source writes as a winner."""
    if None in ratings or len(ratings) < 2:
        return None
    if ratings[0] == ratings[1]:
        return 0
    if winner != _OUTPUTS[ratings[0] < ratings[1]]:
        raise ReadError(
            f"winner is {winner!r}, but the ratings are {ratings[0]:g} and {ratings[1]:g}",
            allowed="in both orders the output with the higher rating",
            cure="map the winner back to the outputs, or leave the item out",
        )
    return winner


def _number(rating):
    """Return a rating, plain or as the text of a completion; None where it is no number."""
    plain = type(rating) in (int, float)
    try:
        number = float(rating if plain else _reply(rating) or "nan")
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _reply(completion):
    """Return the text of a completion, [text, why it ended]."""
    text = completion[0] if isinstance(completion, list) and completion else completion
    return text.strip() if isinstance(text, str) else None


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    place = [] if find_place(source.file) else ["a path SUBSET/evaluators/JUDGE/STRATEGY"]
    return lacking(row, *_KEYS) + place


LLMBAR = Layout(
    name="llmbar",
    title="LLMBar's result.json below SUBSET/evaluators/JUDGE/STRATEGY",
    undoes=(
        "the winner is mapped back to output_1 or output_2 in both orders; the slot is its place "
        "in the order shown. Equal ratings, written as the second shown in both orders, are ties"
    ),
    read=read_row,
    recognise=recognise,
    files=("result.json", "result.json.gz"),
    options=("stage",),
    begin=begin,
)
