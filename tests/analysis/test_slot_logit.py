"""The slot logit against R's glm, sandwich and Davidson-Beaver fits, and in degenerate data."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from working_models import by_matrices

from posbias_kit.analysis.slot_logit import FLAT, SEPARATED, fit_slot_logit

CASES = {
    "logit_judge": ("judge", "quality_diff", None),
    "logit_pooled": (None, "quality_diff", None),
    "logit_offset": ("judge", None, "known_logit"),
}


@pytest.fixture
def refs(request):
    """Return the folder of R's results and their data."""
    return request.config.rootpath / "tests" / "data" / "refs"


def _logistic(columns, won):
    """Two slots; the covariates are differences, so they stand on the first."""
    design = np.zeros((len(columns), 2, columns.shape[1]))
    design[:, 0] = columns
    return design, np.c_[won, 1.0 - won]


@pytest.mark.parametrize("name", CASES)
def test_equals_r_logit(refs, name):
    """R: glm with one intercept a judge, a quality slope, an offset; vcovCL(type = "HC1")."""
    judge, slope, offset = CASES[name]
    data = pd.read_csv(refs / "order_logit.csv")
    expected = json.loads((refs / f"{name}.json").read_text())
    terms = pd.DataFrame(expected["coefficients"])
    intercepts = pd.get_dummies(data["judge"]) if judge else pd.DataFrame({"all": 1}, data.index)
    columns = intercepts.assign(**{slope: data[slope]} if slope else {}).to_numpy(float)
    design, counts = _logistic(columns, data["first_won"].to_numpy())
    known = np.c_[data[offset], np.zeros(len(data))] if offset else None

    fit = fit_slot_logit(design, counts, data["question"], known)

    assert fit.params == pytest.approx(terms["estimate"].to_numpy(), abs=1e-8)
    assert fit.model_errors == pytest.approx(terms["se_model"].to_numpy(), abs=1e-7)
    assert fit.sandwich_errors == pytest.approx(terms["se_cluster_G_n"].to_numpy(), abs=1e-6)
    plain = fit.sandwich_errors * np.sqrt(
        59 / 60 * (fit.verdicts - len(terms)) / (fit.verdicts - 1)
    )
    assert plain == pytest.approx(terms["se_cluster_none"].to_numpy(), abs=1e-6)
    gee = pd.DataFrame(expected["gee"]["independence"])
    assert plain == pytest.approx(gee["std_error"].to_numpy(), abs=1e-6)
    assert fit.loglik == pytest.approx(expected["loglik"], abs=1e-6)
    assert (fit.verdicts, fit.clusters) == (1080, 60)


def test_equals_r_half_wins(refs):
    """A tie as half a win for each: quasibinomial glm, errors scaled by Pearson's X2."""
    data = pd.read_csv(refs / "bt_order.csv")
    expected = json.loads((refs / "bt_half.json").read_text())
    terms = pd.DataFrame(expected["coefficients"])
    sides = [(data["first"] == m) * 1.0 - (data["second"] == m) for m in terms["term"][1:]]
    won = data["verdict"].map({"first": 1.0, "tie": 0.5, "second": 0.0}).to_numpy()
    design, counts = _logistic(np.column_stack([np.ones(len(data)), *sides]), won)

    fit = fit_slot_logit(design, counts, data["question"])

    chance = 1 / (1 + np.exp(-design[:, 0] @ fit.params))
    pearson = ((won - chance) ** 2 / (chance * (1 - chance))).sum() / (len(data) - len(terms))
    assert fit.params == pytest.approx(terms["estimate"].to_numpy(), abs=1e-8)
    assert fit.sandwich_errors == pytest.approx(terms["se_cluster_G_n"].to_numpy(), abs=1e-6)
    scaled = fit.model_errors * np.sqrt(pearson)
    assert scaled == pytest.approx(terms["se_model"].to_numpy(), abs=1e-7)


def test_cr2_equals_r(refs):
    """R: clubSandwich's CR2 errors and Satterthwaite df of a logit, rows of many verdicts."""
    data = pd.read_csv(refs / "quality_gap_cr2.csv")
    expected = pd.DataFrame(json.loads((refs / "quality_gap_cr2.json").read_text())["logit"])
    design, _ = _logistic(np.c_[np.ones(len(data)), data["quality"]], np.zeros(len(data)))

    fit = fit_slot_logit(design, data[["first", "second"]].to_numpy(float), data["question"])

    assert fit.errors == pytest.approx(expected["se"].to_numpy(), rel=1e-7)
    assert fit.df == pytest.approx(expected["df"].to_numpy(), rel=1e-7)


