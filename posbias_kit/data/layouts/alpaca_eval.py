"""AlpacaEval's annotations: one random order an item, recovered from what the judge replied."""

import ast
import hashlib
import json
import math

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.parts import needed_text
from posbias_kit.data.layouts.records import (
    Answer,
    Game,
    Layout,
    Question,
    is_missing,
    lacking,
    need,
    task_of,
    two_candidates,
)
from posbias_kit.data.layouts.values import why_none
from posbias_kit.errors import ReadError
from posbias_kit.schema import Reason

_KEYS = (
    "instruction", "output_1", "generator_1", "output_2", "generator_2", "annotator", "preference",
)  # fmt: skip
_SLOTS = {
    "m": 1, "M": 2, "model_1": 1, "model_2": 2, "(a)": 1, "(b)": 2, "Output (a)": 1,
    "Output (b)": 2,
}  # fmt: skip
"""What the prompts call the answer shown first, and the one shown second."""
_NOTHING = {"none", "null", "nan"}
"""Replies that are none, as their texts are spelt."""


def read_row(row, line, source):
    """Return the judgment of one item, and its texts."""
    instruction, text_1, name_1, text_2, name_2, judge, preference = need(row, *_KEYS)
    pair = two_candidates(name_1, name_2, ("generator_1", "generator_2"))
    instruction = needed_text(instruction, "instruction")
    preference = _number(preference)
    raw = row.get("raw_completion")
    first = _shown_first(row, raw, _preferred(preference))
    winner, reason = _outcome(preference, raw, first)
    task = task_of(row, "dataset")
    question = question_id(instruction, None if is_missing(row.get("dataset")) else row["dataset"])
    shown = pair if first == 1 else pair[::-1]
    margin = None
    if winner and 1 < preference < 2:
        margin = math.log((2 - preference) / (preference - 1)) * (1 if first == 1 else -1)
    game = Game(
        question=question,
        shown=shown,
        judge=id_of(judge, "annotator"),
        choice=shown.index(pair[winner - 1]) + 1 if winner else winner,
        reason=reason,
        task=task,
        margin=margin,
    )
    texts = (needed_text(text_1, "output_1"),), (needed_text(text_2, "output_2"),)
    answers = [Answer(question, name, text) for name, text in zip(pair, texts, strict=True)]
    return [game, Question(question, (instruction,), task), *answers]


def question_id(instruction, dataset=None):
    """Name a question by its text, so that files of several generators share it.

    >>> question_id("How are you?", "helpful_base")
    'helpful_base/df287dfc1406'
    """
    digest = hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{dataset}/{digest}" if dataset else digest


def _number(preference):
    """Return the preference, None where there is none."""
    if preference is None:
        return None
    try:
        value = math.inf if isinstance(preference, bool) else float(preference)
    except (TypeError, ValueError, OverflowError):
        value = math.inf
    if math.isnan(value):
        return None
    if value == 0 or 1 <= value <= 2:
        return value
    raise ReadError(
        f"preference is {preference!r}",
        allowed="1 to 2; 0 for a tie; null where there is none",
        cure="mend the preference",
    )


def _preferred(preference):
    """Return 1 or 2, the output preferred; 0 for a tie; None where there is none."""
    if preference is None or preference in (0, 1.5):
        return preference and 0
    return 1 if preference < 1.5 else 2


def _outcome(preference, raw, first):
    """Return (winner, why there is none): 1.5 stands for a tie, and for a reply that failed."""
    winner, slot, failed = _preferred(preference), stated_slot(raw), _failure(raw)
    if winner is None:
        return None, failed or Reason.NO_LABEL
    if slot and slot != (0 if winner == 0 else 1 if winner == first else 2):
        return None, Reason.CONTRADICTION
    if failed and (preference == 1.5 or (winner == 0 and raw is not None)):
        return None, failed
    return winner, ""


def _failure(raw):
    """Return why a reply says nothing, or nothing where it says something."""
    if isinstance(raw, dict) and stated_slot(raw) is None:
        message = raw.get("message")
        raw = raw.get("text", message.get("content") if isinstance(message, dict) else raw)
    if not raw or is_missing(raw) or str(raw).strip().lower() in _NOTHING:
        return Reason.EMPTY
    reason = why_none(raw)
    return "" if reason == Reason.NO_LABEL else reason


def _shown_first(row, raw, winner):
    """Return 1 or 2, the output that was shown first."""
    named = row.get("referenced_models")
    outputs = {"output_1": 1, "output_2": 2}
    if isinstance(named, dict) and {*map(str, named.values())} == {*outputs}:
        slots = {_SLOTS.get(name): outputs[output] for name, output in named.items()}
        if slots.keys() == {1, 2}:
            return slots[1]
    slot = stated_slot(raw)
    if slot and winner:
        return winner if slot == 1 else 3 - winner
    raise ReadError(
        "the order shown cannot be recovered: referenced_models does not tell it, and "
        + ("raw_completion names no winner" if winner else "there is no winner to compare with"),
        allowed="referenced_models, or a raw_completion that names m or M as the better one",
        cure="read a file that keeps raw_completion, or leave the item out",
    )


def stated_slot(raw):
    """Return the slot that a raw completion calls the better one, None where it names none.

    Parameters
    ----------
    raw : str, dict, list or None
        A label; ranked models, as JSON or as text; or a reply with its log-probabilities, of
        which the likelier label counts, as it does for the preference.

    Examples
    --------
    >>> stated_slot("M"), stated_slot('{"ordered_models": [{"model": "m", "rank": 1}]}')
    (2, 1)
    """
    if isinstance(raw, str):
        if raw.strip(" \n\"'`.") in _SLOTS:
            return _SLOTS[raw.strip(" \n\"'`.")]
        raw = _parse(raw)
    ranked = raw.get("ordered_models") if isinstance(raw, dict) else raw
    if isinstance(ranked, list):
        models = [m for m in ranked if isinstance(m, dict) and str(m.get("rank")) == "1"]
        return _SLOTS.get(str(models[0].get("model"))) if len(models) == 1 else None
    return _likelier(raw)


def _parse(text):
    for parse in (json.loads, ast.literal_eval) if text.strip()[:1] in ("[", "{") else ():
        try:
            return parse(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return None


def _likelier(raw):
    try:
        tokens = raw["logprobs"]["content"][0]["top_logprobs"]
        found = {token["token"].strip(): float(token["logprob"]) for token in tokens[::-1]}
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    first, second = (found.get(name, -math.inf) for name in ("m", "M"))
    return None if first == second else 1 if first > second else 2


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    return lacking(row, *_KEYS)


ALPACA_EVAL = Layout(
    name="alpaca_eval",
    title="AlpacaEval's annotations, one random order an item",
    undoes=(
        "the preference is mapped back to output_1 or output_2; the order comes from the names "
        "that the prompt gave them (m first, M second), and items that do not tell it are set "
        "aside. A question's id is the hash of its text"
    ),
    read=read_row,
    recognise=recognise,
    files=("*annotations*.json", "*annotations*.json.gz", "*annotations*.jsonl"),
)
