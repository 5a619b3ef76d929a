"""Verdicts counted by what was shown: the sufficient statistics of the pooled logit."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.series import spread_candidates
from posbias_kit.errors import TableError
from posbias_kit.schema import TIE_CHOICE

_ANSWER = ["benchmark", "question", "candidate"]


@dataclass(frozen=True)
class SlotTally:
    """Verdicts counted by group, cluster and what was shown.

    Parameters
    ----------
    frame : DataFrame
        The grouping columns.
    cluster, cell, slots, reference : ndarray of shape (n,)
        Number of the cluster, number of what was shown, how many slots, and the number of the
        reference (-1: none).
    counts : ndarray of shape (n, p + 1)
        Verdicts for slot 1 .. p, and TIE last.
    shown : ndarray of shape (m, p)
        By cell, the number of the candidate in each slot; -1 where there is no such slot.
    known : ndarray of shape (m, p)
        By cell, the known worth of the answer in each slot (0 without scores).
    features : ndarray of shape (m, p, f)
        By cell.
    candidates, names : list of str
        Ids by number; names of the features.
    """

    frame: pd.DataFrame
    cluster: np.ndarray
    cell: np.ndarray
    slots: np.ndarray
    reference: np.ndarray
    counts: np.ndarray
    shown: np.ndarray
    known: np.ndarray
    features: np.ndarray
    candidates: list
    names: list


def tally_slots(verdicts, keys, scores=None, features=None):
    """Count the verdicts of each group, cluster and shown order.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : list of str
        Grouping columns.
    scores, features : DataFrame, optional
        As for :func:`posbias_kit.analysis.pooled_order`.

    Returns
    -------
    SlotTally
    """
    told = verdicts[verdicts["choice"].notna()]
    by_answer = ["benchmark", "question"] if not (scores is None and features is None) else []
    what = [*by_answer, "shown"]
    parts = [*dict.fromkeys([*keys, "cluster", "reference", "slots", *what])]
    if "candidate" in keys:
        parts += ["comparison"]
    code, head = number_groups(told, parts)
    size, width = len(head), int(told["slots"].max()) if len(told) else 2
    choice = told["choice"].to_numpy(dtype=np.int64)
    place = code * (width + 1) + np.where(choice == TIE_CHOICE, width, choice - 1)
    counts = np.bincount(place, minlength=size * (width + 1)).reshape(size, width + 1)
    rows = told[parts].iloc[head].assign(row=np.arange(size))
    if "candidate" in keys:
        rows = spread_candidates(rows, keys)
    cell, head = number_groups(rows, what)
    cells = rows[what].iloc[head]
    shown, candidates = _read_shown(cells["shown"], width)
    known, values, names = np.zeros(shown.shape), np.zeros((*shown.shape, 0)), []
    if scores is not None:
        known = _look_up(cells, shown, candidates, scores, ["log_odds"], "scores")[..., 0]
    if features is not None:
        names = [name for name in features if name not in _ANSWER]
        values = _look_up(cells, shown, candidates, features, names, "features")
    return SlotTally(
        frame=rows[keys].reset_index(drop=True),
        cluster=pd.factorize(rows["cluster"])[0],
        cell=cell,
        slots=rows["slots"].to_numpy(dtype=np.int64),
        reference=pd.Index(candidates).get_indexer(rows["reference"]),
        counts=counts[rows["row"]].astype(float),
        shown=shown,
        known=known,
        features=values,
        candidates=candidates,
        names=names,
    )


def _read_shown(shown, width):
    """Candidate numbers of each row and slot, and the candidates' ids in order."""
    codes, texts = pd.factorize(shown)
    lists = [json.loads(text) for text in texts]
    candidates = sorted({name for names in lists for name in names})
    number = {name: index for index, name in enumerate(candidates)}
    table = np.full((len(lists), width), -1)
    for row, names in enumerate(lists):
        table[row, : len(names)] = [number[name] for name in names]
    return table[codes], candidates


def _look_up(frame, shown, candidates, table, names, place):
    """Values of the answer in each slot; 0 where there is no such slot, missing if not given."""
    missing = [name for name in (*_ANSWER, *names) if name not in table]
    if missing:
        raise TableError(
            f"missing column {', '.join(map(repr, missing))}",
            place=place,
            allowed=", ".join((*_ANSWER, *names)),
            cure="add the column",
        )
    values = table.set_index(_ANSWER)[names].astype(float)
    if not values.index.is_unique:
        twice = values.index[values.index.duplicated()][0]
        cure = "keep one row for each benchmark, question and candidate"
        raise TableError(f"answer {twice} stands twice", place=place, cure=cure)
    width = shown.shape[1]
    ids = np.array([*candidates, ""], dtype=object)[shown.ravel()]
    keys = [np.repeat(frame[name].to_numpy(), width) for name in _ANSWER[:2]]
    found = values.reindex(pd.MultiIndex.from_arrays([*keys, ids], names=_ANSWER)).to_numpy()
    found = np.where(shown.ravel()[:, None] < 0, 0.0, found)
    return found.reshape(*shown.shape, len(names))
