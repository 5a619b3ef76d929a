"""Asking under a stopping rule: whole comparisons in batches, and a look after each.

The rule is given, for example :class:`posbias_kit.analysis.StoppingRule`. It has a `batch`, and
methods ``arrange(presentations, judge)`` (the populations, each a table of comparisons as they
are to be drawn, with `rows`, the positions of their presentations), ``reached(plan, verdicts,
asked)`` and ``stop(plan, verdicts)``.
"""

import numpy as np

from posbias_kit.data import build_verdicts
from posbias_kit.judging.calls import join_calls


def series_until(rule, judge, shown, keys, log, again=False):
    """Yield the open series of a live judge until the rule knows enough.

    After the series of a batch None is yielded: what was asked has to come back before the rule
    can look. A run that goes on later draws and looks as it would have without a break.

    Parameters
    ----------
    rule : StoppingRule
    judge : LiveJudge
    shown : Shown
    keys : dict
        From ``judge.identify``.
    log : JudgmentLog
    again : bool
        Ask also where there was a reply without a usable verdict.
    """
    for plan in rule.arrange(shown.presentations, judge.name):
        rng = np.random.default_rng(judge.seed)
        for start in range(0, len(plan), rule.batch):
            rows = plan["rows"].iloc[start : start + rule.batch]
            drawn, waits = shown.series_of(rows, rng), False
            for calls in judge.open_calls(shown, keys, log.states(), again, drawn):
                waits = True
                yield calls
            if waits:
                yield None
            asked = start + len(rows)
            calls = judge.collect(shown, log.states())
            verdicts = join_calls(shown.presentations, calls, judge.name)
            if len(verdicts) and rule.reached(plan, build_verdicts(verdicts), asked):
                break


def cut_calls(rule, presentations, calls, judge):
    """Keep the calls that a judge would have been asked under a rule.

    For judges that say everything at once and for nothing: simulations.

    Parameters
    ----------
    rule : StoppingRule
    presentations : DataFrame
    calls : DataFrame
        As for :func:`posbias_kit.judging.calls.join_calls`.
    judge : str

    Returns
    -------
    DataFrame
        Rows of `calls`.
    """
    if calls.empty:
        return calls
    verdicts = build_verdicts(join_calls(presentations, calls, judge))
    kept = set()
    for plan in rule.arrange(presentations, judge):
        asked = rule.stop(plan, verdicts)
        kept.update(row for rows in plan["rows"].iloc[:asked] for row in rows)
    return calls[calls["row"].isin(kept)].reset_index(drop=True)
