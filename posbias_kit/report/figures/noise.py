"""Figures of noise against position, and of slot wins."""

import numpy as np
from matplotlib import pyplot as plt

from posbias_kit.report import style

POSITION, NOISE = style.ACCENT, "#e0c27a"


def plot_noise(split):
    """Draw each judge's inconsistency as what the order adds and what repeats do by themselves.

    The bars add up to the disagreement across orders; a negative excess stands left of 0. The
    whisker is the interval of the excess; behind the bar stands position's share of it.

    Parameters
    ----------
    split : DataFrame
        From :func:`posbias_kit.analysis.inconsistency_split` by judge; rows without repeats are
        left out.

    Returns
    -------
    Axes
    """
    frame = split.dropna(subset=["excess"])
    frame = frame.assign(label=style.label_judges(frame)).sort_values("across")
    ax = style.new_axes(max(len(frame), 3))
    if frame.empty:
        why = "; ".join(split["note"].unique()) or "no verdicts"
        why = why.replace("the split cannot be made", "noise and position cannot be told apart")
        return style.say(ax, f"{why[0].upper()}{why[1:]}.")
    rows, owed = np.arange(len(frame)), frame["excess"].to_numpy(dtype=float)
    bars = {"height": 0.62, "edgecolor": "white", "linewidth": 0.8}
    noise = frame["within"].to_numpy(dtype=float)
    ax.barh(rows, owed, color=POSITION, label="position (excess across orders)", **bars)
    ax.barh(rows, noise, left=np.clip(owed, 0, None), color=NOISE, label="noise", **bars)
    low, high = (frame[f"excess_{side}"].fillna(frame["excess"]) for side in ("low", "high"))
    arms = np.clip([owed - low, high - owed], 0, None)
    ax.errorbar(owed, rows, xerr=arms, fmt="none", ecolor=style.INK, elinewidth=1.4, capsize=2.5)
    ends = np.maximum(np.clip(owed, 0, None) + noise, high)
    for row, (end, share) in enumerate(zip(ends, frame["share"], strict=True)):
        text = "–" if np.isnan(share) else f"{share:.0%}"
        ax.annotate(text, (end, row), xytext=(5, 0), textcoords="offset points", va="center")
    ax.axvline(0, color=style.INK, linewidth=1)
    ax.set_yticks(rows, frame["label"])
    ax.set(ylim=(-0.6, len(frame) - 0.4), xlabel="disagreement across orders (%: owed to position)")
    ax.set_xlim(min(0, low.min(), owed.min()) * 1.1, ends.max() * 1.14 + 0.01)
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2)
    return style.describe(
        ax, f"Inconsistency by judge, split into position and noise. {_read(frame)}"
    )


def plot_slot_wins(slots):
    """Draw the share of wins of each slot, one panel a judge, with its interval.

    The dashed line is 1/p; where the orders were not balanced a dot marks the share that winners
    independent of the slot would give.

    Parameters
    ----------
    slots : DataFrame
        From :func:`posbias_kit.analysis.slot_wins` by judge.

    Returns
    -------
    array of Axes
    """
    frame = slots.assign(label=style.label_judges(slots))
    panels = list(frame.groupby("label", sort=True))
    columns = min(len(panels), 4)
    lines = -(-len(panels) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(max(style.WIDTH, 2.2 * columns), 0.5 + 2.1 * lines),
        sharey=True, squeeze=False,
    )  # fmt: skip
    for ax, (label, rows) in zip(axes.flat, panels, strict=False):
        _draw_slots(ax, rows)
        ax.set_title(style.wrap_name(label), fontsize=9)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    top = np.nanmax(frame[["share", "share_high"]].to_numpy(dtype=float), initial=0.5)
    axes[0, 0].set_ylim(0, min(1.02, 1.12 * top))
    figure.supxlabel("slot", fontsize=10)
    figure.supylabel("share of wins", fontsize=10)
    style.describe(axes[0, 0], f"Share of wins by slot, one panel a judge. {_extreme(frame)}")
    return axes


def _draw_slots(ax, rows):
    place = rows["slot"].to_numpy(dtype=int)
    share = rows["share"].to_numpy(dtype=float)
    low, high = (rows[f"share_{side}"].to_numpy(dtype=float) for side in ("low", "high"))
    told = ~np.isnan(share)
    ax.bar(place[told], share[told], color=POSITION, alpha=0.85, width=0.7)
    for slot in place[~told]:
        ax.annotate("–", (slot, 0), (0, 3), textcoords="offset points", ha="center")
    arms = np.nan_to_num(np.clip([share - low, high - share], 0, None))
    ax.errorbar(place, share, yerr=arms, fmt="none", ecolor=style.INK, elinewidth=1.4)
    ax.axhline(rows["expected"].iloc[0], color=style.INK, linestyle="--", linewidth=1)
    if not rows["balanced"].all():
        ax.plot(place, rows["expected_shown"], "o", color="#d55e00", markersize=5)
    ax.set_xticks(place)
    ax.grid(visible=False, axis="x")


def _read(frame):
    """Say the smallest and the largest share owed to position, for the alt text."""
    told = frame.dropna(subset=["share"]).sort_values("share")
    if told.empty:
        return "No judge is ever inconsistent."
    low, high = told.iloc[0], told.iloc[-1]
    return (
        f"Position's share runs from {low['share']:.0%} ({low['label']}) to "
        f"{high['share']:.0%} ({high['label']})."
    )


def _extreme(frame):
    """Say which slot is farthest from what is expected, for the alt text."""
    told = frame.dropna(subset=["excess"])
    if told.empty:
        return "No excess can be told."
    row = told.loc[told["excess"].abs().idxmax()]
    return (
        f"Farthest from its expectation: slot {row['slot']} of {row['label']}, "
        f"{row['share']:.2f} where {row['expected_shown']:.2f} is expected."
    )
