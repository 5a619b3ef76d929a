"""What a multinomial logit cannot know: flat directions and separation."""

import numpy as np
from scipy import linalg, optimize, sparse


def identify_columns(design, counts, possible):
    """Find independent columns of a design, and the parameters that it determines.

    Only differences between the alternatives of a presentation matter. A parameter is determined
    when no direction along which all differences vanish moves it.

    Parameters
    ----------
    design : ndarray of shape (m, alternatives, k)
        Columns of similar size.
    counts : ndarray of shape (m, alternatives)
    possible : ndarray of bool, shape (m, alternatives)
        Alternatives in play.

    Returns
    -------
    kept : ndarray of int
        A largest set of independent columns.
    known : ndarray of bool, shape (k,)

    Examples
    --------
    The second column says the same as the first, the third never differs.

    >>> design = np.array([[[1.0, 2.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
    ...                    [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]]])
    >>> kept, known = identify_columns(design, np.ones((2, 2)), np.ones((2, 2), dtype=bool))
    >>> len(kept), known.tolist()
    (2, [False, False, False, True])
    """
    gaps = _differences(design, counts, possible)[0]
    gram = gaps.T @ gaps
    values, vectors = linalg.eigh(gram)
    null = values < 1e-9 * max(values.max(initial=0), 1e-9)
    known = np.linalg.norm(vectors[:, null], axis=1) < 1e-6
    pivots = linalg.qr(gram, mode="r", pivoting=True)[1]
    return np.sort(pivots[: (~null).sum()]), known


def rule_out(design, counts, possible):
    """Mark the alternatives that keep a chance in the limit of the likelihood.

    With z = chosen - other, the data are separated along a direction d if z d >= 0 for all and
    > 0 for some; the likelihood then rises for ever, and the alternatives with z d > 0 end with
    probability 0. All of them are found at once by

        maximise sum s   subject to   z d >= s,   0 <= s <= 1,   z d = 0 between two chosen:

    as d may be as long as it likes, s is 1 wherever some direction separates, else 0.

    *Source: K. Konis (2007), Linear programming algorithms for detecting separated data in
    binary logistic regression models (thesis, Oxford), for two alternatives.*

    Parameters
    ----------
    design, counts, possible
        As for :func:`identify_columns`.

    Returns
    -------
    ndarray of bool, shape (m, alternatives)
        `possible` without the alternatives ruled out.

    Examples
    --------
    The first alternative is always chosen: its coefficient has no bound.

    >>> design = np.array([[[1.0], [0.0]], [[1.0], [0.0]]])
    >>> rule_out(design, np.array([[3, 0], [2, 0]]), np.ones((2, 2), dtype=bool)).tolist()
    [[True, False], [True, False]]
    """
    gaps, chosen = _differences(design, counts, possible)
    rules, back = np.unique(np.round(-gaps, 12), axis=0, return_inverse=True)
    equal = np.zeros(len(rules), dtype=bool)
    equal[back.ravel()[chosen]] = True
    free = ~equal & (np.abs(rules) > 0).any(axis=1)
    width, count = rules.shape[1], int(free.sum())
    found = optimize.linprog(
        np.r_[np.zeros(width), -np.ones(count)],
        A_ub=sparse.hstack([sparse.csr_array(-rules[free]), sparse.eye_array(count)]),
        b_ub=np.zeros(count),
        A_eq=sparse.csr_array(np.c_[rules[equal], np.zeros((equal.sum(), count))]),
        b_eq=np.zeros(equal.sum()),
        bounds=[(None, None)] * width + [(0, 1)] * count,
    )
    out = np.zeros(len(rules), dtype=bool)
    if found.success:
        out[free] = found.x[width:] > 0.5
    inside = possible & (counts.sum(axis=1, keepdims=True) > 0)
    result = possible.copy()
    result[inside] = ~out[back.ravel()]
    return result


def _differences(design, counts, possible):
    """Each alternative in play minus a chosen one of its row; whether it was chosen, too."""
    rows = np.flatnonzero(counts.sum(axis=1) > 0)
    base = design[rows, counts[rows].argmax(axis=1)]
    use = possible[rows]
    return (design[rows] - base[:, None])[use], (counts[rows] > 0)[use]
