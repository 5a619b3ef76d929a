"""What each judge says of each comparison over its orders: settled, unresolved or excluded."""

import json

import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.orders import orders_needed
from posbias_kit.analysis.plurality import strict_plurality
from posbias_kit.review_schema import PLACE
from posbias_kit.schema import TIE, Status

RESOLVED, UNRESOLVED, EXCLUDED, IDENTICAL = "resolved", "unresolved", "excluded", "identical"

CELL = [*PLACE, "judge"]
"""What identifies what one judge says of one comparison."""

_ABOUT = ["task", "question", "cluster", "slots"]


def judge_cells(verdicts):
    """Say of each judge and comparison whether its orders settle it.

    The word of an order is the winner (or TIE) that has more of its repeats than any other. A
    comparison is

    ==========  ==============================================================================
    resolved    every order has a word, and it is the same
    unresolved  the orders' words differ, or an order has none
    excluded    an order brought no verdict at all
    identical   the answers are the same text, so nobody was asked
    ==========  ==============================================================================

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row a comparison and judge: the key, task, question, cluster, slots, state, word
        (missing unless resolved), orders (told), needed.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": ["q", "q", "r", "r"],
    ...     "shown": [("a", "b"), ("b", "a")] * 2, "repeat": 1, "status": "ok",
    ...     "choice": pd.array([1, 2, 1, 1], dtype="Int64")}))
    >>> judge_cells(verdicts)[["question", "state", "word"]].fillna("").values.tolist()
    [['q', 'resolved', 'a'], ['r', 'unresolved', '']]
    """
    cells = verdicts.drop_duplicates(CELL)[[*CELL, *_ABOUT]]
    same = verdicts.loc[verdicts["status"] == Status.IDENTICAL, CELL].drop_duplicates()
    words = order_words(verdicts)
    told = words.groupby(CELL, observed=True)["word"].agg(
        orders="size", words="nunique", word="first", silent=lambda word: word.isna().any()
    )
    place, head = number_groups(verdicts, PLACE)
    needed = verdicts[PLACE].iloc[head].assign(needed=orders_needed(verdicts, place))
    cells = cells.merge(told.reset_index(), "left", on=CELL)
    cells = cells.merge(needed, on=PLACE)
    cells = cells.merge(same.assign(_same=True), "left", on=CELL)
    cells["orders"] = cells["orders"].fillna(0).astype("int64")
    settled = (cells["words"] == 1) & cells["silent"].eq(False)
    state = pd.Series(UNRESOLVED, index=cells.index).mask(settled, RESOLVED)
    state = state.mask(cells["orders"] < cells["needed"], EXCLUDED)
    cells["state"] = state.mask(cells.pop("_same").eq(True), IDENTICAL)
    cells["word"] = cells["word"].where(cells["state"] == RESOLVED)
    return cells[[*CELL, *_ABOUT, "state", "word", "orders", "needed"]]


def order_words(verdicts):
    """Return what each order says: the strict plurality of its repeats, missing without one.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row a comparison, judge and order with a verdict: the key, order, word.
    """
    key = [*CELL, "order"]
    told = verdicts[verdicts["choice"].notna()]
    return strict_plurality(told, key).rename(columns={"winner": "word"})[[*key, "word"]]


def count_winners(verdicts):
    """Count the verdicts of each comparison, judge and order for each winner, with their share."""
    told = verdicts[verdicts["choice"].notna()]
    key = [*CELL, "order"]
    votes = told.groupby([*key, "winner"], observed=True).size().rename("votes").reset_index()
    total = votes.groupby(key, observed=True)["votes"].transform("sum")
    return votes.assign(share=votes["votes"] / total)


def spread_credit(cells):
    """Give every candidate of a comparison what the judge's verdicts give it.

    Parameters
    ----------
    cells : DataFrame
        Holds comparison and, for what is said of it, one column of winner -> share as a dict.

    Returns
    -------
    DataFrame
        One row a cell and candidate: the cell's columns without `shares`, candidate, credit (its
        share of the verdicts, and 1/p of that of TIE).
    """
    names = [json.loads(text)[1:] for text in cells["comparison"]]
    rows = cells.assign(candidate=names).explode("candidate", ignore_index=True)
    credit = [
        shares.get(name, 0.0) + shares.get(TIE, 0.0) / slots
        for shares, name, slots in zip(
            rows.pop("shares"), rows["candidate"], rows["slots"].astype(int), strict=True
        )
    ]
    return rows.assign(credit=credit)
