"""Multinomial logit over the slots of a presentation: the likelihood of all pooled models.

A presentation offers alternatives (the slots, and TIE where the judge ties). With x_a the
covariates of alternative a and o_a a known part,

    P(a) = exp(x_a theta + o_a) / sum_b exp(x_b theta + o_b).

Two slots give the logistic model, the TIE alternative Davidson's, more slots the conditional
logit of McFadden. The fit never reports a number for what the data do not determine.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg, optimize, sparse, special

from posbias_kit.analysis.cr2 import cr2_from_sums, whiten
from posbias_kit.analysis.separation import identify_columns, rule_out

SEPARATED = "not estimable: separation"
FLAT = "not estimable: no variation"
FAILED = "not estimable: the fit did not converge"
_TINY = 1e-4
_SILENT = 1e-12


@dataclass(frozen=True)
class SlotFit:
    """A fitted model, one entry a parameter; what is not estimable is missing, with a note.

    Parameters
    ----------
    params, sandwich_errors, model_errors : ndarray
        Estimates; for comparison the plain cluster sandwich with the correction
        G / (G - 1) (n - 1) / (n - k), too small with few or uneven clusters, and errors under
        independence.
    notes : tuple of str
        Why a parameter is missing, else empty.
    loglik : float
    verdicts, clusters : float, int
    kept, information, scores : ndarray
        Columns fitted, and each cluster's information and gradient for them.
    """

    params: np.ndarray
    sandwich_errors: np.ndarray
    model_errors: np.ndarray
    notes: tuple
    loglik: float
    verdicts: float
    clusters: int
    kept: np.ndarray
    information: np.ndarray
    scores: np.ndarray

    @cached_property
    def _own(self):
        return self.combine(np.eye(len(self.params)))

    @property
    def errors(self):
        """CR2 errors by cluster."""
        return self._own[0]

    @property
    def df(self):
        """Satterthwaite degrees of freedom; missing where one cluster alone decides."""
        return self._own[1]

    def combine(self, weights):
        """Return CR2 errors and df of combinations of the parameters, a row of weights each."""
        if len(self.kept) == 0 or self.clusters == 0:
            return tuple(np.full((2, len(weights)), np.nan))
        used = weights[:, self.kept]
        covariance, df = cr2_from_sums(self.information, self.scores, used)
        df[(weights[:, np.array(self.notes) != ""] != 0).any(axis=1)] = np.nan
        plain = ((whiten(self.information.sum(axis=0)) @ used.T) ** 2).sum(axis=0)
        variance = np.diag(covariance)
        # Clusters that cancel out exactly (no flip anywhere) say nothing about the error.
        told = (variance >= _SILENT * plain) & ~np.isnan(df)
        return np.sqrt(np.where(told, variance, np.nan)), df


def fit_slot_logit(design, counts, clusters, offset=None, cells=None):
    """Fit the model by maximum likelihood, with CR2 errors by cluster.

    Where a direction of the parameters separates the data, the likelihood rises for ever along
    it. Then its limit is fitted: alternatives whose probability goes to 0 are taken out, the
    parameters that move along the direction are missing, and the others keep their estimates.

    *Source: D. McFadden (1974), Conditional logit analysis of qualitative choice behavior, in
    Frontiers in Econometrics.*

    Parameters
    ----------
    design : ndarray of shape (m, alternatives, k)
        Covariates of each alternative, of each different presentation.
    counts : ndarray of shape (n, alternatives)
        How often each was chosen; a row may hold many verdicts, of one cluster.
    clusters : array of shape (n,)
    offset : ndarray of shape (m, alternatives), optional
        Known part of the linear predictor.
    cells : ndarray of int, shape (n,), optional
        Which presentation each row is of; none: row i of presentation i.

    Returns
    -------
    SlotFit

    Examples
    --------
    Three firsts against one second: log-odds log 3.

    >>> design = np.zeros((2, 2, 1))
    >>> design[:, 0] = 1
    >>> fit = fit_slot_logit(design, np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([0, 1]))
    >>> fit.params.round(4).tolist()
    [1.0986]
    """
    cells = np.arange(len(counts)) if cells is None else cells
    offset = np.zeros(design.shape[:2]) if offset is None else offset
    size = np.abs(design).max(axis=(0, 1), initial=0)
    size[size == 0] = 1
    pick = sparse.csr_array((np.ones(len(cells)), (cells, np.arange(len(cells)))),
                            shape=(len(design), len(cells)))  # fmt: skip
    problem = _Problem(design / size, pick @ counts, offset, np.ones(offset.shape, dtype=bool))
    flat = ~identify_columns(*problem.data)[1]
    theta, kept, known, converged = _maximise(problem)
    unlikely = (problem.chances(theta) < _TINY) & (problem.counts == 0)
    if unlikely.any() or not converged:
        possible = rule_out(*problem.data)
        if not possible.all():
            problem = replace(problem, possible=possible)
            theta, kept, known, converged = _maximise(problem)
    notes = np.where(flat, FLAT, np.where(known, "", SEPARATED)).astype(object)
    if not converged:
        notes[:] = FAILED
        kept = kept[:0]
    sums = _cluster_sums(problem, theta, kept, counts, clusters, cells)
    return _report(problem, theta, kept, notes, size, *sums)


@dataclass(frozen=True)
class _Problem:
    """Scaled design, counts and offset; `possible` marks the alternatives still in play."""

    design: np.ndarray
    counts: np.ndarray
    offset: np.ndarray
    possible: np.ndarray

    @property
    def data(self):
        """Return what separation is judged by."""
        return self.design, self.counts, self.possible

    def chances(self, theta):
        """Probability of each alternative."""
        return np.exp(self.log_chances(theta))

    def log_chances(self, theta):
        """Return the log probability; -inf for an alternative out of play."""
        worth = np.where(self.possible, self.design @ theta + self.offset, -np.inf)
        return special.log_softmax(worth, axis=1)

    def loglik(self, theta):
        """Log-likelihood of all verdicts."""
        chosen = self.counts > 0
        return (self.counts[chosen] * self.log_chances(theta)[chosen]).sum()

    def score(self, theta):
        """Return the gradient."""
        residual = self.counts - self.counts.sum(axis=1, keepdims=True) * self.chances(theta)
        return residual.ravel() @ self.design.reshape(-1, self.design.shape[2])

    def information(self, theta):
        """Minus the second derivative: each row's covariance of the design, summed."""
        chances, total = self.chances(theta), self.counts.sum(axis=1)
        centred = self.design - np.einsum("na,nak->nk", chances, self.design)[:, None]
        weighted = centred * (total[:, None] * chances)[..., None]
        flat = (-1, self.design.shape[2])
        return weighted.reshape(flat).T @ centred.reshape(flat)


