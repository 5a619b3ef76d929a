"""The balanced half design, replayed: each comparison in one order, for win rates and ranks.

Used by `python -m benchmarks.fewer_calls`. Of every comparison one order is kept; within a task
as many AB as BA, up to one. A candidate's rate is the mean of its two orders' means, so that
every order weighs the same. Beside it stands what the same number of calls buys otherwise: a
random half of the comparisons of each task, in both orders.
"""

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from posbias_kit.analysis import adjusted_win_rates
from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.intervals import cluster_sums, share_intervals
from posbias_kit.data.arrival import arrival_order
from posbias_kit.schema import TIE


def replay_half(verdicts, replays, seed):
    """Return one row about the half design, and one about half of the comparisons, of a judge."""
    full = adjusted_win_rates(verdicts, draws=1, seed=seed)
    full = full[full["method"] == "order_averaged"].set_index("candidate")
    ok = (verdicts["status"] == "ok").to_numpy()
    code, heads = number_groups(verdicts, ["comparison"])
    told = verdicts.loc[ok, ["candidate", "task", "cluster", "order"]]
    told = told.assign(score=_scores(verdicts[ok]), code=code[ok])
    tasks = verdicts["task"].to_numpy()[heads]
    rows = {name: [] for name in ("one order of each", "half, both orders")}
    for replay in range(replays):
        even = _draw_half(tasks, seed + replay)[told["code"]]
        draws = {
            "one order of each": (told["order"] == "AB") == even,
            "half, both orders": even,
        }
        for name, kept in draws.items():
            rows[name].append(_compare(told[kept], full))
    return [
        {"design": name, **pd.DataFrame(found).mean().to_dict(),
         "full_half_width": ((full["win_rate_high"] - full["win_rate_low"]) / 2).mean()}
        for name, found in rows.items()
    ]  # fmt: skip


def _draw_half(tasks, seed):
    """Mark a random half of the comparisons of each task."""
    order = arrival_order(len(tasks), tasks, seed)
    drawn = pd.Series(tasks[order])
    half = np.empty(len(tasks), dtype=bool)
    half[order] = drawn.groupby(drawn).cumcount() % 2 == 0
    return half


def _scores(verdicts):
    """1 where the candidate wins, one half for a TIE, else 0."""
    return (verdicts["winner"] == verdicts["candidate"]) + 0.5 * (verdicts["winner"] == TIE)


def _compare(part, full):
    """Hold what a part says against the full run."""
    asked = part.groupby(["candidate", "order"])["order"].transform("size")
    weight = len(part) / asked
    part = part.assign(n=weight, x=weight * part["score"])
    sums = cluster_sums(part.assign(all=""), ["all", "candidate"], ["x", "n"])
    found = share_intervals(sums, "x", "n").droplevel("all").reindex(full.index)
    off = found["estimate"] - full["win_rate"]
    ranks = found["estimate"].rank(ascending=False, method="min")
    moved = (ranks - full["win_rate"].rank(ascending=False, method="min")).abs()
    return {
        "calls": len(part), "half_width": ((found["high"] - found["low"]) / 2).mean(),
        "off": off.abs().mean(), "square": (off**2).mean(), "worst": off.abs().max(),
        "held": ((found["low"] <= full["win_rate"]) & (full["win_rate"] <= found["high"])).mean(),
        "tau": kendalltau(found["estimate"], full["win_rate"]).statistic,
        "same_rank": (moved == 0).mean(), "largest_move": moved.max(),
        "first": float(found["estimate"].idxmax() == full["win_rate"].idxmax()),
    }  # fmt: skip
