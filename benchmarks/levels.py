"""How often each test rejects when its null is true, and what simpler tests do.

    python -m benchmarks.levels [STUDIES]

10,000 studies a line (2,000 of the pooled logit), nominal level 5 %. A study has G questions with
ten comparisons each, in both orders. Every test is the package's own, fed with counts of
clusters; beside it stands what one would do without thinking of clusters, or with the usual
sandwich error. Lines marked `*` break the assumption of the test (no symmetry, unequal spread)
and are shown as they come.
"""

import gc
import sys
import time

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from benchmarks.levels_pooled import feature_tests
from posbias_kit.analysis.components import split_variance
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.planning import expected_half_width, planning_table
from posbias_kit.analysis.randomization import label_permutation_test, sign_flip_test

CLUSTERS, PAIRS, FLIPS, BATCH, ALPHA = (10, 20, 40), 10, 999, 1000, 0.05
QUALITY = 1.5
"""Standard deviation of the quality differences, in log-odds."""


def simulate_flips(rng, lean, repeats=1):
    """Return primacy and recency counts of each cluster, given its lean to the first slot."""
    shape = (*lean.shape, PAIRS)
    apart = rng.normal(0, QUALITY, shape)[..., None]
    first = [
        rng.random((*shape, repeats)) < special.expit(lean[..., None, None] + side * apart)
        for side in (1, -1)
    ]
    counts = first[0] & first[1], ~first[0] & ~first[1]
    return [count.sum(axis=(-1, -2)) for count in counts]


def draw_leans(rng, scenario, shape):
    """Draw each question's lean; its expected preference fairness is 0."""
    if scenario == "no lean anywhere":
        return np.zeros(shape)
    if scenario == "questions lean":
        return rng.normal(0, 1, shape)
    few, strong = 0.2, 2.0  # one question in five leans strongly, the others a little back
    balance = optimize.brentq(
        lambda weak: few * _fairness(strong) + (1 - few) * _fairness(-weak), 0, strong
    )
    return np.where(rng.random(shape) < few, strong, -balance)


def _fairness(lean):
    nodes = QUALITY * stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    return (1 - special.expit(lean + nodes) - special.expit(lean - nodes)).mean()


def direction(rng, clusters, scenario):
    primacy, recency = simulate_flips(rng, draw_leans(rng, scenario, (BATCH, clusters)), repeats=3)
    p = sign_flip_test(recency - primacy, FLIPS, rng.integers(2**31))
    up, down = recency.sum(axis=1), primacy.sum(axis=1)
    plain = 2 * stats.binom.cdf(np.minimum(up, down), up + down, 0.5)
    return p, plain


def tasks_over(rng, clusters, scenario):
    """Five questions a task; or unequal tasks and clusters; or tasks of unequal spread."""
    shares = {10: [3, 7], 20: [2, 4, 6, 8], 40: [2, 3, 3, 4, 5, 6, 7, 10]}[clusters]
    equal = scenario != "unequal sizes"
    task = np.repeat(np.arange(len(shares)), 5 if equal else shares)
    size = np.full((BATCH, clusters), PAIRS) if equal else rng.integers(4, 17, (BATCH, clusters))
    spread = np.where(task == 0, 0.4, 0.1) if scenario.endswith("*") else 0.2
    x = rng.binomial(size, draw_rates(rng, 0.75, spread, (BATCH, clusters)))
    return _compare_tasks(rng, x, size, task, np.arange(clusters), over=True)


def tasks_within(rng, clusters, scenario):
    """Each question graded under five tasks; the tasks alike or of unequal spread."""
    task = np.tile(np.arange(5), clusters)
    cluster = np.repeat(np.arange(clusters), 5)
    own = draw_rates(rng, 0.75, 0.2, (BATCH, clusters))[:, cluster]
    spread = np.where(task == 0, 0.4, 0.05) if scenario.endswith("*") else 0.1
    size = np.full((BATCH, len(task)), PAIRS)
    x = rng.binomial(size, draw_rates(rng, np.clip(own, 1e-3, 1 - 1e-3), spread, own.shape))
    return _compare_tasks(rng, x, size, task, cluster, over=False)


