"""Length and format of answers: what a judge may like besides quality."""

import json

import numpy as np
import pandas as pd

_FENCE = r"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)"
_COUNTED = {
    "headings": r"(?m)^ {0,3}#{1,6}[ \t]+\S",
    "list_items": r"(?m)^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S",
    "bold": (
        r"\*\*(?=[^*\s])[^*\n]*[^*\s]\*\*"
        r"|(?<![^\W_])__(?=[^_\s])[^_\n]*[^_\s]__(?![^\W_])"
    ),
}
_CODE_SPAN = r"`[^`\n]+`"


def answer_features(answers):
    r"""Measure length and Markdown of each answer, turns taken together.

    log_length is the natural log of the characters, so its difference is the log of the ratio of
    lengths. Code blocks are fenced blocks; what stands inside them, or inside backticks in a line,
    counts for nothing else. Bold has no blank next to its marks, and ``__`` no letter or digit
    around it.

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
    prose = texts.str.replace(_FENCE, "", regex=True).str.replace(_CODE_SPAN, "``", regex=True)
    length = answers["length"].astype(float).clip(lower=1)
    table = answers[["benchmark", "question", "candidate"]].assign(log_length=np.log(length))
    for name, pattern in _COUNTED.items():
        table[name] = prose.str.count(pattern).astype("int64")
    return table.assign(code_blocks=texts.str.count(_FENCE).astype("int64"))


def _join(turns):
    return "\n".join(json.loads(turns) if isinstance(turns, str) else turns)


def match_lengths(verdicts, answers, ratio=1.25):
    """Keep the verdicts on answers of about the same length.

    Consistency is not quality: a judge that takes the longer answer is consistent, too. On
    answers that are equally long such a taste has nothing to go by.

    *Source: ours; a common control for length in paired comparison.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, with `shown`.
    answers : DataFrame
        Table of :data:`posbias_kit.schema.ANSWERS`.
    ratio : float
        The longest answer shown may be at most so many times the shortest.

    Returns
    -------
    DataFrame
        Rows of `verdicts`. An answer without a known length matches nothing.

    Examples
    --------
    >>> answers = pd.DataFrame({"benchmark": "B", "question": "q", "candidate": list("abc"),
    ...                         "length": [100, 110, 300]})
    >>> verdicts = pd.DataFrame({"benchmark": "B", "question": "q",
    ...                          "shown": ['["a", "b"]', '["a", "c"]']})
    >>> match_lengths(verdicts, answers)["shown"].tolist()
    ['["a", "b"]']
    """
    key = ["benchmark", "question"]
    shows = verdicts[[*key, "shown"]].drop_duplicates().reset_index(drop=True)
    shown = shows.assign(candidate=shows["shown"].map(json.loads)).explode("candidate")
    length = answers.set_index([*key, "candidate"])["length"].astype(float).clip(lower=1)
    shown["length"] = length.reindex(pd.MultiIndex.from_frame(shown[[*key, "candidate"]])).array
    # skipna would let a set with an unknown length through
    spread = shown.groupby(level=0)["length"].agg(lambda told: told.max(skipna=False) / told.min())
    matched = shows[spread.reindex(shows.index) <= ratio]
    found = pd.MultiIndex.from_frame(verdicts[[*key, "shown"]])
    return verdicts[found.isin(pd.MultiIndex.from_frame(matched))]
