"""Do nominal 95% intervals cover? A simulation of whole studies, five scenarios, 10 to 40 clusters.

    python -m benchmarks.coverage [--studies 3000] [--seed 20240607] [--write]

A study has G clusters (questions) of pairs, each pair judged in both orders. The verdict of an
order has Davidson and Beaver's probabilities with tie parameter nu,

    first : tie : second = exp((b + d) / 2) : nu : exp(-(b + d) / 2),

b the cluster's order effect and d the pair's quality difference (-d in the other order), both
normal. The truth of a cell is the ratio of expectations over b and d, by quadrature;
for beta it is where the expected score is 0. The intervals are the package's own, from the same
per-cluster counts that its tables are made of. `--write` renews docs/coverage.md.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from posbias_kit.analysis.flips import solve_flips
from posbias_kit.analysis.intervals import (
    bootstrap_intervals,
    difference_intervals,
    share_intervals,
)
from posbias_kit.analysis.order_effect import _estimate as estimate_flips

CLUSTERS = (10, 20, 40)
FLIPS = ("primacy_full", "recency_full", "primacy_half", "recency_half")
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"


@dataclass(frozen=True)
class Scenario:
    """How the verdicts of a study come about."""

    about: str
    pairs: tuple = (10, 10)
    """Fewest and most pairs in a cluster, drawn uniformly."""
    repeats: int = 3
    same: bool = False
    """Every repeat says what the first said."""
    missing: float = 0.0
    beta: float = 0.3
    beta_sd: float = 1.0
    quality_sd: float = 1.5
    nu: float = 0.3

    def chances(self, b, d):
        """Return P(tie), P(first), P(second), stacked on the last axis."""
        weight = np.stack([np.full(np.shape(b + d), self.nu), np.exp((b + d) / 2), np.exp(-(b + d) / 2)], -1)
        return weight / weight.sum(axis=-1, keepdims=True)

    def truth(self):
        """Return what each interval should cover."""
        grid = np.linspace(-8, 8, 801)  # of a normal: the trapezoid rule converges fast on it
        density = np.exp(-(grid**2) / 2)
        weight = np.outer(density, density) / density.sum() ** 2
        b = (self.beta + self.beta_sd * grid)[:, None]
        d = (self.quality_sd * grid)[None, :]
        (t1, f1, s1), (t2, f2, s2) = (np.moveaxis(self.chances(b, x), -1, 0) for x in (d, -d))
        mean = {
            "consistent": t1 * t2 + f1 * s2 + s1 * f2,
            "primacy_full": f1 * f2,
            "recency_full": s1 * s2,
            "primacy_half": f1 * t2 + t1 * f2,
            "recency_half": s1 * t2 + t1 * s2,
            "first": f1 + f2,
            "decided": 2 - t1 - t2,
        }
        mean = {name: (weight * value).sum() for name, value in mean.items()}
        full, half = mean["recency_full"] - mean["primacy_full"], mean["recency_half"] - mean["primacy_half"]
        beta = solve_flips([[mean[name]] for name in FLIPS]).item()
        first = mean["first"] / mean["decided"]
        return {"pc": mean["consistent"], "pf": full + half, "first": first, "beta": beta}


def consistent_at(pc, scenario):
    """Spread the quality of a scenario until its position consistency is `pc`."""
    spread = brentq(lambda sd: replace(scenario, quality_sd=sd).truth()["pc"] - pc, 1, 60)
    return replace(scenario, quality_sd=spread)


SCENARIOS = {
    "independent": Scenario("one repeat, one order effect for all", repeats=1, beta_sd=0.0),
    "shared": Scenario("questions share an order effect, sd 1, over 10 pairs x 3 repeats"),
    "identical": Scenario("temperature 0: three repeats say the same; sd 1", same=True),
    "unequal": Scenario("1 to 30 pairs a question, 5% of verdicts missing; sd 1", (1, 30), 3, missing=0.05),
    "pc95": consistent_at(0.95, Scenario("position consistency .95; sd 1", nu=0.02)),
}


def simulate(scenario, clusters, studies, rng):
    """Draw studies and count what each cluster says: a frame indexed by study and cluster."""
    low, high = scenario.pairs
    shape = (studies, clusters, high)
    b = rng.normal(scenario.beta, scenario.beta_sd, size=(studies, clusters, 1))
    d = rng.normal(0, scenario.quality_sd, size=shape)
    asked = np.arange(high) < rng.integers(low, high + 1, size=(studies, clusters, 1))
    chance = np.stack([scenario.chances(b, d), scenario.chances(b, -d)], axis=-2)[..., None, :]
    drawn = 1 if scenario.same else scenario.repeats
    draw = rng.random((*shape, 2, drawn))
    choice = (draw[..., None] > chance.cumsum(axis=-1)[..., :2]).sum(axis=-1)  # 0 = TIE, 1, 2
    choice = np.broadcast_to(choice, (*shape, 2, scenario.repeats))
    told = asked[..., None, None] & (rng.random(choice.shape) >= scenario.missing)
    return _count(np.where(told, choice, -1))


def _count(choice):
    """Per-cluster counts from choices (study, cluster, pair, order, repeat); -1 is no verdict."""
    one, two = choice[..., 0, :], choice[..., 1, :]
    whole = (one >= 0) & (two >= 0)
    total, product = one + two, one * two
    flags = {
        "complete": whole,
        "yes": whole & ((total == 0) | ((total == 3) & (product == 2))),
        "primacy": whole & (product <= 1) & np.isin(total, (1, 2)) & ((one == 1) | (two == 1)),
        "recency": whole & ((product == 4) | ((total == 2) & (product == 0))),
    }
    counts = {name: flag.sum(axis=(2, 3)) for name, flag in flags.items()}
    counts["first"] = (choice == 1).sum(axis=(2, 3, 4))
    counts["decided"] = (choice > 0).sum(axis=(2, 3, 4))
    valid = (choice >= 0).sum(axis=-1)
    both = (valid > 0).all(axis=-1)
    tie, first, second = (
        np.where(both[..., None], (choice == k).sum(axis=-1) / np.maximum(valid, 1), 0) for k in (0, 1, 2)
    )
    counts["primacy_full"] = (first[..., 0] * first[..., 1]).sum(axis=-1)
    counts["recency_full"] = (second[..., 0] * second[..., 1]).sum(axis=-1)
    for name, side in (("primacy_half", first), ("recency_half", second)):
        counts[name] = (side[..., 0] * tie[..., 1] + tie[..., 0] * side[..., 1]).sum(axis=-1)
    counts["comparisons"], counts["sets"] = both.sum(axis=-1), np.zeros(both.shape[:2])
    index = pd.MultiIndex.from_product(map(range, choice.shape[:2]), names=["study", "cluster"])
    return pd.DataFrame({name: value.ravel() for name, value in counts.items()}, index=index)


def intervals(sums, level=0.95):
    """Return low and high of every study: the headline interval of each, and the bootstrap's."""
    flips = estimate_flips(sums, level)
    sums = sums.assign(lean=sums["recency"] - sums["primacy"])
    return {
        ("pc", "headline"): share_intervals(sums, "yes", "complete", level),
        ("pf", "headline"): difference_intervals(sums, "recency", "primacy", "complete", level),
        ("first", "headline"): share_intervals(sums, "first", "decided", level),
        ("beta", "headline"): flips.rename(columns={"beta_low": "low", "beta_high": "high"}),
        ("pc", "bootstrap"): bootstrap_intervals(sums, "yes", "complete", level),
        ("pf", "bootstrap"): bootstrap_intervals(sums, "lean", "complete", level),
        ("first", "bootstrap"): bootstrap_intervals(sums, "first", "decided", level),
    }