def draw_rates(rng, mean, spread, shape):
    """Beta rates with intraclass correlation `spread`."""
    weight = (1 - spread) / spread
    return rng.beta(mean * weight, (1 - mean) * weight, shape)


def _compare_tasks(rng, x, size, task, cluster, over):
    blocks = np.zeros_like(cluster) if over else cluster
    member = (blocks[:, None] == np.unique(blocks)).astype(float)
    rate = (x @ member) / (size @ member)
    residual = x - (rate @ member.T) * size
    _, p = label_permutation_test(residual, size, task, blocks, 499, rng.integers(2**31))
    return p, wald(x, size, task, cluster)


def wald(x, size, task, cluster):
    """CR1 Wald test of equal task rates, chi-square."""
    tasks, clusters = np.unique(task), np.unique(cluster)
    member = (task[:, None] == tasks).astype(float)
    total = size @ member
    rate = (x @ member) / total
    part = (x - rate @ member.T * size) / (total @ member.T)
    table = np.zeros((len(x), len(clusters), len(tasks)))
    table[:, cluster, task] = part
    cover = np.einsum("sgk,sgl->skl", table, table) * len(clusters) / (len(clusters) - 1)
    contrast = np.eye(len(tasks))[:-1] - np.eye(len(tasks))[-1]
    apart = rate @ contrast.T
    inside = contrast @ cover @ contrast.T + 1e-12 * np.eye(len(tasks) - 1)
    statistic = np.einsum("sk,sk->s", apart, np.linalg.solve(inside, apart[..., None])[..., 0])
    return stats.chi2.sf(statistic, len(tasks) - 1)


def judges(rng, clusters, scenario):
    """Two judges of equal consistency on the same series."""
    spreads = (0.3, 0.02) if scenario.endswith("*") else (0.2, 0.2)
    rates = [draw_rates(rng, 0.75, spread, (BATCH, clusters)) for spread in spreads]
    one, two = (rng.random((BATCH, clusters, PAIRS)) < rate[..., None] for rate in rates)
    better, worse = (one & ~two).sum(axis=2), (~one & two).sum(axis=2)
    p = sign_flip_test(better - worse, FLIPS, rng.integers(2**31))
    up, down = better.sum(axis=1), worse.sum(axis=1)
    return p, 2 * stats.binom.cdf(np.minimum(up, down), up + down, 0.5)


TESTS = {
    "direction: sign flip | sign test": (
        direction, ("no lean anywhere", "questions lean", "few lean strongly *"),
    ),
    "tasks, own clusters: permutation | CR1 Wald": (
        tasks_over, ("equal sizes", "unequal sizes", "unequal spread *"),
    ),
    "tasks, shared clusters: permutation | CR1 Wald": (
        tasks_within, ("alike", "unequal spread *"),
    ),
    "judges, paired: sign flip | McNemar": (judges, ("alike", "unequal spread *")),
}  # fmt: skip