def _maximise(problem):
    """Return all parameters (0 where left out), the columns fitted, those known, and success."""
    kept, known = identify_columns(*problem.data)
    theta = np.zeros(problem.design.shape[2])
    if len(kept) == 0:
        return theta, kept, known, True
    part = _Problem(problem.design[..., kept], problem.counts, problem.offset, problem.possible)
    found = optimize.minimize(
        lambda t: -part.loglik(t),
        np.zeros(len(kept)),
        jac=lambda t: -part.score(t),
        hess=part.information,
        method="trust-exact",
        options={"gtol": 1e-5, "maxiter": 200},
    )
    inner = found.x
    # Near the top the likelihood is flat to the last digit: the gradient leads further.
    for _ in range(2):
        inner = inner + linalg.lstsq(part.information(inner), part.score(inner))[0]
    theta[kept] = inner
    return theta, kept, known, bool(np.abs(part.score(inner)).max() < 1e-5)


def _cluster_sums(problem, theta, kept, counts, clusters, cells):
    """Information and gradient of each cluster with verdicts, for the columns kept."""
    told = np.flatnonzero(counts.sum(axis=1) > 0)
    code = np.unique(np.asarray(clusters)[told], return_inverse=True)[1]
    order = told[np.argsort(code, kind="stable")]
    chances, design = problem.chances(theta), problem.design[..., kept]
    centred = design - np.einsum("na,nak->nk", chances, design)[:, None]
    number, width = len(np.unique(code)), len(kept)
    information, scores = np.zeros((number, width, width)), np.zeros((number, width))
    for group, rows in enumerate(np.split(order, np.cumsum(np.bincount(code))[:-1])[:number]):
        expected = counts[rows].sum(axis=1, keepdims=True) * chances[cells[rows]]
        block = centred[cells[rows]].reshape(expected.size, width)
        information[group] = (block * expected.reshape(-1, 1)).T @ block
        scores[group] = (counts[rows] - expected).ravel() @ block
    return information, scores


def _report(problem, theta, kept, notes, size, information, scores):
    """Errors on the scale of the design as given."""
    width, total, number = len(size), float(problem.counts.sum()), len(scores)
    scores, information = scores * size[kept], information * np.outer(size[kept], size[kept])
    missing, plain, robust = notes != "", *np.full((2, width), np.nan)
    if len(kept) and number:
        inverse = (white := whiten(information.sum(axis=0))).T @ white
        plain[kept] = np.diag(inverse)
        if number > 1 and total > len(kept):
            correction = number / (number - 1) * (total - 1) / (total - len(kept))
            robust[kept] = correction * ((scores @ inverse) ** 2).sum(axis=0)
    robust[missing | (robust < _SILENT * plain)] = plain[missing] = np.nan
    return SlotFit(
        params=np.where(missing, np.nan, theta / size),
        sandwich_errors=np.sqrt(robust),
        model_errors=np.sqrt(plain),
        notes=tuple(notes),
        loglik=float(problem.loglik(theta)),
        verdicts=total,
        clusters=number,
        kept=kept,
        information=information,
        scores=scores,
    )
