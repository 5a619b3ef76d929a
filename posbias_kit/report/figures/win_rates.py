"""Figure of what the order does to the ranking of the candidates."""

import matplotlib.pyplot as plt
import numpy as np

from posbias_kit.analysis.rank_changes import moves
from posbias_kit.report import style

_NAMES = {
    "both_agree": "both orders agree",
    "order_averaged": "order-averaged",
    "bradley_terry": "Bradley-Terry\nwith order term",
    "first_shown": "shown first only",
    "second_shown": "shown second only",
}
_UP, _DOWN = "#0072b2", "#d55e00"


def plot_rank_change(table, raw=None, adjusted="order_averaged", columns=2):
    """Draw how the ranks of one order change once the order is taken out, a panel a judge.

    Candidates stand in the order of their ranks on both sides, with their win rates; equal ranks
    stand under each other. A coloured line that rises is a candidate that one order put too low.
    Where equal ranks on one side are told apart on the other, the tie is broken and nobody moved.

    Parameters
    ----------
    table : DataFrame
        From :func:`posbias_kit.analysis.adjusted_win_rates` by judge.
    raw, adjusted : str
        Methods on the left and on the right; without `raw` the first order of each judge's plan.
    columns : int
        Panels in a row.

    Returns
    -------
    Axes
        The first panel.
    """
    frame = table.assign(label=style.label_judges(table))
    judges = list(frame["label"].unique())
    size = frame.groupby("label")["candidate"].nunique().max()
    columns = min(columns, len(judges))
    rows = -(-len(judges) // columns)
    width = 2.8 + 0.14 * frame["candidate"].str.len().max()
    _, axes = plt.subplots(
        rows, columns, squeeze=False, figsize=(width * columns, rows * (1.1 + 0.24 * size))
    )
    notes, left = [], {}
    for ax, judge in zip(axes.flat, judges, strict=False):
        rows = frame[frame["label"] == judge]
        left[judge] = raw or _first_order(rows, adjusted)
        notes.append(_draw(ax, rows, judge, (left[judge], adjusted)))
    for ax in axes.flat[len(judges) :]:
        ax.set_axis_off()
    names = " and ".join(map(_name, dict.fromkeys(left.values())))
    sides = f"{names} against {_name(adjusted)}".replace("\n", " ")
    return style.describe(axes[0, 0], f"Ranks of the candidates, {sides}. {' '.join(notes)}")


def _first_order(rows, adjusted):
    """Name the first order that has a rank: pairs and sets have different ones."""
    orders = rows["method"][rows["method"].str.startswith("order_") & rows["rank"].notna()]
    return min(set(orders) - {"order_averaged"}, default=adjusted)


def _draw(ax, frame, judge, methods):
    """Draw one judge; return what it shows in words."""
    sides = [frame[frame["method"] == method].set_index("candidate") for method in methods]
    left, right = (_place(side, other) for side, other in (sides, sides[::-1]))
    both = left.index.intersection(right.index)
    rises = moves(left.loc[both, "rank"], right.loc[both, "rank"])
    for name, rise in rises.items():
        colour = style.QUIET if rise == 0 else _UP if rise > 0 else _DOWN
        ends = left.at[name, "place"], right.at[name, "place"]
        ax.plot([0, 1], ends, "o-", color=colour, linewidth=1 + (rise != 0), markersize=4)
    for x, side, align in ((0, left, "right"), (1, right, "left")):
        for name, row in side.iterrows():
            text = _say(name, row, align)
            offset = (-8 if align == "right" else 8, 0)
            ax.annotate(
                text, (x, row["place"]), offset, textcoords="offset points", ha=align, va="center",
                fontsize=8,
            )  # fmt: skip
    lowest = max(len(left), len(right), 1)
    ax.set(title=style.wrap_name(judge), xlim=(-0.02, 1.02), ylim=(lowest + 0.6, 0.4), yticks=[])
    ax.set_xticks([0, 1], [_name(method) for method in methods])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    moved = rises[rises != 0]
    if moved.empty:
        return f"{judge}: no rank changes."
    most = moved.abs().idxmax()
    change = f"{most} from {left.at[most, 'rank']} to {right.at[most, 'rank']}"
    return f"{judge}: {len(moved)} of {len(left)} ranks change, most {change}."


def _place(side, other):
    """Give every candidate with a rank its own line; equal ranks stand as on the other side."""
    side = side[side["rank"].notna()]
    side = side.assign(other=other["rank"].reindex(side.index), name=side.index)
    side = side.sort_values(["rank", "other", "name"])
    return side.assign(place=np.arange(1, len(side) + 1))


def _say(name, row, align):
    rate = "–" if np.isnan(row["win_rate"]) else f"{row['win_rate']:.2f}"
    parts = [str(name), rate, str(row["rank"])]
    return "  ".join(parts if align == "right" else parts[::-1])


def _name(method):
    return _NAMES.get(method, method.replace("order_", "order ") + " only")
