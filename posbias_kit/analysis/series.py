"""From single verdicts to series: all orders of one comparison by one judge in one repeat."""

import json

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_verdicts, refuse_doubles
from posbias_kit.analysis.orders import orders_needed
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.schema import TIE, Status

SERIES_KEY = ["benchmark", "experiment", "arm", "judge", "turn", "comparison", "repeat"]
"""What identifies a series."""

GROUPING = ("judge", "task", "candidate", "reference", "question", "turn", "arm", "repeat", "slots")
"""Columns that `by` may name; benchmark and experiment always lead."""

SERIES_COLUMNS = [*SERIES_KEY, "task", "question", "cluster", "candidate", "reference", "slots"]
"""What a series takes over from its verdicts."""


def build_series(verdicts, columns=None):
    """Collect the verdicts of each series and name its kind.

    A series is *complete* when every order of its comparison has a verdict
    (:func:`posbias_kit.analysis.orders.orders_needed`): both orders of a pair, and of a set all p
    turns, or all orders in which any judge was shown it. Series of identical answers
    are marked and enter no metric. Of the complete series, *consistent* ones name the same
    winner (or TIE) in every order. The rest, for pairs, are

    ============  ======================================
    primacy_full  first slot chosen in both orders
    primacy_half  first slot chosen once, TIE once
    recency_full  second slot chosen in both orders
    recency_half  second slot chosen once, TIE once
    ============  ======================================

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    columns : sequence of str, optional
        Take over only these of :data:`SERIES_COLUMNS`, slots among them: with millions of
        verdicts that saves time and memory.

    Returns
    -------
    DataFrame
        One row a series: the key, task, question, cluster, candidate, reference, slots, winner
        (candidate or TIE; missing unless consistent), orders (verdicts that make it complete),
        verdicts, first, second, ties (counts of verdicts), and the flags identical, complete,
        incomplete, consistent, inconsistent, primacy_full, primacy_half, recency_full,
        recency_half, any_tie.
    """
    code, head = number_groups(verdicts, SERIES_KEY)
    orders, names = pd.factorize(verdicts["order"])
    refuse_doubles(code * max(len(names), 1) + orders, verdicts)
    del orders
    series = verdicts[columns or SERIES_COLUMNS].iloc[head].reset_index(drop=True)
    choice = verdicts["choice"].to_numpy(dtype=np.int16, na_value=-1)

    def count(flag):
        return np.bincount(code[flag], minlength=len(head))

    width = max(int(choice.max(initial=0)), 2) + 2
    chosen = np.bincount(code * width + choice + 1, minlength=len(head) * width)
    chosen = chosen.reshape(len(head), width)[:, 1:]
    series["verdicts"] = chosen.sum(axis=1)
    series["ties"], series["first"], series["second"] = chosen[:, :3].T
    series["orders"] = _orders(verdicts, head)
    series["identical"] = count((verdicts["status"] == Status.IDENTICAL).to_numpy()) > 0
    winner = pd.factorize(verdicts["winner"])[0]
    differs = count(winner != winner[head][code]) > 0
    complete = ~series["identical"] & (series["verdicts"] == series["orders"])
    series["complete"], series["incomplete"] = complete, ~complete & ~series["identical"]
    series["consistent"], series["inconsistent"] = complete & ~differs, complete & differs
    series["winner"] = verdicts["winner"].iloc[head].where((complete & ~differs).to_numpy()).array
    return _name_kinds(series)


def _orders(verdicts, head):
    """Count the orders that each series needs."""
    if (verdicts["slots"] == 2).all():
        return 2
    place, _ = number_groups(verdicts, [name for name in SERIES_KEY if name not in _ASKED])
    return orders_needed(verdicts, place)[place[head]]


_ASKED = ("judge", "repeat")


def _name_kinds(series):
    pair = series["inconsistent"] & (series["slots"] == 2)
    half = pair & (series["ties"] == 1)
    series["primacy_full"] = pair & (series["first"] == 2)
    series["primacy_half"] = half & (series["first"] == 1)
    series["recency_full"] = pair & (series["second"] == 2)
    series["recency_half"] = half & (series["second"] == 1)
    series["any_tie"] = series["complete"] & (series["ties"] > 0)
    return series


