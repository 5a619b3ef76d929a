"""Do judges agree with each other, and do they cluster by family?"""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import share_intervals
from posbias_kit.analysis.series import group_verdicts, name_families
from posbias_kit.schema import PRESENTATION_KEY, TIE_CHOICE


def judge_agreement(verdicts, ties=True, level=0.95):
    """Share of identical choices between judges on the same presentations and repeats.

    With `ties` every instance where both judges gave a verdict counts; without, an instance is
    left out when either of them ties. `kappa` is Cohen's, on the same instances. The interval of
    the share is Wilson's at the effective size, over clusters
    (:func:`posbias_kit.analysis.intervals.share_intervals`).

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on agreement; J. Cohen
    (1960), A coefficient of agreement for nominal scales.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    ties : bool
    level : float
        Level of the interval.

    Returns
    -------
    DataFrame
        One row an ordered pair of judges (both directions, so that a pivot is a full matrix):
        benchmark, experiment (arm and slots, where there are several), judge, other, ties,
        instances, agreement, agreement_low, agreement_high, kappa. Missing where the two share no
        instance; kappa is missing, too, where both always say the same one thing, and the limits
        where there is one cluster.
    """
    check_settings("judge_agreement", level=level)
    counts, kappas = {}, {}
    keys = group_verdicts(verdicts, [])
    pair_keys = [*keys, "judge", "other"]
    for place, block in verdicts.groupby(keys, observed=True):
        choices = choice_matrix(block)
        if not ties:
            choices = choices.where(choices != TIE_CHOICE)
        cluster = instance_clusters(choices, block)
        for pair in combinations(choices.columns, 2):
            same, kappas[*place, *pair] = compare_choices(*(choices[name] for name in pair))
            counts[*place, *pair] = same.groupby(cluster).agg(["sum", "count"])
    columns = [
        *pair_keys,
        "ties",
        "instances",
        "agreement",
        "agreement_low",
        "agreement_high",
        "kappa",
    ]
    if not counts:
        return pd.DataFrame(columns=columns)
    table = tabulate_agreement(counts, kappas, pair_keys, level).assign(ties=ties)
    mirrored = table.rename(columns={"judge": "other", "other": "judge"})
    return pd.concat([table, mirrored]).sort_values(pair_keys, ignore_index=True)[columns]


def tabulate_agreement(counts, kappas, keys, level):
    """Arrange how often two say the same as a table with intervals over clusters.

    Parameters
    ----------
    counts : dict
        Key -> per cluster the sum and count of agreeing instances, as columns.
    kappas : dict
        Key -> Cohen's kappa.
    keys : list of str
        Names of the parts of a key.
    level : float

    Returns
    -------
    DataFrame
        The keys, instances, agreement, agreement_low, agreement_high, kappa.
    """
    sums = pd.concat(counts, names=[*keys, "cluster"])
    table = share_intervals(sums, "sum", "count", level).rename(
        columns={"estimate": "agreement", "low": "agreement_low", "high": "agreement_high"}
    )
    instances = sums["count"].groupby(level=keys).sum()
    return table.assign(instances=instances, kappa=pd.Series(kappas)).reset_index()


def choice_matrix(verdicts):
    """Arrange choices as instances (presentation and repeat) x judges; missing where none.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame of float
        Slot 1..p, 0 = TIE, missing where a judge gave no verdict.
    """
    told = verdicts[verdicts["choice"].notna()]
    key = [*PRESENTATION_KEY, "repeat"]
    code, head = number_groups(told, key)
    judge, names = pd.factorize(told["judge"], sort=True)
    matrix = np.full((len(head), len(names)), np.nan)
    matrix[code, judge] = told["choice"].to_numpy(dtype=float)
    index = pd.MultiIndex.from_frame(told[key].iloc[head])
    return pd.DataFrame(matrix, index=index, columns=names)


def instance_clusters(choices, verdicts):
    """Name the cluster of each instance of :func:`choice_matrix`, as an array."""
    home = verdicts.drop_duplicates("comparison").set_index("comparison")["cluster"]
    return choices.index.get_level_values("comparison").map(home).to_numpy()


def judge_clusters(agreement, families=None):
    """Cluster judges by their agreement and compare with declared families.

    Average linkage on the distance 1 - agreement, cut into as many clusters as there are
    families among the judges. `adjusted_rand` compares the cut with the families: 1 the same
    partition, about 0 what chance gives.

    Parameters
    ----------
    agreement : DataFrame
        From :func:`judge_agreement`, one value of `ties`.
    families : mapping of str to list of str, optional
        Declared families; a judge in none is its own.

    Returns
    -------
    DataFrame
        One row a judge: benchmark, experiment (arm and slots, where there are several), judge,
        family, cluster (1..), adjusted_rand. The
        last two are missing with fewer than three judges, where a pair shares no instance, or
        where no family has two of the judges: then there is nothing to compare with.
    """
    from sklearn.metrics import adjusted_rand_score  # heavy: only when called

    tables = []
    keys = list(agreement.columns[: list(agreement.columns).index("judge")])
    for place, block in agreement.groupby(keys, observed=True):
        matrix = agreement_matrix(block)
        table = pd.DataFrame({"judge": matrix.index})
        table["family"] = name_families(matrix.index, families)
        cut, rand = pd.NA, np.nan
        count = table["family"].nunique()
        if len(matrix) > 2 and matrix.notna().all(axis=None) and count < len(matrix):
            cut = fcluster(judge_linkage(matrix), count, "maxclust")
            rand = adjusted_rand_score(table["family"], cut)
        table = table.assign(cluster=cut, adjusted_rand=rand)
        tables.append(table.assign(**dict(zip(keys, place, strict=True))))
    columns = [*keys, "judge", "family", "cluster", "adjusted_rand"]
    if not tables:
        return pd.DataFrame(columns=columns)
    return pd.concat(tables, ignore_index=True)[columns].astype({"cluster": "Int64"})


def agreement_matrix(agreement):
    """Pivot agreements to a judge x judge matrix with ones on the diagonal."""
    matrix = agreement.pivot(index="judge", columns="other", values="agreement")
    names = matrix.index.union(matrix.columns)
    matrix = matrix.reindex(index=names, columns=names).astype(float)
    return matrix.mask(np.eye(len(names), dtype=bool), 1.0)


def judge_linkage(matrix):
    """Average linkage of an agreement matrix on the distance 1 - agreement."""
    return linkage(squareform(1 - matrix.to_numpy(), checks=False), method="average")


def compare_choices(one, two):
    """Compare the choices of two judges on the same instances.

    Parameters
    ----------
    one, two : Series of float
        Slot 1..p, 0 = TIE, missing where a judge says nothing.

    Returns
    -------
    same : Series of float
        1 where they agree, 0 where not, missing where either says nothing.
    kappa : float
        Cohen's; missing where both always say the same one thing.
    """
    from sklearn.metrics import cohen_kappa_score  # heavy: only when called

    both = one.notna() & two.notna()
    same = (one == two).astype(float).where(both)
    one, two = one[both], two[both]
    if one.empty or pd.concat([one, two]).nunique() == 1:  # kappa is 0 / 0
        return same, np.nan
    return same, cohen_kappa_score(one.astype(int), two.astype(int))
