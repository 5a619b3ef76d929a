"""The findings about each judge, in one table of plain words."""

import pandas as pd

from posbias_kit.errors import check_choice

HEADLINE_TABLES = ("position_bias_by_judge", "repetition_stability_by_judge", "verdict_counts")
"""The tables that :func:`summarise_judges` reads."""

_KEY = ["benchmark", "experiment", "judge"]


def summarise_judges(bias, stability, counts, threshold=0.85):
    """Say for each judge how stable it is, how consistent, and where it leans.

    A lean is claimed only where the interval of preference fairness leaves out 0. A judge whose
    repetition stability is below `threshold` is marked unstable: it may lean all the same, and
    :func:`posbias_kit.analysis.inconsistency_split` says how much of its inconsistency is noise.
    Where nothing was asked twice, the claim says so.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias` by judge, one convention.
    stability : DataFrame
        From :func:`posbias_kit.analysis.repetition_stability` by judge.
    counts : DataFrame
        From :func:`posbias_kit.analysis.verdict_counts` by judge, or by judge and order.
    threshold : float

    Returns
    -------
    DataFrame
        One row a benchmark, experiment and judge (arm and slots, where there are several): asked,
        without_verdict (invalid + failed), stability (chance level beside it), consistency and
        fairness (with intervals), finding. All but the counts are text.
    """
    tables = (bias, stability, counts)
    keys = [*_KEY, *(key for key in ("arm", "slots") if all(key in table for table in tables))]
    told = counts.groupby(keys)[["asked", "invalid", "failed"]].sum()
    table = bias.merge(stability[[*keys, "rs", "rs_chance"]], on=keys, validate="1:1")
    table = table.merge(told.reset_index(), on=keys, validate="1:1")
    return pd.DataFrame(
        {
            **{key: table[key] for key in keys},
            "asked": table["asked"],
            "without_verdict": table["invalid"] + table["failed"],
            "stability": [_stability(row.rs, row.rs_chance) for row in table.itertuples()],
            "consistency": [_with_interval(row, "pc", "") for row in table.itertuples()],
            "fairness": [_with_interval(row, "pf", "+") for row in table.itertuples()],
            "finding": [_finding(row, threshold) for row in table.itertuples()],
        }
    )


def _stability(rs, chance):
    return "not asked twice" if pd.isna(rs) else f"{rs:.3f} (chance {chance:.3f})"


def _with_interval(row, name, sign):
    value, low, high = (getattr(row, name + end) for end in ("", "_low", "_high"))
    if pd.isna(value):
        return "not estimable"
    text = f"{value:{sign}.3f}"
    return text if pd.isna(low) else f"{text} [{low:{sign}.3f}, {high:{sign}.3f}]"


def _finding(row, threshold):
    if pd.isna(row.pf):
        return "no lean estimable: no complete series of two orders"
    if pd.isna(row.pf_low):
        return "no interval, so no claim"
    lean = "no lean shown"
    if row.pf_low > 0 or row.pf_high < 0:
        lean = f"leans to the {'last' if row.pf_low > 0 else 'first'} slot"
    if pd.isna(row.rs):
        return f"{lean}; stability not measured"
    return f"{lean} (unstable: RS {_floor(row.rs)})" if row.rs < threshold else lean


def _floor(rs):
    """Write a stability below 1 with two digits, never rounded up to the threshold."""
    return f".{int(100 * rs + 1e-9):02d}"


def choose_rows(frame, **values):
    """Keep the rows whose columns have the given values; None keeps all.

    Examples
    --------
    >>> choose_rows(pd.DataFrame({"a": ["x", "y"], "n": [1, 2]}), a="y", n=None)["n"].tolist()
    [2]
    """
    for column, value in values.items():
        if value is not None:
            check_choice(value, frame[column].unique(), column)
            frame = frame[frame[column] == value]
    return frame
