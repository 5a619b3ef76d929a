"""The order effect from flips alone: the conditional estimator, free of answer quality."""

import numpy as np
from scipy.optimize import elementwise
from scipy.special import expit

_WIDEST = 50.0
"""Log-odds that no ratio of counts reaches."""


def flip_score(beta, flips):
    """Return score and information of beta given the flips.

    Let a pair's answers differ by delta in log-odds. The chance of both first slots over that of
    both second slots is exp(2 beta) whatever delta; in Davidson and Beaver's model the chance of
    first slot and TIE over second slot and TIE is exp(beta). Given that a pair flipped, the side
    is thus a coin: sigma(2 beta) for a full flip, sigma(beta) for a half one. With FP, FR full
    and HP, HR half flips to the first (P) and second (R) slot, the score is

        2 (FP - (FP + FR) sigma(2 beta)) + HP - (HP + HR) sigma(beta)

    and the information its negative derivative,

        4 (FP + FR) sigma(2 beta) sigma(-2 beta) + (HP + HR) sigma(beta) sigma(-beta).

    *Source: conditioning on flips is the matched-pairs logit of D. R. Cox (1958), Two further
    applications of a model for binary regression, Biometrika 45(3/4); its use here is ours.*

    Parameters
    ----------
    beta : float or array
    flips : sequence of four floats or arrays
        FP, FR, HP, HR.

    Returns
    -------
    score, information : float or array

    Examples
    --------
    >>> [round(float(part), 4) for part in flip_score(0.0, (3, 1, 0, 0))]
    [2.0, 4.0]
    """
    full_first, full_second, half_first, half_second = flips
    full, half = full_first + full_second, half_first + half_second
    score = 2 * (full_first - full * expit(2 * beta)) + half_first - half * expit(beta)
    information = 4 * full * expit(2 * beta) * expit(-2 * beta)
    return score, information + half * expit(beta) * expit(-beta)


def solve_flips(flips, penalty=0.0):
    """Return the conditional estimate of beta, many groups at once.

    Without half flips beta = log(FP / FR) / 2. With `penalty` 1 half the log information is added
    to the log-likelihood (Firth), which keeps beta finite when all flips go one way.

    *Source: D. Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80(1).*

    Parameters
    ----------
    flips : sequence of four arrays
        FP, FR, HP, HR as for :func:`flip_score`.
    penalty : {0, 1}

    Returns
    -------
    ndarray
        Missing where all flips go one way (unless penalised) and where there are none.

    Examples
    --------
    >>> solve_flips(([6, 6, 6], [2, 0, 1], [0, 0, 2], [0, 0, 2])).round(4).tolist()
    [0.5493, nan, 0.7183]
    >>> solve_flips(([6], [0], [0], [0]), penalty=1).round(4).tolist()
    [1.2825]
    """
    flips = np.stack([np.asarray(part, dtype=float) for part in flips])
    first, second = 2 * flips[0] + flips[2], 2 * flips[1] + flips[3]
    told = (first + second > 0) if penalty else (first > 0) & (second > 0)
    beta = np.full(first.shape, np.nan)
    if told.any():
        ends = np.full((2, int(told.sum())), [[-_WIDEST], [_WIDEST]])
        found = elementwise.find_root(_penalised, tuple(ends), args=(penalty, *flips[:, told]))
        beta[told] = np.where(found.success, found.x, np.nan)
    return beta


def _penalised(beta, penalty, *flips):
    score, information = flip_score(beta, flips)
    full, half = flips[0] + flips[1], flips[2] + flips[3]
    slope = -8 * full * expit(2 * beta) * expit(-2 * beta) * np.tanh(beta)
    slope -= half * expit(beta) * expit(-beta) * np.tanh(beta / 2)
    return score + penalty * slope / (2 * information)


def bound_one_sided(full, half, level=0.95):
    """Bound |beta| from below when all flips go the same way.

    The bound is the beta at which the observed side would have probability 1 - level,

        sigma(2 beta)^full sigma(beta)^half = 1 - level.

    Parameters
    ----------
    full, half : float or array
        Independent full and half flips; with clusters, count each as one flip in all.
    level : float
        One-sided.

    Returns
    -------
    ndarray
        The bound; below 0 it says little.

    Examples
    --------
    Five flips: sigma(2 beta) = .05^(1/5) = .549.

    >>> bound_one_sided(5, 0).round(3).item()
    0.099
    """
    full, half = (np.atleast_1d(np.asarray(part, dtype=float)) for part in (full, half))
    target = np.log1p(-level)

    def short(beta, full, half):
        return full * np.log(expit(2 * beta)) + half * np.log(expit(beta)) - target

    ends = np.full((2, full.size), [[-_WIDEST], [_WIDEST]])
    return elementwise.find_root(short, tuple(ends), args=(full, half)).x
