"""The labels of a reply in JSON: rule V9 of :mod:`posbias_kit.parsing`."""

import json
import re
from itertools import pairwise
from typing import NamedTuple

from posbias_kit._reply import fold_lookalikes

_BETWEEN = re.compile(r"(?:[\s,\[\]]|(?:`{3,}|~{3,})\w*)*")
_BROKEN = re.compile(r"""(["']|\{\s*+)choice["']?\s*+:""", re.IGNORECASE)

_OPENING = re.compile(r"\{\s*+(?:[\"}]|\Z)")
_MOST_BREAKS = 1000
"""A reply with more broken objects is not read: each one costs a look at all of the reply."""


class _Number(NamedTuple):
    digits: str


class _Object(NamedTuple):
    start: int
    end: int
    labels: list


def read_choices(text):
    """Return the labels of the final statement, and why there are none.

    The statement is the last object with a top-level key ``choice``, and those right before it
    with only white space, commas, fences or array brackets between. Nothing is repaired, and no
    object counts that stands in another or in a string.

    Parameters
    ----------
    text : str
        The reply, reasoning and quotations dropped.

    Returns
    -------
    tuple of (list of str, bool)
        The labels in capitals, "" for a value of the wrong type; and whether the reply breaks
        off in an object.

    Examples
    --------
    >>> read_choices('So: {"choice": "Second"} Hope it helps.')
    (['SECOND'], False)
    >>> read_choices('{"choice": "FIRST", "reason": "it')
    ([], True)
    """
    found, cut = _objects(text)
    last = max((i for i, item in enumerate(found) if item.labels), default=None)
    if cut or last is None:
        return [], cut
    edges = [(item.start, item.end) for item in found] + [(len(text), len(text))]
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(edges)]
    if any(_BROKEN.search(gap) for gap in gaps[last:]):
        return [""], False  # what was said last cannot be read
    first = last
    while first and found[first - 1].labels and _BETWEEN.fullmatch(gaps[first - 1]):
        first -= 1
    return [label for item in found[first : last + 1] for label in item.labels], False


def is_object(text):
    """Whether the text is one whole object and nothing else."""
    found, _ = _objects(text)
    return len(found) == 1 and text.strip() == text[found[0].start : found[0].end]


def _objects(text):
    """Find every object that stands in no other, and say whether the text ends within one.

    Where an object breaks, the search goes on behind the break: what it held was no statement.
    """
    unknown = []
    decoder = json.JSONDecoder(
        object_pairs_hook=list, parse_int=_Number, parse_constant=unknown.append
    )
    found, breaks, end = [], 0, len(text.rstrip())
    start = _OPENING.search(text)
    while start and breaks < _MOST_BREAKS:
        at = start.start()
        try:
            pairs, after = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= end or error.msg.startswith("Unterminated"):
                return found, True
            after, breaks = max(error.pos, at + 1), breaks + 1
        except RecursionError:
            return [], False
        else:
            found.append(_Object(at, after, [] if unknown else _labels(pairs)))
            unknown.clear()  # NaN and Infinity are no JSON
        start = _OPENING.search(text, after)
    return ([], False) if start else (found, False)


def _labels(pairs):
    values = [value for key, value in pairs if fold_lookalikes(key).strip().lower() == "choice"]
    return [_label(value) for value in values]


def _label(value):
    if isinstance(value, _Number):
        return value.digits
    word = fold_lookalikes(value).strip().upper() if isinstance(value, str) else ""
    return "" if word.isdigit() else word  # in a list the number was asked for, not a text
