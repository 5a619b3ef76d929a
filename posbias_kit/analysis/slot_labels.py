"""A test of slot effects on cluster sums, by permuting the labels of the slots."""

import numpy as np

from posbias_kit.analysis.randomization import sign_flip_test


def slot_label_test(apart, permutations=1000, seed=0):
    """Test whether the slots' sums over clusters are centred at 0, by permuting slot labels.

    With d_g the row of cluster g and s = sum_g d_g, the statistic is s' M^- s with
    M = sum_g d_g d_g'. Without a position effect the slots of a cluster are exchangeable: the
    labels are permuted in each cluster by itself, and p = (1 + #{>=}) / (permutations + 1). M is
    computed anew each time, so that the level holds, too, where single clusters lean to one slot
    or another in ways that cancel. Two slots make this the sign-flip test, all patterns tried
    where there are few.

    *Source: E. Chung and J. P. Romano (2016), Multivariate and multiple permutation tests,
    Journal of Econometrics 193(1).*

    Parameters
    ----------
    apart : ndarray of shape (clusters, slots)
        Wins minus expected wins; rows sum to 0.
    permutations, seed : int

    Returns
    -------
    float
        p = (1 + #{>=}) / (permutations + 1); missing without permutations, or with one
        cluster.

    Examples
    --------
    >>> slot_label_test(np.array([[2.0, -2.0]] * 8))
    0.0078125
    """
    if not permutations or len(apart) < 2:
        return np.nan
    if apart.shape[1] == 2:
        return float(sign_flip_test(apart[:, 0], permutations, seed))
    rng, observed = np.random.default_rng(seed), _wald(apart[None])[0]
    step, above = max(1, _CELLS // apart.size), 0
    for done in range(0, permutations, step):
        shape = (min(step, permutations - done), *apart.shape)
        drawn = rng.permuted(np.broadcast_to(apart, shape), axis=2)
        above += (_wald(drawn) >= observed * (1 - 1e-9)).sum()
    return float((1 + above) / (permutations + 1))


def _wald(apart):
    """Return s' M^- s with s = sum_g d_g and M = sum_g d_g d_g', the last slot left out."""
    kept = apart[..., :-1]
    total = kept.sum(axis=1)
    inverse = np.linalg.pinv(np.swapaxes(kept, 1, 2) @ kept, hermitian=True)
    return np.einsum("bi,bij,bj->b", total, inverse, total)


_CELLS = 2_000_000
"""Cells of the permuted table held at a time."""
