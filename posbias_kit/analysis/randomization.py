"""Two randomisation tests on clusters: flip their signs, or shuffle their labels."""

import numpy as np


def sign_flip_test(differences, flips=9999, seed=0):
    """Test whether the clusters' differences are centred at 0, by flipping their signs.

    Without an effect a cluster's difference is as likely as its negative. The statistic is
    |sum_g d_g|; its distribution is that of |sum_g s_g d_g| with random signs s_g. All sign
    patterns are tried where there are at most `flips` + 1 of them, and p is the share that
    reaches the observed value; else p = (1 + #{>=}) / (flips + 1). Clusters with difference 0
    say nothing and are left out.

    *Source: I. A. Canay, J. P. Romano and A. M. Shaikh (2017), Randomization tests under an
    approximate symmetry assumption, Econometrica 85(3); B. Phipson and G. K. Smyth (2010),
    Permutation p-values should never be zero, Statistical Applications in Genetics and
    Molecular Biology 9(1).*

    Parameters
    ----------
    differences : array of shape (clusters,) or (tests, clusters)
        Several tests share their sign patterns.
    flips : int
        Random sign patterns where there are too many to try all.
    seed : int

    Returns
    -------
    p : ndarray of shape () or (tests,)
        Two-sided; 1 where every difference is 0; missing where nothing may be drawn.

    Examples
    --------
    >>> float(sign_flip_test([2, 1, 1, 0]))
    0.25
    """
    table = np.atleast_2d(np.asarray(differences, dtype=float))
    table = table[:, (table != 0).any(axis=0)]
    clusters = table.shape[1]
    # Sums of whole numbers are exact; for others, equal sums must not differ by rounding.
    reach = np.abs(table.sum(axis=1)) - 1e-9 * np.abs(table).sum(axis=1)
    if 2.0**clusters <= flips + 1:
        share = _count(table, _all_signs(clusters), reach) / 2 ** max(clusters - 1, 0)
    elif not flips:
        share = np.full(len(table), np.nan)
    else:
        rng, above = np.random.default_rng(seed), np.zeros(len(table))
        step = max(1, _CELLS // clusters)
        for start in range(0, flips, step):
            size = (min(step, flips - start), clusters)
            above += _count(table, rng.integers(2, size=size, dtype=np.int8) * 2.0 - 1, reach)
        share = (1 + above) / (flips + 1)
    return share.reshape(np.shape(differences)[:-1])


def explain_floor(clusters, level=0.95):
    """Say where a sign-flip test cannot reach significance: with k clusters p >= 2 / 2^k.

    Parameters
    ----------
    clusters : sequence of int
        Clusters whose difference is not 0.
    level : float

    Returns
    -------
    list of str
        Empty where p can fall to 1 - level.

    Examples
    --------
    >>> explain_floor([5, 6])
    ['5 telling clusters: p cannot fall below 0.0625', '']
    """
    floors = [(int(count), 2.0 ** (1 - int(count))) for count in clusters]
    return [
        f"{count} telling cluster{'s'[: count != 1]}: p cannot fall below {floor:.3g}"
        if floor > 1 - level
        else ""
        for count, floor in floors
    ]


def label_permutation_test(residuals, sizes, labels, blocks, flips=9999, seed=0):
    """Test whether labelled cells differ, by shuffling the labels within blocks.

    With residuals e_i = x_i - theta_b n_i of cell i in block b, theta_b = sum x / sum n over
    the block, the statistic is

        T = sum_k (sum_{i in k} e_i)^2 / sum_{i in k} n_i

    over labels k; with one block it is the sum of squares between the labels' ratios. Within a
    block the cells are exchangeable when labels make no difference, so that labels are
    shuffled there and p = (1 + #{>=}) / (flips + 1).

    *Source: M. D. Ernst (2004), Permutation methods: a basis for exact inference, Statistical
    Science 19(4).*

    Parameters
    ----------
    residuals : array of shape (cells,) or (tests, cells)
        Several tests share their shuffles.
    sizes : array of shape (cells,) or (tests, cells)
    labels, blocks : array of int, shape (cells,)
    flips, seed : int
        Without flips p is missing.

    Returns
    -------
    statistic, p : ndarray of shape () or (tests,)

    Examples
    --------
    >>> statistic, p = label_permutation_test([1, -1, 1, -1], [2] * 4, [0, 1, 0, 1], [0] * 4)
    >>> float(statistic), round(float(p), 2)
    (2.0, 0.33)
    """
    cells = [np.atleast_2d(np.asarray(values, dtype=float)).T for values in (residuals, sizes)]
    labels, blocks = np.asarray(labels), np.asarray(blocks)
    observed = _between(*cells, labels[None])[0]
    rng, above = np.random.default_rng(seed), np.zeros(len(observed))
    slot = np.argsort(blocks, kind="stable")
    step = max(1, _CELLS // len(labels))
    for start in range(0, flips, step):
        count = min(step, flips - start)
        # Cells sorted by block and, within a block, by a random key receive the labels in order.
        drawn = np.argsort(blocks + rng.random((count, len(blocks))), axis=1)
        shuffled = np.empty_like(drawn)
        np.put_along_axis(shuffled, drawn, np.broadcast_to(labels[slot], drawn.shape), axis=1)
        above += (_between(*cells, shuffled) >= observed * (1 - 1e-9)).sum(axis=0)
    shape = np.shape(residuals)[:-1]
    p = (1 + above) / (flips + 1) if flips else np.full(len(observed), np.nan)
    return observed.reshape(shape), p.reshape(shape)


def _between(residuals, sizes, labels):
    """Return T of each row of labels (shuffles) and column of residuals (tests)."""
    total = 0.0
    for label in np.unique(labels[0]):
        chosen = (labels == label).astype(float)
        size = chosen @ sizes
        total += (chosen @ residuals) ** 2 / np.where(size > 0, size, 1)
    return total


def _count(table, signs, reach):
    return (np.abs(signs @ table.T) >= reach).sum(axis=0)


def _all_signs(clusters):
    """Return the sign patterns; the last sign stays, as a pattern and its negative tie."""
    patterns = np.arange(2 ** max(clusters - 1, 0))[:, None]
    return 1.0 - 2.0 * ((patterns >> np.arange(clusters)) & 1)


_CELLS = 2_000_000
"""Cells of a matrix of signs or labels held at a time."""
