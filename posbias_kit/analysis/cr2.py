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
        Missing where the contrast rests on one cluster alone: its variance is not known.

    Examples
    --------
    For a mean of equal clusters it is the variance of a mean of cluster means, with G - 1
    degrees of freedom.

    >>> y = np.array([1.0, 1.0, 2.0, 2.0, 6.0, 6.0])
    >>> covariance, df = cr2_errors(np.ones((6, 1)), y - 3, [0, 0, 1, 1, 2, 2])
    >>> bool(np.isclose(covariance, np.var([1, 2, 6], ddof=1) / 3)), df.round(6).tolist()
    (True, [2.0])
    """
    contrasts = np.eye(design.shape[1]) if contrasts is None else np.asarray(contrasts)
    code = np.unique(np.asarray(cluster), return_inverse=True)[1]
    rows = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
    information = np.array([design[index].T @ design[index] for index in rows])
    scores = np.array([residual[index] @ design[index] for index in rows])
    return cr2_from_sums(information, scores, contrasts)


def cr2_from_sums(information, scores, contrasts):
    """Compute what :func:`cr2_errors` does from each cluster's share of the normal equations.

    With J_g = X_g'X_g and s_g = X_g'e_g nothing else is needed, as

        X_g' A_g e_g = (I - J_g M)^(-1/2) s_g,

    so a likelihood can give its clusters' information and gradient at the estimate. With
    M = L L' the J_g become K_g = L' J_g L, which sum to I and have the eigenvalues of H_gg; for
    d = L'c,

        B_gg = d' K_g (I - K_g)^(-1) d - t_g't_g,  B_gh = -t_g't_h,
        t_g = K_g (I - K_g)^(-1/2) d.

    Parameters
    ----------
    information : ndarray of shape (clusters, p, p)
    scores : ndarray of shape (clusters, p)
    contrasts : ndarray of shape (k, p)

    Returns
    -------
    covariance : ndarray of shape (k, k)
    df : ndarray of shape (k,)

    Examples
    --------
    The mean of three clusters of two, as for :func:`cr2_errors`.

    >>> covariance, df = cr2_from_sums(
    ...     np.full((3, 1, 1), 2.0), np.array([[-4.0], [-2.0], [6.0]]), np.eye(1))
    >>> covariance.round(4).tolist(), df.round(6).tolist()
    ([[2.3333]], [2.0])
    """
    white = whiten(information.sum(axis=0))
    ways = white @ contrasts.T
    share, axes = np.linalg.eigh(white @ information @ white.T)
    share, rest = np.clip(share, 0, 1), 1 - share
    inverse = np.divide(1, rest, out=np.zeros_like(rest), where=rest > _SINGULAR)
    root = np.sqrt(inverse)[..., None]
    turned = axes.transpose(0, 2, 1)
    scores = (axes @ (root * (turned @ (scores @ white.T)[..., None])))[..., 0] @ ways
    along = turned @ ways
    own = np.einsum("gp,gpk->gk", share * inverse, along**2)
    t = axes @ (share[..., None] * root * along)
    cross = (t**2).sum(axis=1)
    trace = (own - cross).sum(axis=0)
    outer = np.einsum("gpk,gqk->kpq", t, t, optimize=True)
    squares = (own * (own - 2 * cross)).sum(axis=0) + (outer**2).sum(axis=(1, 2))
    known = trace > _KNOWN * (ways**2).sum(axis=0)
    df = np.divide(trace**2, squares, out=np.full(len(trace), np.nan), where=known)
    return scores.T @ scores, df


def whiten(total):
    """Return W with W'W the inverse of `total`, a row for each direction with information."""
    size = np.sqrt(np.diag(total))
    size[size == 0] = 1
    values, vectors = np.linalg.eigh(total / np.outer(size, size))
    use = values > _SINGULAR * 1e-3
    return (vectors[:, use] / np.sqrt(values[use])).T / size


_SINGULAR = 1e-10
"""A direction with less than this share left outside its own cluster counts as none."""

_KNOWN = 1 - 1e-4
"""Less of the variance than this outside such directions, and a contrast has no error."""
