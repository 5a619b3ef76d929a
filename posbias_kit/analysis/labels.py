"""Judges against labels: gold labels of a benchmark, or the votes of people."""

import json

import numpy as np
import pandas as pd

from posbias_kit.analysis.agreement import compare_choices, tabulate_agreement
from posbias_kit.analysis.intervals import share_intervals
from posbias_kit.analysis.plurality import SAME_TEXTS, strict_plurality
from posbias_kit.analysis.series import SERIES_KEY, group_columns
from posbias_kit.schema import TIE

MAJORITY = "majority"
"""The strict plurality of all who labelled a comparison."""


def majority_labels(labels):
    """Return what most labellers say of each comparison.

    Parameters
    ----------
    labels : DataFrame
        The table of :data:`posbias_kit.schema.LABELS`.

    Returns
    -------
    DataFrame
        One row a comparison: benchmark, turn, comparison, winner (missing where two winners have
        the most votes), votes, share (of the winner).

    Examples
    --------
    >>> labels = pd.DataFrame({"benchmark": "B", "turn": "", "comparison": "c",
    ...                        "labeller": ["u", "v", "w"], "winner": ["x", "x", "TIE"]})
    >>> majority_labels(labels)[["winner", "votes"]].values.tolist()
    [['x', 3]]
    """
    return strict_plurality(labels, SAME_TEXTS)


def label_accuracy(verdicts, labels, level=0.95):
    """How often a judge takes the answer that the labels hold to be better, by its slot.

    A judge without position bias is as accurate where the right answer is shown first as where
    it is shown last. A tie counts as not right. Comparisons that the majority calls a tie, or on
    which it is split, are left out.

    *Source: Zeng et al., Evaluating Large Language Models at Evaluating Instruction Following
    (arXiv 2310.07641), for accuracy in both orders; the split by slot is ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    labels : DataFrame
        The table of :data:`posbias_kit.schema.LABELS`.
    level : float
        Level of the interval, over clusters
        (:func:`posbias_kit.analysis.intervals.share_intervals`).

    Returns
    -------
    DataFrame
        One row a judge (arm and slots, where there are several) and place of the right answer:
        benchmark, experiment, judge, right_answer
        ("anywhere", "slot 1" to "slot p", and "every order": right in all orders of a complete
        series), verdicts (of "every order" series), right, ties, accuracy, accuracy_low,
        accuracy_high, clusters.
    """
    judges = group_columns(verdicts, ["judge"])
    told = _join_labels(verdicts, majority_labels(labels))
    told = told[told["label"] != TIE].assign(
        right=lambda frame: (frame["winner"] == frame["label"]).astype(float),
        ties=lambda frame: (frame["winner"] == TIE).astype(float),
    )
    slot = "slot " + told["label_slot"].astype(str)
    views = [told.assign(right_answer="anywhere"), told.assign(right_answer=slot), _whole(told)]
    sums = pd.concat(views).assign(verdicts=1)
    keys = [*judges, "right_answer"]
    sums = sums.groupby([*keys, "cluster"], observed=True)[["verdicts", "right", "ties"]].sum()
    columns = [*keys, "verdicts", "right", "ties", "accuracy", "accuracy_low", "accuracy_high"]
    if sums.empty:
        return pd.DataFrame(columns=[*columns, "clusters"])
    table = share_intervals(sums, "right", "verdicts", level).rename(
        columns={"estimate": "accuracy", "low": "accuracy_low", "high": "accuracy_high"}
    )
    counts = sums.groupby(level=keys).sum().astype("int64")
    clusters = sums.groupby(level=keys).size()
    return table.join(counts).assign(clusters=clusters).reset_index()[[*columns, "clusters"]]


def label_agreement(verdicts, labels, level=0.95):
    """Share of verdicts that say what a labeller says, ties included, and Cohen's kappa.

    Labels are read as slots of what the judge was shown, so that agreement means the same as in
    :func:`posbias_kit.analysis.judge_agreement`.

    *Source: Zheng et al., Judging LLM-as-a-Judge (arXiv 2306.05685), section on agreement;
    J. Cohen (1960), A coefficient of agreement for nominal scales.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    labels : DataFrame
        The table of :data:`posbias_kit.schema.LABELS`.
    level : float
        Level of the interval, over clusters.

    Returns
    -------
    DataFrame
        One row a judge (arm and slots, where there are several) and labeller ("majority" where
        there are several): benchmark, experiment, judge, labeller, instances, agreement,
        agreement_low, agreement_high, kappa.
    """
    kinds = [labels]
    if labels["labeller"].nunique() > 1:
        kinds.append(majority_labels(labels).assign(labeller=MAJORITY))
    told = _join_labels(verdicts, pd.concat(kinds, ignore_index=True))
    keys = [*group_columns(verdicts, ["judge"]), "labeller"]
    counts, kappas = {}, {}
    for key, block in told.groupby(keys, observed=True):
        same, kappas[key] = compare_choices(block["choice"], block["label_slot"])
        counts[key] = same.groupby(block["cluster"]).agg(["sum", "count"])
    columns = [*keys, "instances", "agreement", "agreement_low", "agreement_high", "kappa"]
    if not counts:
        return pd.DataFrame(columns=columns)
    return tabulate_agreement(counts, kappas, keys, level)[columns]


def _join_labels(verdicts, labels):
    """Verdicts that say something on a labelled comparison, with the label and its slot."""
    told = verdicts[verdicts["choice"].notna()]
    labels = labels.dropna(subset="winner").rename(columns={"winner": "label"})
    names = [name for name in ("labeller",) if name in labels]
    told = told.merge(labels[[*SAME_TEXTS, "label", *names]], on=SAME_TEXTS)
    pairs = told[["shown", "label"]].drop_duplicates()
    slots = {
        (shown, label): 0 if label == TIE else json.loads(shown).index(label) + 1
        for shown, label in pairs.itertuples(index=False)
    }
    places = [slots[pair] for pair in zip(told["shown"], told["label"], strict=True)]
    return told.assign(label_slot=np.array(places, dtype="int64"))


def _whole(told):
    """One row a complete series: right where every order's verdict is."""
    series = told.groupby([*SERIES_KEY, "slots"], observed=True).agg(
        orders=("order", "nunique"),
        right=("right", "min"),
        ties=("ties", "max"),
        cluster=("cluster", "first"),
    )
    series = series.reset_index()
    whole = series[series["orders"] >= series["slots"].astype(int)]
    return whole.assign(right_answer="every order")