def take_sides(series, by):
    """Give each series the candidate from whose side it is counted.

    With a reference that is the other candidate. Without one, a series has no side; grouped by
    candidate it is counted once for each candidate shown.

    Parameters
    ----------
    series : DataFrame
        From :func:`build_series`.
    by : sequence of str
        Grouping columns.

    Returns
    -------
    DataFrame
        The series, with the flags win, loss and tie among the consistent ones; win and loss are
        missing where there is no side.
    """
    series = spread_candidates(series, by)
    sided = (series["candidate"] != "").to_numpy()
    ok = series["consistent"].to_numpy()
    won = ok & (series["winner"] == series["candidate"]).to_numpy()
    tied = ok & (series["winner"] == TIE).to_numpy()
    return series.assign(
        win=np.where(sided, won, np.nan),
        loss=np.where(sided, ok & ~won & ~tied, np.nan),
        tie=tied,
    )


def spread_candidates(frame, by):
    """Count rows without a side once for each candidate, where candidates are told apart.

    Parameters
    ----------
    frame : DataFrame
        Holds comparison and candidate.
    by : sequence of str
        Grouping columns; without `candidate` among them nothing changes.

    Returns
    -------
    DataFrame
        Rows with an empty candidate are repeated, one for each candidate of the comparison.
    """
    open_side = (frame["candidate"] == "").to_numpy()
    if "candidate" not in by or not open_side.any():
        return frame
    codes, comparisons = pd.factorize(frame["comparison"])
    shown = pd.Series([json.loads(text)[1:] for text in comparisons], dtype=object)
    own = pd.Series(frame["candidate"].array, dtype=object)
    own[open_side] = shown.iloc[codes[open_side]].array
    frame = frame.assign(candidate=own.array).explode("candidate", ignore_index=True)
    return frame.assign(candidate=frame["candidate"].astype("str"))


def group_columns(frame, by):
    """Return the columns to group by: benchmark, experiment, then `by`.

    Arms and numbers of slots are never pooled: where there are several, they are added.

    Raises
    ------
    ParamsError
        `by` names a column that verdicts cannot be grouped by.
    """
    by = [by] if isinstance(by, str) else list(by)
    unknown = [column for column in by if column not in GROUPING]
    if unknown:
        raise ParamsError(
            f"unknown grouping column {', '.join(map(repr, unknown))}",
            place="by",
            allowed=", ".join(GROUPING),
            cure="benchmark and experiment always lead and need not be named",
        )
    split = [
        column for column in ("arm", "slots") if column not in by and frame[column].nunique() > 1
    ]
    return ["benchmark", "experiment", *by, *split]


def group_verdicts(verdicts, by, some=False, keys=True):
    """Return the columns to group a verdict table by, once its columns and keys are checked.

    Parameters
    ----------
    verdicts : DataFrame
    by : sequence of str
        As for :func:`group_columns`.
    some, keys : bool
        As for :func:`posbias_kit.analysis.checks.check_verdicts`.
    """
    check_verdicts(verdicts, some, keys)
    return group_columns(verdicts, by)


def name_families(judges, families=None):
    """Name the declared family of each judge; a judge in none is its own.

    Examples
    --------
    >>> name_families(["a", "b"], {"early": ["a"]})
    ['early', 'b']
    """
    family = {judge: name for name, members in (families or {}).items() for judge in members}
    return [family.get(judge, judge) for judge in judges]


def choose_experiment(verdicts, experiment=None):
    """Keep the verdicts of one experiment of each benchmark.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    experiment : str, optional
        Its name; none takes the one with most verdicts, for each benchmark by itself.

    Returns
    -------
    DataFrame

    Raises
    ------
    ParamsError
        There is no such experiment.
    """
    if experiment is None:
        groups = verdicts.groupby("benchmark", observed=True)["experiment"]
        largest = groups.agg(lambda names: names.value_counts().index[0])
        return verdicts[verdicts["experiment"] == verdicts["benchmark"].map(largest)]
    check_choice(experiment, verdicts["experiment"].unique(), "experiment")
    return verdicts[verdicts["experiment"] == experiment]
