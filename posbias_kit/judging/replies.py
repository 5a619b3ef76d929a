"""The replies behind the verdicts, for whoever wants to read them again by another rule."""

import pandas as pd

from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.log_table import read_log
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.judging.views import arm_of, see_arms
from posbias_kit.schema import REPLIES, Status, validate


def read_replies(judges, presentations, answers, questions=None, log=None):
    """Collect the text of each reply that a verdict was made from.

    Planted judges write no text, failed calls have none, and a recording may come without.

    Parameters
    ----------
    judges, presentations, answers, questions, log
        As for :func:`posbias_kit.judging.judge_presentations`.

    Returns
    -------
    DataFrame
        Table of :data:`posbias_kit.schema.REPLIES`; `file` and `line` name the log or the
        recording, and which of its rows.
    """
    live = any(isinstance(judge, LiveJudge) for judge in judges)
    compare = [judge for judge in judges if not arm_of(judge).scale]  # scores are no verdicts
    views = see_arms(compare, presentations, answers, questions if live else None)
    parts = [pd.DataFrame(columns=list(REPLIES.columns))]
    rows = None
    for judge in compare:
        view = views[arm_of(judge).name]
        if isinstance(judge, RecordedJudge):
            parts.append(judge.replies(view.asked))
        elif isinstance(judge, LiveJudge):
            rows = _number(read_log(log), log) if rows is None else rows
            parts.append(rows[rows["call"].isin(judge.identify(view.shown).values())])
    told = [part for part in parts[1:] if len(part)] or parts
    return validate(pd.concat(told, ignore_index=True)[list(REPLIES.columns)], "replies")


def _number(rows, log):
    """Number the attempts, and keep of each call the reply that its verdict was made from."""
    rows = rows.assign(line=range(1, len(rows) + 1), file=str(log.name), raw=rows["text"])
    rows = rows[rows["status"] != Status.FAILED]
    best = rows.sort_values("status", key=lambda status: status == Status.OK, kind="stable")
    return best.drop_duplicates("call", keep="last").sort_index()
