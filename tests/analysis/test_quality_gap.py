"""Quadratic fits: many at once as by statsmodels, errors by candidate, sources without numbers."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from posbias_kit.analysis.quality_gap import fit_quadratics, quality_gap_fits
from posbias_kit.errors import ParamsError

REFS = Path(__file__).parents[1] / "data" / "refs"


def test_many_fits_equal_statsmodels():
    """Coefficients and R squared of every data set, points with a missing number left out."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=(2, 4, 15))
    x[1, 3], y[1, 7], x[2, :10] = np.nan, np.nan, np.nan
    coefficients, r_squared = fit_quadratics(x, y)

    for k in range(4):
        fit = smf.ols("y ~ x + I(x ** 2)", data=pd.DataFrame({"x": x[k], "y": y[k]})).fit()
        assert coefficients[k] == pytest.approx(fit.params.to_numpy(), rel=1e-9)
        assert r_squared[k] == pytest.approx(fit.rsquared, rel=1e-9)


def test_many_fits_say_what_is_not_estimable():
    """Two distinct x, three points, or a flat response give no number."""
    x = np.array([[0.2, 0.2, 0.8, 0.8], [0.1, 0.5, 0.9, np.nan], [0.1, 0.3, 0.5, 0.9]])
    y = np.array([[0.1, 0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.5, 0.5]])
    coefficients, r_squared = fit_quadratics(x, y)

    assert np.isnan(coefficients[:2]).all()
    assert coefficients[2] == pytest.approx([0.5, 0, 0], abs=1e-12)
    assert np.isnan(r_squared).all()


@pytest.fixture
def units():
    """Return the units of the clubSandwich reference, as one judge."""
    data = pd.read_csv(REFS / "quality_gap_cr2.csv").assign(benchmark="B", experiment="", judge="j")
    return data.assign(owr_other=np.nan, score_difference=np.nan)


def test_errors_are_clustered_by_candidate(units):
    """se, df and p of both terms as R's clubSandwich gives them; the interval from se and df."""
    expected = json.loads((REFS / "quality_gap_cr2.json").read_text("utf-8"))["quadratic"]
    fit = quality_gap_fits(units, sources=["own"], responses=["pc"], level=0.9).iloc[0]

    assert fit["clusters"] == 9
    for name, row in (("linear", expected[1]), ("quadratic", expected[2])):
        found = [fit[f"{name}_{part}"] for part in ("se", "df", "p")]
        assert found == pytest.approx([row["se"], row["df"], row["p"]], rel=1e-8)
        half = stats.t.ppf(0.95, row["df"]) * row["se"]
        assert fit[f"{name}_high"] == pytest.approx(row["estimate"] + half)
        assert fit[f"{name}_low"] == pytest.approx(row["estimate"] - half)


def test_sources_without_numbers_are_said_in_words(units):
    """No other judge and no scores: missing, with the reason."""
    fits = quality_gap_fits(units, ["own", "other_judges", "scores"], ["pc"]).set_index("source")

    assert fits["note"].tolist() == [
        "", "not estimable: no other judge", "not estimable: no scores",
    ]  # fmt: skip
    assert fits.loc[["other_judges", "scores"], "quadratic"].isna().all()


def test_one_candidate_has_no_error(units):
    """A curve can be fitted, its error cannot be estimated."""
    fit = quality_gap_fits(units.assign(candidate="a"), ["own"], ["pc"]).iloc[0]

    assert fit["note"] == "no standard error: one candidate"
    assert fit["quadratic"] == pytest.approx(0.988172771351)
    assert np.isnan(fit["quadratic_se"])


def test_arms_are_not_pooled(units):
    """Where units have arms, each arm is a fit of its own."""
    both = pd.concat([units.assign(arm="plain"), units.assign(arm="brief", pc=1 - units["pc"])])
    fits = quality_gap_fits(both, ["own"], ["pc"]).set_index("arm")

    assert fits["n"].tolist() == [len(units)] * 2
    assert fits.loc["brief", "quadratic"] == pytest.approx(-fits.loc["plain", "quadratic"])


def test_unknown_source(units):
    """The message names the value and the cure."""
    with pytest.raises(ParamsError, match="unknown value 'split_half'"):
        quality_gap_fits(units, ["split_half"])


def test_level_of_the_quadratic_test():
    """Candidates with effects of their own and no curve: rejected in about 5% at 10 candidates.

    A plain cluster-robust z test rejects 12 to 13% here. 600 studies: 3 standard errors of 5%
    are 2.7 points.
    """
    rng = np.random.default_rng(3)
    rows, studies = 10 * 8, 600
    candidate = np.repeat(np.arange(10), 8)
    judge = np.repeat(np.arange(studies), rows)
    strength = np.repeat(rng.uniform(0.2, 0.8, size=(studies, 10)), 8)
    effect = np.repeat(rng.normal(0, 0.05, size=(studies, 10)), 8)
    owr = np.clip(strength + rng.normal(0, 0.12, studies * rows), 0, 1)
    units = pd.DataFrame({"benchmark": "B", "experiment": "", "judge": judge, "owr": owr})
    units["candidate"] = np.tile(candidate, studies)
    units["pc"] = 0.7 + effect + rng.normal(0, 0.1, studies * rows)
    p = quality_gap_fits(units, ["own"], ["pc"])["quadratic_p"]

    assert (p < 0.05).mean() <= 0.077
