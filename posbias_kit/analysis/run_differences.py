"""Runs against each other on the same comparisons: prompts, or versions of a judge."""

from itertools import combinations

import pandas as pd

from posbias_kit.analysis.checks import check_verdicts
from posbias_kit.analysis.differences import judge_differences
from posbias_kit.analysis.multiplicity import adjust_p

_COLUMNS = ["judge", "run", "other", "other_run"]
_SIGN = "\x1f"


def run_differences(verdicts, metrics=("pc", "pf"), convention="paper", level=0.95, flips=9999,
                    seed=0):  # fmt: skip
    """Compare finished runs on the series that both completed.

    The same judge is compared with itself between any two runs; judges that only one of the two
    runs has are compared with each other, so that versions of different names meet. Differences,
    intervals and tests are those of :func:`posbias_kit.analysis.judge_differences`, paired by
    comparison and repeat; `p_holm` counts the rows of a metric.

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table of :func:`posbias_kit.data.read_runs`: an arm for each run.
    metrics : sequence of {"pc", "pf"}
    convention : str
    level : float
    flips, seed : int

    Returns
    -------
    DataFrame
        One row a metric and pair: benchmark, experiment, judge, run, other, other_run, metric,
        series (paired), value, other_value, difference with its interval, clusters, p, p_holm, mde,
        note. No row where there is one run.
    """
    check_verdicts(verdicts)
    named = verdicts.assign(judge=verdicts["judge"] + _SIGN + verdicts["arm"], arm="")
    judges = {arm: set(block["judge"]) for arm, block in verdicts.groupby("arm", observed=True)}
    settings = {"convention": convention, "level": level, "flips": flips, "seed": seed}
    tables = []
    for metric in metrics:
        found = [
            _compare(named, pair, metric, settings)
            for one, two in combinations(sorted(judges), 2)
            for pair in _pairs(one, judges[one], two, judges[two])
        ]
        found = [table for table in found if len(table)]
        if found:
            whole = pd.concat(found, ignore_index=True)
            tables.append(adjust_p(whole, ["benchmark", "experiment"]))
    if not tables:
        return pd.DataFrame(columns=["benchmark", "experiment", *_COLUMNS, "metric", "series"])
    return pd.concat(tables, ignore_index=True)


def _pairs(one, judges_one, two, judges_two):
    same = sorted(judges_one & judges_two)
    yield from ((f"{judge}{_SIGN}{one}", f"{judge}{_SIGN}{two}") for judge in same)
    for first in sorted(judges_one - judges_two):
        for second in sorted(judges_two - judges_one):
            yield f"{first}{_SIGN}{one}", f"{second}{_SIGN}{two}"


def _compare(named, pair, metric, settings):
    block = named[named["judge"].isin(pair)]
    table = judge_differences(block, metric, baseline=pair[1], **settings)
    told = [name.split(_SIGN) for name in pair]
    values = [told[0][0], told[0][1], told[1][0], told[1][1]]
    table = table.drop(columns=["judge", "other", "p_holm"]).assign(
        **dict(zip(_COLUMNS, values, strict=True))
    )
    lead = ["benchmark", "experiment", *_COLUMNS]
    return table[[*lead, *table.columns.difference(lead, sort=False)]]
