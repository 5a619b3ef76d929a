"""CR2 and Bell-McCaffrey against their matrix form; Wilson and bootstrap against direct code."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from posbias_kit.analysis.intervals import (
    bootstrap_intervals,
    cluster_sums,
    difference_intervals,
    ratio_intervals,
    share_intervals,
)

X = [3.0, 0.0, 5.0, 2.0, 7.0]
N = [4.0, 3.0, 9.0, 2.0, 8.0]


def _sums(x=X, n=N, **more):
    index = pd.MultiIndex.from_product([["j"], range(len(x))], names=["judge", "cluster"])
    return pd.DataFrame({"x": x, "n": n, **more}, index=index)


def _matrix_form(x, n):
    """CR2 error and Satterthwaite df of a weighted mean from full residual-maker matrices.

    Every cluster has n_g rows with mean x_g / n_g; M = I - H with H = 11'/N, and
    A_g = (1 - h_g)^(-1/2) acts on the direction 1 of cluster g, the only one that counts.
    """
    x, n = np.array(x), np.array(n, dtype=int)
    total = n.sum()
    group = np.repeat(np.arange(len(n)), n)
    maker = np.eye(total) - np.ones((total, total)) / total
    scores = np.zeros((len(n), total))
    for g, size in enumerate(n):
        scores[g] = (group == g) @ maker / np.sqrt(1 - size / total) / total
    theta = x.sum() / total
    outcome = np.repeat(x / n, n)
    se = np.sqrt(((scores @ (outcome - theta)) ** 2).sum())
    b = scores @ scores.T
    return theta, se, np.trace(b) ** 2 / (b**2).sum()


def test_ratio_equals_the_matrix_form():
    """Estimate, CR2 error and Bell-McCaffrey df agree with the definition by matrices."""
    theta, se, df = _matrix_form(X, N)
    found = ratio_intervals(_sums(), "x", "n").iloc[0]

    assert found[["estimate", "se", "df"]].tolist() == pytest.approx([theta, se, df], rel=1e-12)
    assert found["high"] == pytest.approx(theta + stats.t.ppf(0.975, df) * se)


def test_equal_clusters_give_the_t_interval_of_cluster_means():
    """With equal clusters it is the one-sample t interval with G - 1 degrees of freedom."""
    x = np.array([1.0, 4.0, 2.0, 3.0])
    found = ratio_intervals(_sums(x, [5.0] * 4), "x", "n").iloc[0]
    low, high = stats.t.interval(0.95, 3, loc=(x / 5).mean(), scale=stats.sem(x / 5))

    assert found["df"] == pytest.approx(3)
    assert found[["low", "high"]].tolist() == pytest.approx([low, high])


def test_one_cluster_has_an_estimate_and_no_interval():
    """Nothing can be said about spread from one cluster."""
    found = ratio_intervals(_sums([1.0], [4.0]), "x", "n").iloc[0]

    assert found["estimate"] == 0.25
    assert found[["se", "df", "low", "high"]].isna().all()


def test_empty_denominator_is_missing():
    """0 / 0 is missing, and a cluster with nothing in it is not counted."""
    found = ratio_intervals(_sums([0.0, 0.0], [0.0, 0.0]), "x", "n").iloc[0]

    assert np.isnan(found["estimate"])
    assert found["clusters"] == 0


def test_wilson_by_hand():
    """Wilson at n_eff = theta (1 - theta) / se^2 with the t quantile, solved as a quadratic."""
    found = share_intervals(_sums(), "x", "n").iloc[0]
    theta, se, df = _matrix_form(X, N)
    n_eff = theta * (1 - theta) / se**2
    t2 = stats.t.ppf(0.975, df) ** 2
    # (p - theta)^2 = t^2 p (1 - p) / n_eff
    roots = np.roots([1 + t2 / n_eff, -2 * theta - t2 / n_eff, theta**2])

    assert found["n_eff"] == pytest.approx(n_eff)
    assert found[["low", "high"]].tolist() == pytest.approx(sorted(roots))


def test_wilson_of_balanced_orders_is_narrower_than_coin_flips():
    """Every pair but one names each slot once: 29 of 60 verdicts, and they are not 60 flips."""
    found = share_intervals(_sums([10.0, 9.0, 10.0], [20.0] * 3), "x", "n").iloc[0]

    assert found["n_eff"] == pytest.approx(29 / 60 * 31 / 60 * 60**2)  # se = 1 / 60
    assert found["n_eff"] > 60


def test_wilson_where_nothing_varies_counts_clusters():
    """All consistent: the upper end is 1, the lower is that of as many draws as clusters."""
    found = share_intervals(_sums(N, N), "x", "n").iloc[0]
    _, _, df = _matrix_form(N, N)
    t2 = stats.t.ppf(0.975, df) ** 2

    assert found["n_eff"] == len(N)
    assert found[["low", "high"]].tolist() == pytest.approx([1 / (1 + t2 / len(N)), 1.0])


def test_difference_that_does_not_vary_has_a_width():
    """No flip at all: fairness 0 with an interval that is not a point."""
    sums = _sums(n=N, x=X, up=[0.0] * 5, down=[0.0] * 5)
    found = difference_intervals(sums, "up", "down", "n").iloc[0]

    assert found["estimate"] == 0
    assert found["low"] == pytest.approx(-found["high"])
    assert found["high"] > 0.1


def test_bootstrap_equals_direct_resampling():
    """The matrix product gives the ratios of the same draws computed one by one."""
    found = bootstrap_intervals(_sums(), "x", "n", draws=500, seed=3).iloc[0]
    drawn = np.random.default_rng([3, 5]).integers(5, size=(500, 5))
    ratios = [np.array(X)[row].sum() / np.array(N)[row].sum() for row in drawn]
    t = stats.t.ppf(0.975, 4) * np.sqrt(5 / 4)

    assert found.tolist() == pytest.approx(np.quantile(ratios, stats.norm.cdf([-t, t])).tolist())


def test_groups_do_not_mix():
    """Two groups in one table are what each is alone."""
    frame = pd.DataFrame(
        {"judge": ["a"] * 5 + ["b"] * 5, "cluster": [*range(5)] * 2, "x": X + N, "n": N + N}
    )
    both = share_intervals(cluster_sums(frame, ["judge"], ["x", "n"]), "x", "n")
    alone = share_intervals(cluster_sums(frame[:5], ["judge"], ["x", "n"]), "x", "n")

    pd.testing.assert_frame_equal(both.loc[["a"]], alone)
