"""What each judge said of each comparison in each order, and the class of the pattern."""

from functools import cache
from math import factorial, prod

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_verdicts
from posbias_kit.analysis.counts import COMPARISON_KEY, count_orders
from posbias_kit.analysis.noise import ONE_SCORE
from posbias_kit.analysis.order_permutation import disagree_across, disagree_within
from posbias_kit.analysis.series import group_columns, spread_candidates

CLASSES = (
    "stable",
    "order_sensitive_first",
    "order_sensitive_last",
    "order_sensitive_other",
    "unstable",
    "undecided",
)

FEWEST = 3
"""Verdicts that every order needs for a class."""

_SENSITIVE = [name for name in CLASSES if name.startswith("order_sensitive")]
_LEADING = [*COMPARISON_KEY, "task", "question", "cluster", "candidate", "reference", "slots"]


def worksheet(verdicts, scored=()):
    """Lay out the verdicts of each comparison by order, with the class of the pattern.

    ======================  ==================================================================
    stable                  every order unanimous, all for the same winner (or TIE)
    order_sensitive_first   every order unanimous, not all for the same winner; each verdict
                            for a candidate names the first slot
    order_sensitive_last    the same with the last slot
    order_sensitive_other   the same with other slots; sets of three or more only
    unstable                no order unanimous
    undecided               the rest
    ======================  ==================================================================

    A class needs three verdicts in every order. It is an observed pattern, not a finding about
    the comparison: see :func:`class_counts`. `order_sensitive_chance` is the share of all
    permutations of the winners over the orders that would look order-sensitive.

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    scored : collection of str
        Arms in which answers were scored alone: as for
        :func:`posbias_kit.analysis.inconsistency_split`, their orders cannot be compared, and
        there is no class.

    Returns
    -------
    DataFrame
        One row a judge and comparison: its key; task, question, cluster, candidate, reference,
        slots; for each order, e.g. AB: ab_slot_1 .. ab_slot_p and ab_tie (verdicts), and
        ab_agreement (share of agreeing pairs of repeats); orders (their names; where they differ
        between comparisons the columns are called order_1, order_2, ...); repeats (how often an
        order was asked, the largest number); agreement_across
        (share of agreeing cross pairs, 1 - I); class; reason (why there is no class);
        order_sensitive_chance.

    Examples
    --------
    Asked three times in each order, the judge always takes what is shown first.

    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b"), ("b", "a")] * 3, "repeat": [1, 1, 2, 2, 3, 3],
    ...     "choice": pd.array([1] * 6, dtype="Int64")}))
    >>> worksheet(verdicts)[["ab_slot_1", "ba_slot_1", "class"]].values.tolist()
    [[3, 3, 'order_sensitive_first']]
    """
    check_verdicts(verdicts, some=True)
    counts = count_orders(verdicts)
    frame = counts.comparisons[_LEADING].copy()
    within = disagree_within(counts.winners)
    for index, name in enumerate(_column_names(counts)):
        asked = counts.asked[:, index]
        for slot in range(1, counts.slots.shape[2]):
            shown = asked & (frame["slots"] >= slot)
            frame[f"{name}_slot_{slot}"] = _whole(counts.slots[:, index, slot], shown)
        frame[f"{name}_tie"] = _whole(counts.slots[:, index, 0], asked)
        frame[f"{name}_agreement"] = np.where(asked, 1 - within[:, index], np.nan)
    frame["orders"] = [" ".join(filter(None, names)) for names in counts.labels]
    frame["repeats"] = counts.comparisons["repeats"]
    fewest, identical = counts.fewest(), counts.comparisons["identical"]
    alone = frame["arm"].isin(list(scored))
    told = (fewest >= FEWEST) & ~identical & ~alone
    crossed = (fewest > 0) & ~alone
    frame["agreement_across"] = (1 - pd.Series(disagree_across(counts.winners))).where(crossed)
    frame["class"] = np.where(told, _name_classes(counts), "")
    few = "fewest verdicts in an order " + pd.Series(fewest).astype(str) + f", {FEWEST} needed"
    why = ["", "identical answers", ONE_SCORE]
    frame["reason"] = np.select([told, identical, alone], why, few)
    chance = _sensitive_chances(counts.winners[told])
    frame["order_sensitive_chance"] = pd.Series(chance, index=frame.index[told])
    return frame


