"""What the judges of each arm see: presentations, answers, and what is shown in one call."""

from typing import NamedTuple

import pandas as pd

from posbias_kit.judging.arms import copy_answers, plan_arm, plan_singles
from posbias_kit.judging.shown import Shown
from posbias_kit.study_arms import PLAIN


class View(NamedTuple):
    """What the judges of one arm see."""

    asked: pd.DataFrame
    """The presentations on which they give verdicts."""
    spared: pd.DataFrame
    """Those of identical answers, which nobody is asked about."""
    calls: pd.DataFrame
    """What is shown in a call: `asked`, or single answers."""
    answers: pd.DataFrame
    shown: object
    """For live judges; None without questions."""


def see_arms(judges, presentations, answers, questions=None):
    """Return what the judges of each arm see.

    Parameters
    ----------
    judges : list of judges
        From :func:`posbias_kit.judging.make_judges`.
    presentations, answers : DataFrame
        Tables of the study.
    questions : DataFrame, optional
        Where live judges are to be asked.

    Returns
    -------
    dict of str to View
        By the arm's name.
    """
    views = {}
    for arm in {arm_of(judge).name: arm_of(judge) for judge in judges}.values():
        plan = plan_arm(presentations, arm)
        asked = plan[~plan["identical"]].reset_index(drop=True)
        spared = plan[plan["identical"]].reset_index(drop=True)
        calls = plan_singles(asked) if arm.scale and len(asked) else asked
        told = copy_answers(answers, asked) if arm.identical else answers
        shown = None if questions is None or asked.empty else Shown(calls, questions, told)
        views[arm.name] = View(asked, spared, calls, told, shown)
    return views


def arm_of(judge):
    """Return the arm in which a judge is asked; one that names none is asked plainly."""
    return getattr(judge, "arm", PLAIN)
