"""What an arm shows: the plan's presentations, copies of one answer, or single answers."""

import json

import pandas as pd

from posbias_kit.data import identify, name_comparison
from posbias_kit.errors import ParamsError
from posbias_kit.study_arms import PLAIN

COPY = " (copy)"
"""Ends the id of a candidate that is shown as a copy of another, several times for more copies."""


def plan_arm(presentations, arm=PLAIN):
    """Return the presentations on which an arm gives verdicts.

    They are those of the plan, under the arm's name. Where the arm shows identical answers, each
    answer of the plan is compared with copies of itself, as many as the plan shows together and
    in as many orders as it shows candidates.

    Parameters
    ----------
    presentations : DataFrame
        The plan, table of :data:`posbias_kit.schema.PRESENTATIONS`.
    arm : posbias_kit.study_arms.Arm

    Returns
    -------
    DataFrame
        The same columns.

    Raises
    ------
    ParamsError
        Four options for sets of three or more, or a candidate that is called as a copy is.

    Examples
    --------
    >>> from posbias_kit.data import prepare_study
    >>> from posbias_kit.study_arms import Arm
    >>> plan = prepare_study("starter", sample={"questions_per_task": 1}).presentations
    >>> same = plan_arm(plan, Arm(name="same", identical=True))
    >>> len(plan), len(same), same["shown"].iloc[0]
    (160, 80, '["careful","careful (copy)"]')
    """
    if arm.options == 4 and (presentations["slots"] > 2).any():
        raise ParamsError(
            "four options ask whether both answers are good, but the plan shows three or more",
            place=f"arm {arm.name!r}",
            allowed="options 2 or 3 for sets",
            cure="plan pairs, or give the arm other options",
        )
    plan = presentations.assign(arm=arm.name) if arm.name else presentations
    if arm.repeats:
        plan = plan.assign(repeats=pd.array([arm.repeats] * len(plan), dtype="Int64"))
    return _copies(plan) if arm.identical else plan


def _copies(plan):
    each = _spread(plan[~plan["identical"]])
    taken = sorted({name for name in each["name"] if name.endswith(COPY)})
    if taken:
        raise ParamsError(
            f"a candidate is called {taken[0]!r}, as its copies would be",
            place="arms with `identical`",
            cure="give the candidate another name",
        )
    place = ["benchmark", "experiment", "turn", "question", "slots", "name"]
    each = _once(each, place)
    rows = each.loc[each.index.repeat(each["slots"])].reset_index(drop=True)
    rows["shift"] = rows.groupby(place).cumcount()
    shown = []
    for name, slots, turn in rows[["name", "slots", "shift"]].itertuples(index=False):
        base = tuple(name + COPY * number for number in range(slots))
        shown.append(base[turn:] + base[:turn])
    rows = rows.assign(shown=shown, order="r" + rows["shift"].astype(str), reference="")
    return rows.assign(**identify(rows), identical=False)[list(plan.columns)]


def _once(each, place):
    """Keep each answer once, asked as often as the comparison that repeats it most."""
    most = each.groupby(place, observed=True)["repeats"].transform("max")
    return each.assign(repeats=most).drop_duplicates(place)


def _spread(plan):
    """Repeat each row for each candidate shown, as `name`."""
    names = pd.Series([json.loads(text) for text in plan["shown"]], plan.index, dtype=object)
    rows = plan.assign(name=names).explode("name", ignore_index=True)
    return rows.assign(name=rows["name"].astype("str"))


def copy_answers(answers, presentations):
    """Add to the answers the copies that the presentations show.

    Parameters
    ----------
    answers : DataFrame
        Table of :data:`posbias_kit.schema.ANSWERS`.
    presentations : DataFrame
        From :func:`plan_arm`.

    Returns
    -------
    DataFrame
        Copies have the text and the length of their original.
    """
    names = {name for text in presentations["shown"].unique() for name in json.loads(text)}
    copies = sorted(name for name in names if name.endswith(COPY))
    parts = [answers]
    for name in copies:
        same = answers[answers["candidate"] == original_of(name)]
        number = name.count(COPY)
        parts.append(same.assign(candidate=name, answer_id=same["answer_id"] + f"-{number}"))
    return pd.concat(parts, ignore_index=True)


def original_of(candidate):
    """Return the candidate whose answer a copy shows, or the candidate itself.

    >>> original_of("careful (copy)")
    'careful'
    """
    while candidate.endswith(COPY):
        candidate = candidate.removesuffix(COPY)
    return candidate


def plan_singles(presentations):
    """Return each answer of a plan once, to be scored alone.

    Parameters
    ----------
    presentations : DataFrame
        From :func:`plan_arm`.

    Returns
    -------
    DataFrame
        Columns of :data:`posbias_kit.schema.PRESENTATIONS`, with one slot and no order.
    """
    each = _spread(presentations[~presentations["identical"]])
    place = ["benchmark", "experiment", "arm", "turn", "question", "name"]
    each = _once(each, place).reset_index(drop=True)
    pairs = zip(each["question"], each["name"], strict=True)
    return each.assign(
        comparison=[name_comparison(question, [name]) for question, name in pairs],
        slots=pd.array([1] * len(each), dtype="Int64"),
        order="",
        shown=[json.dumps([name], ensure_ascii=False) for name in each["name"]],
        candidate=each["name"],
        reference="",
    )[list(presentations.columns)]
