"""Figures of stability, consistency and fairness."""

import numpy as np
import seaborn as sns

from posbias_kit.report import style


def plot_consistency(bias):
    """Draw position consistency of each judge with its interval, best first.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias` by judge, one convention.

    Returns
    -------
    Axes
    """
    if bias["pc"].isna().all():
        return style.say_nothing_to_draw(style.new_axes(2), "Position consistency")
    ax = _forest(bias, "pc")
    ax.set(xlabel="position consistency (share of complete series)", xlim=(0, 1.02), ylabel="")
    return style.describe(ax, f"Position consistency by judge. {_read_out(bias, 'pc')}")


def plot_fairness(bias):
    """Draw preference fairness of each judge with its interval, around the fair line.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias` by judge, one convention.

    Returns
    -------
    Axes
    """
    if bias["pf"].isna().all():
        return style.say_nothing_to_draw(style.new_axes(2), "Preference fairness")
    ax = _forest(bias, "pf")
    ax.axvline(0, color=style.INK, linewidth=1)
    reach = max(0.1, np.nanmax(bias[["pf", "pf_low", "pf_high"]].abs().to_numpy(dtype=float)))
    ax.set(xlabel="preference fairness", xlim=(-1.08 * reach, 1.08 * reach), ylabel="")
    _name_ends(ax)
    return style.describe(ax, f"Preference fairness by judge. {_read_out(bias, 'pf')}")


def plot_tasks(bias, value="pc"):
    """Draw a heat map of `pc` or `pf` over judges and tasks, with the number of series.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias` by judge and task, one convention.
    value : {"pc", "pf"}

    Returns
    -------
    Axes
    """
    name = {"pc": "position consistency", "pf": "preference fairness"}[value]
    if bias[value].isna().all():
        return style.say_nothing_to_draw(style.new_axes(2), name.capitalize())
    frame = bias.assign(label=style.label_judges(bias))
    matrix = frame.pivot(index="label", columns="task", values=value).astype(float)
    sizes = frame.pivot(index="label", columns="task", values=f"{value}_n")
    notes = matrix.map("{:.2f}".format) + "\n" + sizes.map("n={}".format)
    notes = notes.where(matrix.notna(), "–")
    rows, columns = ([style.wrap_name(str(name)) for name in names]
                     for names in (matrix.index, matrix.columns))  # fmt: skip
    longest = max(len(line) for label in rows for line in label.splitlines())
    width = max(2.4, 1.1 + 0.08 * longest) + 0.6 * len(columns)
    ax = style.new_axes(len(matrix), width=width, per_row=0.45)
    limits = {"vmin": 0, "vmax": 1, "cmap": style.SEQUENTIAL}
    if value == "pf":
        reach = max(0.1, np.nanmax(np.abs(matrix.to_numpy())))
        limits = {"vmin": -reach, "vmax": reach, "cmap": style.DIVERGING}
    options = {"annot_kws": {"size": 7.5}, "cbar_kws": {"label": name}, "linewidths": 1}
    ax.figure.set_visible(False)  # else seaborn draws it once, to see whether labels overlap
    names = {"xticklabels": columns, "yticklabels": rows}
    sns.heatmap(matrix, annot=notes, fmt="", ax=ax, **names, **limits, **options)
    ax.figure.set_visible(True)
    for text in ax.texts:
        text.set_in_layout(False)  # they lie in their cells: nothing to make room for
    ax.set(xlabel="", ylabel="")
    ax.tick_params(axis="y", rotation=0)
    ax.set_xticks(ax.get_xticks(), ax.get_xticklabels(), rotation=35, ha="right")
    low, high = matrix.stack().idxmin(), matrix.stack().idxmax()
    ends = f"Lowest: {low[0]} on {low[1]}; highest: {high[0]} on {high[1]}."
    return style.describe(ax, f"Heat map of {name}, judges by tasks. {ends}")


