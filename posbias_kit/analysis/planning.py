"""How many questions, comparisons and repeats: half-width and power from a pilot."""

from itertools import product

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.checks import check_settings, check_whole
from posbias_kit.errors import ParamsError

PARTS = ("s2_q", "s2_c", "s2_r")
"""Variance between questions (clusters), between comparisons, between repeats."""

POWER = 0.8
"""Of the minimum detectable effect."""


def detectable_effect(se, df, level=0.95, power=POWER):
    """Return the minimum detectable effect, (t_(1 + level)/2 + t_power) x se.

    *Source: H. S. Bloom (1995), Minimum detectable effects, Evaluation Review 19(5).*

    Parameters
    ----------
    se, df : float or array
        Standard error of the estimate and its degrees of freedom.
    level, power : float

    Returns
    -------
    float or array
        On the scale of `se`; missing where nothing varied (`se` 0 or missing).

    Examples
    --------
    >>> round(float(detectable_effect(0.02, 39)), 4)
    0.0575
    """
    se = np.where(np.asarray(se, dtype=float) > _NOTHING, se, np.nan)
    return (special.stdtrit(df, (1 + level) / 2) + special.stdtrit(df, power)) * se


def design_error(components, questions, comparisons, repeats=1):
    """Return the standard error of a rate or mean that a design will have.

    se^2 = s2_q / G + s2_c / (G m) + s2_r / (G m R) for G questions (clusters), m comparisons a
    question and R repeats. A part that the pilot could not tell apart is contained in the one
    before it: a missing s2_r counts 0 for one repeat and leaves more of them without an answer,
    a missing s2_c does so for comparisons.

    *Source: the variance of a nested mean, e.g. W. G. Cochran, Sampling Techniques (1977),
    chapter 10.*

    Parameters
    ----------
    components : mapping or DataFrame
        Holds s2_q, s2_c, s2_r: :func:`posbias_kit.analysis.variance_components`, or one row.
    questions, comparisons, repeats : int or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> parts = {"s2_q": 0.04, "s2_c": 0.1, "s2_r": 0.02}
    >>> round(float(design_error(parts, 100, 10, 1)), 4)
    0.0228
    """
    s2_q, s2_c, s2_r = (np.asarray(components[name], dtype=float) for name in PARTS)
    s2_c = np.where(np.isnan(s2_c) & (np.asarray(comparisons) == 1), 0.0, s2_c)
    s2_r = np.where(np.isnan(s2_r) & (np.asarray(repeats) == 1), 0.0, s2_r)
    return np.sqrt((s2_q + (s2_c + s2_r / repeats) / comparisons) / questions)


def expected_half_width(components, questions, comparisons, repeats=1, level=0.95):
    """Return half the width of the interval that a design will give, t_df x se.

    Parameters
    ----------
    components, questions, comparisons, repeats
        As for :func:`design_error`; df = questions - 1.
    level : float

    Returns
    -------
    float or array

    Examples
    --------
    >>> parts = {"s2_q": 0.04, "s2_c": 0.1, "s2_r": 0.02}
    >>> round(float(expected_half_width(parts, 100, 10, 1)), 4)
    0.0452
    """
    error = design_error(components, questions, comparisons, repeats)
    return special.stdtrit(np.asarray(questions) - 1, (1 + level) / 2) * error


def expected_power(components, effect, questions, comparisons, repeats=1, level=0.95):
    """Return the chance that a design finds an effect of this size, by the noncentral t.

    Parameters
    ----------
    components, questions, comparisons, repeats, level
        As for :func:`expected_half_width`.
    effect : float or array
        Distance of the metric from its null value: for ``pf`` from 0.

    Returns
    -------
    float or array

    Examples
    --------
    >>> parts = {"s2_q": 0.04, "s2_c": 0.1, "s2_r": 0.02}
    >>> round(float(expected_power(parts, 0.065, 100, 10, 1)), 2)
    0.81
    """
    error = design_error(components, questions, comparisons, repeats)
    df = np.asarray(questions) - 1
    reach, shift = special.stdtrit(df, (1 + level) / 2), effect / error
    return 1 - special.nctdtr(df, shift, reach) + special.nctdtr(df, shift, -reach)


