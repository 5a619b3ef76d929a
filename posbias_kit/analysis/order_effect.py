"""The order effect of each judge: how much the first slot is worth, on the log-odds scale."""

import numpy as np
import pandas as pd
from scipy.special import expit, stdtr, stdtrit

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.counts import count_orders
from posbias_kit.analysis.flips import bound_one_sided, flip_score, solve_flips
from posbias_kit.analysis.incomplete import count_incomplete
from posbias_kit.analysis.intervals import cluster_sums, ratio_intervals
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.planning import detectable_effect
from posbias_kit.analysis.pooled import explain_missing, fit_pooled
from posbias_kit.analysis.series import group_verdicts, spread_candidates
from posbias_kit.errors import ParamsError

FLIPS = ["primacy_full", "recency_full", "primacy_half", "recency_half"]
"""Kinds of flips: full to the first and second slot, half to the first and second."""

_POOLED = [f"beta_marginal{part}" for part in ("", "_se", "_df", "_low", "_high")]
_COLUMNS = [
    "comparisons", "incomplete", "flips",
    "primacy_full", "primacy_half", "recency_full", "recency_half",
    "beta", "beta_se", "beta_df", "beta_low", "beta_high", "p",
    "p_first", "p_first_low", "p_first_high", "mde", "beta_bound", "beta_firth",
    *_POOLED, "log_nu", "p_tie", "clusters", "flip_clusters", "note", "marginal_note",
]  # fmt: skip
_SETS = "not estimable: more than two slots, see slot_effects"


def order_effect(verdicts, by=("judge",), level=0.95, scores=None, features=None, pooled=True):
    """Estimate how much the first slot adds to the log-odds of being chosen.

    beta > 0 is a lean to the first slot. The headline uses flips only, pairs whose two orders
    disagree: whatever the answers' quality, P(first, first) / P(second, second) = exp(2 beta),
    and with half flips exp(beta). It solves

        2 (FP - (FP + FR) sigma(2 beta)) + HP - (HP + HR) sigma(beta) = 0

    with FP, FR full and HP, HR half flips to the first and second slot; without half flips
    beta = log(FP / FR) / 2. With repeats the flips of a comparison are means over all cross
    pairs of repeats. The interval is the CR2 t interval over clusters with a cluster's
    information in place of its size. If beta differs between questions, the estimate aims at an
    average in which comparisons that flip more weigh more.

    P(first | equal answers, decisive) = sigma(beta) is the same on the probability scale. Beside
    it stands `beta_marginal`, the pooled logit of
    :func:`posbias_kit.analysis.pooled_order`: it uses every verdict but shrinks towards 0 when
    quality differs over a candidate's questions.

    *Source: ours, from D. R. Cox (1958), Two further applications of a model for binary
    regression, Biometrika 45(3/4), and R. R. Davidson and R. J. Beaver (1977), Biometrics 33(4).*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment; not `repeat`.
    level : float
        Level of the intervals, and of the one-sided bound.
    scores, features : DataFrame, optional
        Known worth and features of the answers in the pooled logit, as for
        :func:`posbias_kit.analysis.pooled_order`.
    pooled : bool
        Whether to fit it; without it the closed form alone serves thousands of groups.

    Returns
    -------
    DataFrame
        One row a group: comparisons (pairs with a verdict in both orders); incomplete (series
        that an order lacks: their verdicts enter the pooled model, and beta where other repeats
        of the pair have the other order); flips and their kinds
        primacy_full, primacy_half, recency_full, recency_half (comparisons; fractions with
        repeats); beta, beta_se, beta_df, beta_low, beta_high; p (t test of 0); p_holm over the
        rows of a benchmark and experiment, or p_bh where `by` holds `task`; p_first and its
        interval; mde (minimum detectable beta at power .8); beta_bound (one-sided, where all
        flips go one way: from below if to the first slot, from above if to the second, each
        cluster counted as one flip); beta_firth (penalised, for sensitivity only);
        beta_marginal with its CR2 error, Satterthwaite df and t interval; log_nu (tie parameter)
        and p_tie = P(TIE | equal answers); clusters (with comparisons); flip_clusters (with
        flips: what beta rests on); note, marginal_note (why a number is missing).

    Raises
    ------
    ParamsError
        An unknown grouping column, `repeat` among them, or a level outside (0, 1).

    Examples
    --------
    Four flips to the first slot, one to the second: log(4) / 2.

    >>> from posbias_kit.data import build_verdicts
    >>> codes = [(1, 1), (1, 1), (1, 1), (1, 1), (2, 2), (1, 2)]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok",
    ...     "question": [f"q{n}" for n in range(6) for _ in "ab"],
    ...     "shown": [("a", "b"), ("b", "a")] * 6,
    ...     "choice": pd.array(np.ravel(codes), dtype="Int64")}))
    >>> order_effect(verdicts)[["flips", "beta", "p_first"]].round(3).values.tolist()
    [[5.0, 0.693, 0.667]]
    """
    check_settings("order_effect", level=level)
    keys = group_verdicts(verdicts, by)
    if "repeat" in keys:
        raise ParamsError(
            "cannot group by 'repeat'",
            place="by",
            cure="leave it out: the repeats of a comparison are crossed with each other",
        )
    if verdicts.empty:
        return adjust_p(pd.DataFrame(columns=[*keys, *_COLUMNS]), keys)
    sums = cluster_sums(cross_orders(verdicts, keys), keys, [*FLIPS, "comparisons", "sets"])
    table = estimate_beta(sums, level)
    marginal = _fit_marginal(verdicts, keys, level, scores, features) if pooled else None
    table = table.join(marginal) if pooled else table.assign(marginal_note="not asked for")
    table["marginal_note"] = table["marginal_note"].fillna("not estimable: no verdicts")
    table.loc[table["sets"] > 0, "marginal_note"] = _SETS
    table = table.join(count_incomplete(verdicts, keys)).reindex(columns=_COLUMNS).reset_index()
    return adjust_p(table, keys)


