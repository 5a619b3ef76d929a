"""Stepwise AIC of an ordinary linear model, by the rules of R's `step()`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from posbias_kit.analysis._design import Design, complete_rows, single_levels
from posbias_kit.analysis._formula import inside, label, read_formula, rewritten, variables
from posbias_kit.analysis._lm import LinearModels
from posbias_kit.errors import ParamsError, check_choice

STOP_TOLERANCE = 1e-7  # of R's step(): a change must not raise the AIC by more
TIE = 1e-9  # AICs this close are equal: what is between them is rounding
MAX_STEPS = 1000  # of R's step()


@dataclass(frozen=True, eq=False)
class StepwiseResult:
    """What a stepwise search found; the numbers are those of the selected model."""

    path: pd.DataFrame
    """One row a step: step, df, deviance, resid_df, resid_dev, aic (R's step scale), n."""
    terms: list[str]
    """The selected terms in the order of R's final formula, without the intercept."""
    coefficients: pd.DataFrame
    """term, estimate, std_error, t, p; aliased columns are left out as R's `summary` does."""
    n: int
    """Rows used, the same in every model of the search."""
    dropped: int
    """Rows left out because a variable of the full formula is missing."""
    k: float
    """Price of one coefficient in the criterion."""
    aic_step: float
    """n log(RSS / n) + 2 p, the scale of R's `step()` and `extractAIC()`."""
    aic_r: float
    """-2 ll + 2 (p + 1), R's `AIC()`, which counts the error variance."""
    aic_statsmodels: float
    """-2 ll + 2 p, statsmodels' `OLSResults.aic`."""
    bic: float
    """-2 ll + log(n) (p + 1), R's `BIC()`."""
    bic_statsmodels: float
    """-2 ll + log(n) p, statsmodels' `OLSResults.bic`."""
    rss: float
    """Residual sum of squares."""
    r_squared: float
    adj_r_squared: float
    notes: tuple[str, ...]
    """What was left out, and why."""


def stepwise_aic(frame, formula, start="full", k=2.0, lower="~ 1"):
    """Select the terms of a linear model by AIC, forwards and backwards, as R's `step()`.

    The criterion is n log(RSS / n) + k p, with p coefficients (intercept counted, error
    variance not). Rows with a missing value in any variable of `formula` are dropped once,
    first. At each step every single drop and every single add competes; the smallest
    criterion wins, and equal ones are decided in favour of no change, then drops, then adds,
    in formula order. A term is a whole factor; a main effect stays while its interaction is
    in, and an interaction waits for its main effects (`I(gap^2)` does not wait for `gap`).
    A term that frees no degree of freedom (an aliased one) is dropped first.

    Factors are coded by treatment contrasts against their first level. P-values after a search
    are descriptive only: they do not know of it.

    Source: R 4.2.2, `stats::step`, `drop1.lm` and `add1.lm`.

    Parameters
    ----------
    frame : DataFrame
        One row a unit. Text, category and boolean columns are factors.
    formula : str
        The full model, such as ``"pc ~ judge + task + quality_gap + I(quality_gap^2)"``.
        Column names that are no plain names stand in backticks.
    start : {"full", "null"}
        Start from `formula` or from `lower`.
    k : float or "bic"
        Price of one coefficient: 2 is AIC, "bic" is log(n).
    lower : str
        Terms that are never dropped; they must be terms of `formula`.

    Returns
    -------
    StepwiseResult

    Raises
    ------
    ParamsError
        A formula that cannot be read, an unknown column, `start`, `k` or `lower`.
    TableError
        No complete row, a response that is constant or not numeric, a model that fits it
        exactly (its AIC is minus infinity).

    Examples
    --------
    >>> import pandas as pd
    >>> units = pd.DataFrame({"pc": [0.5, 0.6, 0.9, 1.0], "gap": [0, 1, 2, 3], "x": [2, 1, 1, 3]})
    >>> found = stepwise_aic(units, "pc ~ gap + x")
    >>> found.terms
    ['gap']
    >>> found.path[["step", "df", "aic"]].round(2)
          step   df    aic
    0  <start>  NaN -18.95
    1      - x  1.0 -20.86
    """
    check_choice(start, ("full", "null"), "start")
    response, upper = read_formula(formula, frame.columns, "formula")
    _, kept = read_formula(lower, frame.columns, "lower")
    _check_lower(kept, upper)
    data = complete_rows(frame, response, upper)
    design = Design(data)
    models = LinearModels(design, design.response(response), _price(k, len(data)))
    left_out = single_levels(data)
    upper, kept = (
        [t for t in terms if not left_out.keys() & set(variables(t, data))]
        for terms in (upper, kept)
    )
    notes = [f"{name} has one level ({level}) and is left out" for name, level in left_out.items()]
    steps = _search(models, upper if start == "full" else kept, rewritten(upper), kept)
    return _result(steps, models.k, dropped=len(frame) - len(data), notes=notes)


class _Candidate(NamedTuple):
    change: str | None
    terms: list
    rank: int
    aic: float


def _search(models, first, upper, kept):
    """Return the path as pairs of a change and the model after it."""
    steps = [("<start>", models.fit(first))]
    for _ in range(MAX_STEPS):
        now = steps[-1][1]
        best = _best_change(models, now, upper, kept)
        if best.change is None:
            break
        after = models.fit(rewritten(best.terms))
        if after.aic(models.k) >= now.aic(models.k) + STOP_TOLERANCE:
            break
        steps.append((best.change, after))
    return steps


def _best_change(models, now, upper, kept):
    """Return the change that `step()` makes to the model `now`."""
    drops = _drops(models, now, kept)
    free = [drop for drop in drops if drop.rank == now.rank]
    if free:
        return free[-1]
    adds = [add for add in _adds(models, now, upper) if add.rank > now.rank]
    choices = [_Candidate(None, now.terms, now.rank, now.aic(models.k)), *drops, *adds]
    best = min(choice.aic for choice in choices)
    return next(choice for choice in choices if choice.aic <= best + TIE)


def _drops(models, now, kept):
    """Score all single drops, on the columns of the present model as R's `drop1.lm`."""
    drops = []
    for term in now.terms:
        if term not in kept and not any(inside(term, other) for other in now.terms):
            rest = [other for other in now.terms if other != term]
            drops.append(_Candidate(f"- {label(term)}", rest, *models.score(rest, now.terms)))
    return drops


def _adds(models, now, upper):
    """Score all single adds, on the columns of the model with all of them as R's `add1.lm`."""
    waiting = [term for term in upper if term not in now.terms]
    ready = [term for term in waiting if not any(inside(other, term) for other in waiting)]
    everything = rewritten([*now.terms, *ready])
    adds = []
    for term in ready:
        more = [*now.terms, term]
        adds.append(_Candidate(f"+ {label(term)}", more, *models.score(more, everything)))
    return adds


def _result(steps, k, dropped, notes):
    fit = steps[-1][1]
    ols = fit.ols
    table = {
        "term": fit.names,
        "estimate": ols.params / fit.scale,
        "std_error": ols.bse / fit.scale,
        "t": ols.tvalues,
        "p": ols.pvalues,
    }
    return StepwiseResult(
        path=_path(steps, k),
        terms=[label(term) for term in fit.terms],
        coefficients=pd.DataFrame(table),
        n=len(ols.resid),
        dropped=dropped,
        k=k,
        aic_step=fit.aic(2),
        aic_r=float(ols.info_criteria("aic", dk_params=1)),
        aic_statsmodels=float(ols.aic),
        bic=float(ols.info_criteria("bic", dk_params=1)),
        bic_statsmodels=float(ols.bic),
        rss=float(ols.ssr),
        r_squared=float(ols.rsquared),
        adj_r_squared=float(ols.rsquared_adj),
        notes=(*notes, *(f"{name} is aliased and has no coefficient" for name in fit.aliased)),
    )


def _path(steps, k):
    """Tabulate the path; `df` is the gain in residual df, as R prints it: negative for an add."""
    path = pd.DataFrame(
        {
            "step": [change for change, _ in steps],
            "resid_df": [len(fit.ols.resid) - fit.rank for _, fit in steps],
            "resid_dev": [float(fit.ols.ssr) for _, fit in steps],
            "aic": [fit.aic(k) for _, fit in steps],
            "n": [len(fit.ols.resid) for _, fit in steps],
        }
    )
    path.insert(1, "df", path["resid_df"].diff())
    path.insert(2, "deviance", path["resid_dev"].diff().abs())
    return path


def _price(k, n):
    if k == "bic":
        return float(np.log(n))
    if isinstance(k, bool | str) or not np.isfinite(k) or k < 0:
        raise ParamsError(
            f"{k!r} is no price of a coefficient",
            place="k",
            allowed="a number from 0, or 'bic'",
            cure="use 2 for AIC",
        )
    return float(k)


def _check_lower(kept, upper):
    outside = [label(term) for term in kept if term not in upper]
    if outside:
        raise ParamsError(
            f"{', '.join(outside)} is no term of the full formula",
            place="lower",
            allowed=", ".join(map(label, upper)) or "~ 1",
            cure="add it to `formula` or take it out of `lower`",
        )