def planning_table(
    components,
    questions=(20, 40, 80, 160),
    comparisons=(1, 5, 10, 30),
    repeats=(1, 3),
    level=0.95,
    assurance=0.9,
):
    """Lay out what designs of several sizes will give.

    A pilot knows its own variance badly, so that plans are made with an upper bound:

        high^2 = se^2 + s2_mean (df / chi2_(1 - assurance)(df) - 1) / G,

    the upper limit of the variance of a cluster's mean carried over to the planned design. For
    an `assurance` of .9 it is above the truth in .88 to .96 of pilots where PC is .75, and in
    .73 to .87 where PC is .9 and more: a small pilot may miss the few questions that matter.

    *Source: R. H. Browne (1995), On the use of a pilot sample for sample size determination,
    Statistics in Medicine 14(17).*

    Parameters
    ----------
    components : DataFrame
        From :func:`posbias_kit.analysis.variance_components`.
    questions, comparisons, repeats : sequence of int
        Clusters, comparisons in each, independent calls of each presentation.
    level : float
    assurance : float
        One-sided level of the upper bound.

    Returns
    -------
    DataFrame
        One row a group and design: the grouping columns; metric; convention; questions;
        comparisons; repeats; calls (questions x comparisons x repeats x orders); half_width,
        half_width_high; mde, mde_high (minimum detectable effect at power .8); note (why a number
        is missing, and what the pilot says of its variances).

    Raises
    ------
    ParamsError
        A size is no whole number from 1 on, or the level or assurance is outside (0, 1).
    """
    check_settings("planning_table", level=level, assurance=assurance)
    _check_plan(components, questions=questions, comparisons=comparisons, repeats=repeats)
    about = [name for name in components if name not in _DROPPED]
    designs = pd.DataFrame(
        list(product(questions, comparisons, repeats)),
        columns=["questions", "comparisons", "repeats"],
    )
    plan = components[[*about, *PARTS, "s2_mean", "df", "orders", "note"]].merge(designs, "cross")
    g = plan["questions"]
    plan["calls"] = g * plan["comparisons"] * plan["repeats"] * plan["orders"]
    error = design_error(plan, g, plan["comparisons"], plan["repeats"])
    more = plan["df"] / special.chdtri(plan["df"], assurance) - 1
    high = np.sqrt(error**2 + plan["s2_mean"] * more / g)
    for name, se in (("", error), ("_high", high)):
        plan[f"half_width{name}"] = special.stdtrit(g - 1, (1 + level) / 2) * se
        plan[f"mde{name}"] = detectable_effect(se, g - 1, level)
    alone = np.where((g < 2) & ~np.isnan(error), _ONE_QUESTION, "")
    plan["note"] = ["; ".join(filter(None, pair)) for pair in zip(alone, plan["note"], strict=True)]
    widths = ["half_width", "half_width_high", "mde", "mde_high"]
    return plan[[*about, *designs, "calls", *widths, "note"]]


def _check_plan(components, **sizes):
    """Check that there are components, and sizes that are whole numbers from 1 on."""
    missing = [name for name in (*PARTS, "s2_mean", "df", "orders") if name not in components]
    if missing:
        raise ParamsError(
            f"missing column {', '.join(map(repr, missing))}", place="planning_table, components",
            cure="give it the table of variance_components, not verdicts",
        )  # fmt: skip
    for name, values in sizes.items():
        if isinstance(values, int) or not len(values):
            raise ParamsError(
                f"{name} {values!r} is no list of sizes", place="planning_table",
                allowed="a list of whole numbers, 1 or more", cure=f"write {name}=[40, 80]",
            )  # fmt: skip
        for value in values:
            check_whole(value, name, 1, "planning_table")


def cheapest_designs(plans, target, most=2):
    """List for each judge the designs with fewest calls whose upper half-width meets a target.

    Parameters
    ----------
    plans : DataFrame
        From :func:`planning_table`.
    target : float
        Half-width that `half_width_high` must not exceed.
    most : int
        Designs of each group.

    Returns
    -------
    DataFrame
        The columns of `plans`. A group without such a design has one row, its narrowest design
        (the cheapest of several), and the note says that it does not reach the target.
    """
    keys = list(plans.columns[: plans.columns.get_loc("questions")])
    rows = []
    for _, block in plans.groupby(keys, observed=True, sort=False):
        enough = block[block["half_width_high"] <= target].sort_values("calls", kind="stable")
        if len(enough):
            rows.append(enough.head(most))
            continue
        nearest = block.sort_values(["half_width_high", "calls"], kind="stable").head(1)
        said = f"no design of this grid reaches {target:g}"
        said = said + ("; " + nearest["note"]).where(nearest["note"] != "", "")
        rows.append(nearest.assign(note=said))
    return pd.concat(rows, ignore_index=True) if rows else plans


_DROPPED = {
    "estimate", *PARTS, "s2_mean", "df", "clusters", "comparisons", "series", "orders", "note",
}  # fmt: skip
_ONE_QUESTION = "one question: no half-width"
_NOTHING = 1e-12
