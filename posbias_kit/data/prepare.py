"""From the data_preparation section of a study to the tables that the notebooks pass on."""

from typing import NamedTuple

import pandas as pd

from posbias_kit.data.benchmark import cluster_questions
from posbias_kit.data.paper import read_paper_benchmark, read_paper_verdicts
from posbias_kit.data.plan import plan_presentations, sample_benchmark
from posbias_kit.data.read import VERDICT_FORMATS, read_benchmark
from posbias_kit.schema import PRESENTATION_KEY, PRESENTATIONS, TABLES, Status, validate


class Prepared(NamedTuple):
    """What notebook 01 hands on; the last two are empty where no judgments were read."""

    questions: pd.DataFrame
    answers: pd.DataFrame
    presentations: pd.DataFrame
    verdicts: pd.DataFrame
    replies: pd.DataFrame


def prepare_study(format, path=None, benchmark="Starter", rule="strict", sample=None, plan=None,
                  cluster_by=None, seed=0):  # fmt: skip
    """Read a benchmark and plan its presentations, or read judgments and what they showed.

    Parameters
    ----------
    format, path, benchmark, rule, sample, plan, cluster_by
        As in the section ``data_preparation`` of a study.
    seed : int
        Of samples and base orders.

    Returns
    -------
    Prepared

    Examples
    --------
    >>> study = prepare_study("starter", sample={"tasks": ["math"]}, plan={"repeats": 2})
    >>> len(study.questions), len(study.presentations)
    (6, 120)
    """
    if format in VERDICT_FORMATS:
        bench = read_paper_benchmark(path, benchmark, samples=True)
        bench = cluster_questions(bench, cluster_by) if cluster_by else bench
        verdicts, replies = read_paper_verdicts(path, benchmark, rule, questions=bench.questions)
        judged = [table[table["question"].isin(verdicts["question"])] for table in bench]
        return Prepared(*judged, presentations_of(verdicts), verdicts, replies)
    bench = read_benchmark(format, path, benchmark)
    bench = cluster_questions(bench, cluster_by) if cluster_by else bench
    plan = dict(plan or {})
    kept = sample_benchmark(bench, **(sample or {}), reference=plan.get("reference"), seed=seed)
    planned = plan_presentations(kept, **plan, seed=seed)
    return Prepared(*kept, planned, _empty("verdicts"), _empty("replies"))


def _empty(table):
    return validate(pd.DataFrame(columns=list(TABLES[table].columns)), table)


def presentations_of(verdicts):
    """Recover the presentations that a verdict table speaks of.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.schema.PRESENTATIONS`; `repeats` is the largest number
        that any judge was asked.
    """
    groups = verdicts.groupby(PRESENTATION_KEY, sort=False, observed=True)
    plan = groups.first().reset_index()
    plan["repeats"] = groups["repeat"].max().to_numpy()
    plan["identical"] = (groups["status"].first() == Status.IDENTICAL).to_numpy()
    return validate(plan[list(PRESENTATIONS.columns)], "presentations")


def describe_benchmark(questions, answers, presentations):
    """Count questions, clusters, candidates and characters of each task.

    Parameters
    ----------
    questions, answers, presentations : DataFrame
        Tables of a benchmark and its plan.

    Returns
    -------
    DataFrame
        One row a task: benchmark, task, questions, uncompared (questions in no comparison, for
        want of answers), clusters, with_reference_answer, candidates, answers,
        mean_answer_length (characters).
    """
    questions = questions.assign(idle=~questions["question"].isin(presentations["question"]))
    asked = questions.groupby(["benchmark", "task"]).agg(
        questions=("question", "size"),
        uncompared=("idle", "sum"),
        clusters=("cluster", "nunique"),
        with_reference_answer=("reference_answer", "count"),
    )
    key = ["benchmark", "question"]
    told = answers.merge(questions[[*key, "task"]], on=key, validate="many_to_one")
    told = told.groupby(["benchmark", "task"]).agg(
        candidates=("candidate", "nunique"),
        answers=("answer_id", "size"),
        mean_answer_length=("length", "mean"),
    )
    return asked.join(told).reset_index()


def describe_plan(presentations):
    """Count comparisons, presentations and calls of one judge, by experiment, task and order.

    Parameters
    ----------
    presentations : DataFrame
        Table of :data:`posbias_kit.schema.PRESENTATIONS`.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, task and order: comparisons, identical (not asked),
        repeats, calls.
    """
    plan = presentations.assign(
        calls=presentations["repeats"].where(~presentations["identical"], 0)
    )
    keys = ["benchmark", "experiment", "task", "order"]
    groups = plan.groupby(keys, sort=False, observed=True)
    table = groups.agg(
        comparisons=("comparison", "size"),
        identical=("identical", "sum"),
        repeats=("repeats", "max"),
        calls=("calls", "sum"),
    )
    return table.reset_index()
