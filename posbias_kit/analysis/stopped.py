"""What a run that a rule has stopped knows, and its intervals among those of the metrics."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.sequential import POPULATION
from posbias_kit.schema import Convention


def stopped_consistency(verdicts, presentations, rule):
    """Tell what a run that was stopped by a rule knows about the planned benchmark.

    The interval is the rule's own. It speaks of the comparisons that were planned, not of other
    questions like them: for those, :func:`posbias_kit.analysis.position_bias` has the interval
    over clusters, which is wider.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    presentations : DataFrame
        The plan.
    rule : StoppingRule or None
        The one that the run was asked by.

    Returns
    -------
    DataFrame
        One row a judge and population: benchmark, experiment, judge, arm, slots; rule; planned,
        asked, not_made (comparisons); calls, calls_planned; complete; pc, pc_low, pc_high,
        half_width; reached (whether it is as narrow as was asked for); note. None without a
        rule.

    Examples
    --------
    A simulation on the starter benchmark, asked until PC is known to .1.

    >>> from posbias_kit import data, judging
    >>> from posbias_kit.analysis import StoppingRule
    >>> study = data.prepare_study("starter", plan={"repeats": 1})
    >>> rule = StoppingRule(half_width=0.1)
    >>> judges = judging.make_judges([{"name": "fair", "kind": "planted"}])
    >>> verdicts = judging.judge_presentations(
    ...     judges, study.presentations, study.answers, stop=rule)
    >>> told = stopped_consistency(verdicts, study.presentations, rule)
    >>> told[["planned", "asked", "not_made", "reached"]].values.tolist()
    [[480, 140, 340, True]]
    """
    judges = verdicts.groupby("judge", sort=False) if rule else ()
    rows = [
        _tell(rule, judge, plan, part)
        for judge, part in judges
        for plan in rule.arrange(presentations, judge)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _tell(rule, judge, plan, verdicts):
    told = rule.follow(plan, verdicts)
    here = plan.iloc[0]
    last = told.iloc[-1] if len(told) else pd.Series(np.nan, ["pc", "pc_low", "pc_high"])
    asked = int(last.get("asked", 0))
    half = last.get("half_width", np.nan)
    reached = bool(half <= rule.half_width)
    return {
        **{name: here[name] for name in POPULATION}, "judge": judge, "rule": rule.rule,
        "planned": len(plan), "asked": asked, "not_made": len(plan) - asked,
        "calls": int(plan["calls"][:asked].sum()), "calls_planned": int(plan["calls"].sum()),
        "complete": int(last.get("complete", 0)),
        "pc": last["pc"], "pc_low": last["pc_low"], "pc_high": last["pc_high"],
        "half_width": half, "reached": reached, "note": _note(plan, asked, reached, half),
    }  # fmt: skip


def _note(plan, asked, reached, half):
    """Say how it ended."""
    if asked == len(plan):
        return "all were asked: PC of the planned benchmark is known"
    if reached:
        return "about the planned comparisons only, not about other questions"
    why = "no interval yet" if np.isnan(half) else "wider than was asked for"
    return f"ended before the rule was met: {why}"


_COLUMNS = [
    "benchmark", "experiment", "judge", "arm", "slots", "rule", "planned", "asked", "not_made",
    "calls", "calls_planned", "complete", "pc", "pc_low", "pc_high", "half_width", "reached",
    "note",
]  # fmt: skip


def take_rule_intervals(bias, stopped):
    """Put a stopping rule's own interval of PC in place of the one over clusters.

    Judges that were asked all that was planned keep the interval over clusters, and so does
    convention ``decisive``, whose PC the rule did not watch.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias`, by judge.
    stopped : DataFrame or None
        From :func:`stopped_consistency`.

    Returns
    -------
    DataFrame
        `bias` with the column pc_interval after pc_high: "clusters" (about questions like
        these), or the rule's name (about the planned benchmark only).
    """
    bias = bias.copy()
    bias.insert(bias.columns.get_loc("pc_high") + 1, "pc_interval", "clusters")
    if stopped is None or stopped.empty:
        return bias
    part = stopped[(stopped["not_made"] > 0) & stopped["pc_low"].notna()]
    keys = [name for name in (*POPULATION, "judge", "complete") if name in bias]
    own = part.set_index(keys)[["pc_low", "pc_high", "rule"]]
    own = own.reindex(pd.MultiIndex.from_frame(bias[keys].astype(part.dtypes[keys].to_dict())))
    found = own["rule"].notna().to_numpy() & bias["pc_low"].notna().to_numpy()
    found &= (bias["convention"] != Convention.DECISIVE).to_numpy()
    for name in ("pc_low", "pc_high"):
        bias.loc[found, name] = own[name].to_numpy()[found]
    bias.loc[found, "pc_interval"] = own["rule"].to_numpy()[found]
    return bias
