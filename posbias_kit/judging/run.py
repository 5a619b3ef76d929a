"""Ask the judges of a study, and collect their verdicts in one table."""

import pandas as pd

from posbias_kit.cluster import Compute
from posbias_kit.data import STARTER_QUALITY, build_verdicts
from posbias_kit.errors import ParamsError
from posbias_kit.judge_kinds import LIVE, PlantedParams
from posbias_kit.judging.batch_log import held_back
from posbias_kit.judging.budget import Budget
from posbias_kit.judging.calls import join_calls, plain_rows
from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import read_states
from posbias_kit.judging.planted import PlantedJudge
from posbias_kit.judging.points import derive_verdicts, tabulate_scores
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.judging.session import ask_live, check_batches, send_batches
from posbias_kit.judging.stopping import cut_calls
from posbias_kit.judging.views import arm_of, see_arms
from posbias_kit.params import parse_section
from posbias_kit.study import Caps, Judging
from posbias_kit.study_arms import PLAIN


def make_judges(judges, seed=0, arms=()):
    """Make the judges that a study names, each once for every arm in which it is asked.

    Parameters
    ----------
    judges, arms : list of dict
        As the keys `judging.judges` and `judging.arms` of a study.
    seed : int
        Of the planted judges, and of the order in which live ones are asked.

    Returns
    -------
    list of judges
        Planted and recorded ones have a `name`, an `arm` and a method
        ``judge(presentations, answers)``; live ones are
        :class:`posbias_kit.judging.live.LiveJudge`.
    """
    section = parse_section(Judging, {"judges": judges, "arms": list(arms)}, place="judging")
    panel = []
    for arm in (PLAIN, *section.arms):
        for params in section.judges:
            if arm.judges is None or params.name in arm.judges:
                panel.append(_make(params, seed, arm))
    return [judge for judge in panel if _is_asked(judge)]


def _make(params, seed, arm):
    if isinstance(params, PlantedParams):
        return PlantedJudge(params, STARTER_QUALITY, seed, arm)
    if isinstance(params, LIVE):
        return LiveJudge(params, seed, arm=arm)
    return RecordedJudge(params, arm)


def _is_asked(judge):
    """Leave a recorded judge out of an arm that was not recorded, unless the arm names it."""
    named = not judge.arm.name or judge.arm.judges is not None
    return named or not isinstance(judge, RecordedJudge) or judge.holds_arm


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
    compute=None,
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
    compute : dict, optional
        As the key `compute` of a study: where live judges are asked from; see docs/cluster.md.

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
    live = [judge for judge in judges if isinstance(judge, LiveJudge)]
    views = see_arms(judges, presentations, answers, questions if live else None)
    states = {}
    if live and len(views[live[0].arm.name].asked):
        if questions is None or log is None:
            raise ParamsError(
                "live judges need the questions and a log",
                place="judge_presentations",
                cure="pass questions=... and log=run.folder / 'judgments.sqlite'",
            )
        if ask:
            _ask_all(live, views, log, caps, ask_invalid_again, stop, compute)
        states = read_states(log)
    parts = []
    for judge in judges:
        view = views[arm_of(judge).name]
        calls = _calls(judge, view, states)
        if stop and not isinstance(judge, LiveJudge | RecordedJudge):
            calls = cut_calls(stop, view.asked, calls, judge.name)
        parts += [join_calls(view.asked, calls, judge.name), _spare(view.spared, judge.name)]
    return build_verdicts(pd.concat([part for part in parts if len(part)], ignore_index=True))


def read_scores(judges, presentations, answers, questions=None, log=None):
    """Return the scores that judges gave to answers alone, in arms with `scale`.

    Parameters
    ----------
    judges, presentations, answers, questions, log
        As for :func:`judge_presentations`, which asks; here scores are only read.

    Returns
    -------
    DataFrame
        As :func:`posbias_kit.judging.points.tabulate_scores`.
    """
    alone = [judge for judge in judges if arm_of(judge).scale]
    live = any(isinstance(judge, LiveJudge) for judge in alone)
    views = see_arms(alone, presentations, answers, questions if live else None)
    states = read_states(log) if live else {}
    seen = [(judge, views[judge.arm.name]) for judge in alone]
    return tabulate_scores(
        (judge, view.calls, _told(judge, view, states)) for judge, view in seen if len(view.asked)
    )


def _calls(judge, view, states):
    """Return the calls of a judge as verdicts: row in `view.asked`, repeat, status, ..."""
    if not len(view.asked):
        return pd.DataFrame()
    told = _told(judge, view, states)
    return derive_verdicts(view.asked, view.calls, told) if arm_of(judge).scale else told


def _told(judge, view, states):
    if isinstance(judge, LiveJudge):
        return judge.collect(view.shown, states)
    return judge.judge(view.calls, view.answers)


def _ask_all(judges, views, path, caps, again, stop, compute):
    caps = parse_section(Caps, caps or {}, place="judging.caps")
    compute = parse_section(Compute, compute or {}, place="compute")
    with JudgmentLog(path) as log:
        budget = Budget(caps, log.totals())
        budget.hold(held_back(log))
        check_batches(judges, log, stop)
        for judge in judges:
            if judge.params.batching:  # sent before anybody is waited for
                send_batches(judge, views[judge.arm.name].shown, log, budget, again)
        for judge in judges:
            ask_live(judge, views[judge.arm.name].shown, log, budget, again, stop, compute)


def _spare(presentations, judge):
    rows = presentations.loc[presentations.index.repeat(presentations["repeats"])]
    repeat = rows.groupby(level=0).cumcount() + 1
    blank = {"status": "identical", "reason": "", "choice": pd.NA, "judge": judge}
    return plain_rows(rows).assign(repeat=repeat, **blank).astype({"choice": "Int64"})
