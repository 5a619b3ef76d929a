"""Disputed comparisons, ranked by why they are disputed and by what they could move."""

import json

import pandas as pd

from posbias_kit.analysis.checks import check_verdicts
from posbias_kit.analysis.credits import CELL, IDENTICAL, judge_cells, order_words
from posbias_kit.analysis.parser_audit import reread_replies
from posbias_kit.analysis.plurality import strict_plurality
from posbias_kit.review_schema import PLACE
from posbias_kit.schema import Reason, Status

WHY = ("order_flip", "repeat_flip", "judges_split", "ambiguous_parse", "refusal_in_one_order")
"""Why a comparison is disputed, in the order in which the queue is ranked."""


def review_queue(verdicts, replies=None, moves=None):
    """List the comparisons that people should look at, the most disputed first.

    ====================  ====================================================================
    order_flip            judges whose orders name different winners, each order by the strict
                          plurality of its repeats
    repeat_flip           judges of whom two repeats of one order name different winners
    judges_split          judges that name another winner than most, each by the strict plurality
                          of all its verdicts
    ambiguous_parse       replies in which another parsing rule reads something else
    refusal_in_one_order  judges that refuse in one order and give a verdict in another
    ====================  ====================================================================

    The first of these that occurs is `why`; the queue is ranked by it, then by `could_move`
    (how far the comparison could move the lead that is to be decided on), then by
    `judges_disputing` (how many judges any of them concerns).

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    replies : DataFrame, optional
        The table of replies; without it nothing is known to be ambiguous.
    moves : DataFrame, optional
        From :func:`posbias_kit.analysis.decide`: its table `moves`.

    Returns
    -------
    DataFrame
        One row a disputed comparison: rank, the comparison's key, task, question, candidates
        (JSON text), judges (that gave a verdict), why, reasons (all of them), the five counts,
        judges_disputing, could_move (missing without `moves`).

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": ["q", "q", "r", "r"],
    ...     "shown": [("a", "b"), ("b", "a")] * 2, "repeat": 1, "status": "ok",
    ...     "choice": pd.array([1, 2, 1, 1], dtype="Int64")}))
    >>> review_queue(verdicts)[["rank", "question", "why"]].values.tolist()
    [[1, 'r', 'order_flip']]
    """
    check_verdicts(verdicts)
    cells = judge_cells(verdicts)
    cells = cells[cells["state"] != IDENTICAL]
    flags = _flag_judges(verdicts, cells)
    counts = flags.groupby(PLACE, observed=True)[list(WHY)].sum().astype("int64")
    counts["judges_disputing"] = (
        flags.assign(any=flags[list(WHY)].any(axis=1)).groupby(PLACE, observed=True)["any"].sum()
    )
    counts["ambiguous_parse"] = _ambiguous(replies, verdicts, counts.index)
    told = cells[cells["orders"] > 0].groupby(PLACE, observed=True).size()
    about = cells.drop_duplicates(PLACE).set_index(PLACE)[["task", "question"]]
    table = about.join(told.rename("judges")).join(counts)
    table = table[(table[list(WHY)] > 0).any(axis=1)].reset_index()
    table["judges"] = table["judges"].fillna(0).astype("int64")
    table["candidates"] = [json.dumps(json.loads(text)[1:], ensure_ascii=False)
                           for text in table["comparison"]]  # fmt: skip
    return _rank(table, moves)


_COLUMNS = ["rank", *PLACE, "task", "question", "candidates", "judges", "why", "reasons", *WHY,
            "judges_disputing", "could_move"]  # fmt: skip


def _rank(table, moves):
    found = table[list(WHY)].gt(0).to_numpy()
    names = [[name for name, here in zip(WHY, row, strict=True) if here] for row in found]
    table["why"] = [row[0] for row in names]
    table["reasons"] = [", ".join(row) for row in names]
    if moves is None:
        table["could_move"] = pd.Series(float("nan"), index=table.index)
    else:
        table = table.merge(moves[[*PLACE, "could_move"]], "left", on=PLACE)
    table["_place"] = table["why"].map({name: place for place, name in enumerate(WHY)})
    order = ["_place", "could_move", "judges_disputing", *PLACE]
    table = table.sort_values(order, ascending=[True, False, False, *[True] * len(PLACE)])
    return table.assign(rank=range(1, len(table) + 1)).reset_index(drop=True)[_COLUMNS]


def _flag_judges(verdicts, cells):
    """One row a comparison and judge, with a flag for each reason."""
    flags = cells[CELL].set_index(CELL)
    words = order_words(verdicts).groupby(CELL, observed=True)["word"].nunique()
    told = verdicts[verdicts["choice"].notna()]
    within = told.groupby([*CELL, "order"], observed=True)["winner"].nunique()
    flags["order_flip"] = words > 1
    flags["repeat_flip"] = (within > 1).groupby(level=CELL, observed=True).any()
    flags["judges_split"] = _dissent(told)
    refused = verdicts[verdicts["reason"] == Reason.REFUSAL].drop_duplicates([*CELL, "order"])
    other = told[[*CELL, "order"]].drop_duplicates()
    met = refused[[*CELL, "order"]].merge(other, on=CELL, suffixes=("", "_told"))
    met = met[met["order"] != met["order_told"]].drop_duplicates(CELL).set_index(CELL)
    flags["refusal_in_one_order"] = pd.Series(True, index=met.index)
    flags["ambiguous_parse"] = False
    return flags.reindex(columns=list(WHY)).eq(True).reset_index()


def _dissent(told):
    """Whether a judge's own word differs from that of most judges; a tie of words parts all."""
    words = strict_plurality(told, CELL).dropna(subset="winner")
    count = words.groupby([*PLACE, "winner"], observed=True)["judge"].transform("size")
    largest = count.groupby([words[name] for name in PLACE], observed=True).transform("max")
    several = words.groupby(PLACE, observed=True)["winner"].transform("nunique") > 1
    leading = words[count == largest].groupby(PLACE, observed=True)["winner"].nunique()
    tied = leading.reindex(pd.MultiIndex.from_frame(words[PLACE])).to_numpy() > 1
    return (several & ((count < largest) | tied)).set_axis(pd.MultiIndex.from_frame(words[CELL]))


def _ambiguous(replies, verdicts, index):
    """Number of replies to each comparison that the parsing rules read differently."""
    if replies is None or replies.empty:
        return 0
    read = reread_replies(replies, verdicts[verdicts["status"] != Status.IDENTICAL])
    counts = read[read["ambiguous"]].groupby(PLACE, observed=True).size()
    return counts.reindex(index, fill_value=0).astype("int64")
