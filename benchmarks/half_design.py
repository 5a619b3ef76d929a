"""The balanced half design, replayed: each comparison in one order, for win rates and ranks.

Used by `python -m benchmarks.fewer_calls`. A replay plans as the kit does: a random part of the
comparisons of each task, and of each of these one order, dealt by
:func:`posbias_kit.data.sets.halve`. Beside it stands what as many calls buy otherwise: half as
many comparisons of each task, in both orders. Rates are those of
:func:`posbias_kit.analysis.adjusted_win_rates`, order averaged; the first replay of each judge
and design is held against it.
"""

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from posbias_kit.analysis import adjusted_win_rates, build_series
from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.intervals import cluster_sums, share_intervals
from posbias_kit.analysis.series import SERIES_KEY
from posbias_kit.data.arrival import arrival_order
from posbias_kit.data.sets import halve
from posbias_kit.schema import TIE

ONCE, BOTH = "one order of each", "half, both orders"
SHARES = {ONCE: (0.1, 0.2, 0.3, 0.4, 0.5), BOTH: (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
"""Shares of the full run's calls; one order of each comparison takes at most half."""
NEAR, ALIKE, SURE = 0.03, 0.9, 0.95
"""Rates this near on average, ranks of this tau on average, the winner found this often."""


class Replays:
    """Parts of one benchmark's full run, the same for all its judges.

    Parameters
    ----------
    verdicts : DataFrame
        The full run, of all judges.
    replays, seed : int
    """

    def __init__(self, verdicts, replays, seed):
        plan = verdicts.drop_duplicates(["comparison", "order"]).assign(identical=False)
        whole = plan.drop_duplicates("comparison")
        self.names, tasks = whole["comparison"].to_numpy(), whole["task"].to_numpy()
        self.arrivals = [arrival_order(len(whole), tasks, seed + n) for n in range(replays)]
        by_name = plan.set_index("comparison", drop=False)
        self.once = {
            share: [self._deal(by_name, share, seed + n, came)
                    for n, came in enumerate(self.arrivals)]
            for share in SHARES[ONCE]
        }  # fmt: skip

    def _deal(self, plan, share, seed, came):
        part = plan.loc[self.names[came[: round(2 * share * len(came))]]]
        return pd.MultiIndex.from_frame(
            halve(part, np.random.default_rng(seed))[["comparison", "order"]]
        )

    def take(self, design, share, verdicts):
        """Yield for each replay which of a judge's verdicts a design asks for."""
        place = pd.MultiIndex.from_frame(verdicts[["comparison", "order"]])
        for number, came in enumerate(self.arrivals):
            if design == ONCE:
                yield place.isin(self.once[share][number])
            else:
                names = self.names[came[: round(share * len(came))]]
                yield verdicts["comparison"].isin(names).to_numpy()


def replay_half(verdicts, replays):
    """Return a row a design about half of a judge's calls, and one about the calls needed."""
    told = _tell(verdicts)
    full = adjusted_win_rates(verdicts, draws=1)
    full = full[full["method"] == "order_averaged"].set_index("candidate")
    half, needed = [], []
    for design in (ONCE, BOTH):
        path = {}
        for share in SHARES[design]:
            found = []
            for number, kept in enumerate(replays.take(design, share, verdicts)):
                rates = _rates(told, kept, full.index)
                if share == 0.5 and number == 0:
                    _check(rates, verdicts[kept])
                found.append(_hold(rates, full["win_rate"]))
                if share == 0.5:
                    found[-1] |= _width(told[_used(told, kept)], full)
            path[share] = pd.DataFrame(found).mean()
        width = (full["win_rate_high"] - full["win_rate_low"]) / 2
        half.append({"design": design, **path[0.5].to_dict(), "full_half_width": width.mean()})
        needed.append({"design": design, **_needed(pd.DataFrame(path).T)})
    return half, needed


def _tell(verdicts):
    """Return who wins what; a series that lacks an order is used where one order is asked."""
    whole = build_series(verdicts)["complete"].to_numpy()[number_groups(verdicts, SERIES_KEY)[0]]
    score = (verdicts["winner"] == verdicts["candidate"]) + 0.5 * (verdicts["winner"] == TIE)
    return pd.DataFrame({
        "candidate": verdicts["candidate"], "cluster": verdicts["cluster"],
        "second": (verdicts["order"] != "AB").to_numpy(), "score": score,
        "use": (verdicts["status"] == "ok").to_numpy(), "whole": whole,
        "comparison": verdicts["comparison"],
    }).reset_index(drop=True)  # fmt: skip


def _used(told, kept):
    """Verdicts that enter: of both orders where both are asked for."""
    alone = ~told["comparison"].where(kept).duplicated(keep=False).to_numpy()
    return kept & np.where(alone, told["use"], told["whole"])


def _rates(told, kept, candidates):
    """Mean of the two orders' means; missing where one of them is."""
    part = told[_used(told, kept)]
    means = part.groupby(["candidate", "second"])["score"].mean().unstack()
    return means.mean(axis=1, skipna=False).reindex(candidates)


def _check(rates, verdicts):
    """Hold the rates of one replay against the kit's own."""
    own = adjusted_win_rates(verdicts, draws=0)
    own = own[own["method"] == "order_averaged"].set_index("candidate")["win_rate"]
    pd.testing.assert_series_equal(rates, own.reindex(rates.index), check_names=False,
                                   check_dtype=False, rtol=1e-9)  # fmt: skip


def _hold(rates, full):
    """Hold the rates of one replay against those of the full run."""
    off = rates - full
    ranks = rates.rank(ascending=False, method="min")
    moved = (ranks - full.rank(ascending=False, method="min")).abs()
    return {
        "off": off.abs().mean(), "square": (off**2).mean(), "worst": off.abs().max(),
        "tau": kendalltau(rates, full, nan_policy="omit").statistic,
        "same_rank": (moved == 0).mean(), "largest_move": moved.max(),
        "first": float(rates.idxmax() == full.idxmax()),
    }  # fmt: skip


def _width(part, full):
    """Width of the intervals of one replay, and how often they hold the full run's rates."""
    asked = part.groupby(["candidate", "second"])["second"].transform("size")
    weight = len(part) / asked
    part = part.assign(all="", n=weight, x=weight * part["score"])
    sums = cluster_sums(part, ["all", "candidate"], ["x", "n"])
    found = share_intervals(sums, "x", "n").droplevel("all").reindex(full.index)
    held = (found["low"] <= full["win_rate"]) & (full["win_rate"] <= found["high"])
    return {"half_width": ((found["high"] - found["low"]) / 2).mean(), "held": held.mean()}


def _needed(path):
    """Smallest share of the calls that is enough; missing where no share that was tried is."""
    enough = {
        "rates": np.sqrt(path["square"]) <= NEAR,
        "ranks": path["tau"] >= ALIKE,
        "winner": path["first"] >= SURE,
    }
    return {name: path.index[met].min() for name, met in enough.items()}