def cross_orders(verdicts, keys):
    """Flips of each comparison as means over the cross pairs of its repeats.

    With f, s, t the shares of first slot, second slot and TIE in an order, FP = f_AB f_BA,
    FR = s_AB s_BA, HP = f_AB t_BA + t_AB f_BA and HR likewise.
    """
    counts = count_orders(verdicts)
    pair = (counts.comparisons["slots"] == 2).to_numpy()
    told = pair & (counts.valid[:, :2] > 0).all(axis=1)
    with np.errstate(invalid="ignore"):
        share = counts.slots[:, :2, :3] / counts.valid[:, :2, None]
    tie, first, second = np.where(told[:, None, None], share, 0).transpose(2, 1, 0)
    frame = counts.comparisons.assign(
        comparisons=told,
        sets=~pair,
        primacy_full=first[0] * first[1],
        recency_full=second[0] * second[1],
        primacy_half=first[0] * tie[1] + tie[0] * first[1],
        recency_half=second[0] * tie[1] + tie[0] * second[1],
    )
    return spread_candidates(frame, keys)


def estimate_beta(sums, level):
    """Give each group its conditional beta with interval, both scales, and what is missing.

    `sums` holds :data:`FLIPS`, comparisons and sets of each cluster, the group's keys leading.
    """
    group = list(range(sums.index.nlevels - 1))
    total = sums.groupby(level=group, observed=True).sum()
    beta = solve_flips(total[FLIPS].to_numpy().T)
    each = pd.Series(beta, index=total.index).reindex(sums.index.droplevel(-1)).to_numpy()
    score, information = flip_score(each, sums[FLIPS].to_numpy().T)
    # As a ratio of sums with this numerator, the residual of a cluster is its score.
    parts = pd.DataFrame({"n": information}, index=sums.index)
    parts["x"] = score + each * parts["n"]
    found = ratio_intervals(parts.fillna(0), "x", "n", level)
    told = found["se"] > 1e-12
    table = total.assign(
        flips=total[FLIPS].sum(axis=1),
        beta=beta,
        beta_firth=solve_flips(total[FLIPS].to_numpy().T, penalty=1),
        clusters=(sums["comparisons"] > 0).groupby(level=group, observed=True).sum(),
        flip_clusters=(sums[FLIPS].sum(axis=1) > 0).groupby(level=group, observed=True).sum(),
    )
    for name in ("se", "df", "low", "high"):
        table[f"beta_{name}"] = found[name].where(told)
    table["p"] = 2 * stdtr(table["beta_df"], -(table["beta"] / table["beta_se"]).abs())
    for side in ("", "_low", "_high"):
        table[f"p_first{side}"] = expit(table[f"beta{side}"])
    table["mde"] = detectable_effect(table["beta_se"], table["beta_df"], level)
    table["beta_bound"] = _bound(sums, table, level)
    counted = ["comparisons", "clusters", "flip_clusters"]
    return table.assign(note=_explain(table, level), **table[counted].astype("Int64"))


