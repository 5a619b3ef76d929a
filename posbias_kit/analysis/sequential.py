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

POPULATION = ["benchmark", "experiment", "arm", "slots"]
"""What has a PC of its own; a rule goes through one after the other."""
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
        parts = told.reset_index().groupby(POPULATION, sort=False)
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

    def stop(self, plan, verdicts):
        """Return after how many comparisons the rule ends, all verdicts being at hand."""
        told = self.follow(plan, verdicts, len(plan))
        narrow = told["half_width"] <= self.half_width
        return int(told["asked"][narrow].iloc[0]) if narrow.any() else len(plan)

    def reached(self, plan, verdicts, asked):
        """Tell whether enough is known once the first `asked` comparisons have come back."""
        told = self.follow(plan, verdicts, asked)
        return bool(len(told) and told["half_width"].iloc[-1] <= self.half_width)


def stopping_rule(stop, level=0.95, seed=0):
    """Return the rule that the key `judging.stop` of a study describes; None without one.

    Parameters
    ----------
    stop : dict or None
        rule, half_width, batch, strata.
    level : float
    seed : int

    Examples
    --------
    >>> stopping_rule({"half_width": 0.05}).batch
    20
    """
    return StoppingRule(**stop, level=level, seed=seed) if stop else None


def _count(plan, verdicts):
    """Count the series of each comparison of a plan, and the calls that were made."""
    series = build_series(verdicts)
    keys = [series[name] for name in _COMPARISON]
    counts = series[["consistent", "complete"]].groupby(keys).sum()
    counts["made"] = verdicts.groupby(_COMPARISON).size()
    at = pd.MultiIndex.from_frame(plan[_COMPARISON])
    return counts.reindex(at, fill_value=0).fillna(0).astype(int)
