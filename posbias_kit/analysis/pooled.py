"""The pooled logit of the order effect: every verdict, with abilities and other covariates."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.analysis.slot_design import build_design
from posbias_kit.analysis.slot_logit import SlotFit, fit_slot_logit
from posbias_kit.analysis.slot_tally import tally_slots

_COLUMNS = [
    "kind", "term", "estimate", "se", "df", "low", "high", "p", "verdicts", "clusters", "note",
]  # fmt: skip
_FAMILY = ("benchmark", "experiment", "kind")


def pooled_order(verdicts, by=("judge",), level=0.95, scores=None, features=None):
    """Fit the logit with an order effect, candidate abilities and answer features.

    With beta the order effect and u the worth of an answer, u = a + f gamma (a the candidate's
    ability, f features of the answer),

        P(first) : P(TIE) : P(second)
            = exp(beta + u_1) : nu exp((u_1 + u_2) / 2) : exp(u_2),

    the model of Davidson and Beaver; without ties logit P(first) = beta + u_1 - u_2. For three
    or more slots, P(slot k) is proportional to exp(s_k + u_k) with slot effects s that sum to 0,
    and P(TIE) to nu exp(mean of u). A feature thus acts by its difference between the answers.
    beta attenuates where quality varies over a candidate's questions; the headline of
    :func:`posbias_kit.analysis.order_effect` does not.

    Errors are CR2 by cluster with Satterthwaite degrees of freedom: few for a feature whose size
    differs much between questions. The t test of a feature without effect then rejects in 2 to
    4 % of studies at nominal 5 % (10 to 40 clusters, 8 candidates); with the plain sandwich and
    clusters - 1 degrees of freedom it would be 9 to 13 % (``python -m benchmarks.levels``).

    *Source: R. R. Davidson and R. J. Beaver (1977), On extending the Bradley-Terry model to
    incorporate within-pair order effects, Biometrics 33(4).*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment; each group is a fit of its own.
    level : float
        Level of the intervals.
    scores : DataFrame, optional
        Known worth of the answers: benchmark, question, candidate, log_odds. It enters with
        coefficient 1, in place of the abilities.
    features : DataFrame, optional
        benchmark, question, candidate and a column for each feature, as
        :func:`posbias_kit.analysis.answer_features` returns.

    Returns
    -------
    DataFrame
        One row a group and parameter: the grouping columns; kind (order, tie, feature, ability);
        term (first, or slot_1 ..; log_nu; the feature; the candidate, whose ability is relative
        to the reference or else to the first candidate that both won and lost); estimate, se
        (CR2 by cluster), df (Satterthwaite, of the term), low, high in log-odds; p (t test of 0);
        p_holm over the rows of a benchmark, experiment and kind (features: over judges and
        features), or p_bh where `by` holds `task`; verdicts; clusters; note. Candidates whose
        ability the data do not bound have no row; the note of the group's first row names them.

    Raises
    ------
    ParamsError
        An unknown grouping column, or a level outside (0, 1).
    TableError
        `scores` or `features` lack a column, or hold an answer twice.

    Examples
    --------
    Three of four verdicts name the first slot, whoever stands there: beta = log 3.

    >>> from posbias_kit.data import build_verdicts
    >>> shown = [("a", "b"), ("b", "a")] * 4
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1,
    ...     "question": list("00112233"), "shown": shown,
    ...     "choice": pd.array([1, 1, 1, 1, 1, 2, 2, 1], dtype="Int64")}))
    >>> pooled_order(verdicts)[["term", "estimate"]].round(3).iloc[[0]].values.tolist()
    [['first', 1.099]]
    """
    check_settings("pooled_order", level=level)
    keys = group_verdicts(verdicts, by)
    models = fit_pooled(verdicts, keys, scores, features)
    tables = [list_terms(model, level).assign(**model.group) for model in models]
    columns = [*keys, *_COLUMNS]
    if not tables:
        return adjust_p(pd.DataFrame(columns=columns), keys, _FAMILY)
    return adjust_p(pd.concat(tables, ignore_index=True)[columns], keys, _FAMILY)


@dataclass(frozen=True)
class PooledModel:
    """The fit of one group.

    Parameters
    ----------
    group : dict
        Grouping columns.
    kinds, terms : list of str
        What each parameter is.
    fit : SlotFit
    chosen : ndarray
        Verdicts for each slot.
    note : str
        What the fit leaves out.
    """

    group: dict
    kinds: list
    terms: list
    fit: SlotFit
    chosen: np.ndarray
    note: str


def fit_pooled(verdicts, keys, scores=None, features=None):
    """Fit the pooled model in each group.

    Parameters
    ----------
    verdicts, scores, features
        As for :func:`pooled_order`.
    keys : list of str
        Grouping columns, benchmark among them.

    Returns
    -------
    list of PooledModel
        Groups without a verdict are not in it.
    """
    tally = tally_slots(verdicts, keys, scores, features)
    groups = tally.frame.groupby(keys, sort=True, observed=True).indices
    models = []
    for name, rows in groups.items():
        made = build_design(tally, rows, abilities=scores is None)
        fit = fit_slot_logit(made.design, made.counts, made.clusters, made.offset, made.cells)
        group = dict(zip(keys, name, strict=True))
        chosen = made.counts.sum(axis=0)[: tally.slots[rows[0]]]
        note = _say_left_out(made, fit)
        models.append(PooledModel(group, made.kinds, made.terms, fit, chosen, note))
    return models


def _say_left_out(made, fit):
    """Name the candidates whose ability has no bound, and count verdicts without covariates."""
    lost = [
        term
        for kind, term, note in zip(made.kinds, made.terms, fit.notes, strict=True)
        if kind == "ability" and note
    ]
    wins, losses = (made.records.loc[lost, name] == 0 for name in ("wins", "losses"))
    parts = [
        f"no ability for {', '.join(map(str, names))}: {reason}"
        for names, reason in (
            (wins[wins].index, "never won"),
            (losses[losses & ~wins].index, "never lost"),
            (wins[~wins & ~losses].index, "separation"),
        )
        if len(names)
    ]
    if made.left_out:
        parts.append(f"{made.left_out} verdicts without scores or features left out")
    return "; ".join(parts)


def explain_missing(fit):
    """Say of each parameter why it, or its interval, is missing.

    Parameters
    ----------
    fit : SlotFit

    Returns
    -------
    list of str
        Empty where nothing is missing.
    """
    lone, flat = "no interval: one cluster", "no interval: clusters do not differ"
    alone = "no interval: one cluster alone decides it"
    why = np.where(np.isnan(fit.df), lone if fit.clusters < 2 else alone, flat)
    return [
        note or (reason if np.isnan(error) else "")
        for note, error, reason in zip(fit.notes, fit.errors, why.tolist(), strict=True)
    ]


def list_terms(model, level):
    """List the parameters of a model, as :func:`pooled_order` does for a group.

    Parameters
    ----------
    model : PooledModel
    level : float

    Returns
    -------
    DataFrame
        The columns of :func:`pooled_order` after the grouping columns. The last of three or more
        slots is minus the sum of the others.
    """
    fit, kinds, terms = model.fit, list(model.kinds), list(model.terms)
    estimates, notes, weights = list(fit.params), explain_missing(fit), np.eye(len(terms))
    slots = kinds.count("order")
    if slots > 1:
        kinds.insert(slots, "order")
        terms.insert(slots, f"slot_{slots + 1}")
        estimates.insert(slots, -fit.params[:slots].sum())
        weights = np.insert(weights, slots, -weights[:slots].sum(axis=0), axis=0)
        notes.insert(slots, next(filter(None, notes[:slots]), ""))
    errors, df = fit.combine(weights)
    parts = [kinds, terms, estimates, errors, df, notes]
    names = ["kind", "term", "estimate", "se", "df", "note"]
    table = pd.DataFrame(dict(zip(names, parts, strict=True)))
    shown = (table["kind"] != "ability") | table["estimate"].notna()
    table = table[shown].reset_index(drop=True)
    table.loc[0, "note"] = "; ".join(filter(None, [table["note"].iloc[0], model.note]))
    half = special.stdtrit(table["df"], (1 + level) / 2) * table["se"]
    return table.assign(
        low=table["estimate"] - half,
        high=table["estimate"] + half,
        p=2 * special.stdtr(table["df"], -(table["estimate"] / table["se"]).abs()),
        verdicts=int(fit.verdicts),
        clusters=fit.clusters,
    )
