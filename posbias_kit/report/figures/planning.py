"""Figures for planning a study from a pilot."""

import matplotlib.pyplot as plt
import seaborn as sns

from posbias_kit.report import style

_NAMES = {"pc": "position consistency", "pf": "preference fairness"}
_VALUES = {
    "half_width": "expected half-width",
    "half_width_high": "half-width, upper bound",
    "mde": "minimum detectable effect",
    "mde_high": "minimum detectable effect, upper bound",
}


def plot_planning(table, value="half_width_high", target=None):
    """Draw what designs will give against the number of questions, a panel a judge.

    A line is a number of comparisons a question; dashes tell numbers of repeats apart.

    Parameters
    ----------
    table : DataFrame
        From :func:`posbias_kit.analysis.planning_table` by judge, one metric; designs without
        an answer are left out.
    value : {"half_width_high", "half_width", "mde_high", "mde"}
    target : float, optional
        Drawn as a line: the half-width or effect that is wanted.

    Returns
    -------
    FacetGrid
        Or Axes with a sentence, where no design has an answer.
    """
    table = table.assign(label=style.label_judges(table)).dropna(subset=[value])
    if table.empty:
        return style.say(style.new_axes(2), "No design has an answer.")
    names = {"comparisons": "comparisons a question", "repeats": "repeats"}
    frame = table.rename(columns=names)
    many = frame["label"].nunique()
    with plt.rc_context({"figure.constrained_layout.use": False}):  # the grid lays itself out
        grid = sns.relplot(
            frame, x="questions", y=value, hue=names["comparisons"], style=names["repeats"],
            col="label", col_wrap=2 if many in (2, 4) else 3, kind="line", marker="o",
            palette=style.SEQUENTIAL, legend="full", height=2.4, aspect=1.25,
        )  # fmt: skip
    ticks = sorted(frame["questions"].unique())
    grid.set(xscale="log", ylim=(0, None))
    for ax in grid.axes.flat:
        ax.set_xticks(ticks, ticks)
        ax.set_xticks([], minor=True)
        if target is not None:
            ax.axhline(target, color=style.INK, linestyle=":", linewidth=1)
    grid.set_axis_labels("questions", _VALUES[value])
    for label, ax in grid.axes_dict.items():
        ax.set_title(style.wrap_name(label))
    grid.tight_layout()
    return style.describe(grid, _read_out(table, value, target))


def _read_out(table, value, target):
    """Say the ends in words, and for each judge the cheapest design that meets the target."""
    text = (
        f"{_VALUES[value].capitalize()} of {_NAMES[table['metric'].iloc[0]]} by number of "
        f"questions, comparisons and repeats: from {table[value].min():.3f} to "
        f"{table[value].max():.3f}."
    )
    if target is None:
        return text
    for label, plans in table.groupby("label", sort=False):
        enough = plans[plans[value] <= target].sort_values("calls")
        text += f" {label}: {_say(enough.iloc[0]) if len(enough) else 'no design'} for {target:g}."
    return text


def _say(plan):
    size = f"{plan['questions']} questions x {plan['comparisons']} comparisons"
    return size if plan["repeats"] == 1 else f"{size} x {plan['repeats']} repeats"
