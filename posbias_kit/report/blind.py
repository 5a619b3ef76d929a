"""Blinded sheets: what a reviewer sees, and the key that stays with the run."""

import hashlib
import json

import numpy as np
import pandas as pd

from posbias_kit.errors import ParamsError
from posbias_kit.review_schema import PLACE

LETTERS = "bcdfghjkmnpqrstvwxz"
"""Of opaque ids: no vowel, so that no word arises, and no digit, so that no number does."""

KEY = ["reviewer", "item", *PLACE, "question", "candidate", "answer", "digest"]
"""Columns of the key: which answer and comparison the opaque ids stand for."""


def opaque_id(*parts):
    """Return eight letters that tell nothing of what they stand for.

    Examples
    --------
    >>> opaque_id(1, "u", "q") == opaque_id(1, "u", "q") != opaque_id(1, "v", "q")
    True
    """
    text = json.dumps([str(part) for part in parts], ensure_ascii=False)
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    letters = []
    for _ in range(8):
        number, rest = divmod(number, len(LETTERS))
        letters.append(LETTERS[rest])
    return "".join(letters)


def blind_items(queue, questions, answers, rubric, reviewer, seed, secret):
    """Make one reviewer's items, in an order of its own.

    Neither candidate nor judge stands in an item. The order of the items and that of the answers
    within each are drawn from the run's secret, the seed and the reviewer's name.

    Parameters
    ----------
    queue : DataFrame
        From :func:`posbias_kit.analysis.review_queue`.
    questions, answers : DataFrame
    rubric, reviewer : str
    seed : int
    secret : str
        Of the run: without it nobody can work out an id, or an order, from names and the seed.

    Returns
    -------
    items : list of dict
        item, request, rubric, reference, answers (list of (id, text)).
    key : DataFrame
        Columns :data:`KEY`.

    Raises
    ------
    ParamsError
        The run holds no text of an answer.
    """
    drawn = hashlib.sha256(json.dumps([secret, seed, reviewer]).encode()).digest()
    rng = np.random.default_rng(list(drawn))
    asked = questions.set_index(["benchmark", "question"])
    given = answers.set_index(["benchmark", "question", "candidate"])
    items, key = [], []
    for row in queue.iloc[rng.permutation(len(queue))].itertuples():
        place = [getattr(row, name) for name in PLACE]
        names = json.loads(row.candidates)
        told = [_find(given, (row.benchmark, row.question, name)) for name in names]
        # with the texts' digests: a sheet that shows other texts has other ids
        place_id = (secret, reviewer, *place, *(answer["digest"] for answer in told))
        item, shown = opaque_id(*place_id), []
        for index in rng.permutation(len(names)):
            name, answer = names[index], told[index]
            shown.append((opaque_id(*place_id, name), _join(answer["turns"])))
            key.append((reviewer, item, *place, row.question, name, shown[-1][0], answer["digest"]))
        question = asked.loc[(row.benchmark, row.question)]
        items.append(
            {
                "item": item,
                "request": _request(question, row.turn),
                "rubric": "\n\n".join(filter(None, [rubric, _given(question["guidance"])])),
                "reference": _join(_given(question["reference_answer"]) or "[]"),
                "answers": shown,
            }
        )
    return items, pd.DataFrame(key, columns=KEY)


def _find(given, place):
    """Return the answer of (benchmark, question, candidate)."""
    if place not in given.index:
        raise ParamsError(
            f"question {place[1]!r} has no answer text of {place[2]!r}", place="review",
            cure="only comparisons whose texts the run holds can be reviewed",
        )  # fmt: skip
    return given.loc[place]


def _request(question, turn):
    text = _join(question["turns"])
    return f"{text}\n\n(Judge turn {turn}.)" if turn else text


def _given(value):
    return value if isinstance(value, str) else ""


def _join(turns):
    """Return the one turn as it is, or several, each under its number."""
    texts = json.loads(turns)
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[Turn {number}]\n{text}" for number, text in enumerate(texts, 1))
