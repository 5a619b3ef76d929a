"""The verdict table: built in one place, whoever the judge was."""

import json

import numpy as np
import pandas as pd

from posbias_kit.data.presentations import identify
from posbias_kit.errors import TableError
from posbias_kit.schema import TIE, validate

_EMPTY = ("experiment", "turn", "arm", "reason")


def build_verdicts(frame, place="verdicts"):
    """Build the verdict table from what was shown and which slot was chosen.

    This is the only place where a slot becomes a winner.

    Parameters
    ----------
    frame : DataFrame
        benchmark, task, question, judge : str
        shown : tuple of str, the candidates in the order shown, slot 1 first
        repeat : int, 1..
        status : str, see :class:`posbias_kit.schema.Status`
        choice : int, slot 1..p, 0 = TIE, missing unless ok
        and, where known, experiment, turn, arm, cluster, reference, order, reason, margin; sets of
        three or more without an order must show cyclic shifts of their candidates
    place : str
        Where the rows come from, for messages.

    Returns
    -------
    DataFrame
        The table of :data:`posbias_kit.schema.VERDICTS`.

    Raises
    ------
    TableError
        A column is missing, a value is not allowed (a candidate called TIE, a choice beyond the
        slots), a set has no order and is no cyclic shift, or a presentation stands twice.
    """
    needed = ["benchmark", "task", "question", "judge", "shown", "repeat", "status", "choice"]
    missing = [column for column in needed if column not in frame]
    if missing:
        raise TableError(
            f"missing column {', '.join(map(repr, missing))}",
            place=place,
            allowed=", ".join(needed),
            cure="add the column, or map one of yours to it",
        )
    frame = frame.reset_index(drop=True)
    table = frame.assign(**identify(frame))
    _refuse_reserved(table["shown"], place)
    table["order"] = _name_orders(table, place)
    _check_choices(table, place)
    for column in _EMPTY:
        table[column] = table.get(column, pd.Series("", index=table.index)).fillna("")
    table["cluster"] = table.get("cluster", table["question"])
    table["margin"] = table.get("margin", np.nan)
    table["winner"] = winner_of(table["choice"], table["shown"])
    return validate(table, "verdicts", place)


def _refuse_reserved(shown, place):
    """Refuse a candidate whose id is the word for a tie."""
    if any(TIE in json.loads(text) for text in shown.unique() if TIE in text):
        raise TableError(
            f"a candidate is called {TIE!r}",
            place=f"{place}, shown",
            allowed=f"any id but {TIE}, the winner of a tied verdict",
            cure="rename this candidate",
        )


def _name_orders(table, place):
    """Return the order of each row; for sets without one, the turn of a cyclic shift: r0, r1, .."""
    order = table["order"].fillna("")
    bare = ((order == "") & (table["slots"] > 2)).to_numpy()
    if not bare.any():
        return order
    turns, lost = {}, None
    for comparison, text in table.loc[bare, ["comparison", "shown"]].drop_duplicates().to_numpy():
        ids, shown = json.loads(comparison)[1:], json.loads(text)
        turn = ids.index(shown[0])
        turns[text] = f"r{turn}"
        lost = lost or (text if ids[turn:] + ids[:turn] != shown else None)
    if lost:
        raise TableError(
            f"no order for {lost}, which is no cyclic shift of its candidates sorted by id",
            place=f"{place}, order",
            allowed="a name of the order for each row of three or more slots",
            cure="add column `order`: rows of a comparison shown alike bear the same name",
        )
    return order.mask(bare, table["shown"].map(turns))


def check_verdicts(table, place="verdicts"):
    """Return a table that claims to be one of verdicts, or say where it contradicts itself.

    Parameters
    ----------
    table : DataFrame
    place : str
        Where it comes from, for messages.

    Raises
    ------
    TableError
        It breaks its schema; nobody is named as the judge; `slots` or `winner` are not those of
        `shown` and `choice`.
    """
    table = validate(table, "verdicts", place)
    try:
        shown = {text: json.loads(text) for text in table["shown"].unique()}
        slots = table["shown"].map({text: len(names) for text, names in shown.items()})
        winner = winner_of(table["choice"], table["shown"])
    except (ValueError, TypeError):
        _refuse_row(table, table["shown"].map(_is_no_list), "shown", "a JSON list", place)
        raise
    _refuse_row(table, table["judge"] == "", "judge", "a name", place)
    _refuse_row(table, slots != table["slots"], "slots", "the number of answers shown", place)
    same = (winner == table["winner"]) | (winner.isna() & table["winner"].isna())
    _refuse_row(table, ~same, "winner", "the candidate in the slot chosen, TIE, or nothing", place)
    return table


def _is_no_list(text):
    try:
        return not isinstance(json.loads(text), list)
    except ValueError:
        return True


def _refuse_row(table, wrong, column, allowed, place):
    if wrong.any():
        row = table[wrong].iloc[0]
        told = {name: row[name] for name in ("shown", "choice", column)}
        raise TableError(
            f"{int(wrong.sum())} rows contradict themselves; row {table.index[wrong][0]}: "
            + ", ".join(f"{name} = {value!r:.60}" for name, value in told.items()),
            place=f"{place}, {column}",
            allowed=allowed,
            cure="mend or set aside these rows",
        )


def _check_choices(table, place):
    """Refuse a choice beyond the slots that were shown, by its row."""
    choice = pd.to_numeric(table["choice"], errors="coerce")
    beyond = (choice > table["slots"]).fillna(False).to_numpy(dtype=bool)
    if beyond.any():
        row = int(beyond.argmax())
        slots = int(table["slots"].iloc[row])
        raise TableError(
            f"choice is at most slots: row {row} has choice {table['choice'].iloc[row]} of {slots}",
            place=f"{place}, choice",
            allowed=f"1 to {slots} for a slot, 0 for a tie",
            cure="mend or set aside this row",
        )


def winner_of(choice, shown):
    """Map chosen slots to candidates.

    Parameters
    ----------
    choice : Series of int
        Slot 1..p, 0 = TIE, missing where there is no verdict.
    shown : Series of str
        Candidates in the order shown, as JSON text.

    Returns
    -------
    Series of str
        Candidate id, TIE, or missing.

    Examples
    --------
    >>> winner_of(pd.Series([2, 0, None]), pd.Series(['["a","b"]'] * 3)).tolist()
    ['b', 'TIE', nan]
    """
    codes, unique = pd.factorize(shown)
    names = [[TIE, *json.loads(text)] for text in unique]
    width = max(map(len, names), default=1)
    rows = [[*row, *[None] * (width - len(row))] for row in names]
    lookup = np.array(rows, dtype=object).reshape(-1, width)
    ok = choice.notna().to_numpy() & (choice.fillna(0) < width).to_numpy()
    winner = np.full(len(choice), None, dtype=object)
    winner[ok] = lookup[codes[ok], choice[ok].astype(int)]
    return pd.Series(winner, index=choice.index, dtype="str")