def plot_stability(stability, threshold=0.85):
    """Draw repetition stability of each judge beside what guessing would reach.

    Where some repeats brought no verdict, a ring is the stability of the valid ones: that is what
    the chance level compares with.

    Parameters
    ----------
    stability : DataFrame
        From :func:`posbias_kit.analysis.repetition_stability` by judge; rows without repeats
        are left out.
    threshold : float
        Drawn as a line: below it a judge counts as unstable.

    Returns
    -------
    Axes
    """
    frame = stability[stability["rs"].notna()].copy()
    if frame.empty:
        return style.say_nothing_to_draw(style.new_axes(2), "Repetition stability")
    frame["label"] = style.label_judges(frame)
    frame = frame.sort_values("rs", ascending=True)
    ax = style.new_axes(len(frame))
    rows = np.arange(len(frame))
    ax.barh(rows, frame["rs"], color=style.ACCENT, alpha=0.85, height=0.62)
    ax.errorbar(frame["rs"], rows, xerr=_arms(frame, "rs"), fmt="none", ecolor=style.INK)
    ax.plot(frame["rs_chance"], rows, "|", color="#d55e00", markersize=16, markeredgewidth=2.5)
    apart = ((frame["rs_valid"] - frame["rs"]).abs() > 1e-9).to_numpy()
    ring = {"markerfacecolor": "white", "color": style.INK, "markersize": 7}
    ax.plot(frame["rs_valid"][apart], rows[apart], "o", **ring)
    ax.axvline(threshold, color=style.INK, linestyle="--", linewidth=1)
    ax.text(threshold, len(frame) - 0.35, f" {threshold:g}", ha="center", va="bottom", fontsize=9)
    ax.set_yticks(rows, frame["label"])
    more = "; ring: of valid repeats" if apart.any() else ""
    ax.set(xlabel=f"repetition stability (orange: chance level{more})", xlim=(0, 1.02))
    ax.grid(visible=False, axis="y")
    return style.describe(
        ax, f"Repetition stability by judge, with the chance level. {_read_out(frame, 'rs')}"
    )


def plot_consistency_fairness(bias):
    """Draw position consistency against preference fairness, one point a judge.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias` by judge, one convention.

    Returns
    -------
    Axes
    """
    frame = bias.assign(label=style.label_judges(bias)).dropna(subset=["pc", "pf"])
    if frame.empty:
        return style.say_nothing_to_draw(style.new_axes(2), "Consistency against fairness")
    ax = style.new_axes(9)
    # |pf| <= 1 - pc: a consistent series has no lean.
    ax.fill_betweenx([0, 1], [1, 0], 1, color="#eef1f4", zorder=0)
    ax.fill_betweenx([0, 1], [-1, 0], -1, color="#eef1f4", zorder=0)
    ax.axvline(0, color=style.INK, linewidth=1)
    many = {"markers": True, "s": 90, "ax": ax}
    sns.scatterplot(frame, x="pf", y="pc", hue="label", style="label", **many)
    reach = max(0.15, 1.3 * frame["pf"].abs().max())
    ax.set(ylabel="position consistency", xlabel="preference fairness")
    ax.set(xlim=(-reach, reach), ylim=(max(0, frame["pc"].min() - 0.12), 1.01))
    _name_ends(ax)
    sns.move_legend(ax, "center left", bbox_to_anchor=(1.01, 0.5), title=None)
    return style.describe(
        ax,
        "Position consistency against preference fairness by judge; the grey corners cannot "
        f"occur. {_read_out(frame, 'pc')} {_read_out(frame, 'pf')}",
    )


def _forest(frame, value):
    frame = frame.assign(label=style.label_judges(frame)).sort_values(value, na_position="first")
    ax = style.new_axes(len(frame))
    rows = np.arange(len(frame))
    ax.errorbar(
        frame[value].astype(float), rows, xerr=_arms(frame, value), fmt="o", color=style.ACCENT,
        ecolor=style.QUIET, elinewidth=2, markersize=7,
    )  # fmt: skip
    ax.set_yticks(rows, frame["label"])
    ax.set_ylim(-0.7, len(frame) - 0.3)
    ax.grid(visible=False, axis="y")
    return ax


def _arms(frame, value):
    """Distances from the estimate to the interval's ends; none where there is no interval."""
    centre = frame[value].to_numpy(dtype=float)
    low, high = (frame[f"{value}_{side}"].to_numpy(dtype=float) for side in ("low", "high"))
    return np.clip(np.nan_to_num([centre - low, high - centre]), 0, None)


def _name_ends(ax):
    ax.text(0.0, 1.01, "← leans to the first slot", transform=ax.transAxes, fontsize=9)
    ax.text(1.0, 1.01, "leans to the last slot →", transform=ax.transAxes, fontsize=9, ha="right")


def _read_out(frame, value):
    """Say the highest and the lowest in words, for the alt text."""
    told = frame.assign(label=style.label_judges(frame)).dropna(subset=[value])
    if told.empty:
        return "No estimate."
    told = told.sort_values(value)
    low, high = told.iloc[0], told.iloc[-1]
    return f"From {low['label']} {low[value]:.2f} to {high['label']} {high[value]:.2f}."
