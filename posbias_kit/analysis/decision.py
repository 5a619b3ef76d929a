"""Which candidate wins, by a rule that was written before the run."""

import json
from typing import NamedTuple

import pandas as pd

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.credits import (
    CELL,
    EXCLUDED,
    IDENTICAL,
    RESOLVED,
    UNRESOLVED,
    count_winners,
    judge_cells,
    spread_credit,
)
from posbias_kit.analysis.plurality import SAME_TEXTS
from posbias_kit.analysis.rivals import compare_rivals, lead_by_order, measure_moves
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.analysis.verdict_words import name_outcome
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.schema import TIE
from posbias_kit.study_review import ESTIMATES, EVIDENCE, OPEN_PAIRS, WORST_CASES


class Outcome(NamedTuple):
    """What the rule says, and what it rests on."""

    decision: pd.DataFrame
    """One row a benchmark and experiment (arm and slots, where there are several): outcome
    (decided, not decided, pause), winner (missing unless decided), leader, lead (over the closest
    rival), lead_low, lead_high, rule (in words), why, pairs (a comparison by one judge), resolved,
    unresolved, excluded, identical, reviewed, worst_lead, could_reverse."""
    rivals: pd.DataFrame
    """One row a group and rival of the leader: leader, rival, questions, clusters, score,
    rival_score, difference, difference_low, difference_high, worst_difference."""
    orders: pd.DataFrame
    """One row a group and order: order, leader (of that order alone), lead (over its closest
    rival), same (whether it leads over all orders)."""
    moves: pd.DataFrame
    """One row a group and comparison: could_move, the most that the leader's lead over a rival
    would move if all judges had said the one or the other on it."""


def decide(
    verdicts,
    candidates=None,
    judges=None,
    evidence="judges",
    estimate="order_averaged",
    unresolved="half",
    margin=0.0,
    pause_above=0.5,
    worst_case="pause",
    settled=None,
    level=0.95,
):
    """Decide between candidates by a rule set beforehand, and say what could overturn it.

    A candidate's credit in a comparison by one judge is the share of the verdicts that name it,
    averaged over the orders, and 1/p of that of TIE; `estimate` and `unresolved` say what a
    settled and an unsettled pair count instead. Credits are averaged over judges, then over the
    comparisons of a question. The lead over a rival is the mean over questions of the difference
    of their scores, with the CR2 t interval over clusters. The outcome is

    ===========  =============================================================================
    decided      the interval of the lead lies above `margin` for every rival, each order alone
                 names the same leader, and neither reason to pause holds
    not decided  the interval does not, or an order alone names another leader
    pause        it does, but more than `pause_above` of the pairs is unresolved or excluded; or
                 (with ``worst_case="pause"``) all of them said against the leader reverse it
    ===========  =============================================================================

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    candidates, judges, evidence, estimate, unresolved, margin, pause_above, worst_case
        As in the section `decision` of a study.
    settled : DataFrame, optional
        What reviewers settled, from :func:`posbias_kit.analysis.settle_reviews`.
    level : float
        Level of the interval.

    Returns
    -------
    Outcome

    Raises
    ------
    ParamsError
        A candidate or judge is not in the table, or a value is not allowed.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": list("1122334455667788"),
    ...     "shown": [("a", "b"), ("b", "a")] * 8, "repeat": 1, "status": "ok",
    ...     "choice": pd.array([1, 2] * 8, dtype="Int64")}))
    >>> decide(verdicts).decision[["outcome", "winner", "lead"]].values.tolist()
    [['decided', 'a', 1.0]]
    """
    check_settings("decide", level=level)
    check_choice(evidence, EVIDENCE, "decision.evidence")
    check_choice(estimate, ESTIMATES, "decision.estimate")
    check_choice(unresolved, OPEN_PAIRS, "decision.unresolved")
    check_choice(worst_case, WORST_CASES, "decision.worst_case")
    group_verdicts(verdicts, (), some=True)
    verdicts = _choose(verdicts, candidates, judges)
    keys = group_verdicts(verdicts, (), keys=False)
    cells = _settle(judge_cells(verdicts), settled, evidence)
    votes = count_winners(verdicts)
    rows = _credit(cells, votes, estimate, unresolved)
    alone = _order_rows(cells, votes, verdicts[[*keys, "order"]].drop_duplicates())
    rule = {"margin": margin, "pause_above": pause_above, "worst_case": worst_case}
    said = describe_rule(candidates, judges, evidence, estimate, unresolved, **rule)
    tables = [[], [], [], []]
    for group, block in rows.groupby(keys, observed=True):
        about = dict(zip(keys, group, strict=True))
        here = (alone[keys] == pd.Series(about)).all(axis=1)
        rivals = compare_rivals(block, level)
        orders = lead_by_order(alone[here], rivals)
        row = {**name_outcome(rivals, orders, _count(block), **rule), "rule": said}
        found = [pd.DataFrame([row]), rivals, orders, measure_moves(block, rivals)]
        for table, frame in zip(tables, found, strict=True):
            rest = frame.columns.difference(keys, sort=False)
            table.append(frame.assign(**about)[[*keys, *rest]])
    return Outcome(*(pd.concat(parts, ignore_index=True) for parts in tables))


