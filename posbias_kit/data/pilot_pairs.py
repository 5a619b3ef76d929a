"""The rubric pilot: a few hand-made pairs, and what a judge may say of each."""

from pathlib import Path

import pandas as pd

from posbias_kit.data.fastchat import read_fastchat
from posbias_kit.data.json_rows import read_json_lines
from posbias_kit.data.plan import plan_presentations
from posbias_kit.data.presentations import name_comparison
from posbias_kit.errors import ReadError
from posbias_kit.schema import LABELS, TIE, validate

PILOT = "pilot"
"""The labeller of what is expected."""

OWN = Path(__file__).with_name("pilot")
"""The pairs that come with the kit."""


def read_pilot(path=None, name="Pilot", repeats=1, seed=0):
    """Read the pairs of a rubric pilot, plan both orders of each, and say what is expected.

    Identical answers are asked about, too: that is one of the questions.

    Parameters
    ----------
    path : str or Path, optional
        Folder in FastChat's layout whose ``question.jsonl`` has the key `expected`: a list of the
        candidates, or TIE, that a judge may name. None takes the kit's own pairs: an obvious one,
        an equivalent one, a padded one, one whose worse answer holds instructions to the judge,
        and an identical one.
    name : str
    repeats, seed : int

    Returns
    -------
    benchmark : Benchmark
    presentations : DataFrame
    labels : DataFrame
        One row a comparison and outcome that passes; labeller `pilot`.

    Raises
    ------
    ReadError
        A question does not say what is expected, expects an answer that it does not have, or has
        not two answers.

    Examples
    --------
    >>> benchmark, presentations, labels = read_pilot()
    >>> sorted(benchmark.questions["task"].unique())
    ['equivalent', 'identical', 'instructed', 'obvious', 'padded']
    >>> bool(presentations["identical"].any())
    False
    """
    folder = Path(path or OWN)
    benchmark = read_fastchat(folder, name)
    presentations = plan_presentations(benchmark, repeats=repeats, seed=seed)
    given = benchmark.answers.groupby("question")["candidate"].agg(list)
    rows = []
    for place, row in read_json_lines(folder / "question.jsonl"):
        question = str(row["question_id"])
        candidates = sorted(given.get(question, []))
        expected = row.get("expected")
        if len(candidates) != 2:
            raise ReadError(
                f"question {question!r} has {len(candidates)} answers: {', '.join(candidates)}",
                place=place, allowed="two, for a pilot is made of pairs",
                cure="give each question the answers of two candidates",
            )  # fmt: skip
        allowed = [*candidates, TIE]
        if not isinstance(expected, list) or not expected or not set(expected) <= set(allowed):
            raise ReadError(
                f"expected is {expected!r}", place=place, allowed=f"a list of {', '.join(allowed)}",
                cure="say which answers a judge may name",
            )  # fmt: skip
        rows += [(name, question, "", name_comparison(question, candidates), PILOT, winner)
                 for winner in expected]  # fmt: skip
    labels = validate(pd.DataFrame(rows, columns=list(LABELS.columns)), "labels", str(folder))
    return benchmark, presentations.assign(identical=False), labels
