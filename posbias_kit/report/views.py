"""What the interactive cells of the chapters show: a table and a plot of the chosen verdicts.

Estimates without intervals by resampling, so that a choice is answered at once; the chapters
above the cells have the intervals.
"""

from functools import partial

from posbias_kit import analysis, data
from posbias_kit.errors import check_choice
from posbias_kit.report import figures
from posbias_kit.report.arms import pick, plain_arm

BIAS_FIGURES = {
    "consistency": figures.plot_consistency,
    "fairness": figures.plot_fairness,
    "consistency against fairness": figures.plot_consistency_fairness,
    "consistency by task": partial(figures.plot_tasks, value="pc"),
    "fairness by task": partial(figures.plot_tasks, value="pf"),
}
"""Figures of :func:`view_bias`."""


def view_bias(verdicts, figure="consistency", convention="paper"):
    """Return consistency and fairness by judge (and task), and a figure of them.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    figure : str
        Of :data:`BIAS_FIGURES`.
    convention : str
        As for :func:`posbias_kit.analysis.position_bias`.

    Returns
    -------
    table : DataFrame
        Point estimates: experiment, judge, arm and task, series, pc_n, pc, pf_n, pf.
    plot : Axes

    Raises
    ------
    ParamsError
        An unknown figure or convention.
    """
    check_choice(figure, BIAS_FIGURES, "figure")
    by = ["judge", "task"] if figure.endswith("by task") else ["judge"]
    table = analysis.position_bias(verdicts, by=by, convention=convention, draws=0)
    plot = BIAS_FIGURES[figure](table)
    return pick(table, ["experiment", *by, "series", "pc_n", "pc", "pf_n", "pf"]), plot


def view_gap(verdicts, scores=None, gap_source="own", response="pc"):
    """Return the quadratic fits of a response on a gap source, and their figure.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table of one experiment. `other_judges` are the others among its judges.
    scores : DataFrame, optional
        Grades of answers, as for :func:`posbias_kit.analysis.build_units`.
    gap_source, response : str
        As for :func:`posbias_kit.analysis.quality_gap_fits`.

    Returns
    -------
    table : DataFrame
        experiment, judge, response, source, n, r_squared, intercept, linear, quadratic, note.
    plot : FacetGrid or Axes
    """
    units = analysis.build_units(verdicts, scores=scores)
    fits = analysis.quality_gap_fits(units, [gap_source], [response])
    plot = figures.plot_quality_gap(plain_arm(units), plain_arm(fits), response)
    columns = ["experiment", "judge", "response", "source", "n", "r_squared"]
    return pick(fits, [*columns, "intercept", "linear", "quadratic", "note"]), plot


def view_agreement(verdicts, families=None, figure="agreement", ties=True):
    """Return the agreement of judges, or the distribution of their disagreement, and a figure.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table of one experiment.
    families : mapping of str to list of str, optional
        As for :func:`posbias_kit.report.plot_agreement`.
    figure : {"agreement", "disagreement"}
    ties : bool
        Whether ties count, as for :func:`posbias_kit.analysis.judge_agreement`.

    Returns
    -------
    table : DataFrame
        From :func:`posbias_kit.analysis.judge_agreement` or
        :func:`posbias_kit.analysis.disagreement_distribution`.
    plot : Axes or ClusterGrid

    Raises
    ------
    ParamsError
        An unknown figure.
    """
    check_choice(figure, ("agreement", "disagreement"), "figure")
    if figure == "disagreement":
        table = analysis.disagreement_distribution(analysis.disagreement(verdicts))
        return table, figures.plot_disagreement(plain_arm(table, one_size=True))
    table = analysis.judge_agreement(verdicts, ties=ties)
    there = set(verdicts["judge"])
    families = {
        name: [j for j in judges if j in there] for name, judges in (families or {}).items()
    }
    return table, figures.plot_agreement(plain_arm(table, one_size=True), families)


def view_order(pairs, by="judge"):
    """Return the order effect from flips alone, and its figure.

    Parameters
    ----------
    pairs : DataFrame
        The verdict table, pairs only.
    by : {"judge", "judge and task"}

    Returns
    -------
    table : DataFrame
        experiment, judge, arm and task, comparisons, flips, beta and p_first with their
        closed-form intervals, note.
    plot : Axes

    Raises
    ------
    ParamsError
        An unknown grouping.
    """
    check_choice(by, ("judge", "judge and task"), "by")
    by = by.split(" and ")
    table = analysis.order_effect(pairs, by=by, pooled=False)
    columns = ["experiment", *by, "comparisons", "flips", "beta", "beta_low", "beta_high"]
    columns = [*columns, "p_first", "p_first_low", "p_first_high", "note"]
    return pick(table, columns), figures.plot_order_effect(table)


def view_plan(presentations):
    """Return the plan of the chosen experiments and tasks.

    Parameters
    ----------
    presentations : DataFrame
        Table of :data:`posbias_kit.schema.PRESENTATIONS`.

    Returns
    -------
    table : DataFrame
        From :func:`posbias_kit.data.describe_plan`.
    plot : None
    """
    return data.describe_plan(presentations), None


def view_counts(verdicts, by="judge"):
    """Return what came back: verdicts for each slot, ties, invalid and failed calls.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : {"judge", "judge and order", "judge and task"}

    Returns
    -------
    table : DataFrame
        From :func:`posbias_kit.analysis.verdict_counts`.
    plot : None

    Raises
    ------
    ParamsError
        An unknown grouping.
    """
    check_choice(by, ("judge", "judge and order", "judge and task"), "by")
    return analysis.verdict_counts(verdicts, by.split(" and ")), None


def view_decision(verdicts, settled=None, rule=None, **changed):
    """Return what the chosen judges and tasks say under a changed rule of decision.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    settled : DataFrame, optional
        What reviewers settled.
    rule : dict, optional
        The rule that was set beforehand, as for :func:`posbias_kit.analysis.decide`; of its
        judges those count that are in the table.
    **changed
        What to take instead, such as ``estimate`` and ``unresolved``.

    Returns
    -------
    table : DataFrame
        The leader's lead over each rival, of :attr:`posbias_kit.analysis.Outcome.rivals`.
    plot : None
    """
    rule = {**(rule or {}), **changed}
    if rule.get("judges"):
        rule["judges"] = [name for name in rule["judges"] if name in set(verdicts["judge"])]
    return analysis.decide(verdicts, **rule, settled=settled).rivals, None


def view_ranks(verdicts, adjusted="order_averaged"):
    """Return the win rates of one order and with the order taken out, and the ranks' figure.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    adjusted : {"order_averaged", "both_agree", "bradley_terry"}
        How the order is taken out, as for :func:`posbias_kit.analysis.adjusted_win_rates`.

    Returns
    -------
    table : DataFrame
        experiment, judge, candidate, method, n, win_rate, rank, rank_change, note.
    plot : Axes
    """
    table = analysis.adjusted_win_rates(verdicts, draws=0)
    columns = ["experiment", "judge", "candidate", "method", "n", "win_rate", "rank"]
    plot = figures.plot_rank_change(plain_arm(table), adjusted=adjusted)
    return pick(table, [*columns, "rank_change", "note"]), plot
