"""Abilities free of the order: Bradley-Terry with an order term, and the win rates it implies."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.cr2 import cr2_errors
from posbias_kit.analysis.slot_design import build_design
from posbias_kit.analysis.slot_logit import fit_slot_logit
from posbias_kit.analysis.slot_tally import tally_slots


@dataclass(frozen=True)
class Abilities:
    """The fit of one group.

    Parameters
    ----------
    group : dict
        Grouping columns.
    table : DataFrame
        One row a candidate, the reference among them: candidate, n (verdicts on what it was shown
        in), ability, ability_low, ability_high (log-odds, sum 0), win_rate, win_rate_low,
        win_rate_high, place (the ability for ranking: infinite where it never won or never
        lost), clusters, note.
    covariance : ndarray
        CR2, of the abilities.
    """

    group: dict
    table: pd.DataFrame
    covariance: np.ndarray


def fit_abilities(verdicts, keys, level=0.95):
    """Fit Bradley-Terry with an order term and Davidson's ties in each group.

    The model is that of :func:`posbias_kit.analysis.pooled_order`; for a pair

        P(first) : P(TIE) : P(second) = exp(beta + a_1) : nu exp((a_1 + a_2) / 2) : exp(a_2),

    for a set the same with one effect a slot. A candidate's order-free win rate is the mean, over
    what it was shown in, of P(it wins) + P(TIE) / p without the slot effects (TIE then weighs
    nu exp(-beta / 2), which does not depend on which slot carries the effect). Errors are CR2
    with Satterthwaite degrees of freedom by cluster, on the model's last weighted least squares;
    the interval of a win rate is that of its log-odds. A candidate that never won or never lost
    has no finite ability: it is left out in words, and the fit of the others is the limit of the
    likelihood.

    *Source: R. R. Davidson and R. J. Beaver (1977), On extending the Bradley-Terry model to
    incorporate within-pair order effects, Biometrics 33(4).*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : list of str
        Grouping columns, benchmark among them.
    level : float

    Returns
    -------
    list of Abilities

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1,
    ...     "question": list("00112233"), "shown": [("a", "b"), ("b", "a")] * 4,
    ...     "choice": pd.array([1, 1, 1, 2, 1, 2, 2, 1], dtype="Int64")}))
    >>> table = fit_abilities(verdicts, ["benchmark", "judge"])[0].table
    >>> table[["candidate", "ability"]].round(2).values.tolist()
    [['a', 0.27], ['b', -0.27]]
    """
    tally = tally_slots(verdicts, keys)
    groups = tally.frame.groupby(keys, sort=True, observed=True).indices
    return [
        Abilities(dict(zip(keys, name, strict=True)), *_fit(tally, rows, level))
        for name, rows in groups.items()
    ]


def _fit(tally, rows, level):
    made = build_design(tally, rows)
    fit = fit_slot_logit(made.design, made.counts, made.clusters, made.offset, made.cells)
    table = _explain(made, fit)
    known, params = (table["note"] == "").to_numpy(), np.nan_to_num(fit.params)
    tie = _tie_weight(made.kinds)
    code = np.array([[term == name for term in _owners(made)] for name in table["candidate"]]) * 1.0
    worth = np.where(known, code @ params, _BEYOND * table["place"])
    log_nu = tie @ params if tie.any() else -np.inf
    rates, slopes, seen = _order_free(*_cells(tally, rows, table), worth, log_nu)
    slopes = slopes[:, :-1] @ code + slopes[:, -1:] * tie
    rates[~known] = np.nan
    code[~known] = np.nan
    code -= np.nanmean(code, axis=0) if known.any() else 0  # abilities sum to 0
    covariance, df = _errors(made, fit, np.nan_to_num(np.vstack([code, slopes])))
    half = special.stdtrit(df, (1 + level) / 2) * np.sqrt(np.diag(covariance))
    half, ability = half.reshape(2, -1), code @ params
    odds, width = special.logit(rates), half[1] / (rates * (1 - rates))
    table = table.assign(
        n=seen.astype(int),
        ability=ability,
        ability_low=ability - half[0],
        ability_high=ability + half[0],
        win_rate=rates,
        win_rate_low=special.expit(odds - width),
        win_rate_high=special.expit(odds + width),
        clusters=fit.clusters,
        place=np.where(known, ability, np.inf * table["place"].replace(0, np.nan)),
        note=table["note"].mask(known & np.isnan(half[0]), _NO_INTERVAL),
    )
    return table, covariance[: len(table), : len(table)]


_NO_INTERVAL = "no interval: not more clusters than parameters"


def _owners(made):
    """Return the candidate whose ability each parameter is, or None."""
    pairs = zip(made.kinds, made.terms, strict=True)
    return [term if kind == "ability" else None for kind, term in pairs]


def _tie_weight(kinds):
    """Which combination of the parameters weighs a TIE once the slots are alike.

    For a pair the order effect stands on the first slot; shared by both, half of it each way,
    log_nu becomes log_nu - beta / 2. Slot effects of a set sum to 0 as they are.
    """
    kinds = np.array(kinds)
    pair = (kinds == "order").sum() == 1
    return (kinds == "tie").any() * ((kinds == "tie") - pair * 0.5 * (kinds == "order"))


def _cells(tally, rows, table):
    """Candidates in each slot of each cell, numbered as in the table, and the cell's verdicts."""
    used, cells = np.unique(tally.cell[rows], return_inverse=True)
    number = pd.Index(table["candidate"]).get_indexer(tally.candidates)
    shown = number[tally.shown[used, : tally.slots[rows[0]]]]
    return shown, np.bincount(cells, weights=tally.counts[rows].sum(axis=1))


