"""Which comparisons are shown, in which orders and how often."""

from itertools import combinations

import numpy as np
import pandas as pd

from posbias_kit.data.arrival import share_repeats
from posbias_kit.data.benchmark import Benchmark
from posbias_kit.data.presentations import identify
from posbias_kit.data.sets import arrange, check_quality, choose_sets, halve
from posbias_kit.errors import ParamsError
from posbias_kit.params import parse_section
from posbias_kit.schema import Design, validate
from posbias_kit.study_plan import Plan


def sample_benchmark(
    benchmark,
    *,
    tasks=None,
    questions_per_task=None,
    candidates=None,
    candidate_count=None,
    reference=None,
    seed=0,
):
    """Keep some tasks, questions and candidates of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
    tasks, candidates : list of str, optional
        Names to keep; none keeps all.
    questions_per_task, candidate_count : int, optional
        Sample so many, without replacement; none keeps all, and a task with fewer questions
        keeps them all.
    reference : str, optional
        A candidate that is kept whatever the sample.
    seed : int

    Returns
    -------
    Benchmark

    Raises
    ------
    ParamsError
        A name does not occur in the benchmark.
    """
    questions, answers = benchmark
    rng = np.random.default_rng(seed)
    if tasks is not None:
        check_known("sample.tasks", tasks, questions["task"])
        questions = questions[questions["task"].isin(tasks)]
    if questions_per_task is not None:
        shuffled = questions.sample(frac=1, random_state=rng)
        questions = shuffled.groupby("task").head(questions_per_task).sort_index()
    kept = set(answers["candidate"])
    if candidates is not None:
        check_known("sample.candidates", candidates, answers["candidate"])
        kept = set(candidates)
    if reference is not None:
        check_known("plan.reference", [reference], answers["candidate"])
        kept.add(reference)
    if candidate_count is not None and candidate_count < len(kept):
        others = sorted(kept - {reference})
        size = candidate_count - (reference is not None)
        kept = {*rng.choice(others, size=size, replace=False), *([reference] if reference else [])}
    answers = answers[
        answers["candidate"].isin(kept) & answers["question"].isin(questions["question"])
    ]
    return Benchmark(questions.reset_index(drop=True), answers.reset_index(drop=True))


def plan_presentations(
    benchmark,
    *,
    design="all_pairs",
    reference=None,
    set_size=None,
    sets_per_question=None,
    quality=None,
    orders="both",
    repeats=1,
    repeated_share=1.0,
    seed=0,
):
    """Plan every presentation of a study.

    A pair is planned in both orders, a set of p candidates in its p cyclic shifts, so that each
    candidate is shown once in each slot. The base order of a set is drawn anew for each
    question, so that no slot is tied to a candidate. A question with too few answers for the
    design gets no comparison. A comparison whose answers are all the same text is marked
    `identical`: nobody will be asked.

    Parameters
    ----------
    benchmark : Benchmark
    design : {"reference", "all_pairs", "sets"}
        Each candidate against `reference`, every pair, or `sets_per_question` sampled sets of
        `set_size` candidates.
    reference : str, optional
        The reference candidate; only for design "reference".
    set_size : int or list of int, optional
        Only for design "sets"; with several sizes, sets of each; by default 3.
    sets_per_question : int, optional
        Of each size, as many as there are at most; only for design "sets"; by default 1.
    quality : mapping of str to float, optional
        Known quality of every candidate: sets are then stratified by it
        (:func:`posbias_kit.data.sets.choose_sets`), else random; only for design "sets".
    orders : {"both", "all", "balanced_half"}
        Both orders of a pair and the p cyclic shifts of a set; all p! orders, for sets of three;
        or one order a comparison, balanced within each task (:func:`posbias_kit.data.sets.halve`).
    repeats : int
        Independent calls of each presentation.
    repeated_share : float
        Share of the comparisons, of each task in proportion, that are repeated; the others are
        asked once, in every order.
    seed : int
        Of the sampled sets, their base orders, and the comparisons that are repeated.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.schema.PRESENTATIONS`.

    Raises
    ------
    ParamsError
        A setting is out of its range or cannot act in this design, `reference` is unknown,
        `quality` lacks a candidate, no question has answers enough for a size, or nothing is left
        to compare.

    Examples
    --------
    >>> from posbias_kit.data import read_benchmark
    >>> plan = plan_presentations(read_benchmark("starter"), repeats=3)
    >>> len(plan)  # 48 questions x 10 pairs x 2 orders
    960
    """
    questions, answers = benchmark
    given = {"design": design, "reference": reference, "set_size": set_size, "orders": orders}
    given |= {"sets_per_question": sets_per_question, "quality": quality}
    given |= {"repeats": repeats, "repeated_share": repeated_share}
    told = parse_section(Plan, given, "plan")
    if design == Design.REFERENCE:
        check_known("plan.reference", [reference], answers["candidate"])
    rng = np.random.default_rng(seed)
    names = answers.groupby("question", sort=False)["candidate"].agg(sorted)
    if design == Design.SETS:
        _check_sizes(told.sizes, names)
        check_quality(quality, answers)
    rows = [
        (question, shown, f"r{place}")
        for question in questions["question"]
        for base in _sets(
            names.get(question, []), design, reference, told.sizes, told.sets, quality, rng
        )
        for place, shown in enumerate(arrange(base, orders))
    ]
    if not rows:
        raise ParamsError(
            "no question has answers enough to compare",
            place="data_preparation",
            allowed="two or more candidates a question, set_size or more for sets",
            cure="keep more candidates, or another design",
        )
    plan = pd.DataFrame(rows, columns=["question", "shown", "order"])
    plan["reference"] = reference if design == Design.REFERENCE else ""
    plan["identical"] = _identical(plan, answers)
    plan = plan.assign(**identify(plan), experiment="", turn="", arm="")
    about = questions[["benchmark", "question", "task", "cluster"]]
    plan = plan.merge(about, on="question", validate="many_to_one")
    plan["repeats"] = share_repeats(plan, repeats, repeated_share, seed)
    plan = validate(plan, "presentations")
    return halve(plan, rng) if orders == "balanced_half" else plan


def _check_sizes(sizes, names):
    """Refuse a size that no question has answers for."""
    most = int(names.map(len).max()) if len(names) else 0
    too_large = [size for size in sizes if size > most]
    if too_large and most > 1:
        raise ParamsError(
            f"no question has {max(too_large)} answers to show together",
            place="data_preparation.plan.set_size",
            allowed=f"2 to {most}",
            cure="keep more candidates, or take smaller sets",
        )


def _sets(names, design, reference, sizes, count, quality, rng):
    """Candidate sets of one question, each in its base order."""
    if design == Design.REFERENCE:
        return [(name, reference) for name in names if name != reference and reference in names]
    if design == Design.ALL_PAIRS:
        return list(combinations(names, 2))
    known = [size for size in sizes if size <= len(names)]
    return [base for size in known for base in choose_sets(names, size, count, rng, quality)]


def _identical(plan, answers):
    digest = answers.set_index(["question", "candidate"])["digest"].to_dict()
    pairs = zip(plan["question"], plan["shown"], strict=True)
    return [len({digest[question, name] for name in shown}) == 1 for question, shown in pairs]


def check_known(key, values, known):
    """Refuse names that are not among the known ones; `key` is where they stand in a study."""
    unknown = sorted({str(value) for value in values} - set(known))
    if unknown:
        raise ParamsError(
            f"unknown {', '.join(map(repr, unknown))}",
            place=f"data_preparation.{key}",
            allowed=", ".join(sorted(set(known))),
            cure="check the spelling",
        )
