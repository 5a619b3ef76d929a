"""The worksheet with every verdict mapped to its answer, for people to read."""

from posbias_kit.analysis.checks import check_verdicts
from posbias_kit.analysis.credits import CELL
from posbias_kit.analysis.worksheet import worksheet
from posbias_kit.schema import TIE, Status

MISSING = "–"
"""What stands for a repeat that brought no verdict."""


def verdict_sheet(verdicts):
    """Lay out every verdict of each comparison by order and repeat, as the answer it names.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row a comparison and judge: benchmark, experiment, arm, judge, turn, task, question,
        comparison; for each order, e.g. AB: ab_verdicts (winner of each repeat in turn, its
        status where there is none), ab_distribution (winners with their number, ties among them,
        most first); distribution (over all orders); class and reason as in
        :func:`posbias_kit.analysis.worksheet`.

    Examples
    --------
    >>> import pandas as pd
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b"), ("b", "a")] * 2, "repeat": [1, 1, 2, 2],
    ...     "choice": pd.array([1, 1, 0, 1], dtype="Int64")}))
    >>> sheet = verdict_sheet(verdicts)
    >>> sheet[["ab_verdicts", "ab_distribution", "ba_verdicts"]].values.tolist()
    [['a, TIE', 'a 1, TIE 1', 'b, b']]
    """
    check_verdicts(verdicts, some=True)
    rows = verdicts.sort_values("repeat", kind="stable")
    said = rows["winner"].where(rows["winner"].notna(), MISSING + rows["status"].astype("str"))
    said = said.mask(rows["status"] == Status.IDENTICAL, "identical")
    rows = rows.assign(said=said)
    key = [*CELL, "order"]
    listed = rows.groupby(key, observed=True)["said"].agg(", ".join)
    wide = listed.unstack("order")
    wide.columns = [f"{name.lower()}_verdicts" for name in wide.columns]
    spread = tell_winners(rows, key).unstack("order")
    spread.columns = [f"{name.lower()}_distribution" for name in spread.columns]
    whole = tell_winners(rows, CELL).rename("distribution")
    sheet = worksheet(verdicts)
    about = sheet[[*CELL, "task", "question", "class", "reason"]].set_index(CELL)
    table = about.join(wide).join(spread).join(whole).reset_index()
    orders = [name.removesuffix("_verdicts") for name in wide.columns]
    each = [f"{order}_{what}" for order in orders for what in ("verdicts", "distribution")]
    texts = table.reindex(columns=[*each, "distribution"]).astype(object)
    table[[*each, "distribution"]] = texts.where(texts.notna(), "")  # no verdict: nothing to tell
    lead = ["benchmark", "experiment", "arm", "judge", "turn", "task", "question", "comparison"]
    return table[[*lead, *each, "distribution", "class", "reason"]]


def tell_winners(rows, key):
    """Return the winners of each group with their number as text: most first, a tie last."""
    told = rows[rows["winner"].notna()]
    counts = told.groupby([*key, "winner"], observed=True).size().rename("n").reset_index()
    counts["_tie"] = counts["winner"] == TIE
    counts = counts.sort_values([*key, "n", "_tie", "winner"], ascending=[True] * len(key)
                                + [False, True, True])  # fmt: skip
    counts["text"] = counts["winner"] + " " + counts["n"].astype(str)
    return counts.groupby(key, observed=True)["text"].agg(", ".join).astype(object)
