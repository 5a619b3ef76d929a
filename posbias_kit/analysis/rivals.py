"""The leader among candidates, its lead over each rival, and what could move it."""

import numpy as np
import pandas as pd

from posbias_kit.analysis.credits import EXCLUDED, IDENTICAL, UNRESOLVED
from posbias_kit.analysis.intervals import difference_intervals
from posbias_kit.review_schema import PLACE

_UNIT = ["cluster", "turn", "question"]
SAME = 1e-9
"""Scores no further apart are equal."""


def score_questions(rows):
    """Score each candidate on each question: the mean credit over judges, then comparisons.

    Parameters
    ----------
    rows : DataFrame
        From :func:`posbias_kit.analysis.credits.spread_credit`, of one group.

    Returns
    -------
    DataFrame
        Indexed by cluster, turn and question, one column a candidate; missing where it has no
        credit.

    Examples
    --------
    >>> rows = pd.DataFrame({"benchmark": "B", "experiment": "", "arm": "", "turn": "",
    ...     "comparison": "c", "cluster": "q", "question": "q", "judge": ["i", "i", "j", "j"],
    ...     "candidate": ["a", "b"] * 2, "credit": [1.0, 0.0, 0.5, 0.5]})
    >>> score_questions(rows).values.tolist()
    [[0.75, 0.25]]
    """
    told = rows[rows["credit"].notna()]
    pairs = told.groupby([*_UNIT, *PLACE[:3], "comparison", "candidate"], observed=True)["credit"]
    scores = pairs.mean().groupby([*_UNIT, "candidate"], observed=True).mean()
    return scores.unstack("candidate").reindex(columns=sorted(rows["candidate"].unique()))


def compare_rivals(rows, level=0.95):
    """Compare the leader with every rival on the questions that both have a score on.

    Parameters
    ----------
    rows : DataFrame
        From :func:`posbias_kit.analysis.credits.spread_credit`, of one group.
    level : float

    Returns
    -------
    DataFrame
        One row a rival, the closest first; see :class:`posbias_kit.analysis.decision.Outcome`.
        Without any credit the numbers are missing.
    """
    scores = score_questions(rows)
    leader = _leader(scores)
    tables = []
    for rival in scores.columns.drop(leader):
        both = scores[[leader, rival]].dropna()
        worst = score_questions(_against(rows, leader, rival))
        worst = (worst[leader] - worst[rival]).dropna()
        found = _interval(both[leader] - both[rival], level)
        tables.append(
            {
                "leader": leader,
                "rival": rival,
                "questions": len(both),
                "clusters": both.index.get_level_values("cluster").nunique(),
                "score": both[leader].mean(),
                "rival_score": both[rival].mean(),
                **found,
                "worst_difference": worst.mean(),
            }
        )
    return pd.DataFrame(tables).sort_values("difference", kind="stable", ignore_index=True)


def _leader(scores):
    """Return the candidate with the best mean difference to the others on shared questions."""
    names = scores.columns
    gaps = {
        name: np.nanmean([_mean(scores[name] - scores[other]) for other in names.drop(name)])
        if scores[name].notna().any()
        else -np.inf
        for name in names
    }
    return max(names, key=lambda name: gaps[name])


def _mean(gap):
    """Mean of a difference; 0 where no question is shared, which favours nobody."""
    return gap.mean() if gap.notna().any() else 0.0


def _interval(gap, level):
    """Mean difference over questions, with its interval over clusters."""
    missing = {"difference": np.nan, "difference_low": np.nan, "difference_high": np.nan}
    if gap.empty:
        return missing
    parts = pd.DataFrame({"up": gap.clip(lower=0), "down": (-gap).clip(lower=0), "n": 1.0})
    sums = pd.concat({"all": parts.groupby(level="cluster").sum()})
    found = difference_intervals(sums, "up", "down", "n", level).iloc[0]
    return {
        "difference": found["estimate"],
        "difference_low": found["low"],
        "difference_high": found["high"],
    }


def _against(rows, leader, rival):
    """Let every open pair speak against the leader and for the rival."""
    free = rows["state"].isin([UNRESOLVED, EXCLUDED])
    credit = rows["credit"].mask(free & (rows["candidate"] == leader), 0.0)
    credit = credit.mask(free & (rows["candidate"] == rival), 1.0)
    return rows.assign(credit=credit)


def lead_by_order(rows, rivals):
    """Say who leads by each order alone, as if only it had been asked.

    Parameters
    ----------
    rows : DataFrame
        Credits from one order at a time, with a column `order`, of one group.
    rivals : DataFrame
        From :func:`compare_rivals`.

    Returns
    -------
    DataFrame
        order, leader, lead (over its closest rival), same (it leads over all orders, or shares
        the lead here).
    """
    overall = rivals["leader"].iloc[0]
    found = []
    for order, block in rows.groupby("order", observed=True):
        scores = score_questions(block)
        leader = _leader(scores)
        leads = {other: _mean(scores[leader] - scores[other])
                 for other in scores.columns.drop(leader)}  # fmt: skip
        same = leader == overall or leads.get(overall, 1.0) <= SAME
        row = {"order": order, "leader": overall if same else leader, "lead": min(leads.values())}
        found.append({**row, "same": bool(same)})
    return pd.DataFrame(found, columns=["order", "leader", "lead", "same"])


def measure_moves(rows, rivals):
    """How far each comparison could move the leader's lead, if it were settled either way.

    With c_L, c_R the credits of leader and rival in the comparison (one p-th where it has none)
    and w_L, w_R the weights with which it enters their scores, the lead falls by
    c_L w_L + (1 - c_R) w_R at most and rises by (1 - c_L) w_L + c_R w_R; the larger of the two,
    for the rival that it could help or harm most.

    Parameters
    ----------
    rows, rivals : DataFrame
        As for :func:`lead_by_order`; rows over all orders.

    Returns
    -------
    DataFrame
        The comparison's key, could_move (0 where neither leader nor rival stands in it).
    """
    asked = rows[rows["state"] != IDENTICAL]
    pairs = asked.assign(even=1 / asked["slots"].astype(float))
    pairs = pairs.groupby([*PLACE, "question", "candidate"], observed=True)
    pairs = pairs[["credit", "even"]].mean()
    credit = pairs["credit"].fillna(pairs["even"])
    count = credit.groupby(level=["turn", "question", "candidate"]).transform("size")
    weight = (1 / count).unstack("candidate", fill_value=0.0)
    credit = credit.unstack("candidate", fill_value=0.0)
    most = pd.Series(0.0, index=credit.index)
    for row in rivals.itertuples():
        if not row.questions or not {row.leader, row.rival} <= set(credit):
            continue
        lead, rival = credit[row.leader], credit[row.rival]
        w_lead, w_rival = weight[row.leader], weight[row.rival]
        fall = lead * w_lead + (1 - rival) * w_rival
        rise = (1 - lead) * w_lead + rival * w_rival
        most = np.maximum(most, np.maximum(fall, rise) / row.questions)
    return most.rename("could_move").reset_index()[[*PLACE, "could_move"]]
