"""A benchmark sampled and planned as a study says, and in words what came of that."""

from posbias_kit.data.plan import check_known, plan_presentations, sample_benchmark
from posbias_kit.params import parse_section
from posbias_kit.schema import Design
from posbias_kit.study_plan import Plan, Sample


def plan_anew(benchmark, sample=None, plan=None, quality=None, seed=0):
    """Sample a benchmark and plan its presentations.

    Parameters
    ----------
    benchmark : Benchmark
    sample, plan : dict, optional
        As the keys `sample` and `plan` of the section ``data_preparation``.
    quality : mapping of str to float, optional
        Quality of the candidates, where the plan names none.
    seed : int

    Returns
    -------
    kept : Benchmark
    presentations : DataFrame
    said : str
        How sets were sampled and orders kept, and what does not exist as often as asked for;
        empty where each pair is shown in both orders.

    Raises
    ------
    ParamsError
        A name does not occur in the benchmark, or a setting cannot act.
    """
    sample, plan = dict(sample or {}), dict(plan or {})
    told = parse_section(Plan, plan, "data_preparation.plan")
    if told.quality is not None:
        check_known("plan.quality", told.quality, benchmark.answers["candidate"])
    elif told.design == Design.SETS and quality:
        plan["quality"] = quality
    kept = sample_benchmark(benchmark, **sample, reference=told.reference, seed=seed)
    planned = plan_presentations(kept, **plan, seed=seed)
    said = say_sampling(kept.answers, told, plan.get("quality") is not None)
    short = say_shortfalls(*kept, planned, Sample.model_validate(sample), told)
    said = said or ["every comparison is shown in every order"] if short else said
    return kept, planned, "; ".join([*said, *short])


def say_sampling(answers, plan, known):
    """Say how sets were sampled and orders kept; nothing where each pair is in both orders.

    Parameters
    ----------
    answers : DataFrame
    plan : posbias_kit.study_plan.Plan
    known : bool
        Whether the candidates' quality is known beforehand.

    Returns
    -------
    list of str
    """
    said = []
    if plan.design == Design.SETS:
        random = "sets are random: the quality of the candidates is not known beforehand"
        said.append("sets are stratified by the candidates' known quality" if known else random)
        largest = max(plan.sizes)
        few = int((answers.groupby("question")["candidate"].size() < largest).sum())
        if few:
            said.append(f"{few} questions have fewer than {largest} answers, and no set so large")
    if plan.orders == "balanced_half":
        said.append("each comparison is shown in one order, balanced within each task: win rates "
                    "can be averaged over the orders, consistency cannot be seen")  # fmt: skip
    return said


def say_shortfalls(questions, answers, presentations, sample, plan):
    """Say which numbers were asked for and are not there; empty where all are.

    Parameters
    ----------
    questions, answers : DataFrame
        Tables of the benchmark, after it was sampled.
    presentations : DataFrame
        What is planned of it.
    sample : posbias_kit.study_plan.Sample
    plan : posbias_kit.study_plan.Plan

    Returns
    -------
    list of str

    Examples
    --------
    >>> from posbias_kit.data import prepare_study
    >>> from posbias_kit.study_plan import Plan, Sample
    >>> study = prepare_study("starter", plan={"design": "sets", "sets_per_question": 50})
    >>> told = Plan(design="sets", sets_per_question=50)
    >>> say_shortfalls(*study[:3], Sample(questions_per_task=9), told)  # doctest: +ELLIPSIS
    ['questions_per_task: 9 asked for, 6 exist', 'sets_per_question: 50 sets of 3 ... 4 exist']
    """
    said = []
    if asked := sample.questions_per_task:
        exist = questions.groupby("task").size()
        said += _short("questions_per_task", asked, "asked for", exist)
    if asked := sample.candidate_count:
        said += _short("candidate_count", asked, "asked for", answers["candidate"].nunique())
    if plan.design == Design.SETS:
        shown = presentations.groupby(["slots", "question"], observed=True)["comparison"].nunique()
        for slots, exist in shown.groupby(level="slots"):
            what = f"sets of {slots} asked for"
            said += _short("sets_per_question", plan.sets, what, exist)
    return said


def _short(key, asked, what, exist):
    """Name a number that was asked for where less exists, of one thing or each of several."""
    fewest, most = (exist, exist) if isinstance(exist, int) else (exist.min(), exist.max())
    if fewest >= asked:
        return []
    there = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return [f"{key}: {asked} {what}, {there} exist"]
