"""Figures of the answer-quality gap."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from posbias_kit.analysis import OWR, quadratic_curve
from posbias_kit.report import style

_NAMES = {"pc": "position consistency", "pf": "preference fairness"}
_SOURCES = {
    "own": "own verdicts",
    "other_judges": "other judges' verdicts",
    "scores": "scores of the answers",
}


def plot_quality_gap(units, fits, response="pc"):
    """Draw a response against the overall win rate, a panel for each judge and gap source.

    Points are units (candidate x task), the curve is the quadratic fit. For `pc` against a
    judge's own win rate, the grey region is impossible: the gap is at most pc / 2. Source
    `scores` has the difference of mean scores in the place of the win rate.

    Parameters
    ----------
    units : DataFrame
        From :func:`posbias_kit.analysis.build_units`.
    fits : DataFrame
        From :func:`posbias_kit.analysis.quality_gap_fits`.
    response : {"pc", "pf"}

    Returns
    -------
    FacetGrid
        Or Axes with a sentence, where the response was not fitted.
    """
    fits = fits.assign(label=style.label_judges(fits))[fits["response"] == response]
    if fits.empty:
        words = f"{_NAMES[response].capitalize()} is not among the responses of this study."
        return style.say(style.new_axes(2), words)
    sources = list(fits["source"].unique())
    units = units.assign(label=style.label_judges(units))
    points = pd.concat(
        [units.assign(source=source, win_rate=units[OWR[source]]) for source in sources]
    )
    with plt.rc_context({"figure.constrained_layout.use": False}):  # the grid lays itself out
        grid = sns.FacetGrid(
            points, row="label", col="source", height=2.4, aspect=1.5, sharex="col",
        )  # fmt: skip
    grid.map_dataframe(sns.scatterplot, x="win_rate", y=response, s=18, alpha=0.5, linewidth=0)
    grid.set_titles("")
    for (label, source), ax in grid.axes_dict.items():
        _draw_fit(ax, fits[(fits["label"] == label) & (fits["source"] == source)], response, source)
        ax.set_title(f"{label}\n{_SOURCES[source]}", fontsize=9)
    grid.set(ylim=(-0.05, 1.05) if response == "pc" else (-1.05, 1.05))
    grid.set_axis_labels("overall win rate", _NAMES[response])
    for ax, source in zip(grid.axes[0], grid.col_names, strict=True):
        if source != "scores":
            ax.set_xlim(-0.02, 1.02)  # shared by the column
    for ax, source in zip(grid.axes[-1], grid.col_names, strict=True):
        if source == "scores":
            ax.set_xlabel("difference of mean scores")
    grid.tight_layout()
    style.describe(grid, f"{_NAMES[response].capitalize()} against overall win rate. {_say(fits)}")
    return grid


def _draw_fit(ax, fit, response, source):
    if response == "pc" and source == "own":
        owr = np.array([0, 0.5, 1])
        ax.fill_between(owr, 2 * np.abs(owr - 0.5), color="#e4e7eb", zorder=0, linewidth=0)
    if fit.empty or not np.isfinite(fit["r_squared"].iloc[0]):
        note = fit["note"].iloc[0] if len(fit) else "no fit"
        ax.text(0.5, 0.5, note, transform=ax.transAxes, ha="center", fontsize=8)
        return
    fit = fit.iloc[0]
    owr = np.linspace(0, 1, 101) if source != "scores" else np.linspace(*ax.get_xlim(), 101)
    ax.plot(owr, quadratic_curve(fit, owr), color="#d55e00", linewidth=2)
    ax.text(
        0.03,
        0.04,
        f"R² = {fit['r_squared']:.2f}, n = {fit['n']}",
        transform=ax.transAxes,
        fontsize=8,
    )


def _say(fits):
    told = fits.dropna(subset=["r_squared"])
    parts = [
        f"{row.label}, {_SOURCES[row.source]}: R squared {row.r_squared:.2f}"
        for row in told.itertuples()
    ]
    return "; ".join(parts) + "." if parts else "No fit was possible."
