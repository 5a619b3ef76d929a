"""From the data_preparation section of a study to the tables that the notebooks pass on."""

from typing import NamedTuple

import pandas as pd

from posbias_kit.data.benchmark import Benchmark, cluster_questions
from posbias_kit.data.finished import read_runs
from posbias_kit.data.inputs import check_path
from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.own import bare_benchmark, read_own_verdicts
from posbias_kit.data.paper import read_paper_benchmark, read_paper_verdicts
from posbias_kit.data.pilot_pairs import read_pilot
from posbias_kit.data.read import read_benchmark
from posbias_kit.data.sampling import plan_anew
from posbias_kit.data.starter import STARTER_QUALITY
from posbias_kit.errors import ParamsError
from posbias_kit.schema import PRESENTATION_KEY, PRESENTATIONS, TABLES, Status, validate


class Prepared(NamedTuple):
    """What notebook 01 hands on; all but the first three are empty where nothing was read."""

    questions: pd.DataFrame
    answers: pd.DataFrame
    presentations: pd.DataFrame
    verdicts: pd.DataFrame
    replies: pd.DataFrame
    scores: pd.DataFrame
    labels: pd.DataFrame
    files: pd.DataFrame
    """One row a file: rows, kept, set_aside, what it held, and how it tells the order."""
    set_aside: pd.DataFrame
    """One row a row that was set aside: file, line, problem, allowed, cure."""
    sampling: str = ""
    """How sets were sampled and orders kept, and what does not exist as often as asked for."""


def prepare_study(format, path=None, benchmark=None, rule="strict", sample=None, plan=None,
                  cluster_by=None, mapping=None, options=None, seed=0):  # fmt: skip
    """Read a benchmark and plan its presentations, or read judgments and what they showed.

    Parameters
    ----------
    format, path, benchmark, rule, sample, plan, cluster_by, mapping, options
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
    check_path(format, path)
    if format == "paper":
        return _read_paper(path, benchmark, rule, cluster_by)
    if format == "pilot":
        return _plan_pilot(path, benchmark, plan, cluster_by, seed)
    if format == "runs":
        return _read_runs(path, cluster_by)
    if format == "verdicts":
        return _read_own(path, cluster_by)
    if format in LAYOUTS:
        given = {**(options or {}), **({"mapping": mapping} if mapping else {})}
        return _read_layout(format, path, benchmark, cluster_by, given)
    bench = read_benchmark(format, path, benchmark)
    bench = cluster_questions(bench, cluster_by) if cluster_by else bench
    quality = STARTER_QUALITY if format == "starter" else None
    kept, planned, said = plan_anew(bench, sample, plan, quality, seed)
    nothing = [_empty(table) for table in ("verdicts", "replies", "scores", "labels")]
    return Prepared(*kept, planned, *nothing, *_NO_FILES, said)


_NO_FILES = (
    pd.DataFrame(columns=["file", "rows", "kept", "set_aside", "order_convention"]),
    pd.DataFrame(columns=["file", "line", "problem", "allowed", "cure"]),
)
_OWN = "the kit's own verdict table: verdicts speak of slots, and `shown` tells the order"
_PAPER = "both orders are rows of one file, and verdicts speak of slots; nothing is mapped back"


def _read_paper(path, benchmark, rule, cluster_by):
    bench = read_paper_benchmark(path, benchmark, samples=True)
    bench = cluster_questions(bench, cluster_by) if cluster_by else bench
    verdicts, replies = read_paper_verdicts(path, benchmark, rule, questions=bench.questions)
    judged = [table[table["question"].isin(verdicts["question"])] for table in bench]
    files = replies.groupby("file", as_index=False).size().rename(columns={"size": "rows"})
    files = files.assign(kept=files["rows"], set_aside=0, order_convention=_PAPER)
    return Prepared(
        *judged, presentations_of(verdicts), verdicts, replies, _empty("scores"), _empty("labels"),
        files, _NO_FILES[1],
    )  # fmt: skip


def _read_own(path, cluster_by):
    paths = [path] if isinstance(path, str) else path
    verdicts = read_own_verdicts(*paths)
    bench = Benchmark(*bare_benchmark(verdicts, ", ".join(paths)))
    if cluster_by:
        verdicts, bench = _cluster(verdicts, bench, cluster_by)
    files = pd.DataFrame({"file": [", ".join(paths)], "rows": len(verdicts), "kept": len(verdicts)})
    nothing = [_empty(table) for table in ("replies", "scores", "labels")]
    files = files.assign(set_aside=0, order_convention=_OWN)
    return Prepared(*bench, presentations_of(verdicts), verdicts, *nothing, files, _NO_FILES[1])


def _plan_pilot(path, benchmark, plan, cluster_by, seed):
    repeats = (plan or {}).get("repeats", 1)
    bench, planned, labels = read_pilot(path, benchmark or "Pilot", repeats, seed)
    if cluster_by:
        planned, bench = _cluster(planned, bench, cluster_by)
    nothing = [_empty(table) for table in ("verdicts", "replies", "scores")]
    return Prepared(*bench, planned, *nothing, labels, *_NO_FILES)


def _read_runs(path, cluster_by):
    *bench, verdicts, files = read_runs([path] if isinstance(path, str) else path)
    bench = Benchmark(*bench)
    if cluster_by:
        verdicts, bench = _cluster(verdicts, bench, cluster_by)
    nothing = [_empty(table) for table in ("replies", "scores", "labels")]
    files = files.assign(order_convention=_OWN)
    return Prepared(*bench, presentations_of(verdicts), verdicts, *nothing, files, _NO_FILES[1])


def _cluster(verdicts, bench, pattern):
    bench = cluster_questions(bench, pattern)
    home = bench.questions.set_index(["benchmark", "question"])["cluster"]
    named = home.reindex(pd.MultiIndex.from_frame(verdicts[["benchmark", "question"]]))
    return verdicts.assign(cluster=named.to_numpy()), bench


def _read_layout(format, path, benchmark, cluster_by, options):
    paths = [path] if isinstance(path, str) else path
    read = read_judgments(format, *paths, benchmark=benchmark, **options)
    if read.verdicts.empty:
        raise ParamsError(
            f"{', '.join(map(str, paths))} hold {len(read.scores)} grades and {len(read.labels)} "
            "labels but no judgment",
            place="data_preparation",
            allowed="judgments that compare answers",
            cure="give the judgments as well: grades and labels alone have no position; to look at "
            "the labellers as judges, leave `labeller` out of the mapping",
        )
    verdicts, bench = read.verdicts, Benchmark(read.questions, read.answers)
    if cluster_by:
        verdicts, bench = _cluster(verdicts, bench, cluster_by)
    return Prepared(
        *bench, presentations_of(verdicts), verdicts, read.replies, read.scores, read.labels,
        read.files.assign(order_convention=read.undoes), read.set_aside,
    )  # fmt: skip


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
