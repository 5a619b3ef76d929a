"""Figures of arms: what another way of asking changes, and how scales are used."""

import matplotlib.pyplot as plt
import numpy as np

from posbias_kit.report import style

_NAMES = {
    "pc": "consistency", "pf": "fairness", "first": "share of slot 1", "ties": "share of ties",
    "beta": "beta (log-odds)",
}  # fmt: skip


def plot_arms(differences, order=()):
    """Draw each arm's difference from the plain one with its interval, a panel a metric.

    Parameters
    ----------
    differences : DataFrame
        From :func:`posbias_kit.analysis.arm_differences`; several benchmarks or numbers of slots
        stand side by side, each in a colour of its own.
    order : sequence of str
        Arms from top to bottom; those not named follow. The one without a difference is the
        plain one, and is named where it has a name.

    Returns
    -------
    Axes or array of Axes
    """
    told = differences.dropna(subset=["difference"])
    told = told.assign(label=style.label_judges(told.drop(columns="arm")))
    if told.empty:
        ax = style.new_axes(2)
        return style.say(ax, "One arm, or none with the plain arm's comparisons: no difference.")
    named = dict.fromkeys([*order, *differences["arm"]])
    arms = [arm for arm in named if (differences["arm"] == arm).any()]
    judges = list(dict.fromkeys(told["label"]))
    metrics = [name for name in _NAMES if (told["metric"] == name).any()]
    colours = dict(zip(judges, style.colours(len(judges)), strict=True))
    height = 1.4 + (0.2 + 0.13 * len(judges)) * len(arms)
    figure, axes = plt.subplots(
        1, len(metrics), figsize=(1.2 + 2.1 * len(metrics), height), sharey=True, squeeze=False
    )
    for ax, metric in zip(axes[0], metrics, strict=True):
        for place, judge in enumerate(judges):
            rows = told[(told["metric"] == metric) & (told["label"] == judge)]
            shift = (place - (len(judges) - 1) / 2) * 0.7 / len(judges)
            where = np.array([arms.index(arm) for arm in rows["arm"]]) + shift
            ends = [rows["difference"] - rows["low"], rows["high"] - rows["difference"]]
            ends = np.clip(np.nan_to_num(np.array(ends, dtype=float)), 0, None)
            ax.errorbar(rows["difference"].astype(float), where, xerr=ends, fmt="o", markersize=4,
                        color=colours[judge], label=judge)  # fmt: skip
        ax.axvline(0, color=style.INK, linewidth=1)
        ax.set_title(_NAMES[metric], fontsize=9)
        ax.grid(visible=False, axis="y")
    axes[0, 0].set_yticks(range(len(arms)), arms)
    axes[0, 0].set_ylim(len(arms) - 0.4, -0.6)
    plain = [arm for arm in order if arm and not (differences["arm"] == arm).any()]
    figure.supxlabel(f"arm minus arm {plain[0]}" if len(plain) == 1 else "arm minus plain arm",
                     fontsize=10)  # fmt: skip
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=min(len(judges), 4))
    style.describe(axes[0, 0], "Differences of each arm from the plain one by metric, with "
                   f"intervals. Farthest: {_name_farthest(told, metrics)}.")  # fmt: skip
    return axes[0]


def _name_farthest(told, metrics):
    """The largest difference of each metric: shares and log-odds are not to be compared."""
    rows = [told[told["metric"] == metric] for metric in metrics]
    far = [block.loc[block["difference"].abs().idxmax()] for block in rows]
    return "; ".join(
        f"{_NAMES[row['metric']]} of {row['label']} in arm {row['arm']}, {row['difference']:+.2f}"
        for row in far
    )


def plot_scores(counts):
    """Draw how often each score was given, a panel an arm, a line a judge.

    Parameters
    ----------
    counts : DataFrame
        From :func:`posbias_kit.judging.count_scores`.

    Returns
    -------
    Axes or array of Axes
    """
    if counts.empty:
        return style.say(style.new_axes(2), "No arm scores answers alone.")
    scales = counts.drop_duplicates(["arm", "scale"]).sort_values(["scale", "arm"])
    panels = list(scales[["arm", "scale"]].itertuples(index=False, name=None))
    judges = sorted(counts["judge"].unique())
    hues = dict(zip(judges, style.colours(len(judges)), strict=True))
    size = (max(style.WIDTH, 2.9 * len(panels)), 2.9 + 0.08 * len(judges))
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False)
    for ax, (arm, scale) in zip(axes[0], panels, strict=True):
        for judge, rows in counts[counts["arm"] == arm].groupby("judge", observed=True):
            width = max(1, scale // 20)  # a fine scale is read in steps
            step = ((rows["score"].astype(int) - 1) // width) * width + (width + 1) / 2
            share = rows["share"].groupby(step).sum()
            ax.plot(share.index, share, "o-", markersize=4, label=judge, color=hues[judge])
        ax.set_title(f"{arm}: 1 to {scale}", fontsize=9)
        ax.set(xlabel="score", ylim=(0, None))
    axes[0, 0].set_ylabel("share of answers")
    handles, told = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, told, loc="outside upper center", ncols=min(len(judges), 3))
    names = ", ".join(f"1 to {scale}" for _, scale in panels)
    style.describe(axes[0, 0], f"Distribution of scores by judge on scales {names}.")
    return axes[0]
