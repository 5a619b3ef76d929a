"""CR2 errors from their definition, for tests."""

import numpy as np


def by_matrices(design, residual, cluster):
    """Covariance and df with the full hat matrix, the roots of I - H_gg by eigenvalues."""
    cluster = np.asarray(cluster)
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    solved = design @ np.linalg.inv(design.T @ design)
    weights = []
    for name in np.unique(cluster):
        rows = cluster == name
        values, vectors = np.linalg.eigh(np.eye(rows.sum()) - hat[np.ix_(rows, rows)])
        power = np.where(values > 1e-8, np.abs(values) + (values <= 1e-8), np.inf) ** -0.5
        weights.append((rows, (vectors * power) @ vectors.T @ solved[rows]))
    scores = np.array([weight.T @ residual[rows] for rows, weight in weights])
    maker = np.eye(len(residual)) - hat
    df = []
    for k in range(design.shape[1]):
        parts = np.array([maker[:, rows] @ weight[:, k] for rows, weight in weights])
        b = parts @ parts.T
        df.append(np.trace(b) ** 2 / (b**2).sum())
    return scores.T @ scores, np.array(df)
