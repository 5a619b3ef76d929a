"""How a judge holds up as more candidates are shown together."""

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.fairness import listwise_fairness
from posbias_kit.analysis.position import position_bias
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.schema import Status


def scalability(verdicts, level=0.95, seed=0):
    """Set consistency and fairness of each judge beside the number of candidates shown.

    Consistency falls with p for a plain reason: a series of more orders has more chances to
    differ, and `pc_chance` = p^(1 - orders), what guessing among the slots would give, falls
    faster. The sets of different sizes are different comparisons.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on list-wise evaluation.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, with `shown`.
    level : float
        Level of the intervals.
    seed : int

    Returns
    -------
    DataFrame
        One row a judge (arm, where there are several) and number of slots: orders (of one
        series), comparisons, series, incomplete, pc, pc_low, pc_high, pc_chance; pf_first and
        pf_last (:func:`posbias_kit.analysis.listwise_fairness` of the first and the last slot)
        with intervals; slot (the one furthest from fair) and pf_most; note. A size with
        identical answers only keeps its row.

    Examples
    --------
    >>> import pandas as pd
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "repeat": 1, "shown": [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")],
    ...     "order": ["r0", "r1", "r2"], "choice": pd.array([1, 1, 1], dtype="Int64")}))
    >>> scalability(verdicts)[["slots", "pc", "pf_first", "pf_last"]].values.tolist()
    [[3, 0.0, 1.0, -0.5]]
    """
    check_settings("scalability", level=level, seed=seed)
    keys = group_verdicts(verdicts, ("judge", "slots"), some=True)
    table = position_bias(verdicts, ("judge", "slots"), draws=_FEW, level=level, seed=seed)
    table = table.merge(_count_orders(verdicts, keys), "left", on=keys, validate="1:1")
    p, orders = (table[name].astype(float) for name in ("slots", "orders"))
    same = (table["series"] == 0) & (table["identical"] > 0)
    table["note"] = table["note"].mask(same, "identical answers only: nothing was asked")
    table["pc_chance"] = p ** (1 - orders)
    slots = listwise_fairness(verdicts, ("judge", "slots"), level)
    for name, place in (("first", 1), ("last", slots["slots"])):
        rows = slots[slots["slot"] == place].set_index(keys)[["pf", "pf_low", "pf_high"]]
        rows.columns = [f"pf_{name}", f"pf_{name}_low", f"pf_{name}_high"]
        table = table.join(rows, on=keys)
    slots = slots.dropna(subset="pf").assign(_far=lambda frame: frame["pf"].abs())
    far = slots.sort_values("_far", ascending=False, kind="stable").drop_duplicates(keys)
    far = far.set_index(keys)[["slot", "pf"]].rename(columns={"pf": "pf_most"})
    return table.join(far, on=keys)[[*keys, *_COLUMNS]]


_FEW = 2
"""Draws of a bootstrap whose limits are not shown; with none there would be no interval at all."""
_COLUMNS = [
    "orders", "comparisons", "series", "incomplete", "pc", "pc_low", "pc_high", "pc_chance",
    "pf_first", "pf_first_low", "pf_first_high", "pf_last", "pf_last_low", "pf_last_high",
    "slot", "pf_most", "note",
]  # fmt: skip


def _count_orders(verdicts, keys):
    """Orders of a comparison, the most in each group."""
    asked = verdicts[verdicts["status"] != Status.IDENTICAL]
    head = number_groups(asked, [*keys, "turn", "comparison", "order"])[1]
    shown = asked[[*keys, "turn", "comparison"]].iloc[head]
    size = shown.groupby([*keys, "turn", "comparison"], observed=True).size()
    most = size.groupby(level=keys, observed=True).max().rename("orders").reset_index()
    return most.astype({"orders": "Int64"})
