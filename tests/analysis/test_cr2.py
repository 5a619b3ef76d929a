"""CR2 errors against R's clubSandwich, the definition by full matrices, and the closed form."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from working_models import by_matrices

from posbias_kit.analysis.cr2 import cr2_errors
from posbias_kit.analysis.intervals import ratio_intervals

REFS = Path(__file__).parents[1] / "data" / "refs"


@pytest.fixture(scope="module")
def reference():
    """Return the data and the numbers of tests/data/refs/quality_gap_cr2.R."""
    data = pd.read_csv(REFS / "quality_gap_cr2.csv")
    return data, json.loads((REFS / "quality_gap_cr2.json").read_text("utf-8"))


def _assert_equal(found, expected):
    covariance, df = found
    assert np.sqrt(np.diag(covariance)) == pytest.approx([row["se"] for row in expected], rel=1e-9)
    assert df == pytest.approx([row["df"] for row in expected], rel=1e-9)


def test_quadratic_equals_club_sandwich(reference):
    """A quadratic clustered by candidate: errors and Satterthwaite df as in R, to 1e-9."""
    data, expected = reference
    design = np.column_stack([np.ones(len(data)), data["owr"], data["owr"] ** 2])
    fit = sm.OLS(data["pc"], design).fit()

    _assert_equal(
        cr2_errors(design, fit.resid.to_numpy(), data["candidate"]), expected["quadratic"]
    )


def test_logit_as_its_working_model_equals_club_sandwich(reference):
    """A logit clustered by question, rows times the root of their weight, as in R."""
    data, expected = reference
    design = np.column_stack([np.ones(len(data)), data["quality"]])
    counts = data[["first", "second"]]
    mean = sm.GLM(counts, design, family=sm.families.Binomial()).fit(tol=1e-12).fittedvalues
    n = counts.sum(axis=1)
    root = np.sqrt(n * mean * (1 - mean)).to_numpy()
    residual = (data["first"] - n * mean).to_numpy() / root

    found = cr2_errors(root[:, None] * design, residual, data["question"])
    _assert_equal(found, expected["logit"])


@pytest.mark.parametrize("own_column", [False, True])
def test_equals_the_definition(own_column):
    """Also where a cluster has a column of its own, so that I - H_gg has no inverse."""
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(7), rng.integers(1, 6, size=7))
    design = np.column_stack([np.ones(len(cluster)), rng.normal(size=len(cluster))])
    if own_column:
        design = np.column_stack([design, cluster == 3])
    y = rng.normal(size=len(cluster))
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]

    covariance, df = cr2_errors(design, residual, cluster)
    expected = by_matrices(design, residual, cluster)
    assert covariance == pytest.approx(expected[0], rel=1e-8, abs=1e-14)
    assert df[:2] == pytest.approx(expected[1][:2], rel=1e-8)
    assert np.isnan(df[2:]).all()  # of the column of its own nothing is known


def test_contrast_is_a_combination():
    """The variance of a sum of coefficients follows from the covariance."""
    rng = np.random.default_rng(2)
    design, cluster = rng.normal(size=(30, 3)), np.repeat(np.arange(10), 3)
    y = rng.normal(size=30)
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    whole, _ = cr2_errors(design, residual, cluster)
    part, df = cr2_errors(design, residual, cluster, [[1, 1, 0]])

    assert part[0, 0] == pytest.approx(whole[:2, :2].sum())
    assert df.shape == (1,)


def test_a_rate_has_the_closed_form():
    """For one column of ones it is the interval that every rate of the kit has."""
    x, n = np.array([3, 0, 5, 2, 7]), np.array([4, 3, 9, 2, 8])
    theta = x.sum() / n.sum()
    outcome = np.concatenate([np.repeat([1.0, 0.0], [a, b - a]) for a, b in zip(x, n, strict=True)])
    found = cr2_errors(np.ones((26, 1)), outcome - theta, np.repeat(np.arange(5), n))
    index = pd.MultiIndex.from_product([["j"], range(5)])
    closed = ratio_intervals(pd.DataFrame({"x": x * 1.0, "n": n * 1.0}, index=index), "x", "n")

    assert np.sqrt(found[0][0, 0]) == pytest.approx(closed["se"].iloc[0])
    assert found[1][0] == pytest.approx(closed["df"].iloc[0])
