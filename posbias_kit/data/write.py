"""Verdict tables out again: Parquet, CSV, and FastChat's pairs."""

import csv
import json
from pathlib import Path

from posbias_kit.data.layouts.records import ALL
from posbias_kit.data.verdicts import check_verdicts
from posbias_kit.errors import ParamsError, TableError
from posbias_kit.schema import TIE, Status

WRITERS = (".parquet", ".csv", ".jsonl")
"""Endings of the files that :func:`write_verdicts` writes."""


def write_verdicts(verdicts, path, kind=None):
    """Write a verdict table in the layout that the file's ending names.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    path : str or Path
        ``.parquet`` and ``.csv`` are the table as it is, and are read again as format
        ``verdicts``. ``.jsonl`` is FastChat's layout of pairs, one row a series.
    kind : str, optional
        One of :data:`WRITERS`, where the path itself ends otherwise.

    Returns
    -------
    int
        How many verdicts were left out: FastChat's layout has no place for a series that lacks
        one of its two orders, nor for one that nobody was asked about, its answers being the same.

    Raises
    ------
    ParamsError
        The ending is none of these.
    TableError
        There are no verdicts, or the table breaks its schema; lists of three or more answers,
        which FastChat's layout has no place for.
    """
    path = Path(path)
    place = str(path) if kind is None else "the output"  # whose name may stand for another one
    kind = (path.suffix if kind is None else kind).lower()
    if kind not in WRITERS:
        raise ParamsError(
            f"cannot write {kind or 'a file without an ending'}",
            place=place,
            allowed=", ".join(WRITERS),
            cure="let the file end in one of these",
        )
    verdicts = check_verdicts(verdicts, place)
    if verdicts.empty:
        raise TableError(
            "there is no verdict to write",
            place=place,
            allowed="judgments that compare answers",
            cure="read grades and labels in Python: read_judgments(...).scores and .labels",
        )
    if kind == ".parquet":
        verdicts.to_parquet(path, index=False)
    elif kind == ".csv":
        # All texts in quotes: without them, a lone carriage return would end the row.
        verdicts.to_csv(path, index=False, encoding="utf-8", lineterminator="\n",
                        quoting=csv.QUOTE_NONNUMERIC)  # fmt: skip
    else:
        rows = _fastchat_rows(verdicts)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        return len(verdicts) - 2 * len(rows)
    return 0


def _fastchat_rows(verdicts):
    """One row a series of two orders; g1 shows the candidate first that order AB shows first."""
    if (verdicts["slots"] > 2).any():
        raise TableError(
            f"{int((verdicts['slots'] > 2).sum())} verdicts are on three or more answers",
            place="verdicts",
            allowed="pairs",
            cure="write Parquet or CSV instead",
        )
    keys = ["judge", "benchmark", "experiment", "arm", "turn", "comparison", "repeat"]
    rows = []
    asked = verdicts[verdicts["status"] != Status.IDENTICAL]
    for key, games in asked.groupby(keys, observed=True, sort=False):
        told = {game.order: game for game in games.itertuples()}
        if set(told) != {"AB", "BA"}:
            continue
        first, second = json.loads(told["AB"].shown)
        names = {first: "model_1", second: "model_2", TIE: "tie"}
        judge, _, _, arm, turn, _, _ = key
        rows.append(
            {
                "question_id": told["AB"].question,
                **({"category": task} if (task := told["AB"].task) != ALL else {}),
                "model_1": first,
                "model_2": second,
                "g1_winner": names.get(told["AB"].winner, "error"),
                "g2_winner": names.get(told["BA"].winner, "error"),
                "judge": [judge, arm or "pair"],
                **({"turn": int(turn) if turn.isdecimal() else turn} if turn else {}),
            }
        )
    return rows