def class_counts(verdicts, by=("judge",)):
    """Count the classes, with the number of order-sensitive ones that noise alone would bring.

    Permuting the winners over the orders within a comparison, keeping their sizes, makes every
    order unanimous by accident with the chance given in the worksheet. `order_sensitive_expected`
    is the sum of these chances, and p the chance of at least the observed number: exact, as the
    comparisons are permuted independently (Poisson-binomial), so that nothing is drawn. Below
    1e-15 it cannot be told from 0 and is given as 1e-15.

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table, or its :func:`worksheet`.
    by : sequence of str
        Grouping columns after benchmark and experiment.

    Returns
    -------
    DataFrame
        One row a group: comparisons (with a class), without_class, the number of each class,
        order_sensitive (first, last and other), order_sensitive_expected, order_sensitive_p,
        note.

    Examples
    --------
    Three F and three S could stand in the two orders in 20 ways; two of them are unanimous.

    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b"), ("b", "a")] * 3, "repeat": [1, 1, 2, 2, 3, 3],
    ...     "choice": pd.array([1] * 6, dtype="Int64")}))
    >>> class_counts(verdicts)[["order_sensitive", "order_sensitive_expected"]].values.tolist()
    [[1.0, 0.1]]
    """
    rows = verdicts if "class" in verdicts else worksheet(verdicts)
    keys = group_columns(rows, by)
    rows = spread_candidates(rows, keys)
    flags = pd.DataFrame({name: rows["class"] == name for name in CLASSES})
    flags["comparisons"], flags["without_class"] = rows["class"] != "", rows["class"] == ""
    flags["order_sensitive"] = flags[_SENSITIVE].any(axis=1)
    groups = [rows[key] for key in keys]
    table = flags.astype("int64").groupby(groups, observed=True).sum()
    chances = rows["order_sensitive_chance"].groupby(groups, observed=True)
    table["order_sensitive_expected"] = chances.sum(min_count=1)
    table["order_sensitive_p"] = [
        _at_least(observed, chances.get_group(group).dropna())
        for group, observed in table["order_sensitive"].items()
    ]
    told = rows["reason"] != "identical answers"
    repeats = rows["repeats"].where(told, 0).groupby(groups, observed=True).max()
    few = f"fewer than {FEWEST} verdicts in an order of every comparison"
    alone = (~told | (rows["reason"] == ONE_SCORE)).groupby(groups, observed=True).all()
    table["note"] = np.select(
        [table["comparisons"] > 0, repeats == 0, alone, repeats == 1],
        ["", "no classes: identical answers only", f"no classes: {ONE_SCORE}",
         "no classes: no repeats"],
        f"no classes: {few}",
    )  # fmt: skip
    return table.reset_index()[[*keys, "comparisons", "without_class", *CLASSES, *_COLUMNS]]


_COLUMNS = ["order_sensitive", "order_sensitive_expected", "order_sensitive_p", "note"]


def _column_names(counts):
    """Name the orders by their labels where all comparisons have the same, else by number."""
    found = [sorted({*labels} - {""}) for labels in counts.labels.T]
    if all(len(labels) == 1 for labels in found):
        return [labels[0].lower() for labels in found]
    return [f"order_{index}" for index, _ in enumerate(found, start=1)]


def _whole(values, told):
    return pd.Series(values, dtype="Int64").where(told)


def _name_classes(counts):
    """Class of each comparison by its pattern, however few its verdicts."""
    unanimous = (counts.winners.max(axis=2) == counts.valid) & counts.asked
    every = (unanimous == counts.asked).all(axis=1)
    same = (counts.winners.sum(axis=1) > 0).sum(axis=1) == 1
    named = counts.slots.sum(axis=1)
    decided = named[:, 1:].sum(axis=1)
    slots = counts.comparisons["slots"].to_numpy(dtype=np.int64)
    last = named[np.arange(len(slots)), slots]
    conditions = [every & same, every & (named[:, 1] == decided), every & (last == decided), every]
    conditions += [~unanimous.any(axis=1)]
    return np.select(conditions, CLASSES[:-1], CLASSES[-1])


def _sensitive_chances(winners):
    """Share of the permutations of each comparison that are unanimous in every order.

    Of the N! / prod t_k! arrangements of the totals t_k, those that give each order one winner
    are counted; a comparison with one winner only cannot be order-sensitive.
    """
    sizes = np.sort(winners.sum(axis=2), axis=1)[:, ::-1]
    totals = np.sort(winners.sum(axis=1), axis=1)[:, ::-1]
    kinds, code = np.unique(np.hstack([sizes, totals]), axis=0, return_inverse=True)
    chances = []
    for kind in kinds:
        size, total = (tuple(part[part > 0].tolist()) for part in np.split(kind, [sizes.shape[1]]))
        all_ways = factorial(sum(total)) // prod(map(factorial, total))
        chances.append(_unanimous_ways(size, total) / all_ways if len(total) > 1 else 0.0)
    return np.array(chances)[code]


@cache
def _unanimous_ways(sizes, totals):
    """Count the ways to give each order one winner so that the totals come out."""
    if not sizes:
        return 1
    size, *rest = sizes
    return sum(
        _unanimous_ways(tuple(rest), (*totals[:k], totals[k] - size, *totals[k + 1 :]))
        for k in range(len(totals))
        if totals[k] >= size
    )


def _at_least(observed, chances):
    """Return the chance that so many or more of independent events happen."""
    if chances.empty:
        return np.nan
    possible = chances[chances > 0].to_numpy()
    from scipy import stats  # heavy, and only this needs it

    if observed == 0:
        return 1.0
    return max(float(stats.poisson_binom.sf(observed - 1, possible)), _SMALLEST_P)


_SMALLEST_P = 1e-15
