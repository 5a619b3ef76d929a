"""Figure of consistency and fairness as more candidates are shown together."""

import matplotlib.pyplot as plt
import numpy as np

from posbias_kit.report import style


def plot_scalability(table):
    """Draw consistency, and fairness of the first and the last slot, against the set size.

    Parameters
    ----------
    table : DataFrame
        From :func:`posbias_kit.analysis.scalability`, one arm.

    Returns
    -------
    Axes or array of Axes
    """
    told = table.dropna(subset=["pc"])
    if told["slots"].nunique() < 2:
        return style.say(style.new_axes(2), "One set size: nothing to scale.")
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), sharex=True)
    judges = sorted(told["judge"].unique())
    colours = dict(zip(judges, style.colours(len(judges)), strict=True))
    for place, (judge, rows) in enumerate(told.groupby("judge", observed=True)):
        rows, shift = rows.sort_values("slots"), (place - (len(judges) - 1) / 2) * 0.3 / len(judges)
        for ax, name in zip(axes, ("pc", "pf_first", "pf_last"), strict=True):
            value, x = rows[name].to_numpy(dtype=float), rows["slots"].to_numpy(dtype=float) + shift
            ends = [value - rows[f"{name}_low"], rows[f"{name}_high"] - value]
            ends = np.clip(np.nan_to_num(np.array(ends, dtype=float)), 0, None)
            ax.errorbar(x, value, yerr=ends, fmt="o-", markersize=4, color=colours[judge],
                        label=judge)  # fmt: skip
    chance = told.drop_duplicates("slots").sort_values("slots")
    axes[0].plot(chance["slots"], chance["pc_chance"], "--", color=style.INK, label="guessing")
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
    low, high = int(told["slots"].min()), int(told["slots"].max())
    ends = [told.loc[told["slots"] == size, "pc"].mean() for size in (low, high)]
    style.describe(
        axes[0],
        f"Consistency and fairness of the first and last slot from {low} to {high} candidates. "
        f"Mean consistency goes from {ends[0]:.2f} to {ends[1]:.2f}.",
    )
    return axes
