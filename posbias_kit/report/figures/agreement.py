"""Figures of agreement and disagreement between judges."""

import matplotlib.pyplot as plt
import seaborn as sns

from posbias_kit.analysis import agreement_matrix, judge_linkage, name_families
from posbias_kit.report import style


def plot_agreement(agreement, families=None):
    """Draw the agreement of each pair of judges, with the dendrogram where it can be made.

    Parameters
    ----------
    agreement : DataFrame
        From :func:`posbias_kit.analysis.judge_agreement`: one benchmark, experiment and value of
        `ties`.
    families : mapping of str to list of str, optional
        Declared families, shown as a colour beside each judge.

    Returns
    -------
    ClusterGrid or Axes
        Axes where fewer than three judges, or a pair without a shared instance, leave nothing
        to cluster.
    """
    if agreement["agreement"].isna().all():
        return style.say_nothing_to_draw(style.new_axes(2), "Agreement between judges")
    matrix = agreement_matrix(agreement)
    options = {"annot": True, "fmt": ".2f", "vmin": 0, "vmax": 1, "cmap": style.SEQUENTIAL}
    options |= {"annot_kws": {"size": 8}, "linewidths": 1}
    ties = "with ties" if agreement["ties"].all() else "without ties"
    text = f"Share of identical choices between judges, {ties}. {_read_out(agreement)}"
    if len(matrix) < 3 or matrix.isna().any(axis=None):
        ax = style.new_axes(len(matrix), per_row=0.6)
        sns.heatmap(matrix, ax=ax, **options)
        ax.set(xlabel="", ylabel="")
        return style.describe(ax, text)
    size = 2.6 + 0.55 * len(matrix)
    tree = judge_linkage(matrix)
    with plt.rc_context({"figure.constrained_layout.use": False}):
        grid = sns.clustermap(
            matrix, row_linkage=tree, col_linkage=tree, figsize=(size + 0.8, size),
            row_colors=_family_colours(matrix.index, families), cbar_pos=None, **options,
        )  # fmt: skip
    grid.ax_heatmap.set(xlabel="", ylabel="")
    grid.ax_heatmap.tick_params(axis="y", labelrotation=0)
    grid.ax_heatmap.set_xticks(
        grid.ax_heatmap.get_xticks(), grid.ax_heatmap.get_xticklabels(), rotation=35, ha="right"
    )
    style.describe(grid.ax_heatmap, text)
    return grid


def plot_disagreement(distribution):
    """Draw how many instances so many judges dissent on, with the cumulative curve.

    Parameters
    ----------
    distribution : DataFrame
        From :func:`posbias_kit.analysis.disagreement_distribution`: one experiment.

    Returns
    -------
    Axes
    """
    ax = style.new_axes(8, width=5.6)
    ax.bar(distribution["dissenting"], distribution["share"], color=style.ACCENT, width=0.7)
    ax.plot(
        distribution["dissenting"], distribution["cumulative"], "o-", color="#d55e00",
        label="cumulative share",
    )  # fmt: skip
    _count_below(ax, distribution)
    ax.set(xlabel="judges not choosing the modal verdict", ylabel="share of instances")
    ax.set_ylim(0, 1.06)
    ax.legend(loc="center right")
    full = distribution.loc[distribution["dissenting"] == 0, "share"].sum()
    return style.describe(
        ax,
        f"Instances by number of dissenting judges, with the cumulative share. On {full:.0%} of "
        "instances nobody dissents.",
    )


def plot_reliability(reliability):
    """Draw how often the majorities of two halves of the judges agree, by difficulty.

    Parameters
    ----------
    reliability : DataFrame
        From :func:`posbias_kit.analysis.majority_reliability`: one experiment.

    Returns
    -------
    Axes
    """
    told = reliability.dropna(subset=["reliability"])
    ax = style.new_axes(6, width=5.6)
    if told.empty:
        words = "With fewer than four judges on the same instances reliability cannot be estimated."
        return style.say(ax, words)
    ax.plot(told["dissenting"], told["reliability"], "o-", color=style.ACCENT)
    _count_below(ax, told)
    ax.set(xlabel="judges not choosing the modal verdict", ylabel="chance that two halves agree")
    ax.set_ylim(0, 1.08)
    words = f"From {told['reliability'].max():.2f} down to {told['reliability'].min():.2f}."
    return style.describe(ax, f"Majority reliability by number of dissenting judges. {words}")


def _count_below(ax, table):
    """Put the number of instances under each number of dissenting judges."""
    ax.set_xticks(table["dissenting"])
    ax.set_xticklabels([f"{row.dissenting}\nn={row.instances}" for row in table.itertuples()])


def _family_colours(judges, families):
    if not families:
        return None
    names = name_families(judges, families)
    colours = dict(zip(dict.fromkeys(names), sns.color_palette(style.PALETTE, 20), strict=False))
    return [colours[name] for name in names]


def _read_out(agreement):
    told = agreement.dropna(subset=["agreement"]).sort_values("agreement")
    if told.empty:
        return "No two judges share an instance."
    low, high = told.iloc[0], told.iloc[-1]
    return (
        f"Lowest {low['judge']} and {low['other']} {low['agreement']:.2f}; "
        f"highest {high['judge']} and {high['other']} {high['agreement']:.2f}."
    )
