"""Level and power of the noise split's test, coverage of its intervals, level of the slot test.

    python -m benchmarks.levels_noise [STUDIES [POWER_STUDIES [SLOT_STUDIES]]]

A study is drawn as counts: questions x 4 comparisons x R repeats in each of two orders, or wins of
slots by cluster. Each line gives the rejection rate at .05, the share of 95%
intervals that hold the truth, and the Monte Carlo error of a rate of .05.
"""

import sys
import time
from itertools import product

import numpy as np
import pandas as pd
from scipy import optimize, special

from posbias_kit.analysis.intervals import difference_intervals, ratio_intervals
from posbias_kit.analysis.order_permutation import (
    disagree_across,
    excess,
    excess_test,
)
from posbias_kit.analysis.slot_labels import slot_label_test

COMPARISONS, PERMUTATIONS = 4, 199
DESIGNS = (
    {"questions": 24, "repeats": 3},
    {"questions": 24, "repeats": 2},
    {"questions": 10, "repeats": 5},
)
NOISE = (
    {"spread": 0, "ties": 0.1, "varies": 0},
    {"spread": 1, "ties": 0.1, "varies": 1},
    {"spread": 4, "ties": 0.1, "varies": 0},
    {"spread": 4, "ties": 0.0, "varies": 0},
    {"spread": 10, "ties": 0.0, "varies": 0},
)
"""From coin flips to judges about as noisy as those of the paper's repetition experiment."""


def draw_verdicts(rng, studies, questions, repeats, spread, ties, varies, target):
    """Draw counts (studies, comparisons, 2, 3); return them with the planted mean I and mean E.

    Log-odds between the answers are normal with sd `spread`; the order adds +- beta, beta such
    that the mean E is `target`. In each question beta is multiplied by a normal number with mean
    1 and sd `varies`.
    """
    shape = (studies, questions * COMPARISONS)
    worth = spread * rng.normal(size=shape)
    lean = 1 + varies * np.repeat(rng.normal(size=(studies, questions)), COMPARISONS, axis=1)

    def chances(beta):
        first = special.expit(np.stack([worth + beta * lean, worth - beta * lean], axis=2))
        decided = np.stack([first, 1 - first], axis=3) * (1 - ties)
        return np.concatenate([np.full((*first.shape, 1), ties), decided], axis=3)

    def planted(beta):
        one, two = np.moveaxis(chances(beta), 2, 0)
        return (1 - one * two).sum(axis=2).mean(), ((one - two) ** 2).sum(axis=2).mean() / 2

    beta = optimize.brentq(lambda b: planted(b)[1] - target, 0, 20) if target else 0.0
    one, two = np.moveaxis(chances(beta), 2, 0)
    across = 1 - (one * two).sum(axis=2).mean()
    return rng.multinomial(repeats, chances(beta)), across, planted(beta)[1]


def split_rates(counts, across, apart, level=0.95):
    """Return the rejection rate, and the coverage of E and of its share of I."""
    studies, size = counts.shape[:2]
    p = [excess_test(study, PERMUTATIONS, seed) for seed, study in enumerate(counts)]
    flat = counts.reshape(-1, *counts.shape[2:])
    frame = pd.DataFrame({"across": disagree_across(flat), "apart": excess(flat), "n": 1.0})
    frame["within"] = frame["across"] - frame["apart"]
    question = np.arange(len(flat)) % size // COMPARISONS
    sums = frame.groupby([np.repeat(np.arange(studies), size), question]).sum()
    found = difference_intervals(sums, "across", "within", "n", level)
    share = ratio_intervals(sums, "apart", "across", level)
    owed = apart / across
    return {
        "rejected": np.mean(np.array(p) <= 0.05),
        "covers_E": found["low"].le(apart).mul(found["high"].ge(apart)).mean(),
        "covers_share": share["low"].le(owed).mul(share["high"].ge(owed)).mean(),
        "mean_E": found["estimate"].mean(),
        "mean_N": frame["within"].mean(),
    }


def slot_rate(rng, studies, clusters, slots, lean):
    """Return the rejection rate of the slot test where no slot is favoured on average.

    Three comparisons a cluster in all cyclic orders. Clusters do not lean, lean to slots of their
    own, or either favour slot 1 or shun it.
    """
    chance = np.full((studies, clusters, slots), 1 / slots)
    if lean == "own slots":
        worth = rng.normal(size=chance.shape)
        chance = special.softmax(worth, axis=2)
    elif lean == "slot 1 or not":
        shift = 0.9 / slots * rng.choice([-1, 1], size=(studies, clusters))
        chance[:, :, 1:] -= (shift / (slots - 1))[..., None]
        chance[:, :, 0] += shift
    apart = rng.multinomial(3 * slots, chance) - 3.0
    p = [slot_label_test(study, PERMUTATIONS, seed) for seed, study in enumerate(apart)]
    return np.mean(np.array(p) <= 0.05)


def main(studies=10_000, power_studies=1_000, slot_studies=10_000):
    start, rng = time.perf_counter(), np.random.default_rng(20240607)
    cells = [
        {"target": target, "studies": power_studies if target else studies, **noise, **design}
        for target in (0.0, 0.02, 0.05, 0.10)
        for noise in NOISE
        for design in (DESIGNS if target == 0 and noise is NOISE[2] else DESIGNS[:1])
    ]
    rows = [cell | split_rates(*draw_verdicts(rng, **cell)) for cell in cells]
    print(pd.DataFrame(rows).round(4).to_string(index=False))
    cells = product((3, 4, 8), (10, 20, 40), ("nowhere", "own slots", "slot 1 or not"))
    table = pd.DataFrame(cells, columns=["slots", "clusters", "lean"])
    table["rejected"] = [
        slot_rate(rng, slot_studies, cell.clusters, cell.slots, cell.lean)
        for cell in table.itertuples()
    ]
    print(table.round(4).to_string(index=False))
    error = np.sqrt(0.05 * 0.95 / studies)
    print(f"{time.perf_counter() - start:.0f} s; Monte Carlo error of .05: {error:.4f}", end="; ")
    print(f"of the slot test's {np.sqrt(0.05 * 0.95 / slot_studies):.4f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
