"""Do judges differ in their order effect? Differences of beta on the same comparisons."""

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.differences import name_pairs
from posbias_kit.analysis.flips import flip_score, solve_flips
from posbias_kit.analysis.intervals import cluster_sums, ratio_intervals
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.order_effect import FLIPS, cross_orders
from posbias_kit.analysis.planning import detectable_effect
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.errors import ParamsError

_COLUMNS = [
    "judge", "other", "comparisons", "beta", "other_beta", "difference", "difference_low",
    "difference_high", "clusters", "p", "mde", "note",
]  # fmt: skip


def order_differences(verdicts, baseline=None, by=(), level=0.95):
    """Compare the order effects of judges on the pairs that both judged in both orders.

    Each judge's beta is the conditional estimate of :func:`posbias_kit.analysis.order_effect`
    on the shared pairs. With U_g and I the score of cluster g and the information of all, the
    difference of two judges moves with cluster g by U_1g / I_1 - U_2g / I_2; its CR2 error and
    Bell-McCaffrey degrees of freedom take the mean of both judges' information as the size of a
    cluster. Judges that flip on the same questions are thus not counted as independent.

    *Source: ours; the conditional estimator as in order_effect, the error of J. E. Pustejovsky
    and E. Tipton (2018), Small-sample methods for cluster-robust variance estimation, Journal
    of Business & Economic Statistics 36(4).*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table; with one judge there is nothing to compare, and no row.
    baseline : str, optional
        The judge that all others are compared with; none compares all pairs.
    by : sequence of str
        Grouping columns after benchmark and experiment, without `judge`, `candidate`, `repeat`.
    level : float

    Returns
    -------
    DataFrame
        One row a group and two judges that stand in it: judge, other, comparisons (shared), beta,
        other_beta (on these), difference with its interval, clusters (with a flip of either), p
        (t test of 0), p_holm over the rows of a benchmark and experiment, or p_bh where `by` holds
        `task`, mde (minimum detectable difference at power .8), note (why a number is missing).

    Raises
    ------
    ParamsError
        `by` holds a column that cannot be grouped by, the baseline is no judge of the table, or
        the level is outside (0, 1).

    Examples
    --------
    Judge j flips to the first slot three times in four, k once in four: log(3) apart.

    >>> from posbias_kit.data import build_verdicts
    >>> codes = [1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 2, 2, 2, 2, 2, 2]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": ["j"] * 8 + ["k"] * 8, "repeat": 1,
    ...     "question": list("00112233") * 2, "shown": [("a", "b"), ("b", "a")] * 8,
    ...     "status": "ok", "choice": pd.array(codes, dtype="Int64")}))
    >>> order_differences(verdicts)[["judge", "other", "difference"]].round(3).values.tolist()
    [['j', 'k', 1.099]]
    """
    wanted = [by] if isinstance(by, str) else list(by)
    for column in ("judge", "candidate", "repeat"):
        if column in wanted:
            raise ParamsError(f"cannot group by {column!r}", place="by", cure="leave it out")
    check_settings("order_differences", level=level)
    keys = group_verdicts(verdicts, wanted)
    pairs = name_pairs(sorted(verdicts["judge"].unique()), baseline)
    crossed = cross_orders(verdicts, [*keys, "judge"]) if pairs else None
    tables = [_compare(crossed, pair, keys, level) for pair in pairs]
    if not tables:
        return adjust_p(pd.DataFrame(columns=[*keys, *_COLUMNS]), keys)
    table = pd.concat(tables, ignore_index=True).sort_values(keys, kind="stable")
    return adjust_p(table.reset_index(drop=True), keys)


def _compare(crossed, pair, keys, level):
    place = list(dict.fromkeys([*keys, "arm", "turn", "comparison", "cluster"]))
    one, two = (crossed[crossed["judge"] == judge] for judge in pair)
    told = [*FLIPS, "comparisons"]
    both = one[[*place, *told]].merge(two[[*place, *told]], "outer", place, suffixes=("_1", "_2"))
    stand = one[keys].drop_duplicates().merge(two[keys].drop_duplicates(), on=keys)
    both = both.merge(stand, on=keys)  # groups in which both judges stand
    shared = both.pop("comparisons_1").eq(True) & both.pop("comparisons_2").eq(True)
    names = [[f"{flip}_{side}" for flip in FLIPS] for side in (1, 2)]
    every = names[0] + names[1]
    both[every] = both[every].where(shared, 0.0)
    sums = cluster_sums(both.assign(comparisons=shared), keys, [*every, "comparisons"])
    group = sums.index.names[:-1]
    total = sums.groupby(level=group, observed=True).sum()
    betas = [solve_flips(total[flips].to_numpy().T) for flips in names]
    moves = [_move(sums, flips, beta) for flips, beta in zip(names, betas, strict=True)]
    gap = pd.Series(betas[0] - betas[1], index=total.index)
    size = (moves[0]["size"] + moves[1]["size"]) / 2
    x = moves[0]["move"] - moves[1]["move"] + size * gap.reindex(sums.index.droplevel(-1)).array
    found = ratio_intervals(pd.DataFrame({"x": x, "n": size}).fillna(0), "x", "n", level)
    found = found.where((found["se"] > 1e-12) & gap.notna())
    table = total[["comparisons"]].astype("Int64")
    table["beta"], table["other_beta"], table["difference"] = *betas, gap
    table["difference_low"], table["difference_high"] = found["low"], found["high"]
    flipped = sums[every].sum(axis=1) > 0
    table["clusters"] = flipped.groupby(level=group, observed=True).sum().astype("Int64")
    table["p"] = 2 * special.stdtr(found["df"], -(gap / found["se"]).abs())
    table["mde"] = detectable_effect(found["se"], found["df"], level)
    missing = [" and ".join(np.array(pair)[np.isnan(row)]) for row in np.transpose(betas)]
    words = [f"no order effect to compare: {names} flips one way only, or never" if names else ""
             for names in missing]  # fmt: skip
    flat = "no interval: clusters do not differ, or there is only one"
    words = np.where(table["comparisons"] == 0, "no pair that both judged in both orders", words)
    table["note"] = np.where(gap.isna(), words, np.where(found["se"].notna(), "", flat))
    return table.reset_index().assign(judge=pair[0], other=pair[1])[[*keys, *_COLUMNS]]


def _move(sums, flips, beta):
    """What each cluster adds to a judge's beta, and its part of the information."""
    group = list(range(sums.index.nlevels - 1))
    groups = sums.groupby(level=group, observed=True)
    each = beta[groups.ngroup().to_numpy()]
    score, information = flip_score(each, sums[flips].to_numpy().T)
    parts = pd.DataFrame({"move": score, "size": information}, index=sums.index)
    whole = parts["size"].groupby(level=group, observed=True).transform("sum")
    return parts.div(whole.where(whole > 0), axis=0)
