"""Figure of consistency and fairness as more candidates are shown together."""

import matplotlib.pyplot as plt
import numpy as np

from posbias_kit.report import style


def plot_scalability(table):
    """Draw consistency, and fairness of the first and the last slot, against the set size.

    Parameters
    ----------
    table : DataFrame
        From :func:`posbias_kit.analysis.scalability`, one arm; judges of several benchmarks or
        experiments have a line each.

    Returns
    -------
    Axes or array of Axes
    """
    told = table.dropna(subset=["pc"])
    told = told.assign(label=style.label_judges(told.drop(columns="slots")))
    lines = told.groupby("label", observed=True)
    if told.empty or lines["slots"].nunique().max() < 2:
        return style.say(style.new_axes(2), "One set size: nothing to scale.")
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), sharex=True)
    colours = dict(zip(lines.groups, style.colours(lines.ngroups), strict=True))
    for place, (label, rows) in enumerate(lines):
        rows, shift = rows.sort_values("slots"), (place - (len(colours) - 1) / 2) * 0.3
        for ax, name in zip(axes, ("pc", "pf_first", "pf_last"), strict=True):
            value, x = (rows[column].to_numpy(dtype=float) for column in (name, "slots"))
            ends = [value - rows[f"{name}_low"], rows[f"{name}_high"] - value]
            ends = np.clip(np.nan_to_num(np.array(ends, dtype=float)), 0, None)
            ax.errorbar(x + shift / len(colours), value, yerr=ends, fmt="o-", markersize=4,
                        color=colours[label], label=label)  # fmt: skip
    _draw_guessing(axes[0], lines, colours)
    axes[0].set_ylim(0, 1.02)
    for ax, name in zip(axes, ("consistency", "fairness, slot 1", "fairness, last slot"),
                        strict=True):  # fmt: skip
        ax.set_title(name, fontsize=10)
    for ax in axes[1:]:
        ax.axhline(0, color=style.INK, linewidth=1)
    axes[0].set_xticks(sorted(told["slots"].unique().tolist()))
    figure.supxlabel("candidates shown together", fontsize=10)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=min(len(names), 5))
    style.describe(
        axes[0],
        f"Consistency and fairness of the first and last slot from {told['slots'].min()} to "
        f"{told['slots'].max()} candidates. {_read(lines)}",
    )
    return axes


def _draw_guessing(ax, lines, colours):
    """One dashed line for all, or one in each colour where the numbers of orders differ."""
    chance = {
        label: tuple(rows.sort_values("slots")[["slots", "pc_chance"]].itertuples(index=False))
        for label, rows in lines
    }
    sizes = dict(point for points in chance.values() for point in points)
    if all(sizes[slots] == value for points in chance.values() for slots, value in points):
        chance, colours = {"": sorted(sizes.items())}, {"": style.INK}
    for label, points in chance.items():
        told = "guessing, " + label if label else "guessing"
        ax.plot(*zip(*points, strict=True), "--", color=colours[label], label=told)


def _read(lines):
    """Mean consistency at the first and at the last size of each line with several."""
    ends = [rows.sort_values("slots")["pc"].iloc[[0, -1]] for _, rows in lines if len(rows) > 1]
    first, last = np.mean(ends, axis=0)
    return f"Mean consistency goes from {first:.2f} to {last:.2f}."
