"""Intervals against R: CR2 and Bell-McCaffrey from clubSandwich, the cluster bootstrap from boot.

`data/refs/ratio_cr2.json` is the output of ratio_cr2.R there (R 4.2.2, clubSandwich 0.5.8);
cluster_boot.json that of boot on cluster_boot.csv, 9,999 draws.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from posbias_kit.analysis.bca import bca_intervals
from posbias_kit.analysis.intervals import bootstrap_intervals, cluster_sums, ratio_intervals

REFS = Path(__file__).parents[1] / "data" / "refs"
COLUMNS = ["consistent", "lean", "stable"]
CR2 = json.loads((REFS / "ratio_cr2.json").read_text("utf-8"))["cases"]


@pytest.fixture(scope="module")
def rows():
    """Rows in unequal clusters of five judges."""
    return pd.read_csv(REFS / "ratio_cr2.csv").assign(n=1)


@pytest.mark.parametrize("case", CR2, ids=lambda case: f"{case['judge']}-{case['column']}")
def test_cr2_equals_clubsandwich(rows, case):
    """Estimate, CR2 error, Satterthwaite df and both limits, all judges in one call."""
    sums = cluster_sums(rows, ["judge"], [*COLUMNS, "n"])
    found = ratio_intervals(sums, case["column"], "n").loc[case["judge"]]
    names = ["clusters", "estimate", "se", "df", "low", "high"]

    assert found[names].tolist() == pytest.approx([case[name] for name in names], rel=1e-8)


@pytest.fixture(scope="module")
def boot():
    """Return per-question sums of the reference data, and R's bootstrap of their ratio."""
    rows = pd.read_csv(REFS / "cluster_boot.csv").rename(columns={"question": "cluster"})
    sums = cluster_sums(rows.assign(judge="j"), ["judge"], ["consistent", "decided"])
    return sums, json.loads((REFS / "cluster_boot.json").read_text("utf-8"))


def test_bootstrap_equals_r(boot):
    """The plain percentile limits, within 5 Monte Carlo sd of a limit, as R gives that sd.

    Ours are taken at the expanded level; the level is chosen so that it expands to 95%.
    """
    sums, expected = boot
    size = expected["clusters"]
    plain = stats.norm.ppf(0.975) * np.sqrt((size - 1) / size)
    level = 2 * stats.t.cdf(plain, size - 1) - 1
    found = bootstrap_intervals(sums, "consistent", "decided", level, draws=9999).iloc[0]
    sd = expected["mc_sd_of_limits"]

    for side, limit, name in zip(found, expected["percentile"], ("1", "2"), strict=True):
        assert side == pytest.approx(limit, abs=5 * sd[f"percentile{name}"])


def test_bca_equals_r(boot):
    """BCa limits within 5 Monte Carlo sd of a limit; R interpolates on the normal scale."""
    sums, expected = boot
    found = bca_intervals(sums, "consistent", "decided", draws=9999).iloc[0]
    sd = expected["mc_sd_of_limits"]

    for side, limit, name in zip(found, expected["bca"], ("1", "2"), strict=True):
        assert side == pytest.approx(limit, abs=5 * sd[f"bca{name}"])


def test_bca_of_what_does_not_vary_is_missing():
    """One cluster, or the same share in all, has no BCa interval; other groups keep theirs."""
    rows = {("one", 0): (1, 2), ("flat", 0): (1, 2), ("flat", 1): (2, 4)}
    rows |= {("told", cluster): (cluster, 5) for cluster in range(6)}
    sums = pd.DataFrame.from_dict(rows, orient="index", columns=["x", "n"], dtype=float)
    sums.index = pd.MultiIndex.from_tuples(rows)
    found = bca_intervals(sums, "x", "n", draws=200)

    assert found.loc[["one", "flat"]].isna().all(axis=None)
    assert 0 < found.loc["told", "low"] < 0.5 < found.loc["told", "high"] < 1


def test_estimate_and_error_fit_the_bootstrap(boot):
    """The same ratio; the CR2 error is the linearised one times about sqrt(G / (G - 1))."""
    sums, expected = boot
    found = ratio_intervals(sums, "consistent", "decided").iloc[0]

    assert found["estimate"] == pytest.approx(expected["estimate"], rel=1e-10)
    assert found["clusters"] == expected["clusters"]
    assert found["se"] == pytest.approx(expected["se_linearised"], rel=0.03)
