"""Who the judges are, and what became of every planned call."""

from collections import Counter

import pandas as pd

from posbias_kit.judging.arms import plan_arm
from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.planted import PlantedJudge
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.judging.views import arm_of
from posbias_kit.schema import Status

_WHAT = {PlantedJudge: "simulation", RecordedJudge: "recorded", LiveJudge: "asked now"}


def count_statuses(judges, verdicts, presentations):
    """Count the planned calls of each judge by what became of them.

    Parameters
    ----------
    judges : list of judges
        From :func:`posbias_kit.judging.make_judges`.
    verdicts : DataFrame
        The verdict table.
    presentations : DataFrame
        The plan.

    Returns
    -------
    DataFrame
        One row a benchmark, judge and arm: benchmark, judge, arm, what ("simulation", "recorded"
        or "asked now", and whether the verdicts are derived from scores: then there are fewer
        calls than verdicts, see :func:`posbias_kit.judging.describe_scores`), planned (verdicts),
        ok, invalid, failed, identical (nobody was asked), not_made (a cap was reached, a stopping
        rule knew enough, or nothing was recorded).

    Examples
    --------
    >>> from posbias_kit.data import prepare_study
    >>> from posbias_kit.judging import judge_presentations, make_judges
    >>> study = prepare_study("starter", sample={"tasks": ["math"]}, plan={"repeats": 1})
    >>> judges = make_judges([{"name": "fair", "kind": "planted"}])
    >>> verdicts = judge_presentations(judges, study.presentations, study.answers)
    >>> table = count_statuses(judges, verdicts, study.presentations)
    >>> table[["judge", "what", "planned", "ok", "not_made"]].values.tolist()
    [['fair', 'simulation', 120, 120, 0]]
    """
    arms = {arm_of(judge).name: arm_of(judge) for judge in judges}
    plans = {name: plan_arm(presentations, arm) for name, arm in arms.items()}
    planned = {name: plan.groupby("benchmark")["repeats"].sum() for name, plan in plans.items()}
    told = [
        planned[arm_of(judge).name].rename("planned").reset_index().assign(
            judge=judge.name, arm=arm_of(judge).name, what=_say_what(judge)
        )
        for judge in judges
    ]  # fmt: skip
    table = pd.concat(told, ignore_index=True)
    key = ["benchmark", "judge", "arm"]
    counts = verdicts.groupby([*key, "status"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=list(map(str, Status)), fill_value=0)
    table = table.join(counts, on=key).fillna(dict.fromkeys(counts, 0))
    table = table.astype(dict.fromkeys(["planned", *counts], "int64"))
    table["not_made"] = table["planned"] - table[list(counts)].sum(axis=1)
    table = table.sort_values("benchmark", kind="stable", ignore_index=True)
    return table[[*key, "what", "planned", *counts, "not_made"]]


def _say_what(judge):
    what = _WHAT.get(type(judge), "")
    return f"{what}, derived from scores" if arm_of(judge).scale else what


def describe_arms(judges):
    """Say how each arm asks, so that later chapters know which arms belong together.

    Parameters
    ----------
    judges : list of judges
        From :func:`posbias_kit.judging.make_judges`.

    Returns
    -------
    DataFrame
        One row an arm, the plain one first: arm, template, options, labels, reversed, reference,
        reasoning, identical, scale (empty where as in the plain arm), judges (how many), about
        (in words).

    Examples
    --------
    >>> from posbias_kit.judging import make_judges
    >>> panel = make_judges(
    ...     [{"name": "j", "kind": "planted"}], arms=[{"name": "two", "options": 2}]
    ... )
    >>> describe_arms(panel)[["arm", "about"]].values.tolist()
    [['', 'as the plan and the judges say'], ['two', 'options: 2']]
    """
    arms = {arm_of(judge).name: arm_of(judge) for judge in judges}
    count = Counter(arm_of(judge).name for judge in judges)
    rows = []
    for name, arm in arms.items():
        told = {key: getattr(arm, key) for key in _HOW}
        words = [
            key if value is True else f"{key}: {value}" for key, value in told.items() if value
        ]
        about = ", ".join(words) or "as the plan and the judges say"
        rows.append({"arm": name, **told, "judges": count[name], "about": about})
    table = pd.DataFrame(rows, columns=["arm", *_HOW, "judges", "about"])
    text = ["template", "labels", "reference", "reasoning"]
    table[text] = table[text].fillna("").astype(str)
    return table.astype({"options": "Int64", "scale": "Int64"})


_HOW = ("template", "options", "labels", "reversed", "reference", "reasoning", "identical", "scale")