_BEYOND = 80.0
"""Stands for an ability without a bound: its opponents' chances are below exp(-80) or so."""


def _explain(made, fit):
    """Say which candidates have no ability and why; place is 1 never lost, -1 never won."""
    records = made.records[made.records["shown"] > 0]
    owners = _owners(made)
    notes = dict(zip(owners, fit.notes, strict=True))
    rest = [note for owner, note in zip(owners, fit.notes, strict=True) if owner is None]
    why = pd.Series([max(rest) or notes.get(name, "") for name in records.index], dtype=object)
    base = ~records.index.isin(owners)
    if (why[~base] != "").all():
        why[base] = "not estimable: no other candidate has an ability"
    won, lost = records["wins"].to_numpy() > 0, records["losses"].to_numpy() > 0
    place = np.select([why == "", won & ~lost, lost & ~won], [0.0, 1.0, -1.0], np.nan)
    why = np.select(
        [place == 1, place == -1], ["not estimable: never lost", "not estimable: never won"], why
    )
    return pd.DataFrame({"candidate": records.index.astype(str), "place": place, "note": why})


def _order_free(shown, weights, worth, log_nu):
    """Return win rates without slot effects, their slopes, and how many verdicts they rest on.

    With P the chances of the slots and T that of TIE, the score of slot i is S_i = P_i + T / p and

        dS_i / du_j = P_i ([i = j] - P_j - T / p) + T / p (1 / p - P_j - T / p),
        dS_i / dlog nu = -P_i T + T (1 - T) / p.

    Parameters
    ----------
    shown : ndarray of int, shape (cells, p)
        Number of the candidate in each slot.
    weights : ndarray of shape (cells,)
    worth : ndarray of shape (candidates,)
        A cell with a missing worth is left out.
    log_nu : float
        -inf where the judge never ties.

    Returns
    -------
    rates : ndarray of shape (candidates,)
    slopes : ndarray of shape (candidates, candidates + 1)
        By worth, and by log_nu in the last column.
    seen : ndarray of shape (candidates,)
    """
    size, slots = len(worth), shown.shape[1]
    seen = np.bincount(shown.ravel(), np.repeat(weights, slots), size)
    told = ~np.isnan(worth[shown]).any(axis=1)
    shown, weights = shown[told], weights[told]
    u = worth[shown]
    chances = special.softmax(np.c_[u, u.mean(axis=1) + log_nu], axis=1)
    p, share = chances[:, :-1], chances[:, -1] / slots
    total = np.bincount(shown.ravel(), np.repeat(weights, slots), size)
    rates = np.bincount(shown.ravel(), ((p + share[:, None]) * weights[:, None]).ravel(), size)
    slopes = np.zeros((size, size + 1))
    for i in range(slots):
        tie = -p[:, i] * slots * share + share * (1 - slots * share)
        np.add.at(slopes, (shown[:, i], size), weights * tie)
        for j in range(slots):
            by_worth = p[:, i] * ((i == j) - p[:, j] - share)
            by_worth += share * (1 / slots - p[:, j] - share)
            np.add.at(slopes, (shown[:, i], shown[:, j]), weights * by_worth)
    with np.errstate(divide="ignore", invalid="ignore"):
        return rates / total, slopes / total[:, None], seen


def _errors(made, fit, contrasts):
    """CR2 covariance and df of combinations of the parameters, from the working least squares.

    With P the chances of a row's alternatives, n its verdicts and x their covariates, the rows
    of the working model are sqrt(n P) (x - mean of x under P), the residuals
    (chosen - n P) / sqrt(n P).
    """
    used = np.array([note == "" for note in fit.notes])
    size = len(contrasts)
    nothing = np.full((size, size), np.nan), np.full(size, np.nan)
    # Rows on which a missing parameter acts are decided in the limit: they say nothing more.
    fixed = (np.ptp(made.design[..., ~used], axis=1) == 0).all(axis=1)[made.cells]
    design, counts = made.design[..., used], made.counts[fixed]
    cells, clusters = made.cells[fixed], made.clusters[fixed]
    if used.sum() == 0 or len(np.unique(clusters)) <= used.sum():
        return nothing
    chances = special.softmax(design @ fit.params[used] + made.offset, axis=1)
    centred = design - np.einsum("ca,cak->ck", chances, design)[:, None]
    expected = counts.sum(axis=1, keepdims=True) * chances[cells]
    root = np.sqrt(expected)
    rows = (root[..., None] * centred[cells]).reshape(-1, used.sum())
    residual = ((counts - expected) / root).ravel()
    cluster = np.repeat(clusters, counts.shape[1])
    return cr2_errors(rows, residual, cluster, contrasts[:, used])
