"""What each series counts for under a metric, so that tests and plans share one definition."""

import pandas as pd

from posbias_kit.analysis.position import apply_convention
from posbias_kit.analysis.series import build_series, take_sides
from posbias_kit.errors import check_choice
from posbias_kit.schema import Convention

METRICS = ("pc", "pf", "first", "ties")
"""Position consistency, preference fairness, share of the first slot, share of ties."""

_KINDS = [
    "consistent", "complete", "primacy_full", "primacy_half", "recency_full", "recency_half",
    "any_tie", "tie_consistent", "first", "second", "verdicts",
]  # fmt: skip


def measure_series(verdicts, metric="pc", convention="paper", by=()):
    """Give each series its share in a metric: the metric of a group is sum x / sum n.

    For ``pc``, x is 1 where the series is consistent. For ``pf``, x = plus - minus with plus a
    recency and minus a primacy; it is defined for pairs only. For ``first``, x counts the verdicts
    for slot 1, a tie as 1/p, out of all; for ``ties`` the ties. Neither needs a complete series.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    metric : {"pc", "pf", "first", "ties"}
    convention : {"paper", "tie", "decisive", "half"}
        As for :func:`posbias_kit.analysis.position_bias`.
    by : sequence of str
        Grouping columns; with `candidate` and no reference a series counts once for each
        candidate shown.

    Returns
    -------
    DataFrame
        The series that were asked, with x, plus, minus and n; n is 0 where the metric is not
        defined (an incomplete series; more than two slots for ``pf``).
    """
    check_choice(metric, METRICS, "metric")
    check_choice(convention, Convention, "convention")
    series = build_series(verdicts)
    series = series[~series["identical"]]
    if "candidate" in by:
        series = take_sides(series, by)
    flags = series.assign(tie_consistent=series["consistent"] & (series["ties"] > 0))
    counts = apply_convention(flags[_KINDS].astype(float), convention)
    if metric == "pc":
        parts = {"plus": counts["yes"], "minus": 0.0, "n": counts["pc_n"]}
    elif metric in ("first", "ties"):
        share = flags["first"] + flags["ties"] / flags["slots"].astype(float)
        plus = share if metric == "first" else flags["ties"].astype(float)
        parts = {"plus": plus, "minus": 0.0, "n": flags["verdicts"]}
    else:
        pairs = (series["slots"] == 2).astype(float)
        parts = {"plus": counts["recency"], "minus": counts["primacy"], "n": counts["pf_n"]}
        parts = {name: values * pairs for name, values in parts.items()}
    parts = pd.DataFrame(parts, index=series.index)
    return series.assign(**parts, x=parts["plus"] - parts["minus"])