def describe_rule(candidates, judges, evidence, estimate, unresolved, margin, pause_above,
                  worst_case):  # fmt: skip
    """Say the rule in one sentence, as it was written beforehand."""
    who = {
        "judges": "verdicts of the judges",
        "reviewers_first": "words of the reviewers where they agree, else verdicts of the judges",
        "reviewers": "words of the reviewers",
    }[evidence]
    between = f"between {', '.join(candidates)}" if candidates else "between all candidates"
    whose = f" ({', '.join(judges)})" if judges else ""
    pair = {"order_averaged": "averaged over the orders", "both_agree": "where all orders agree"}
    open_pair = {"half": "counts one half", "average": "counts its average",
                 "leave_out": "is left out"}  # fmt: skip
    worst = " or where the worst case reverses it" if worst_case == "pause" else ""
    return (
        f"{between}, by {who}{whose} {pair[estimate]}; an unresolved pair "
        f"{open_pair[unresolved]}; the lead's interval must lie above {margin:g}; pause where "
        f"more than {100 * pause_above:g}% of the pairs are open{worst}"
    )


def _choose(verdicts, candidates, judges):
    """Keep the verdicts of these judges, on comparisons of these candidates only."""
    for judge in judges or ():
        check_choice(judge, sorted(verdicts["judge"].unique()), "decision.judges")
    if judges:
        verdicts = verdicts[verdicts["judge"].isin(judges)]
    if candidates is None:
        return verdicts
    comparisons = verdicts["comparison"].unique()
    names = {text: set(json.loads(text)[1:]) for text in comparisons}
    for name in candidates:
        check_choice(name, sorted(set().union(*names.values())), "decision.candidates")
    kept = [text for text in comparisons if names[text] <= set(candidates)]
    if not kept:
        raise ParamsError(
            f"no comparison shows only {', '.join(candidates)}", place="decision.candidates",
            cure="name candidates that were compared with each other",
        )  # fmt: skip
    return verdicts[verdicts["comparison"].isin(kept)]


def _settle(cells, settled, evidence):
    """Let the reviewers' word stand for a comparison, where the rule says so."""
    cells = cells.assign(reviewed=False, held=False)
    if evidence == "judges":
        return cells
    known = pd.DataFrame(columns=[*SAME_TEXTS, "winner"]) if settled is None else settled
    cells = cells.merge(known[[*SAME_TEXTS, "winner"]].assign(_said=True), "left", on=SAME_TEXTS)
    said = cells.pop("_said").eq(True) & (cells["state"] != IDENTICAL)
    winner = cells.pop("winner")
    open_state = cells["state"] if evidence == "reviewers_first" else cells["state"].mask(
        cells["state"] != IDENTICAL, EXCLUDED
    )  # fmt: skip
    state = open_state.mask(said & winner.isna(), UNRESOLVED).mask(said & winner.notna(), RESOLVED)
    word = cells["word"].where(state == RESOLVED).mask(said, winner)
    held = said & (winner.notna() | (evidence == "reviewers"))  # no verdict counts beside it
    word = word.mask(held & winner.isna(), TIE)
    return cells.assign(state=state, word=word, reviewed=said & winner.notna(), held=held)


def _credit(cells, votes, estimate, unresolved):
    """Credits of every cell and candidate; missing where the rule leaves the pair out."""
    mean = votes.groupby([*CELL, "winner"], observed=True)["share"].sum()
    shares = {}
    for (*cell, winner), share in mean.items():
        shares.setdefault(tuple(cell), {})[winner] = share
    told = []
    for key, row in zip(cells[CELL].itertuples(index=False), cells.itertuples(), strict=True):
        own = {name: share / row.orders for name, share in shares.get(tuple(key), {}).items()}
        if row.held or (row.state == RESOLVED and estimate == "both_agree"):
            own = {row.word: 1.0}
        elif row.state == UNRESOLVED and unresolved == "half":
            own = {TIE: 1.0}
        told.append(own)
    rows = spread_credit(cells.assign(shares=told))
    out = rows["state"].isin([EXCLUDED, IDENTICAL])
    out |= (rows["state"] == UNRESOLVED) & (unresolved == "leave_out")
    return rows.assign(credit=rows["credit"].mask(out))


def _order_rows(cells, votes, asked):
    """Credits from one order at a time; the reviewers' word holds in every order asked."""
    shares = {}
    for row in votes.itertuples():
        key = (*(getattr(row, name) for name in CELL), row.order)
        shares.setdefault(key, {})[row.winner] = row.share
    orders = pd.DataFrame(list(shares), columns=[*CELL, "order"])
    judged = cells["state"].isin([RESOLVED, UNRESOLVED]) & ~cells["held"]
    parts = [cells[judged].merge(orders, on=CELL), cells[cells["held"]].merge(asked)]
    told = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    own = [
        {row.word: 1.0} if row.held else shares[*key]
        for key, row in zip(
            told[[*CELL, "order"]].itertuples(index=False), told.itertuples(), strict=True
        )
    ]
    return spread_credit(told.assign(shares=own))


def _count(rows):
    """Number of pairs (a comparison by one judge) of each state."""
    states = rows.drop_duplicates(CELL)
    counts = {name: int((states["state"] == name).sum())
              for name in (RESOLVED, UNRESOLVED, EXCLUDED, IDENTICAL)}  # fmt: skip
    return {"pairs": len(states), **counts, "reviewed": int(states["reviewed"].sum())}
