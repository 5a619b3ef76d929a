"""Cluster-robust errors of regression coefficients that hold with few clusters."""

import numpy as np


def cr2_errors(design, residual, cluster, contrasts=None):
    """Compute the CR2 covariance and Satterthwaite degrees of freedom of a least-squares fit.

    With X the design, M = (X'X)^-1, X_g and e_g the rows of cluster g, H_gg = X_g M X_g' and
    A_g = (I - H_gg)^(-1/2) (the symmetric root of the pseudo-inverse),

        V = M (sum_g X_g' A_g e_g e_g' A_g X_g) M.

    For a contrast c let u_g = A_g X_g M c. If errors were independent with one variance, c'Vc
    would be a quadratic form with the matrix

        B_gg = u_g'u_g - u_g' H_gg u_g,    B_gh = -u_g' X_g M X_h' u_h,

    and df = (tr B)^2 / sum_gh B_gh^2. A weighted fit or a generalised linear model is given as
    its working model: rows of `design` and `residual` times the root of their weight.

    *Source: Bell and McCaffrey (2002), Survey Methodology 28(2); Pustejovsky and Tipton (2018),
    Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed
    effects models, Journal of Business & Economic Statistics 36(4). R's clubSandwich is the
    reference.*

    Parameters
    ----------
    design : ndarray of shape (n, p)
        Of full column rank.
    residual : ndarray of shape (n,)
    cluster : array-like of length n
    contrasts : ndarray of shape (k, p), optional
        Combinations of coefficients; the coefficients themselves by default.

    Returns
    -------
    covariance : ndarray of shape (k, k)
    df : ndarray of shape (k,)

    Examples
    --------
    For a mean of equal clusters it is the variance of a mean of cluster means, with G - 1
    degrees of freedom.

    >>> y = np.array([1.0, 1.0, 2.0, 2.0, 6.0, 6.0])
    >>> covariance, df = cr2_errors(np.ones((6, 1)), y - 3, [0, 0, 1, 1, 2, 2])
    >>> bool(np.isclose(covariance, np.var([1, 2, 6], ddof=1) / 3)), df.round(6).tolist()
    (True, [2.0])
    """
    bread = np.linalg.inv(design.T @ design)
    contrasts = np.eye(design.shape[1]) if contrasts is None else np.asarray(contrasts)
    root = np.linalg.cholesky(bread)
    solved = bread @ contrasts.T
    names, code = np.unique(np.asarray(cluster), return_inverse=True)
    rows = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
    scores, own, across = [], [], []
    for index in rows[: len(names)]:
        block = design[index]
        weighted = _adjust(block, root)  # X_g' A_g
        scores.append(solved.T @ weighted @ residual[index])
        influence = weighted.T @ solved
        own.append((influence**2).sum(axis=0))
        across.append(block.T @ influence)
    scores, own, across = np.array(scores), np.array(own), np.array(across)
    inner = np.einsum("gpk,pq,hqk->kgh", across, bread, across, optimize=True)
    b = -inner
    each = np.arange(len(names))
    b[:, each, each] += own.T
    trace = b[:, each, each].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return scores.T @ scores, trace**2 / (b**2).sum(axis=(1, 2))


def _adjust(block, root):
    """X_g' A_g from the singular values s of X_g M^(1/2): those of I - H_gg are 1 - s^2."""
    left, values, _ = np.linalg.svd(block @ root, full_matrices=False)
    rest = 1 - values**2
    inverse = np.zeros_like(rest)
    np.divide(1, np.sqrt(np.abs(rest)), out=inverse, where=rest > _SINGULAR)
    return block.T + (block.T @ left * (inverse - 1)) @ left.T


_SINGULAR = 1e-10
"""A direction with less than this share left outside its own cluster counts as none."""