def _bound(sums, table, level):
    """One-sided bound of the groups whose flips all go one way; clusters count as one flip."""
    group = list(range(sums.index.nlevels - 1))
    flips = sums[FLIPS].sum(axis=1)
    half = (sums["primacy_half"] + sums["recency_half"]) / flips.where(flips > 0)
    half = half.groupby(level=group, observed=True).sum()
    side = _side(table)
    bound = bound_one_sided(table["flip_clusters"] - half, half, level)
    return (side * bound).where(side != 0)


def _side(table):
    """1 where all flips go to the first slot, -1 where all go to the second, else 0."""
    first = table["primacy_full"] + table["primacy_half"] > 0
    second = table["recency_full"] + table["recency_half"] > 0
    return (first & ~second) * 1 - (second & ~first) * 1


def _explain(table, level):
    """Say in words why beta, or its interval, is missing."""
    side = _side(table)
    number = table["flips"].map("{:.4g}".format)
    sure = f"with {100 * level:g}% confidence (one-sided)"
    bound = table["beta_bound"].map("{:.2f}".format)
    words = [
        "not estimable: all flips to the first slot (" + number + "); beta above " + bound,
        "not estimable: all flips to the second slot (" + number + "); beta below " + bound,
    ]
    few = "no interval: flips in one cluster only"
    flat = "no interval: clusters do not differ"
    return np.select(
        [
            table["sets"] > 0,
            table["comparisons"] == 0,
            table["flips"] == 0,
            side > 0,
            side < 0,
            table["beta"].isna(),
            table["flip_clusters"] < 2,
            table["beta_se"].isna(),
        ],
        [
            _SETS,
            "not estimable: no pair has verdicts in both orders",
            "not estimable: no flips",
            *(text + " " + sure for text in words),
            "not estimable: the equation has no root",
            few,
            flat,
        ],
        "",
    )


def _fit_marginal(verdicts, keys, level, scores, features):
    """The order effect and tie parameter of each group's pooled logit."""
    pairs = verdicts[verdicts["slots"] == 2]
    rows = []
    for model in fit_pooled(pairs, keys, scores, features):
        fit, tie = model.fit, "log_nu" in model.terms
        beta, se, df = fit.params[0], fit.errors[0], fit.df[0]
        half = stdtrit(df, (1 + level) / 2) * se
        nu = fit.params[1] if tie else np.nan
        weight = np.exp([beta, nu, 0.0])
        notes = [explain_missing(fit)[0], model.note]
        row = [beta, se, df, beta - half, beta + half, nu, weight[1] / weight.sum()]
        rows.append([*model.group.values(), *row, "; ".join(filter(None, notes))])
    names = [*keys, *_POOLED, "log_nu", "p_tie", "marginal_note"]
    return pd.DataFrame(rows, columns=names).set_index(keys)
