"""Sets of candidates that are shown together, and the orders in which they are shown."""

import json
from collections import Counter, defaultdict
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd

from posbias_kit.errors import ParamsError


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
    """Keep one order of each comparison, so that candidates are balanced over the slots.

    Within a task and number of slots, comparisons come by the candidates that they show, those
    of one set of candidates in random order. Each takes the order whose candidates stood least
    often in their slots so far: among comparisons of the same candidates, then in the task, then
    in the whole plan; the rest is drawn. A pair of candidates is thus shown in either order as
    often, up to one. Comparisons of identical answers, about which nobody is asked, take no part.

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
    plan = plan.reset_index(drop=True)
    told = plan["identical"].astype(bool)
    whole = defaultdict(Counter)
    kept = [plan.index[told & ~plan.duplicated([*place, "comparison"])]]
    for _, block in plan[~told].groupby([*place, "task", "slots"], sort=True):
        kept.append(_deal(block, whole[block["slots"].iloc[0]], rng))
    return plan.loc[np.sort(np.concatenate(kept))].reset_index(drop=True)


def _deal(block, whole, rng):
    """Return the rows of the orders that comparisons of one task and size are shown in."""
    shown = pd.Series([[*enumerate(json.loads(text))] for text in block["shown"]], block.index)
    kinds = defaultdict(list)
    for _, rows in shown.groupby(block["comparison"], sort=True):
        kinds[tuple(sorted(name for _, name in rows.iloc[0]))].append(rows)
    kept, task = [], Counter()
    for kind in sorted(kinds):
        same = Counter()
        for number in rng.permutation(len(kinds[kind])):
            rows = kinds[kind][number]
            stood = [
                tuple(sum(counts[at] for at in places) for counts in (same, task, whole))
                for places in rows
            ]
            best = [
                row for row, often in zip(rows.index, stood, strict=True) if often == min(stood)
            ]
            kept.append(best[rng.integers(len(best))])
            for counts in (same, task, whole):
                counts.update(shown[kept[-1]])
    return kept


def check_quality(quality, answers):
    """Refuse a quality that lacks a candidate who answered: sets would be random without a word."""
    lacking = sorted(set(answers["candidate"]) - set(quality)) if quality is not None else []
    if lacking:
        raise ParamsError(
            f"no quality of {', '.join(map(repr, lacking))}",
            place="data_preparation.plan.quality",
            allowed=f"a number for each of {', '.join(sorted(set(answers['candidate'])))}",
            cure="name every candidate that is kept, or leave `quality` out for random sets",
        )