def family(rng, clusters, leaning):
    """Eight judges by five tasks on shared questions; the first `leaning` tests have an effect.

    Returns a table of one row a test with its p-value and whether it leans.
    """
    judge_count, task_count = 8, 5 if leaning else 1
    shape = (BATCH // 10, judge_count, task_count, clusters)
    shared = rng.normal(0, 0.7, (BATCH // 10, 1, task_count, clusters))
    effect = np.zeros(judge_count * task_count)
    effect[:leaning] = 0.8
    lean = shared + rng.normal(0, 0.7, shape) + effect.reshape(judge_count, task_count, 1)
    primacy, recency = simulate_flips(rng, lean)
    gaps = (recency - primacy).reshape(-1, clusters)
    table = pd.DataFrame({"p": sign_flip_test(gaps, FLIPS, rng.integers(2**31))})
    study = np.repeat(np.arange(BATCH // 10), judge_count * task_count)
    return table.assign(study=study, leans=np.tile(effect > 0, BATCH // 10))


def corrected(studies, clusters, leaning, by, column):
    """Error rate of a family with its correction and without: any, or the share of findings."""
    rng, wrong = np.random.default_rng([clusters, leaning]), []
    for _ in range(0, studies, BATCH // 10):
        table = adjust_p(family(rng, clusters, leaning), by, ["study"])
        for name in (column, "p"):
            found = table[name] <= ALPHA
            false = (found & ~table["leans"]).groupby(table["study"]).sum()
            every = found.groupby(table["study"]).sum()
            wrong.append((false > 0) if not leaning else false / every.clip(lower=1))
    return np.concatenate(wrong[::2]).mean(), np.concatenate(wrong[1::2]).mean()


def assurance(studies, rate, questions, comparisons, repeats):
    """How often the pilot's upper bound and its plain estimate reach the true half-width."""
    rng = np.random.default_rng(questions)

    def study(count, shape):
        own = np.clip(draw_rates(rng, rate, 0.1, (count, shape[0], 1, 1)), 1e-4, 1 - 1e-4)
        pair = draw_rates(rng, own, 0.3, (count, *shape[:2], 1))
        y = rng.random((count, *shape)) < pair
        names = ["judge", "cluster", "comparison", "repeat"]
        frame = pd.DataFrame(
            dict(zip(names, (i.ravel() for i in np.indices(y.shape)), strict=True))
        )
        frame["comparison"] += frame["cluster"] * shape[1]
        return split_variance(
            frame.assign(x=y.ravel() * 1.0, n=1.0, orders=2, arm="", turn=""), ["judge"]
        )

    truth = expected_half_width(study(1, (20_000, 10, 3)).iloc[0], 80, 30)
    plan = planning_table(study(studies, (questions, comparisons, repeats)), [80], [30], [1])
    return [(plan[name] >= truth).mean() for name in ("half_width_high", "half_width")]


def main(studies=10_000):
    start = time.perf_counter()
    gc.freeze()  # statsmodels collects garbage after every Holm correction
    print(f"{studies:,} studies a line, nominal level {ALPHA:.0%}\n")
    head = f"{'test: ours | plain':<48}{'scenario':<22}{'clusters':>8}{'ours':>8}{'plain':>8}"
    print(head)
    for name, (test, scenarios) in TESTS.items():
        for scenario in scenarios:
            for clusters in CLUSTERS:
                rng = np.random.default_rng(clusters)
                runs = [test(rng, clusters, scenario) for _ in range(0, studies, BATCH)]
                ours, plain = (np.concatenate(p) <= ALPHA for p in zip(*runs, strict=True))
                level = f"{ours.mean():>8.3f}{plain.mean():>8.3f}"
                print(f"{name:<48}{scenario:<22}{clusters:>8}{level}", flush=True)
    for name, leaning, by, column in (
        ("any false finding, 8 judges: Holm | none", 0, ["judge"], "p_holm"),
        ("share of false findings, 40 tests: BH | none", 10, ["judge", "task"], "p_bh"),
    ):
        for clusters in CLUSTERS:
            ours, plain = corrected(studies, clusters, leaning, by, column)
            scenario = "10 of 40 lean" if leaning else "none leans"
            print(f"{name:<48}{scenario:<22}{clusters:>8}{ours:>8.3f}{plain:>8.3f}", flush=True)
    for features in (1, 5):
        for clusters in CLUSTERS:
            runs = feature_tests(np.random.default_rng(clusters), studies // 5, clusters, features)
            ours, plain = ((p <= ALPHA).mean() for p in runs)
            name, scenario = "feature in the pooled logit: CR2 | CR1", f"features: {features}"
            print(f"{name:<48}{scenario:<22}{clusters:>8}{ours:>8.3f}{plain:>8.3f}", flush=True)
    for rate in (0.75, 0.95):
        for pilot in ((20, 6, 1), (24, 4, 3), (40, 10, 3)):
            ours, plain = assurance(studies // 10, rate, *pilot)
            name, scenario = "half-width reached: bound .90 | estimate", f"pc {rate}, {pilot[1:]}"
            print(f"{name:<48}{scenario:<22}{pilot[0]:>8}{ours:>8.3f}{plain:>8.3f}", flush=True)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
