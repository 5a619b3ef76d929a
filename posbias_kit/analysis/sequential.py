"""Stop asking when consistency of the planned benchmark is known narrowly enough."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from posbias_kit.analysis.arrivals import check_rule
from posbias_kit.analysis.betting import betting_sequence
from posbias_kit.analysis.checks import check_whole
from posbias_kit.analysis.fixed_width import fixed_width_sequence
from posbias_kit.analysis.series import build_series
from posbias_kit.data.arrival import arrival_order
from posbias_kit.errors import check_choice

RULES = ("betting", "fixed_width")
STRATA = ("task", "cluster")

_POPULATION = ["benchmark", "experiment", "arm", "slots"]
_COMPARISON = ["benchmark", "experiment", "arm", "turn", "comparison"]


@dataclass(frozen=True)
class StoppingRule:
    """A rule that is fixed before the first call: what is drawn next, and when it is enough.

    Whole comparisons, all their orders and repeats, are drawn without replacement in a seeded
    random order of each judge. After every batch the rule looks at what has come back, and ends
    when PC of all planned comparisons is known to within `half_width`.

    *Source: those of* :func:`posbias_kit.analysis.betting_sequence` *and*
    :func:`posbias_kit.analysis.fixed_width_sequence`.

    Parameters
    ----------
    rule : {"betting", "fixed_width"}
        Valid whenever one looks; or cheaper, and approximate.
    half_width : float
    level : float
    batch : int
        Comparisons asked between two looks.
    strata : {"task", "cluster"}
        Of rule "fixed_width": comparisons come from each in proportion.
    seed : int

    Raises
    ------
    ParamsError
        A setting is outside its range.

    Examples
    --------
    >>> StoppingRule(half_width=3)
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: StoppingRule: half_width 3 is outside (0, 0.5)
      allowed: half the width of an interval of shares
      cure: write 0.03 for 3 points
    """

    rule: str = "betting"
    half_width: float = 0.03
    level: float = 0.95
    batch: int = 20
    strata: str = "task"
    seed: int = 0

    def __post_init__(self):
        check_rule("StoppingRule", self.half_width, self.level)
        check_choice(self.rule, RULES, "rule")
        check_choice(self.strata, STRATA, "strata")
        check_whole(self.batch, "batch", 1, "StoppingRule")

    def arrange(self, presentations, judge):
        """Return the comparisons that a judge can be asked, as they are to be drawn.

        Parameters
        ----------
        presentations : DataFrame
            Table of :data:`posbias_kit.schema.PRESENTATIONS`; identical ones are left out.
        judge : str

        Returns
        -------
        list of DataFrame
            One for each benchmark, experiment, arm and number of slots, which are populations of
            their own: the comparison's key, task, cluster, repeats (the most of its
            presentations), calls, rows (positions among the presentations).
        """
        asked = presentations.assign(rows=np.arange(len(presentations)))
        asked = asked[~asked["identical"]]
        about = {name: (name, "first") for name in ("task", "cluster", "slots")}
        told = asked.groupby(_COMPARISON, sort=False).agg(
            **about, repeats=("repeats", "max"), calls=("repeats", "sum"), rows=("rows", list)
        )
        parts = told.reset_index().groupby(_POPULATION, sort=False)
        return [self._draw(part.reset_index(drop=True), judge) for _, part in parts]

    def _draw(self, part, judge):
        strata = part[self.strata] if self.rule == "fixed_width" else None
        order = arrival_order(len(part), strata, self.seed, judge)
        return part.iloc[order].reset_index(drop=True)

    def follow(self, plan, verdicts, asked=None):
        """Tell what was known at each look.

        Parameters
        ----------
        plan : DataFrame
            One of those that :meth:`arrange` returns.
        verdicts : DataFrame
            The verdict table of this judge.
        asked : int, optional
            Comparisons that were asked, the first ones of the plan; by default those before the
            first that lacks a call.

        Returns
        -------
        DataFrame
            As :func:`posbias_kit.analysis.betting_sequence`, one row a look; none where nothing
            was asked.
        """
        counts = _count(plan, verdicts)
        short = np.flatnonzero(counts["made"].to_numpy() < plan["calls"].to_numpy())
        asked = (short[0] if len(short) else len(plan)) if asked is None else asked
        looks = [*range(self.batch, asked, self.batch), asked] if asked else []
        if not looks:
            return pd.DataFrame()
        came = [counts[name].to_numpy()[:asked] for name in ("consistent", "complete")]
        given = {"most": int(plan["repeats"].max()), "level": self.level, "looks": looks}
        if self.rule == "betting":
            return betting_sequence(*came, len(plan), half_width=self.half_width, **given)
        strata, planned = plan[self.strata][:asked], plan[self.strata].value_counts()
        return fixed_width_sequence(*came, strata, planned.to_dict(), **given)

    def reached(self, plan, verdicts, asked):
        """Tell whether enough is known once the first `asked` comparisons have come back."""
        told = self.follow(plan, verdicts, asked)
        return bool(len(told) and told["half_width"].iloc[-1] <= self.half_width)


def _count(plan, verdicts):
    """Count the series of each comparison of a plan, and the calls that were made."""
    series = build_series(verdicts)
    keys = [series[name] for name in _COMPARISON]
    counts = series[["consistent", "complete"]].groupby(keys).sum()
    counts["made"] = verdicts.groupby(_COMPARISON).size()
    at = pd.MultiIndex.from_frame(plan[_COMPARISON])
    return counts.reindex(at, fill_value=0).fillna(0).astype(int)


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
    rule : StoppingRule
        The one that the run was asked by.

    Returns
    -------
    DataFrame
        One row a judge and population: benchmark, experiment, judge, arm, slots; rule; planned,
        asked, not_made (comparisons); calls, calls_planned; complete; pc, pc_low, pc_high,
        half_width; reached (whether it is as narrow as was asked for); note.

    Raises
    ------
    ParamsError
        The rule is none.
    """
    rows = [
        _tell(rule, judge, plan, part)
        for judge, part in verdicts.groupby("judge", sort=False)
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
        **{name: here[name] for name in _POPULATION}, "judge": judge, "rule": rule.rule,
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
