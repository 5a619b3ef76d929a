"""Figure of what a judge costs against how consistent it is."""

import numpy as np
import seaborn as sns

from posbias_kit.report import style

_MONEY, _TOKENS = "money_per_1000_calls", "tokens_per_call"
_APART = 20
"""From this ratio of dearest to cheapest on the axis is logarithmic."""


def plot_cost(costs):
    """Draw position consistency against cost, one point a judge that was asked.

    Cost is money per 1,000 calls where every judge asked has a price in one currency, else tokens
    a call. Judges that made no call, or whose cost is not known, are counted above and not drawn.

    Parameters
    ----------
    costs : DataFrame
        From :func:`posbias_kit.report.judge_costs`.

    Returns
    -------
    Axes
    """
    asked = costs[costs["calls"] > 0]
    priced = len(asked) and asked[_MONEY].notna().all() and asked["currency"].nunique() == 1
    value = _MONEY if priced else _TOKENS
    frame = costs.assign(label=style.label_judges(costs)).dropna(subset=[value, "pc"])
    if frame.empty:
        why = "the log tells neither tokens nor prices" if len(asked) else "no judge was asked here"
        return style.say(style.new_axes(2), f"Cost against consistency: {why}.")
    ax = style.new_axes(9)
    ends = [(frame["pc"] - frame["pc_low"]), (frame["pc_high"] - frame["pc"])]
    ends = np.clip(np.nan_to_num(np.array(ends, dtype=float)), 0, None)
    ax.errorbar(
        frame[value], frame["pc"], yerr=ends, fmt="none", ecolor=style.QUIET, elinewidth=1.4
    )
    many = {"markers": True, "s": 90, "ax": ax, "zorder": 3}
    sns.scatterplot(frame, x=value, y="pc", hue="label", style="label", **many)
    _scale(ax, frame[value])
    unit = f"{asked['currency'].iloc[0]} per 1,000 calls" if priced else "tokens a call"
    ax.set(xlabel=unit, ylabel="position consistency")
    ax.set_ylim(max(0, min(frame["pc"].min() - 0.12, frame["pc_low"].min() - 0.02)), 1.01)
    sns.move_legend(ax, "center left", bbox_to_anchor=(1.01, 0.5), title=None)
    left_out = _left_out(costs, frame)
    ax.text(0, 1.02, left_out, transform=ax.transAxes, fontsize=9, color=style.QUIET)
    return style.describe(
        ax, f"Position consistency against {unit}. {_read_out(frame, value)} {left_out}".strip()
    )


def _scale(ax, values):
    if values.min() > 0 and values.max() / values.min() > _APART:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xlim(0, 1.12 * values.max() or 1)


def _left_out(costs, frame):
    """Say how many judges are not drawn, and why."""
    without = int((costs["calls"] == 0).sum())
    unknown = len(costs) - len(frame) - without
    said = [f"{without} without a call"] * bool(without)
    said += [f"{unknown} of unknown cost"] * bool(unknown)
    return f"Not drawn: {', '.join(said)}." if said else ""


def _read_out(frame, value):
    """Say the cheapest and the dearest, for the alt text."""
    told = frame.sort_values(value)
    ends = [told.iloc[0], told.iloc[-1]][: len(told)]
    return " ".join(
        f"{row['label']}: {row[value]:.3g}, consistency {row['pc']:.2f}." for row in ends
    )
