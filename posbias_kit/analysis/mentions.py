"""Answers that name a model themselves: what no blinding can hide."""

import json
import re

import pandas as pd

FAMILIES = (
    "ChatGPT", "GPT-3", "GPT-3.5", "GPT-4", "GPT-5", "OpenAI", "Claude", "Anthropic", "Gemini",
    "Bard", "PaLM", "LLaMA", "Llama", "Vicuna", "Alpaca", "Koala", "Dolly", "Falcon", "Mistral",
    "Mixtral", "Qwen", "Tongyi", "DeepSeek", "ChatGLM", "Gemma", "Grok", "Command R", "Phi-3",
)  # fmt: skip
"""Names of models and makers that are looked for beside the study's own."""


def model_mentions(answers, names=()):
    """List the answers whose text names a model.

    A name counts as a whole word, in whatever case. Ordinary words that are also the name of a
    candidate are found, too: `mention` says which word it was.

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
    longest = sorted(map(re.escape, known), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(longest)})(?![\w-])", re.I)
    rows = []
    for row in answers.itertuples():
        found = pattern.findall("\n".join(json.loads(row.turns)))
        counts = pd.Series([text.casefold() for text in found], dtype="object").value_counts()
        rows += [
            (row.benchmark, row.question, row.candidate, known[name], name in own, int(count))
            for name, count in sorted(counts.items())
        ]
    columns = ["benchmark", "question", "candidate", "mention", "own", "times"]
    return pd.DataFrame(rows, columns=columns)


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
