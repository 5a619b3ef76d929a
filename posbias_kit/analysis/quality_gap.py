"""Does position bias shrink as the gap in answer quality grows? Quadratic fits over units."""

import pandas as pd
import statsmodels.formula.api as smf

RESPONSES = ("pc", "pf")
OWR = {"own": "owr", "other_judges": "owr_other"}
"""Column of the units that holds the overall win rate of each gap source."""


def quality_gap_fits(units, sources=("own", "other_judges"), responses=RESPONSES):
    """Fit response ~ owr + owr^2 for each judge and gap source.

    Unweighted least squares over the judge's units. An own-verdict gap is bound to pc
    (gap <= pc / 2), so part of that parabola is arithmetic: read it beside `other_judges`.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on the answer-quality gap.*

    Parameters
    ----------
    units : DataFrame
        From :func:`posbias_kit.analysis.build_units`.
    sources : sequence of str
        Of ``own`` and ``other_judges``.
    responses : sequence of str
        Columns of `units`.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge, response and source: n, intercept, linear,
        quadratic, linear_se, quadratic_se, r_squared, note. Where a fit is impossible the numbers
        are missing and `note` says why.
    """
    rows = [
        {"benchmark": benchmark, "experiment": experiment, "judge": judge}
        | {"response": response, "source": source}
        | _fit(block, response, OWR[source])
        for (benchmark, experiment, judge), block in units.groupby(
            ["benchmark", "experiment", "judge"], observed=True
        )
        for response in responses
        for source in sources
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = [
    "benchmark", "experiment", "judge", "response", "source", "n", "intercept", "linear",
    "quadratic", "linear_se", "quadratic_se", "r_squared", "note",
]  # fmt: skip


def quadratic_curve(fit, owr):
    """Evaluate one row of :func:`quality_gap_fits` at given overall win rates."""
    return fit["intercept"] + fit["linear"] * owr + fit["quadratic"] * owr**2


def _fit(units, response, owr):
    data = units[[response, owr]].dropna().set_axis(["y", "owr"], axis=1)
    result = {"n": len(data)}
    if data["owr"].nunique() < 3 or len(data) < 4:
        cause = "no other judge" if units[owr].isna().all() else "fewer than 4 units or 3 win rates"
        return result | {"note": f"not estimable: {cause}"}
    if data["y"].nunique() < 2:
        return result | {"note": "not estimable: the response does not vary"}
    fit = smf.ols("y ~ owr + I(owr ** 2)", data=data).fit()
    names = ["intercept", "linear", "quadratic"]
    result |= dict(zip(names, fit.params, strict=True))
    result |= {"linear_se": fit.bse.iloc[1], "quadratic_se": fit.bse.iloc[2]}
    return result | {"r_squared": fit.rsquared, "note": ""}
