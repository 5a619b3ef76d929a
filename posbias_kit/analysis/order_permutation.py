"""Disagreement across and within orders, and its law when winners are permuted over orders."""

from functools import cache

import numpy as np
from scipy.special import comb


def disagree_across(winners):
    """Mean over pairs of orders of 1 - sum_k c_1k c_2k / (n_1 n_2), for each comparison.

    With q_o = c_o / n_o, the sum over pairs of q_o . q_o' is (|sum q_o|^2 - sum |q_o|^2) / 2.

    Parameters
    ----------
    winners : ndarray of shape (comparisons, orders, winners)
        Counts c_ok; orders without a verdict are left out.

    Returns
    -------
    ndarray of shape (comparisons,)
        Missing where fewer than two orders have a verdict.
    """
    size = winners.sum(axis=2, keepdims=True)
    orders = (size[..., 0] > 0).sum(axis=1)
    share = winners / np.maximum(size, 1)
    twice = (share.sum(axis=1) ** 2).sum(axis=1) - (share**2).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - twice / np.where(orders > 1, orders * (orders - 1), np.nan)


def disagree_within(winners):
    """1 - sum_k c_k (c_k - 1) / (n (n - 1)) in each order; missing below two verdicts.

    Parameters
    ----------
    winners : ndarray of shape (comparisons, orders, winners)

    Returns
    -------
    ndarray of shape (comparisons, orders)
    """
    size = winners.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (winners * (winners - 1)).sum(axis=2) / np.where(size > 1, size * (size - 1), 0)


def excess(winners):
    """E = I - N of each comparison; every order that has a verdict has two.

    Parameters
    ----------
    winners : ndarray of shape (comparisons, orders, winners)

    Returns
    -------
    ndarray of shape (comparisons,)
    """
    within = np.where(winners.sum(axis=2) > 0, disagree_within(winners), 0)
    orders = (winners.sum(axis=2) > 0).sum(axis=1)
    return disagree_across(winners) - within.sum(axis=1) / orders


def excess_test(winners, permutations=1000, seed=0):
    """Test whether the orders of a comparison differ in their verdicts: mean E against chance.

    Winners are permuted over the orders within each comparison, keeping their sizes, which they
    may be where the order makes no difference and repeats are independent;
    p = (1 + #{>=}) / (permutations + 1).

    *Source: B. Phipson and G. K. Smyth (2010), Permutation p-values should never be zero,
    Statistical Applications in Genetics and Molecular Biology 9(1).*

    Parameters
    ----------
    winners : ndarray of shape (comparisons, orders, winners)
        Every order that has a verdict has two.
    permutations, seed : int
        0 permutations give no p.

    Returns
    -------
    float

    Examples
    --------
    >>> excess_test(np.array([[[3, 0], [0, 3]]] * 5))
    0.000999000999000999
    """
    if not permutations:
        return np.nan
    drawn = permuted_excess(winners, permutations, seed)
    # Equal sums must not differ by rounding.
    reached = (drawn >= excess(winners).sum() - 1e-9).sum()
    return float((1 + reached) / (permutations + 1))


def permuted_excess(winners, permutations, seed=0):
    """Sum E over the comparisons when winners are permuted over the orders of each.

    Order sizes are kept. Comparisons with the same sizes and the same totals of winners have
    the same permutation law of E. For pairs the law is enumerated (hypergeometric), so that a
    permutation of all such comparisons is one multinomial draw; for sets they are shuffled.

    Parameters
    ----------
    winners : ndarray of shape (comparisons, orders, winners)
        Every order that has a verdict has two.
    permutations : int
    seed : int

    Returns
    -------
    ndarray of shape (permutations,)
    """
    sizes = np.sort(winners.sum(axis=2), axis=1)[:, ::-1]
    totals = np.sort(winners.sum(axis=1), axis=1)[:, ::-1]
    kinds, counts = np.unique(np.hstack([sizes, totals]), axis=0, return_counts=True)
    rng, result = np.random.default_rng(seed), np.zeros(permutations)
    for kind, count in zip(kinds, counts, strict=True):
        size, total = (tuple(part[part > 0].tolist()) for part in np.split(kind, [sizes.shape[1]]))
        if len(total) == 1:  # all verdicts name the same winner: E is 0 whatever the order
            continue
        if len(size) == 2:
            values, chances = _pair_law(size, total)
            result += rng.multinomial(count, chances, size=permutations) @ values
        else:
            result += _shuffle(size, total, count, permutations, rng)
    return result


@cache
def _pair_law(sizes, totals):
    """Values of E and their chances over all ways to fill the first order from the totals."""
    totals = np.array(totals)
    grid = np.indices(totals[:-1] + 1).reshape(len(totals) - 1, -1)
    first = np.vstack([grid, sizes[0] - grid.sum(axis=0)]).T
    first = first[(first[:, -1] >= 0) & (first[:, -1] <= totals[-1])]
    ways = comb(totals, first).prod(axis=1)
    return excess(np.stack([first, totals - first], axis=1)), ways / ways.sum()


def _shuffle(sizes, totals, count, permutations, rng):
    """Draw the sum of E over `count` sets of one kind by shuffling their verdicts."""
    verdicts = np.repeat(np.arange(len(totals), dtype=np.int8), totals)
    starts = np.cumsum((0, *sizes[:-1]))
    step = max(1, _CELLS // (count * len(verdicts) * len(totals)))
    sums = []
    for done in range(0, permutations, step):
        rows = count * min(step, permutations - done)
        drawn = rng.permuted(np.tile(verdicts, (rows, 1)), axis=1)
        named = drawn[..., None] == np.arange(len(totals))
        tables = np.add.reduceat(named.astype(np.int64), starts, axis=1)
        sums.append(excess(tables).reshape(-1, count).sum(axis=1))
    return np.concatenate(sums)


_CELLS = 2_000_000
"""Cells of a table of shuffled verdicts held at a time."""
