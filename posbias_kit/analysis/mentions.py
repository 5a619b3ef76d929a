"""Answers that name a model themselves: what no blinding can hide."""

import json
import re

import pandas as pd

FAMILIES = (
    "ChatGPT", "OpenAI", "Claude", "Anthropic", "Gemini",
    "Bard", "PaLM", "LLaMA", "Llama", "Vicuna", "Alpaca", "Koala", "Dolly", "Falcon", "Mistral",
    "Mixtral", "Qwen", "Tongyi", "DeepSeek", "ChatGLM", "Gemma", "Grok", "Command R", "Phi-3",
)  # fmt: skip
"""Names of models and makers that are looked for beside the study's own, and GPT with a number."""

_GPT = r"GPT-?\d[0-9A-Za-z]*(?:\.\d+)?"


def model_mentions(answers, names=()):
    """List the answers whose text names a model.

    A name counts in whatever case: those of the study as a whole word, those of families unless
    a letter from A to Z stands beside, so that a version may follow (GPT-4o, Llama-2, Qwen2).
    Ordinary words that are also the name of a candidate are found, too: `mention` says which word
    it was.

    Parameters
    ----------
    answers : DataFrame
        The table of answers.
    names : sequence of str
        Candidates and judges of the study.

    Returns
    -------
    DataFrame
        One row an answer and name: benchmark, question, candidate, mention, own (whether it is a
        name of this study), times.

    Examples
    --------
    >>> answers = pd.DataFrame({"benchmark": "B", "question": "q", "candidate": ["m-1", "m-2"],
    ...                         "turns": ['["As ChatGPT, I say 4."]', '["It is 4."]']})
    >>> model_mentions(answers)[["candidate", "mention"]].values.tolist()
    [['m-1', 'ChatGPT']]
    """
    own = {name.casefold() for name in names}
    known = {name.casefold(): name for name in [*FAMILIES, *names] if name}
    families = rf"(?<![A-Za-z])(?:{_any_of(FAMILIES)}|{_GPT})(?![A-Za-z])"
    strict = [rf"(?<![\w-])(?:{_any_of(own - {''})})(?![\w-])"] if own - {""} else []
    pattern = re.compile("|".join([*strict, families]), re.I)
    rows = []
    for row in answers.itertuples():
        found = pattern.findall("\n".join(json.loads(row.turns)))
        counts = pd.Series([text.casefold() for text in found], dtype="object").value_counts()
        rows += [
            (
                row.benchmark,
                row.question,
                row.candidate,
                _spell(name, known),
                name in own,
                int(count),
            )
            for name, count in sorted(counts.items())
        ]
    columns = ["benchmark", "question", "candidate", "mention", "own", "times"]
    return pd.DataFrame(rows, columns=columns)


def _any_of(names):
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def _spell(name, known):
    return known.get(name, name.replace("gpt", "GPT", 1))


def flag_mentions(queue, mentions):
    """Add to the queue how many answers of each comparison name a model.

    Parameters
    ----------
    queue : DataFrame
        From :func:`posbias_kit.analysis.review_queue`.
    mentions : DataFrame
        From :func:`model_mentions`.

    Returns
    -------
    DataFrame
        The queue with the column naming_a_model.
    """
    key = ["benchmark", "question", "candidate"]
    known = set(mentions[key].drop_duplicates().itertuples(index=False, name=None))
    counts = [
        sum((row.benchmark, row.question, name) in known for name in json.loads(row.candidates))
        for row in queue.itertuples()
    ]
    return queue.assign(naming_a_model=pd.array(counts, dtype="int64"))
