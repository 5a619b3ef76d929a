"""Does position bias shrink as the gap in answer quality grows? Quadratic fits over units."""

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.cr2 import cr2_errors
from posbias_kit.errors import check_choice

RESPONSES = ("pc", "pf")
OWR = {"own": "owr", "other_judges": "owr_other", "scores": "score_difference"}
"""Column of the units that each gap source puts in the place of the overall win rate."""

_WHY_MISSING = {"own": "no win rate", "other_judges": "no other judge", "scores": "no scores"}


def quality_gap_fits(units, sources=("own", "other_judges"), responses=RESPONSES, level=0.95):
    """Fit response ~ x + x^2 for each judge and gap source.

    Unweighted least squares over the judge's units, with x the overall win rate (for ``scores``
    the difference of mean scores). Units of one candidate are not independent, so errors are
    clustered by candidate: CR2 with Satterthwaite degrees of freedom, see
    :func:`posbias_kit.analysis.cr2.cr2_errors`. An own-verdict gap is bound to pc (gap <= pc / 2
    for a pair), so part of that parabola is arithmetic: read it beside the other sources and
    :func:`posbias_kit.analysis.coupling_null`. `other_judges` is not the same curve without the
    circle: it is weakened by the noise of other judges, measures another opinion, and is bound
    to their pc instead.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on the answer-quality gap;
    the errors: Bell and McCaffrey (2002), Survey Methodology 28(2).*

    Parameters
    ----------
    units : DataFrame
        From :func:`posbias_kit.analysis.build_units`.
    sources : sequence of str
        Of ``own``, ``other_judges`` and ``scores``; for ``split_half`` see
        :func:`posbias_kit.analysis.split_half_fits`.
    responses : sequence of str
        Columns of `units`.
    level : float
        Of the intervals.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge (arm and slots, where there are several), response
        and source: n (units), clusters (candidates), intercept, linear, quadratic, linear_se,
        quadratic_se, linear_df, quadratic_df, linear_low, linear_high, quadratic_low,
        quadratic_high, linear_p, quadratic_p, r_squared, note. Where a fit is impossible the
        numbers are missing and `note` says why.

    Raises
    ------
    ParamsError
        An unknown source.

    Examples
    --------
    >>> x = np.tile([0.1, 0.3, 0.5, 0.7, 0.9], 3)
    >>> units = pd.DataFrame({
    ...     "benchmark": "B", "experiment": "", "judge": "j", "candidate": np.repeat([*"abc"], 5),
    ...     "owr": x, "owr_other": np.nan, "pc": 1 - 2 * x + 2 * x**2})
    >>> fits = quality_gap_fits(units, responses=["pc"])
    >>> fits[["source", "linear", "quadratic", "note"]].round(3).values.tolist()[0]
    ['own', -2.0, 2.0, '']
    """
    check_settings("quality_gap_fits", level=level)
    for source in sources:
        check_choice(source, OWR, "sources")
    keys = fit_keys(units)
    rows = [
        dict(zip(keys, name, strict=True))
        | {"response": response, "source": source}
        | _fit(block, response, source, level)
        for name, block in units.groupby(keys, observed=True)
        for response in responses
        for source in sources
    ]
    return pd.DataFrame(rows, columns=[*keys, *FIT_COLUMNS])


FIT_COLUMNS = [
    "response", "source", "n", "clusters", "intercept", "linear", "quadratic",
    "linear_se", "quadratic_se", "linear_df", "quadratic_df", "linear_low", "linear_high",
    "quadratic_low", "quadratic_high", "linear_p", "quadratic_p", "r_squared", "note",
]  # fmt: skip


def fit_keys(units):
    """Return what names a fit: benchmark, experiment, judge; arm and slots are never pooled."""
    return ["benchmark", "experiment", "judge", *(k for k in ("arm", "slots") if k in units)]


def quadratic_curve(fit, owr):
    """Evaluate one row of :func:`quality_gap_fits` at given overall win rates."""
    return fit["intercept"] + fit["linear"] * owr + fit["quadratic"] * owr**2


