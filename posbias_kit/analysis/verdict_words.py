"""The outcome of a decision rule in plain words."""

import pandas as pd

from posbias_kit.analysis.rivals import SAME

DECIDED, OPEN, PAUSE = "decided", "not decided", "pause"


def name_outcome(rivals, orders, counts, margin, pause_above, worst_case):
    """Name the outcome of a rule and say why, in the order in which the rule asks.

    Parameters
    ----------
    rivals, orders : DataFrame
        From :func:`posbias_kit.analysis.rivals.compare_rivals` and
        :func:`posbias_kit.analysis.rivals.lead_by_order`.
    counts : dict
        pairs, resolved, unresolved, excluded, identical, reviewed.
    margin, pause_above : float
    worst_case : {"pause", "tell"}

    Returns
    -------
    dict
        outcome, winner, leader, lead, lead_low, lead_high, why, the counts, worst_lead,
        could_reverse.
    """
    closest = rivals.iloc[0]
    asked = counts["pairs"] - counts["identical"]
    left = counts["unresolved"] + counts["excluded"]
    worst = rivals["worst_difference"].min()
    reverse = bool(left and not worst > 0)
    outcome, why = OPEN, _why_open(rivals, orders, margin)
    if not why and left > pause_above * asked + SAME:
        outcome, why = PAUSE, (f"{left} of {asked} pairs are unresolved or excluded, more than the "
                               f"{100 * pause_above:g}% that the rule allows")  # fmt: skip
    elif not why and reverse and worst_case == "pause":
        outcome, why = PAUSE, _reversed(counts, worst)
    elif not why:
        outcome, why = DECIDED, _why_decided(rivals, orders, counts, worst, reverse, margin)
    return {
        "outcome": outcome,
        "winner": closest["leader"] if outcome == DECIDED else None,
        "leader": closest["leader"] if closest["difference"] > SAME else None,
        "lead": closest["difference"],
        "lead_low": closest["difference_low"],
        "lead_high": closest["difference_high"],
        "why": why,
        **counts,
        "worst_lead": worst,
        "could_reverse": reverse,
    }


def _why_open(rivals, orders, margin):
    """What stands against a decision; empty where nothing does."""
    closest = rivals.iloc[0]
    if pd.isna(closest["difference"]):
        return "no question has a settled comparison of both"
    if abs(closest["difference"]) <= SAME:
        return f"{closest['leader']} and {closest['rival']} lead alike"
    if closest["difference"] < 0:
        return (f"{closest['rival']} beats {closest['leader']} by {-closest['difference']:.3f}, "
                f"though {closest['leader']} leads on average")  # fmt: skip
    flips = orders[~orders["same"]]
    if len(flips):
        said = "; ".join(
            f"order {row.order} alone names {row.leader} (by {row.lead:+.3f})"
            for row in flips.itertuples()
        )
        same = orders[orders["same"]].itertuples()
        held = ", ".join(f"{row.order} (by {row.lead:+.3f})" for row in same)
        both = f"{held or 'no order alone'} and the average (by {closest['difference']:+.3f})"
        return f"the order decides: {said}, while {both} name {closest['leader']}"
    short = rivals[~(rivals["difference_low"] > margin)]
    if len(short):
        names = "; ".join(map(_short_of, short.head(3).itertuples()))
        return f"{names}: the rule asks that the interval lies above {margin:g}"
    return ""


def _short_of(row):
    if pd.isna(row.difference):
        return f"{row.leader} and {row.rival} share no question"
    return f"{row.leader} leads {row.rival} by {_with_interval(row)}"


def _with_interval(row):
    if pd.isna(row.difference_low):
        return f"{row.difference:+.3f} (no interval: one cluster)"
    return f"{row.difference:+.3f} [{row.difference_low:+.3f}, {row.difference_high:+.3f}]"


def _reversed(counts, worst):
    return (f"the {counts['unresolved']} unresolved and {counts['excluded']} excluded pairs, all "
            f"said against the leader, would turn its lead into {worst:+.3f}: review them "
            "first")  # fmt: skip


def _why_decided(rivals, orders, counts, worst, reverse, margin):
    closest = next(rivals.head(1).itertuples())
    left = counts["unresolved"] + counts["excluded"]
    named = f"{len(orders)} orders each name it" if len(orders) else "no order was asked"
    said = f"{closest.leader} leads {closest.rival} by {_with_interval(closest)}"
    said = f"{said}, above {margin:g}"
    if not left:
        return f"{said}; {named}; no pair is unresolved or excluded"
    could = f"turn the lead into {worst:+.3f}" if reverse else f"still leave {worst:+.3f}"
    return (f"{said}; {named}; the {counts['unresolved']} unresolved and {counts['excluded']} "
            f"excluded pairs, all said against it, would {could}")  # fmt: skip
