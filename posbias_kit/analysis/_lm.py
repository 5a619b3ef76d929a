"""Linear models of one response: scored by AIC, and fitted by statsmodels as R's `lm`."""

from dataclasses import dataclass

import numpy as np

from posbias_kit.analysis._design import Design, independent_columns, residual
from posbias_kit.analysis._formula import label
from posbias_kit.errors import TableError

ROUNDING = 1e-24  # a sum of squares below this share of the response's own is zero


@dataclass(frozen=True, eq=False)
class LinearFit:
    """A fitted model."""

    terms: list
    """Its terms in R's order, without the intercept."""
    ols: object
    """The fit on columns of length one: statsmodels' RegressionResults."""
    names: list[str]
    """The columns that have a coefficient."""
    scale: np.ndarray
    """Their lengths; coefficients and errors of `ols` are to be divided by these."""
    aliased: list[str]
    """The columns that are combinations of earlier ones."""

    @property
    def rank(self):
        """Coefficients p, the intercept counted."""
        return len(self.names)

    def aic(self, k):
        """Return n log(RSS / n) + k p, as R's `extractAIC.lm`."""
        return _aic(self.ols.ssr, self.rank, len(self.ols.resid), k)


@dataclass(frozen=True, eq=False)
class LinearModels:
    """The models of one response over one set of rows.

    Raises
    ------
    TableError
        If the response is constant; in `score` and `fit` if a model fits it exactly, because
        the log of RSS then means nothing.
    """

    design: Design
    y: np.ndarray
    k: float
    """Price of one coefficient."""

    def __post_init__(self):
        if ((self.y - self.y.mean()) ** 2).sum() <= self._nothing:
            raise TableError(
                f"the response is {self.y[0]:g} in all {len(self.y)} rows, so there is nothing "
                "to explain",
                place="formula",
                cure="choose an outcome that varies over these rows",
            )

    @property
    def _nothing(self):
        return ROUNDING * (self.y @ self.y)

    def score(self, terms, coded_in):
        """Return rank and AIC of `terms` on the columns they have in the model `coded_in`.

        The many models of a search need no coefficients: RSS is what the basis that rank
        asks for leaves of y.
        """
        matrix, _ = self.design.matrix(terms, coded_in)
        kept, basis = independent_columns(matrix)
        rest = residual(self.y, basis)
        self._check_rest(rest @ rest, terms)
        return len(kept), _aic(rest @ rest, len(kept), len(self.y), self.k)

    def fit(self, terms):
        """Fit the terms by least squares."""
        from statsmodels.regression.linear_model import OLS  # heavy: only when a model is fitted

        matrix, names = self.design.matrix(terms)
        kept, _ = independent_columns(matrix)
        # columns of one length, so that a unit of measurement cannot look like a lack of rank
        scale = np.linalg.norm(matrix[:, kept], axis=0)
        ols = OLS(self.y, matrix[:, kept] / scale, hasconst=True).fit()
        self._check_rest(ols.ssr, terms)
        aliased = [name for index, name in enumerate(names) if index not in kept]
        return LinearFit(terms, ols, [names[index] for index in kept], scale, aliased)

    def _check_rest(self, rss, terms):
        if rss <= self._nothing:
            raise TableError(
                f"{' + '.join(map(label, terms))} fits all {len(self.y)} rows exactly, so its "
                "AIC is minus infinity",
                place="formula",
                cure="leave out the term that repeats the response, or bring more rows",
            )


def _aic(rss, p, n, k):
    return float(n * np.log(rss / n) + k * p)
