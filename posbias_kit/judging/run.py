"""Ask the judges of a study, and collect their verdicts in one table."""

import json

import pandas as pd

from posbias_kit.data import STARTER_QUALITY, build_verdicts
from posbias_kit.judge_kinds import PlantedParams
from posbias_kit.judging.planted import PlantedJudge
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.params import parse_section
from posbias_kit.study import Judging


def make_judges(judges, seed=0):
    """Make the judges that a study names.

    Parameters
    ----------
    judges : list of dict
        As the key `judging.judges` of a study.
    seed : int
        Of the planted judges.

    Returns
    -------
    list of judges
        Each has a `name` and a method ``judge(presentations, answers)``.
    """
    named = parse_section(Judging, {"judges": judges}, place="judging").judges
    return [
        PlantedJudge(params, STARTER_QUALITY, seed)
        if isinstance(params, PlantedParams)
        else RecordedJudge(params)
        for params in named
    ]


def judge_presentations(judges, presentations, answers):
    """Ask every judge about every presentation, as often as the plan says.

    Parameters
    ----------
    judges : list of judges
        From :func:`make_judges`, or any object with a `name` and a method ``judge``.
    presentations : DataFrame
        Table of :data:`posbias_kit.schema.PRESENTATIONS`.
    answers : DataFrame
        Table of :data:`posbias_kit.schema.ANSWERS`.

    Returns
    -------
    DataFrame
        The verdict table; presentations of identical answers stand in it with the status
        `identical`, and nobody was asked about them.
    """
    asked = presentations[~presentations["identical"]].reset_index(drop=True)
    spared = presentations[presentations["identical"]].reset_index(drop=True)
    parts = []
    for judge in judges:
        calls = judge.judge(asked, answers) if len(asked) else pd.DataFrame()
        parts += [_join(asked, calls, judge.name), _spare(spared, judge.name)]
    return build_verdicts(pd.concat([part for part in parts if len(part)], ignore_index=True))


def _join(presentations, calls, judge):
    if calls.empty:
        return calls
    rows = presentations.iloc[calls["row"]].reset_index(drop=True)
    answer = calls.drop(columns="row").reset_index(drop=True)
    return _plain(pd.concat([rows, answer], axis=1)).assign(judge=judge)


def _spare(presentations, judge):
    rows = presentations.loc[presentations.index.repeat(presentations["repeats"])]
    repeat = rows.groupby(level=0).cumcount() + 1
    blank = {"status": "identical", "reason": "", "choice": pd.NA, "judge": judge}
    return _plain(rows).assign(repeat=repeat, **blank).astype({"choice": "Int64"})


def _plain(rows):
    """Give back to `build_verdicts` what it derives itself, from the one thing shown."""
    shown = [tuple(json.loads(text)) for text in rows["shown"]]
    return rows.drop(columns=["identical", "repeats"]).assign(shown=shown)