def test_cr2_of_more_slots_by_matrices():
    """Three slots: CR2 from the definition, each verdict's working weight a 3 x 3 matrix.

    A row's verdict has the covariance W = diag P - P P', and with D its design, I - H_gg and the
    variance are those of the rows W^(1/2) D and the residuals W^(-1/2) (chosen - P).
    """
    rng = np.random.default_rng(2)
    design, clusters = rng.standard_normal((40, 3, 2)), np.repeat(np.arange(8), 5)
    design[:5] *= 4  # a cluster of much leverage
    counts = np.eye(3)[rng.integers(3, size=40)]

    fit = fit_slot_logit(design, counts, clusters)

    rows, residuals = [], []
    for x, chosen, chances in zip(
        design, counts, softmax(design @ fit.params, axis=1), strict=True
    ):
        values, vectors = np.linalg.eigh(np.diag(chances) - np.outer(chances, chances))
        use = values > 1e-9
        root = vectors[:, use] * np.sqrt(values[use])
        rows.append(root.T @ x)
        residuals.append((vectors[:, use] / np.sqrt(values[use])).T @ (chosen - chances))
    covariance, df = by_matrices(np.vstack(rows), np.hstack(residuals), np.repeat(clusters, 2))
    assert fit.errors**2 == pytest.approx(np.diag(covariance), rel=1e-6)
    assert fit.df == pytest.approx(df, rel=1e-6)
    both, _ = fit.combine(np.array([[1.0, 1.0]]))
    assert both[0] ** 2 == pytest.approx(covariance.sum(), rel=1e-6)


def test_a_parameter_of_one_cluster_has_no_error():
    """A covariate that only one cluster knows has an estimate, and nothing to judge it by."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(6), 10)
    design, counts = _logistic(np.c_[np.ones(60), clusters == 2], rng.integers(2, size=60))

    fit = fit_slot_logit(design, counts, clusters)

    assert np.isfinite(fit.params).all()
    assert np.isnan(fit.errors).tolist() == np.isnan(fit.df).tolist() == [False, True]


def test_cells_only_save_work():
    """Rows that share a presentation give the same fit as rows of their own."""
    rng = np.random.default_rng(0)
    design = rng.standard_normal((5, 3, 2))
    cells, clusters = rng.integers(5, size=60), rng.integers(8, size=60)
    counts = rng.multinomial(2, [0.5, 0.3, 0.2], size=60).astype(float)

    short = fit_slot_logit(design, counts, clusters, cells=cells)
    long = fit_slot_logit(design[cells], counts, clusters)

    assert short.params == pytest.approx(long.params, abs=1e-10)
    assert short.errors == pytest.approx(long.errors, abs=1e-10)


def test_separated_parameter_leaves_the_others():
    """Where x separates its own rows, the intercept is that of the rows without x."""
    x = np.array([0, 0, 0, 0, 1, 1, 2.0])
    won = np.array([1, 1, 1, 0, 1, 1, 1.0])
    design, counts = _logistic(np.c_[np.ones(7), x], won)

    fit = fit_slot_logit(design, counts, np.arange(7))

    assert fit.params[0] == pytest.approx(np.log(3), abs=1e-6)
    assert np.isnan([fit.params[1], fit.errors[1], fit.model_errors[1]]).all()
    assert fit.notes == ("", SEPARATED)


def test_complete_separation_on_a_number():
    """The sign of x decides every row: nothing is estimable."""
    x = np.linspace(-1, 1, 10)
    design, counts = _logistic(np.c_[np.ones(10), x], (x > 0) * 1.0)

    fit = fit_slot_logit(design, counts, np.arange(10))

    assert np.isnan(fit.params).all()
    assert set(fit.notes) == {SEPARATED}


def test_aliased_and_constant_columns():
    """Two columns that say the same are not told apart; the rest is as without them."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal(50)
    won = (rng.random(50) < 0.6) * 1.0
    design, counts = _logistic(np.c_[np.ones(50), x, 3 * x, np.zeros(50)], won)
    alone = fit_slot_logit(design[..., :2], counts, np.arange(50))

    fit = fit_slot_logit(design, counts, np.arange(50))

    assert fit.notes == ("", FLAT, FLAT, FLAT)
    assert fit.params[0] == pytest.approx(alone.params[0], abs=1e-8)
    assert fit.errors[0] == pytest.approx(alone.errors[0], abs=1e-8)


def test_without_verdicts_nothing_is_known():
    """An empty table gives missing numbers, not an error."""
    fit = fit_slot_logit(np.zeros((0, 2, 1)), np.zeros((0, 2)), np.zeros(0))

    assert np.isnan(fit.params).all()
    assert fit.notes == (FLAT,)
