"""How often the pooled logit finds a feature that has no effect.

Part of ``python -m benchmarks.levels``. A judge compares eight candidates with a reference, in
both orders. Each question has its own order effect (sd .5), each answer its own worth (sd 1).
The features are noise whose size differs between questions (lognormal, log sd 1), as counts of
headings do. Beside the test of the package stands the plain sandwich with clusters - 1 df.
"""

import numpy as np
from scipy import special, stats

from posbias_kit.analysis.slot_logit import fit_slot_logit

CANDIDATES = 8


def feature_tests(rng, studies, clusters, features=1):
    """Return p of the first feature, ours and the plain sandwich's, of each study."""
    fits = [_fit(rng, clusters, features) for _ in range(studies)]
    estimate = np.array([fit.params[1] for fit in fits])
    error, df, sandwich = np.array(
        [(fit.errors[1], fit.df[1], fit.sandwich_errors[1]) for fit in fits]
    ).T
    ours = 2 * stats.t.sf(np.abs(estimate / error), df)
    return ours, 2 * stats.t.sf(np.abs(estimate / sandwich), clusters - 1)


def _fit(rng, clusters, features):
    shape = (clusters, CANDIDATES)
    size = np.exp(rng.standard_normal((clusters, 1, 1)))
    values = size * rng.standard_normal((clusters, CANDIDATES + 1, features))
    apart = values[:, 1:] - values[:, :1]  # the reference's comes first
    beta, worth = 0.3 + 0.5 * rng.standard_normal((clusters, 1)), rng.standard_normal(shape)
    own = np.broadcast_to(np.eye(CANDIDATES), (*shape, CANDIDATES))
    rows = np.concatenate([apart, own], axis=2)
    rows = np.stack([rows, -rows], axis=2)
    design = np.zeros((clusters * CANDIDATES * 2, 2, features + CANDIDATES + 1))
    design[:, 0, 0] = 1
    design[:, 0, 1:] = rows.reshape(len(design), -1)
    chance = special.expit(beta[..., None] + np.stack([worth, -worth], axis=2)).ravel()
    first = (rng.random(len(chance)) < chance) * 1.0
    return fit_slot_logit(
        design, np.c_[first, 1 - first], np.repeat(np.arange(clusters), 2 * CANDIDATES)
    )
