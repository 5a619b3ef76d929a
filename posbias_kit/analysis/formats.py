"""Length and format of answers: what a judge may like besides quality."""

import json

import numpy as np
import pandas as pd

_FENCE = r"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)"
_COUNTED = {
    "headings": r"(?m)^ {0,3}#{1,6}[ \t]+\S",
    "list_items": r"(?m)^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S",
    "bold": r"\*\*[^*\n]+\*\*|__[^_\n]+__",
}


def answer_features(answers):
    r"""Measure length and Markdown of each answer, turns taken together.

    log_length is the natural log of the characters, so its difference is the log of the ratio of
    lengths. Code blocks are fenced blocks; what stands inside them counts for nothing else.

    *Source: the features that judges of chats are known to like, as in LMArena's style control;
    the patterns are ours.*

    Parameters
    ----------
    answers : DataFrame
        Table of :data:`posbias_kit.schema.ANSWERS`: benchmark, question, candidate, turns (JSON
        list of texts), length (characters).

    Returns
    -------
    DataFrame
        One row an answer: benchmark, question, candidate, log_length, headings, list_items,
        bold, code_blocks (counts).

    Examples
    --------
    >>> text = "# Why\n- **one**\n- two\n```\n# not a heading\n```"
    >>> answers = pd.DataFrame({"benchmark": ["B"], "question": ["q"], "candidate": ["a"],
    ...                         "turns": [json.dumps([text])], "length": [len(text)]})
    >>> answer_features(answers).iloc[0, 4:].tolist()
    [1, 2, 1, 1]
    """
    texts = [_join(turns) for turns in answers["turns"]]
    texts = pd.Series(texts, index=answers.index, dtype=object)
    prose = texts.str.replace(_FENCE, "", regex=True)
    length = answers["length"].astype(float).clip(lower=1)
    table = answers[["benchmark", "question", "candidate"]].assign(log_length=np.log(length))
    for name, pattern in _COUNTED.items():
        table[name] = prose.str.count(pattern).astype("int64")
    return table.assign(code_blocks=texts.str.count(_FENCE).astype("int64"))


def _join(turns):
    return "\n".join(json.loads(turns) if isinstance(turns, str) else turns)
