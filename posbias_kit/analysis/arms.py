"""Other ways of asking against the plain one: paired on the same comparisons."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.differences import judge_differences
from posbias_kit.analysis.incomplete import count_incomplete
from posbias_kit.analysis.intervals import cluster_sums, difference_intervals, share_intervals
from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.order_differences import order_differences
from posbias_kit.analysis.order_effect import order_effect
from posbias_kit.analysis.series import build_series, group_verdicts
from posbias_kit.errors import check_choice

ARM_METRICS = ("pc", "pf", "first", "ties", "beta")
"""What arms are compared by: consistency, fairness, shares of the first slot and of ties, pull."""
_ALONE = "answers were scored alone: no slot can act"
_UNPAIRED = "other comparisons than the plain arm's: read its own values"


def arm_values(verdicts, convention="paper", level=0.95, scored=()):
    """Measure every arm of every judge, each by itself.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    convention : {"paper", "tie", "decisive", "half"}
        As for :func:`posbias_kit.analysis.position_bias`.
    level : float
        Level of the intervals.
    scored : collection of str
        Arms in which answers were scored alone (:func:`posbias_kit.analysis.scored_arms`). Their
        verdicts are the same in every order by construction: of them only ties are measured.

    Returns
    -------
    DataFrame
        One row a judge, arm (and slots, where there are several) and metric: n (complete series;
        for beta comparisons), incomplete (series that an order lacks: they enter no number but
        beta, and that only by other repeats of the same pair), estimate, low, high,
        clusters, note (why it is missing). Metrics: pc; pf; first (share of verdicts for slot 1,
        a tie counts 1/p: 1/p is fair); ties (share of verdicts); beta
        (:func:`posbias_kit.analysis.order_effect`). pf and beta are for pairs only.
    """
    check_settings("arm_values", level=level)
    keys = group_verdicts(verdicts, ("judge", "arm"), some=True)
    tables = [_measure(verdicts, name, convention, keys, level) for name in ARM_METRICS[:-1]]
    pairs = verdicts[verdicts["slots"] == 2]
    if len(pairs):
        beta = order_effect(pairs, ("judge", "arm"), level=level, pooled=False)
        named = {"beta": "estimate", "beta_low": "low", "beta_high": "high", "comparisons": "n"}
        beta = beta.rename(columns=named).assign(metric="beta", slots=2)
        tables.append(beta.reindex(columns=[*keys, *_VALUES]))
    table = _arrange(pd.concat(tables, ignore_index=True), keys)
    table = _leave_fixed(table, scored, ["estimate", "low", "high"])
    return table[[*keys, *_VALUES]].astype({"n": "Int64", "clusters": "Int64"})


_VALUES = ["metric", "n", "incomplete", "estimate", "low", "high", "clusters", "note"]


def _leave_fixed(table, scored, numbers):
    """Leave out what scoring answers alone fixes, with the reason."""
    fixed = table["arm"].isin(list(scored)) & (table["metric"] != "ties")
    table[numbers] = table[numbers].mask(fixed)
    return table.assign(note=table["note"].mask(fixed, _ALONE))


def _arrange(table, keys):
    rank = {name: place for place, name in enumerate(ARM_METRICS)}
    table = table.assign(_rank=table["metric"].map(rank)).sort_values([*keys, "_rank"])
    return table.drop(columns="_rank").reset_index(drop=True)


def _measure(verdicts, metric, convention, keys, level):
    """Estimate one metric of each group over its complete series."""
    series = measure_series(verdicts, metric, convention)
    parts = ["plus", "minus", "n"]
    series[parts] = series[parts].where(series["complete"], 0.0)
    sums = cluster_sums(series, keys, [*parts, "complete", "incomplete"])
    if metric == "pf":
        found = difference_intervals(sums, "plus", "minus", "n", level)
    else:
        found = share_intervals(sums, "plus", "n", level)
    total = sums.groupby(level=keys, observed=True).sum()
    why = np.where(total["complete"] > 0, _WHY.get(metric, ""), "no complete series")
    found = found.assign(
        metric=metric, n=total["complete"], incomplete=total["incomplete"].astype("Int64"),
        note=np.where(found["estimate"].isna(), why, ""),
    )  # fmt: skip
    return found.reset_index()[[*keys, *_VALUES]]


_WHY = {"pf": "for pairs only", "pc": "every complete series has a tie"}


def arm_differences(verdicts, plain=None, convention="paper", level=0.95, flips=9999, seed=0,
                    scored=()):  # fmt: skip
    """Compare each arm with the plain one, judge by judge, on the same comparisons.

    Each difference is the arm's value minus the plain arm's, over the series that both completed
    (same judge, comparison and repeat), as
    :func:`posbias_kit.analysis.judge_differences` compares judges; that of beta is taken as in
    :func:`posbias_kit.analysis.order_differences`. An arm that shows other comparisons, such as
    identical answers, has nothing to be paired with, and the note says so.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table; with one arm there is nothing to compare, and no row.
    plain : str, optional
        Name of the arm that the others are compared with; none takes the one without a name,
        else the first.
    convention, level, flips, seed
        As for :func:`posbias_kit.analysis.judge_differences`.
    scored : collection of str
        As for :func:`arm_values`: what differs from the plain arm by construction is no finding,
        and counts in no correction.

    Returns
    -------
    DataFrame
        One row a judge, arm (slots, where there are several) and metric (as for
        :func:`arm_values`): n (paired series; for beta comparisons), incomplete and
        plain_incomplete (series that an order lacks, in the arm and in the plain one: they are
        paired for beta only, by other repeats), value, plain_value (on the paired ones),
        difference, low, high, clusters, p, p_holm (over the judges and arms of a metric), mde,
        note.

    Raises
    ------
    ParamsError
        No verdict is of arm `plain`.
    """
    check_settings("arm_differences", level=level, flips=flips, seed=seed)
    keys = group_verdicts(verdicts, ("judge", "arm"))
    names = sorted(verdicts["arm"].unique())
    plain = names[0] if plain is None and names else plain
    if names:
        check_choice(plain, names, "plain")
    options = {"convention": convention, "level": level, "flips": flips, "seed": seed}
    tables = _compare(swap_arms(verdicts), plain, list(scored), options)
    expected = _count_lacking(_expect(verdicts[verdicts["arm"] != plain], keys), verdicts, plain)
    if expected.empty:
        return pd.DataFrame(columns=[*keys, *_COLUMNS])
    fixed = names if plain in list(scored) else scored
    if not tables:
        empty = expected.reindex(columns=[*keys, *_COLUMNS]).assign(n=0, note=_NO_SERIES)
        return _leave_fixed(empty, fixed, [])
    found = pd.concat(tables, ignore_index=True)
    table = expected.merge(found, "left", on=[*({*keys} & {*found}), "metric"])
    note = table["note"].str.replace("the judges differ", "the arms differ")
    plainly = set(verdicts.loc[verdicts["arm"] == plain, "comparison"])
    shared = set(verdicts.loc[verdicts["comparison"].isin(plainly), "arm"])
    why = np.where(table["arm"].isin(shared), _NO_SERIES, _UNPAIRED)
    table["note"] = note.mask(table["n"].fillna(0) == 0, why)
    table["n"] = table["n"].fillna(0).astype("Int64")
    table = _leave_fixed(table, fixed, [])
    return _arrange(table, keys)[[*keys, *_COLUMNS]]


def _compare(turned, plain, scored, options):
    """Return the differences of each metric that has any; arms stand in the place of judges."""
    tables = []
    free = turned[~turned["judge"].isin(scored)]  # where a slot can act
    for metric in ARM_METRICS[:-1]:
        told = turned if metric == "ties" else free
        told = told[told["slots"] == 2] if metric == "pf" else told
        if _has_series(told, plain):
            found = judge_differences(told, metric, plain, ("arm",), **options)
            named = {"series": "n", "other_value": "plain_value"}
            tables.append(_for_pairs(found, metric).rename(columns=named))
    pairs = free[free["slots"] == 2]
    if len(pairs) and pairs["judge"].eq(plain).any():
        found = order_differences(pairs, plain, ("arm",), options["level"])
        named = {"comparisons": "n", "beta": "value", "other_beta": "plain_value"}
        tables.append(_for_pairs(found, "beta").rename(columns=named))
    named = {"arm": "judge", "judge": "arm", "difference_low": "low", "difference_high": "high"}
    return [table.rename(columns=named) for table in tables if len(table)]


def _for_pairs(found, metric):
    """Name the metric, and the size of what was measured on pairs alone: other sizes stand by."""
    return found.assign(metric=metric, **{"slots": 2} if metric in ("pf", "beta") else {})


def _expect(verdicts, keys):
    """Every arm and metric that should have a row; fairness and beta are for pairs."""
    places = verdicts[[*dict.fromkeys([*keys, "slots"])]].drop_duplicates()
    grid = places.merge(pd.DataFrame({"metric": ARM_METRICS}), "cross")
    grid = grid[(grid["slots"] == 2) | ~grid["metric"].isin(["pf", "beta"])]
    return grid[[*keys, "metric"]].reset_index(drop=True)


def _count_lacking(expected, verdicts, plain):
    """Add the incomplete series of each arm, and of the plain one, to the rows expected."""
    keys = [name for name in expected if name != "metric"]
    lacking = count_incomplete(verdicts, keys).reset_index()
    usual = lacking[lacking["arm"] == plain].drop(columns="arm")
    usual = usual.rename(columns={"incomplete": "plain_incomplete"})
    table = expected.merge(lacking, "left", on=keys)
    return table.merge(usual, "left", on=[name for name in keys if name != "arm"])


_NO_SERIES = "no series that both arms completed"
_COLUMNS = ["metric", "n", "incomplete", "plain_incomplete", "value", "plain_value", "difference",
            "low", "high", "clusters", "p", "p_holm", "mde", "note"]  # fmt: skip


def _has_series(turned, plain):
    """Whether the plain arm has any complete series, so that there is something to pair with."""
    mine = turned[turned["judge"] == plain]
    return len(mine) > 0 and bool(build_series(mine)["complete"].any())


def swap_arms(verdicts):
    """Let arms stand in the place of judges, so that what compares judges compares arms."""
    return verdicts.assign(judge=verdicts["arm"], arm=verdicts["judge"])
