"""Ask the judges of a study, and collect their verdicts in one table."""

import pandas as pd

from posbias_kit.data import STARTER_QUALITY, build_verdicts
from posbias_kit.errors import ParamsError
from posbias_kit.judge_kinds import LIVE, PlantedParams
from posbias_kit.judging.budget import Budget
from posbias_kit.judging.calls import join_calls, plain_rows
from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import read_states
from posbias_kit.judging.planted import PlantedJudge
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.judging.session import ask_live
from posbias_kit.judging.shown import Shown
from posbias_kit.judging.stopping import cut_calls
from posbias_kit.params import parse_section
from posbias_kit.study import Caps, Judging


def make_judges(judges, seed=0):
    """Make the judges that a study names.

    Parameters
    ----------
    judges : list of dict
        As the key `judging.judges` of a study.
    seed : int
        Of the planted judges, and of the order in which live ones are asked.

    Returns
    -------
    list of judges
        Planted and recorded ones have a `name` and a method ``judge(presentations, answers)``;
        live ones are :class:`posbias_kit.judging.live.LiveJudge`.
    """
    named = parse_section(Judging, {"judges": judges}, place="judging").judges
    return [_make(params, seed) for params in named]


def _make(params, seed):
    if isinstance(params, PlantedParams):
        return PlantedJudge(params, STARTER_QUALITY, seed)
    return LiveJudge(params, seed) if isinstance(params, LIVE) else RecordedJudge(params)


def judge_presentations(
    judges,
    presentations,
    answers,
    questions=None,
    log=None,
    *,
    caps=None,
    ask_invalid_again=False,
    stop=None,
    ask=True,
):
    """Ask every judge about every presentation, as often as the plan says.

    Live judges are asked only what the log has no reply for, and their verdicts are then taken
    from the log; failed calls are asked again.

    Parameters
    ----------
    judges : list of judges
        From :func:`make_judges`, or any object with a `name` and a method ``judge``.
    presentations : DataFrame
        Table of :data:`posbias_kit.schema.PRESENTATIONS`.
    answers : DataFrame
        Table of :data:`posbias_kit.schema.ANSWERS`.
    questions : DataFrame
        Table of :data:`posbias_kit.schema.QUESTIONS`; live judges only.
    log : str or Path
        ``judgments.sqlite`` of the run; live judges only.
    caps : dict, optional
        As the key `judging.caps` of a study. Calls that a cap kept from being made have no row.
    ask_invalid_again : bool
        Ask live judges again where a reply held no usable verdict.
    stop : posbias_kit.analysis.StoppingRule, optional
        Rule that says what is drawn next and when it is enough; recorded judges have no use for
        one. Calls that it made superfluous have no row.
    ask : bool
        False takes the verdicts of live judges from the log as it is.

    Returns
    -------
    DataFrame
        The verdict table; presentations of identical answers stand in it with the status
        `identical`, and nobody was asked about them.

    Raises
    ------
    JudgeError
        A live judge cannot be asked, or none of its calls brought a reply.
    RunError
        Another process judges in this run.
    """
    asked = presentations[~presentations["identical"]].reset_index(drop=True)
    spared = presentations[presentations["identical"]].reset_index(drop=True)
    live = [judge for judge in judges if isinstance(judge, LiveJudge)]
    shown, states = None, {}
    if live and len(asked):
        if questions is None or log is None:
            raise ParamsError(
                "live judges need the questions and a log",
                place="judge_presentations",
                cure="pass questions=... and log=run.folder / 'judgments.sqlite'",
            )
        shown = Shown(asked, questions, answers)
        if ask:
            _ask_all(live, shown, log, caps, ask_invalid_again, stop)
        states = read_states(log)
    parts = []
    for judge in judges:
        if not len(asked):
            calls = pd.DataFrame()
        elif isinstance(judge, LiveJudge):
            calls = judge.collect(shown, states)
        else:
            calls = judge.judge(asked, answers)
            if stop and not isinstance(judge, RecordedJudge):
                calls = cut_calls(stop, asked, calls, judge.name)
        parts += [join_calls(asked, calls, judge.name), _spare(spared, judge.name)]
    return build_verdicts(pd.concat([part for part in parts if len(part)], ignore_index=True))


def _ask_all(judges, shown, path, caps, again, stop):
    caps = parse_section(Caps, caps or {}, place="judging.caps")
    with JudgmentLog(path) as log:
        budget = Budget(caps, log.totals())
        for judge in judges:
            ask_live(judge, shown, log, budget, again, stop)


def _spare(presentations, judge):
    rows = presentations.loc[presentations.index.repeat(presentations["repeats"])]
    repeat = rows.groupby(level=0).cumcount() + 1
    blank = {"status": "identical", "reason": "", "choice": pd.NA, "judge": judge}
    return plain_rows(rows).assign(repeat=repeat, **blank).astype({"choice": "Int64"})
