"""Agreement of a whole panel of judges, corrected for chance: Fleiss, Krippendorff, Cohen.

What computes them is imported by whoever calls: it is heavy.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.agreement import choice_matrix, instance_clusters
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.schema import TIE_CHOICE

_PLACE = ["benchmark", "experiment"]


def agreement_coefficients(verdicts, ties=(True, False), level=0.95):
    """Measure how far all judges agree beyond chance, on the same presentations and repeats.

    ============  =========================================================================
    fleiss        instances that every judge decided; chance from the pooled verdicts
    krippendorff  instances that two judges or more decided; chance from the pooled verdicts
    cohen         mean over pairs of judges, each on the instances that both decided; chance
                  from each judge's own verdicts
    ============  =========================================================================

    Each is 1 - D / D_e with D the observed and D_e the expected disagreement: 1 is full
    agreement, 0 what chance gives. Judges that lean to the same slot agree beyond chance in all
    three. Without ties, a tie is a missing verdict.

    The interval is estimate +- t se from the jackknife that leaves out one cluster g of G at a
    time, se^2 = (G - 1) / G sum_g (estimate_g - mean estimate)^2, with G - 1 degrees of freedom.
    More than 200 clusters are left out in 200 groups.

    *Source: J. L. Fleiss (1971), Measuring nominal scale agreement among many raters,
    Psychological Bulletin 76(5); K. Krippendorff (2018), Content analysis, 4th ed., section
    12.3; J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and
    Psychological Measurement 20(1). Computed by statsmodels and evalica.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    ties : sequence of bool
        With ties as a verdict of their own, without, or both.
    level : float

    Returns
    -------
    DataFrame
        One row a benchmark, experiment (arm and slots, where there are several), value of `ties`
        and coefficient: judges, instances (that
        enter it), clusters, estimate, low, high, note (why a number is missing, else empty).

    Examples
    --------
    Two judges, four questions, one dissent.

    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": ["j"] * 4 + ["k"] * 4, "repeat": 1,
    ...     "question": list("1234") * 2, "shown": [("a", "b")] * 8, "status": "ok",
    ...     "choice": pd.array([1, 1, 2, 2, 1, 2, 2, 2], dtype="Int64")}))
    >>> table = agreement_coefficients(verdicts, ties=[True])
    >>> table.set_index("coefficient")["estimate"].round(3).to_dict()
    {'fleiss': 0.467, 'krippendorff': 0.533, 'cohen': 0.5}
    """
    check_settings("agreement_coefficients", level=level)
    rows, keys = [], group_verdicts(verdicts, [])
    for place, block in verdicts.groupby(keys, observed=True):
        choices = choice_matrix(block)
        cluster = instance_clusters(choices, block)
        for tied in ties:
            kept = choices if tied else choices.where(choices != TIE_CHOICE)
            for name, function in COEFFICIENTS.items():
                found = _jackknife(function, kept.to_numpy(), cluster, level)
                about = {"ties": tied, "coefficient": name, "judges": kept.shape[1]}
                rows.append({**dict(zip(keys, place, strict=True)), **about, **found})
    columns = ["ties", "coefficient", "judges", "instances", "clusters", "estimate", "low", "high"]
    return pd.DataFrame(rows, columns=[*keys, *columns, "note"])


def fleiss(choices):
    """Fleiss' kappa of an instances x judges matrix: rows with all verdicts, and the kappa."""
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    full = ~np.isnan(choices).any(axis=1)
    whole = choices[full]
    if whole.shape[1] < 2 or len(np.unique(whole)) < 2:
        return full, np.nan
    return full, fleiss_kappa(aggregate_raters(whole)[0])


def krippendorff(choices):
    """Krippendorff's nominal alpha: rows with two verdicts or more, and the alpha."""
    import evalica

    several = (~np.isnan(choices)).sum(axis=1) > 1
    if len(np.unique(choices[several][~np.isnan(choices[several])])) < 2:
        return several, np.nan
    return several, evalica.alpha(pd.DataFrame(choices[several].T)).alpha


def cohen(choices):
    """Mean of Cohen's kappa over pairs of judges: rows with two verdicts or more, the mean."""
    from statsmodels.stats.inter_rater import cohens_kappa

    several = (~np.isnan(choices)).sum(axis=1) > 1
    options = int(np.nanmax(choices, initial=0)) + 1
    kappas = []
    for one, two in combinations(choices[several].T, 2):
        both = ~np.isnan(one) & ~np.isnan(two)
        cell = (one[both] * options + two[both]).astype(int)
        table = np.bincount(cell, minlength=options**2).reshape(options, options)
        if np.count_nonzero(table.sum(axis=0) + table.sum(axis=1)) > 1:
            kappas.append(cohens_kappa(table, return_results=False))
    return several, np.mean(kappas) if kappas else np.nan


COEFFICIENTS = {"fleiss": fleiss, "krippendorff": krippendorff, "cohen": cohen}
"""Name and function: choices (instances x judges) -> which instances enter, and the number."""

_GROUPS = 200
"""Most leave-out groups of the jackknife."""


def _jackknife(function, choices, cluster, level):
    """Estimate a coefficient, its cluster jackknife interval, and say what stands against it."""
    used, estimate = function(choices)
    codes, names = pd.factorize(cluster[used])
    found = {"instances": int(used.sum()), "clusters": len(names), "estimate": estimate}
    found |= {"low": np.nan, "high": np.nan, "note": ""}
    if np.isnan(estimate):
        return found | {"note": _reason(choices, used)}
    count = min(len(names), _GROUPS)
    if count < 2:
        return found | {"note": "one cluster: no interval"}
    kept = choices[used]
    left = np.array([function(kept[codes % count != group])[1] for group in range(count)])
    if np.isnan(left).any():
        return found | {"note": "no interval: it hangs on one cluster"}
    half = special.stdtrit(count - 1, (1 + level) / 2) * np.sqrt((count - 1) * left.var())
    return found | {"low": max(estimate - half, -1.0), "high": min(estimate + half, 1.0)}


def _reason(choices, used):
    if choices.shape[1] < 2:
        return "one judge has nobody to agree with"
    if not used.any():
        return "no instance has the verdicts that it needs"
    return "all verdicts are the same: chance agreement is complete"
