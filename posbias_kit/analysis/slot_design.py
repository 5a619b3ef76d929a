"""The design of a pooled logit: slots, TIE, answer features and candidates' abilities."""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class SlotDesign:
    """The arrays of one group's model.

    Parameters
    ----------
    design, counts, clusters, offset, cells : ndarray
        As for :func:`posbias_kit.analysis.slot_logit.fit_slot_logit`.
    kinds, terms : list of str
        What each parameter is.
    left_out : int
        Verdicts without scores or features.
    records : DataFrame
        From :func:`count_records`.
    """

    design: np.ndarray
    counts: np.ndarray
    clusters: np.ndarray
    offset: np.ndarray
    cells: np.ndarray
    kinds: list
    terms: list
    left_out: int
    records: pd.DataFrame


def build_design(tally, rows, abilities=True):
    """Build the design of the rows of one group.

    Columns: the slot effects (for pairs 1 on the first slot, else effect coding, so that they sum
    to 0), log_nu on TIE where the judge ever ties, the features and the candidates. The worth of
    TIE is the mean of the slots' (Davidson).

    Parameters
    ----------
    tally : SlotTally
    rows : ndarray of int
        The group's rows, all with the same number of slots.
    abilities : bool
        Whether each candidate has one; else the tally's known worth says it all.

    Returns
    -------
    SlotDesign
    """
    slots = tally.slots[rows[0]]
    whole = ~(np.isnan(tally.known).any(axis=1) | np.isnan(tally.features).any(axis=(1, 2)))
    told = whole[tally.cell[rows]]
    left_out, rows = int(tally.counts[rows[~told]].sum()), rows[told]
    used, cells = np.unique(tally.cell[rows], return_inverse=True)
    shown, worth = tally.shown[used, :slots], tally.known[used, :slots]
    counts = tally.counts[np.ix_(rows, [*range(slots), -1])]
    records = count_records(shown[cells], counts[:, :slots], tally.candidates)
    others = _all_but_base(records, tally.reference[rows]) if abilities else np.array([], dtype=int)
    values = tally.features[used, :slots]
    values = np.concatenate([values, (shown[..., None] == others) * 1.0], axis=2)
    tie = int(counts[:, -1].sum() > 0)
    if tie:
        values = np.concatenate([values, values.mean(axis=1, keepdims=True)], axis=1)
        worth = np.c_[worth, worth.mean(axis=1)]
    place = np.broadcast_to(_code_slots(slots, tie), (len(used), slots + tie, slots - 1 + tie))
    order = ["first"] if slots == 2 else [f"slot_{k + 1}" for k in range(slots - 1)]
    kinds = ["order"] * len(order) + ["tie"] * tie + ["feature"] * len(tally.names)
    return SlotDesign(
        design=np.concatenate([place, values], axis=2),
        counts=counts[:, : slots + tie],
        clusters=tally.cluster[rows],
        offset=worth,
        cells=cells,
        kinds=kinds + ["ability"] * len(others),
        terms=order + ["log_nu"] * tie + tally.names + [tally.candidates[k] for k in others],
        left_out=left_out,
        records=records,
    )


def _code_slots(slots, tie):
    """Rows are the alternatives, columns the slot effects and log_nu."""
    last = -1.0 if slots > 2 else 0.0
    table = np.vstack([np.eye(slots - 1), np.full(slots - 1, last), *[np.zeros(slots - 1)] * tie])
    return np.c_[table, np.eye(slots + 1)[:, -1]] if tie else table


def _all_but_base(records, reference):
    """Numbers of the candidates shown but one: the reference, or the first that won and lost."""
    wins, losses = records["wins"].to_numpy(), records["losses"].to_numpy()
    shown = np.flatnonzero(records["shown"])
    base = reference[:1]
    if len(base) == 0 or base[0] < 0 or (reference != base[0]).any():
        both = shown[(wins[shown] > 0) & (losses[shown] > 0)]
        base = both[:1] if len(both) else shown[:1]
    return shown[~np.isin(shown, base)]


def count_records(shown, chosen, candidates):
    """Count how often each candidate was chosen, and how often another one was.

    Parameters
    ----------
    shown : ndarray of int, shape (n, p)
        Number of the candidate in each slot.
    chosen : ndarray of shape (n, p)
        Verdicts for each slot.
    candidates : list of str

    Returns
    -------
    DataFrame
        Indexed by candidate: shown (rows), wins, losses.
    """
    decided = np.repeat(chosen.sum(axis=1), shown.shape[1])
    size = len(candidates)
    seen = np.bincount(shown.ravel(), minlength=size)
    wins = np.bincount(shown.ravel(), weights=chosen.ravel(), minlength=size)
    asked = np.bincount(shown.ravel(), weights=decided, minlength=size)
    return pd.DataFrame({"shown": seen, "wins": wins, "losses": asked - wins}, index=candidates)