def cover(name, clusters, studies, seed, block=500):
    """Return one row a number and interval of a cell: coverage, misses, width, truth."""
    scenario = SCENARIOS[name]
    truth = scenario.truth()
    rng = np.random.default_rng([seed, clusters, list(SCENARIOS).index(name)])
    parts = {}
    for start in range(0, studies, block):
        sums = simulate(scenario, clusters, min(block, studies - start), rng)
        for key, found in intervals(sums).items():
            parts.setdefault(key, []).append(found[["low", "high"]])
    rows = []
    for (number, interval), found in parts.items():
        low, high = pd.concat(found).to_numpy().T
        below, above = (high < truth[number]).sum(), (low > truth[number]).sum()
        given = int(np.isfinite(low).sum())
        rows.append(
            {
                "scenario": name, "clusters": clusters, "number": number, "interval": interval,
                "truth": truth[number], "coverage": 1 - (below + above) / given,
                "below": below / given, "above": above / given,
                "width": np.nanmean(high - low), "none": 1 - given / studies,
            }
        )  # fmt: skip
    return rows


def outside(table, studies, low=0.93, high=0.97):
    """Mark cells whose 99% Monte Carlo interval lies wholly outside the bounds."""
    half = 2.576 * np.sqrt(table["coverage"] * (1 - table["coverage"]) / studies)
    return (table["coverage"] + half < low) | (table["coverage"] - half > high)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=20240607)
    parser.add_argument("--write", action="store_true", help="renew docs/coverage.md")
    given = parser.parse_args()
    start = time.perf_counter()
    rows = []
    for name in SCENARIOS:
        for clusters in CLUSTERS:
            rows += cover(name, clusters, given.studies, given.seed)
            print(f"{name} {clusters} {time.perf_counter() - start:.0f} s", flush=True)
    table = pd.DataFrame(rows)
    table["outside"] = outside(table, given.studies)
    print(table.round(4).to_string())


if __name__ == "__main__":
    main()