def fit_quadratics(x, y):
    """Fit y = a + b x + c x^2 by least squares, many times at once.

    For resampling: the same numbers as statsmodels, for a whole stack of data sets.

    Parameters
    ----------
    x, y : ndarray of shape (..., n)
        A point with a missing number is left out.

    Returns
    -------
    coefficients : ndarray of shape (..., 3)
        a, b, c; missing with fewer than 3 distinct x or 4 points.
    r_squared : ndarray of shape (...)
        Missing also where y does not vary.

    Examples
    --------
    >>> x = np.array([0.0, 0.2, 0.5, 1.0])
    >>> coefficients, r_squared = fit_quadratics(x, 1 + 2 * x - x**2)
    >>> coefficients.round(6).tolist(), round(float(r_squared), 6)
    ([1.0, 2.0, -1.0], 1.0)
    """
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    if x.shape[-1] < 4:
        return np.full((*x.shape[:-1], 3), np.nan), np.full(x.shape[:-1], np.nan)
    told = ~(np.isnan(x) | np.isnan(y))
    x, y = np.where(told, x, 0.0), np.where(told, y, 0.0)
    count = told.sum(axis=-1)
    centre = x.sum(axis=-1, keepdims=True) / np.maximum(count, 1)[..., None]
    u = np.where(told, x - centre, 0.0)
    q, r = np.linalg.qr(np.stack([told * 1.0, u, u**2], axis=-1))
    size = np.abs(np.diagonal(r, axis1=-2, axis2=-1)) / np.sqrt(np.maximum(count, 1))[..., None]
    fitted = (size[..., 2] > 1e-9) & (size[..., 1] > 1e-9) & (count > 3)
    rotated = np.einsum("...nk,...n->...k", q, y)
    safe = np.where(fitted[..., None, None], r, np.eye(3))
    a, b, c = np.moveaxis(np.linalg.solve(safe, rotated[..., None])[..., 0], -1, 0)
    centre = centre[..., 0]
    coefficients = np.stack([a - b * centre + c * centre**2, b - 2 * c * centre, c], axis=-1)
    explained = (rotated[..., 1:] ** 2).sum(axis=-1)
    total = (y**2).sum(axis=-1) - rotated[..., 0] ** 2
    varies = fitted & (total > 1e-12)
    r_squared = np.divide(explained, total, out=np.full(total.shape, np.nan), where=varies)
    return np.where(fitted[..., None], coefficients, np.nan), r_squared


def _fit(units, response, source, level):
    data = units[["candidate", response, OWR[source]]].dropna().set_axis(["c", "y", "x"], axis=1)
    result = {"n": len(data), "clusters": data["c"].nunique()}
    if data["x"].round(9).nunique() < 3 or len(data) < 4:
        none = units[OWR[source]].isna().all()
        cause = _WHY_MISSING[source] if none else "fewer than 4 units or 3 win rates"
        return result | {"note": f"not estimable: {cause}"}
    if data["y"].nunique() < 2:
        return result | {"note": "not estimable: the response does not vary"}
    from statsmodels.regression.linear_model import OLS  # heavy: only when a model is fitted

    x = data["x"].to_numpy(dtype=float)
    fit = OLS(data["y"].to_numpy(dtype=float), np.column_stack([np.ones(len(x)), x, x**2])).fit()
    result |= dict(zip(["intercept", "linear", "quadratic"], fit.params, strict=True))
    result |= {"r_squared": fit.rsquared, "note": ""}
    if result["clusters"] < 2:
        return result | {"note": "no standard error: one candidate"}
    covariance, df = cr2_errors(fit.model.exog, fit.resid, data["c"])
    for index, name in ((1, "linear"), (2, "quadratic")):
        result |= _test(
            name, fit.params[index], np.sqrt(covariance[index, index]), df[index], level
        )
    return result


def _test(name, estimate, se, df, level):
    if not se > 0:  # a perfect fit
        return {f"{name}_se": se}
    half = special.stdtrit(df, (1 + level) / 2) * se
    p = 2 * special.stdtr(df, -abs(estimate / se))
    numbers = {"se": se, "df": df, "low": estimate - half, "high": estimate + half, "p": p}
    return {f"{name}_{key}": value for key, value in numbers.items()}
