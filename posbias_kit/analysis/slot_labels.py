"""A test of slot effects on cluster sums, by permuting the labels of the slots."""

import numpy as np

from posbias_kit.analysis.randomization import sign_flip_test


def slot_label_test(apart, permutations=1000, seed=0):
    """Test whether the slots' sums over clusters are centred at 0, by permuting slot labels.

    With d_gk the row of cluster g, s_k = sum_g d_gk and m_k = sum_g d_gk^2, the statistic is

        T = sum_k s_k^2 / (m_k + mean_j m_j).

    Without a position effect the slots of a cluster are exchangeable: their labels are permuted
    in each cluster by itself, and p = (1 + #{>=}) / (permutations + 1). Half of the scale is the
    slot's own, so that the level holds, too, where clusters lean to one slot or away from it in
    ways that cancel: without it such nulls are rejected in up to .10 at .05. It is not all its
    own, as a slot that wins everywhere alike has no variance to be measured by. Two slots make
    this the sign-flip test, all patterns tried where there are few.

    *Source: ours, after E. Chung and J. P. Romano (2016), Multivariate and multiple permutation
    tests, Journal of Econometrics 193(1).*

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
    rng, observed = np.random.default_rng(seed), _statistic(apart[None])[0]
    step, above = max(1, _CELLS // apart.size), 0
    for done in range(0, permutations, step):
        shape = (min(step, permutations - done), *apart.shape)
        drawn = rng.permuted(np.broadcast_to(apart, shape), axis=2)
        above += (_statistic(drawn) >= observed * (1 - 1e-9)).sum()
    return float((1 + above) / (permutations + 1))


def _statistic(apart):
    square, own = apart.sum(axis=1) ** 2, (apart**2).sum(axis=1)
    scale = own + own.mean(axis=1, keepdims=True)
    return np.divide(square, scale, out=np.zeros_like(scale), where=scale > 0).sum(axis=1)


_CELLS = 2_000_000
"""Cells of the permuted table held at a time."""
