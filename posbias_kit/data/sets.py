"""Sets of candidates that are shown together, and the orders in which they are shown."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd

from posbias_kit.schema import Design


def choose_sets(names, size, count, rng, quality=None):
    """Sample sets of candidates, each in a base order of its own.

    Where the quality of every candidate is known, candidates are cut by it into as many strata as
    a set has places, and each set takes one of each: good and bad stand together. Else sets are
    drawn from all.

    Parameters
    ----------
    names : list of str
        Candidates that answered the question.
    size, count : int
        Candidates of a set; sets, as many as there are at most.
    rng : numpy.random.Generator
    quality : mapping of str to float, optional

    Returns
    -------
    list of tuple of str

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = choose_sets([*"abcd"], 2, 9, rng, {"a": 2, "b": 1, "c": -1, "d": -2})
    >>> sorted(map(sorted, found))
    [['a', 'c'], ['a', 'd'], ['b', 'c'], ['b', 'd']]
    """
    if quality is not None and len(names) >= size and set(names) <= set(quality):
        ranked = sorted(names, key=lambda name: (-quality[name], name))
        strata = [part.tolist() for part in np.array_split(ranked, size)]
        available = list(product(*strata))
    else:
        available = list(combinations(names, size))
    chosen = rng.choice(len(available), size=min(count, len(available)), replace=False)
    return [tuple(rng.permutation(available[index]).tolist()) for index in chosen]


def arrange(base, orders="both"):
    """Return the orders in which a set is shown: its cyclic shifts, or with `all` all p!.

    The shifts come first, so that r0..r(p-1) are the same in both.

    >>> arrange(("a", "b", "c"))
    [('a', 'b', 'c'), ('b', 'c', 'a'), ('c', 'a', 'b')]
    >>> len(arrange(("a", "b", "c"), "all"))
    6
    """
    shifts = [base[turn:] + base[:turn] for turn in range(len(base))]
    if orders != "all":
        return shifts
    return shifts + [order for order in permutations(base) if order not in shifts]


def halve(plan, rng):
    """Keep one order of each comparison, so that orders are balanced within each task.

    Within a task and number of slots, comparisons of the same candidates stand together, in
    random order, and take the orders in turn from a random one on: each order is kept as often
    as any other, up to one, in the task and for the same candidates.

    Parameters
    ----------
    plan : DataFrame
        Presentations in every order; every judge is shown the same.
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame
        One row a comparison.
    """
    place = ["benchmark", "experiment", "arm", "turn"]
    key = [*place, "comparison"]
    first = plan.drop_duplicates(key)
    first = first.assign(
        _kind=first["comparison"].str.removeprefix("[").str.partition(",")[2],
        _mixed=rng.permutation(len(first)),
    )
    kept = []
    for _, block in first.groupby([*place, "task", "slots"], sort=True):
        block = block.sort_values(["_kind", "_mixed"])
        start = rng.integers(int(block["slots"].iloc[0]))
        kept.append(block[key].assign(_turn=start + np.arange(len(block))))
    turns = pd.concat(kept)
    rows = plan.reset_index(drop=True).merge(turns, on=key, validate="many_to_one")
    rank = rows.groupby(key)["order"].rank(method="first").astype(int) - 1
    size = rows.groupby(key)["order"].transform("size")
    kept = rows[rank == rows["_turn"] % size]
    return kept[list(plan.columns)].reset_index(drop=True)


def say_sampling(answers, plan):
    """Say how sets were sampled and orders kept; nothing where each pair is in both orders."""
    said = []
    if plan.get("design") == Design.SETS:
        known = set(answers["candidate"]) <= set(plan.get("quality") or ())
        random = "sets are random: the quality of the candidates is not known beforehand"
        said.append("sets are stratified by the candidates' known quality" if known else random)
    if plan.get("orders") == "balanced_half":
        said.append("each comparison is shown in one order, balanced within each task: win rates "
                    "can be averaged over the orders, consistency cannot be seen")  # fmt: skip
    return "; ".join(said)
