"""Questions and answers of a benchmark, with digests, opaque ids and clusters."""

import hashlib
import json
import re
from typing import NamedTuple

import pandas as pd

from posbias_kit.errors import ParamsError
from posbias_kit.schema import validate


class Benchmark(NamedTuple):
    """Questions and the candidates' answers to them."""

    questions: pd.DataFrame
    """One row a question; columns of :data:`posbias_kit.schema.QUESTIONS`."""
    answers: pd.DataFrame
    """One row an answer; columns of :data:`posbias_kit.schema.ANSWERS`."""


def build_benchmark(name, questions, answers, place="benchmark"):
    """Build a benchmark from plain questions and answers.

    Parameters
    ----------
    name : str
        Name of the benchmark in every table.
    questions : DataFrame
        question : str
        task : str
        turns : list of str
        reference_answer : list of str or None, optional
        guidance : str or None, optional
    answers : DataFrame
        question : str
        candidate : str
        turns : list of str
    place : str
        Where the rows come from, for messages.

    Returns
    -------
    Benchmark
    """
    questions = questions.reset_index(drop=True).assign(benchmark=name)
    answers = answers.reset_index(drop=True).assign(benchmark=name)
    for column in ("reference_answer", "guidance"):
        if column not in questions:
            questions[column] = None
    answers["length"] = [sum(map(len, turns)) for turns in answers["turns"]]
    answers["turns"] = answers["turns"].map(_json)
    answers["digest"] = answers["turns"].map(_digest)
    identity = answers["question"] + "\n" + answers["candidate"] + "\n" + answers["digest"]
    answers["answer_id"] = [f"answer-{_digest(text)[:12]}" for text in identity]
    questions["cluster"] = share_answers(questions["question"], answers)
    questions["turns"] = questions["turns"].map(_json)
    given = [isinstance(value, list) for value in questions["reference_answer"]]
    questions["reference_answer"] = questions["reference_answer"].map(_json).where(given, None)
    return Benchmark(
        validate(questions, "questions", place),
        validate(answers, "answers", place),
    )


def cluster_questions(benchmark, pattern):
    """Put questions into one cluster whose ids hold the same text where `pattern` matches.

    Questions that share an answer text stay together.

    Parameters
    ----------
    benchmark : Benchmark
    pattern : str
        Regular expression; with a group, the text of the first one counts.

    Returns
    -------
    Benchmark

    Raises
    ------
    ParamsError
        Not a regular expression, or a question in which it finds no text.

    Examples
    --------
    >>> from posbias_kit.data import read_benchmark
    >>> whole = read_benchmark("starter")
    >>> cluster_questions(whole, r"^[a-z]+").questions["cluster"].nunique()
    8
    """
    questions = benchmark.questions
    try:
        found = questions["question"].map(re.compile(pattern).search)
    except re.error as error:
        raise ParamsError(
            f"{pattern!r} is no regular expression: {error}", place="data_preparation.cluster_by"
        ) from None
    named = found.map(lambda match: match[1 if match.re.groups else 0], na_action="ignore")
    lost = questions["question"][named.isna() | (named == "")]
    if len(lost):
        raise ParamsError(
            f"{pattern!r} does not match {len(lost)} question ids, e.g. {lost.iloc[0]!r}",
            place="data_preparation.cluster_by",
            cure="write a pattern that matches every question id",
        )
    cluster = share_answers(questions["question"], benchmark.answers, named)
    return benchmark._replace(questions=questions.assign(cluster=cluster))


def share_answers(questions, answers, named=None):
    """Name the cluster of each question: questions that share an answer text are one.

    Connected components of the graph in which two questions are joined when any answer text
    occurs under both; empty answers join nothing.

    Parameters
    ----------
    questions : Series of str
    answers : DataFrame
        question, digest : str
        length : int
    named : Series of str, optional
        A text for each of `questions`; those with the same text are joined, too.

    Returns
    -------
    Series of str
        The id of the component's first question.

    Examples
    --------
    >>> answers = pd.DataFrame(
    ...     {"question": ["q1", "q2", "q3"], "digest": ["x", "x", "y"], "length": [9, 9, 9]}
    ... )
    >>> share_answers(pd.Series(["q1", "q2", "q3"]), answers).tolist()
    ['q1', 'q1', 'q3']
    """
    from scipy.sparse import coo_array  # half a second, which not every command needs
    from scipy.sparse.csgraph import connected_components

    ids = pd.Index(questions.unique())
    told = answers[answers["question"].isin(ids) & (answers["length"] > 0)]
    named = pd.Series(dtype="str") if named is None else named
    rows = ids.get_indexer(pd.concat([told["question"], questions.loc[named.index]]))
    columns, texts = pd.factorize(pd.concat(["answer " + told["digest"], "name " + named]))
    size = len(ids) + len(texts)
    graph = coo_array(([1] * len(rows), (rows, columns + len(ids))), shape=(size, size))
    component = pd.Series(connected_components(graph, directed=False)[1][: len(ids)])
    first = ~component.duplicated()
    names = dict(zip(component[first], ids[first.to_numpy()], strict=True))
    return questions.map(component.map(names).set_axis(ids))


def _json(value):
    return json.dumps(value, ensure_ascii=False)


def _digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
