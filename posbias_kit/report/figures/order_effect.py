"""Figure of the order effect, on the scales of log-odds and of probability."""

import numpy as np
from scipy.special import expit, logit

from posbias_kit.report import style

_SHARES = np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])
_FINE_SHARES = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
_REACH = 4.5
"""Log-odds at which the axis ends (probability .989); longer intervals are cut."""


def plot_order_effect(table):
    """Draw the order effect of each judge with its interval, on two scales.

    Below stands beta in log-odds, above P(first | equal answers, decisive) = sigma(beta). The
    small ring is the pooled logit, which shrinks towards 0 where quality varies. A row that has
    no estimate says why in words. Intervals are cut at +-4.5.

    Parameters
    ----------
    table : DataFrame
        From :func:`posbias_kit.analysis.order_effect`, by judge or by judge and task.

    Returns
    -------
    Axes
    """
    frame = table.assign(label=style.label_judges(table))
    if "task" not in frame:
        frame = frame.sort_values("beta", na_position="first")
    else:
        frame = frame.assign(label=frame["label"] + " · " + frame["task"].astype(str)).iloc[::-1]
    rows = np.arange(len(frame))
    ax = style.new_axes(len(frame) + 1)
    beta, low, high = (frame[c].to_numpy(float) for c in ("beta", "beta_low", "beta_high"))
    arms = np.nan_to_num([beta - low, high - beta])
    point = {"color": style.ACCENT, "ecolor": style.QUIET, "elinewidth": 2, "markersize": 7}
    ax.axvline(0, color=style.INK, linewidth=1)
    ax.errorbar(beta, rows, xerr=arms, fmt="o", **point)
    if "beta_marginal" in frame:
        ring = {"mfc": "none", "mec": style.INK, "markersize": 4}
        ax.plot(frame["beta_marginal"].to_numpy(float), rows - 0.22, "o", **ring)
    for row in np.flatnonzero(np.isnan(beta)):
        why, edge = frame["note"].iloc[row].split(";")[0], ax.get_yaxis_transform()
        ax.text(0.02, row, why, transform=edge, va="center", fontsize=8).set_in_layout(False)
    ax.set_yticks(rows, frame["label"])
    ax.set_ylim(-0.7, len(frame) - 0.3)
    ax.grid(visible=False, axis="y")
    _set_scales(ax, np.r_[low, high, beta, frame.get("beta_marginal", beta)])
    return style.describe(ax, f"Order effect with intervals. {_read_out(frame)}")


def _set_scales(ax, values):
    """Centre both scales at no effect; the upper one has its ticks at round probabilities."""
    reach = 1.08 * np.nanmax(np.abs(values.astype(float)), initial=1.0)
    reach = min(reach, _REACH)
    ax.set(xlim=(-reach, reach), ylabel="")
    ax.set_xlabel("← second slot   log-odds   first slot →   (ring: pooled)")
    upper = ax.secondary_xaxis("top", functions=(expit, _bounded_logit))
    shares = _SHARES if reach > 2 else _FINE_SHARES
    shown = shares[np.abs(logit(shares)) < reach]
    upper.set_xticks(shown, [f"{share:g}" for share in shown], fontsize=9)
    upper.set_xlabel("P(first | equal answers, decisive)")


def _bounded_logit(share):
    return logit(np.clip(share, 1e-12, 1 - 1e-12))


def _read_out(frame):
    """Say the ends, and what has no estimate, for the alt text."""
    told = frame[frame["beta"].notna()].sort_values("beta")
    missing = frame[frame["beta"].isna()]
    parts = []
    if len(told):
        ends = [told.iloc[0], told.iloc[-1]]
        text = [f"{end['label']} {end['beta']:.2f} (P first {end['p_first']:.2f})" for end in ends]
        parts.append(f"From {text[0]} to {text[1]}.")
    if len(missing) > 3:
        parts.append(f"{len(missing)} rows are not estimable.")
    else:
        parts += [f"{row['label']}: {row['note']}." for _, row in missing.iterrows()]
    return " ".join(parts) or "No estimate."
