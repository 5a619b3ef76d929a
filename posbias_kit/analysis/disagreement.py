"""Which instances do judges disagree on, and how far can a majority be trusted there?"""

import numpy as np
import pandas as pd

from posbias_kit.analysis.agreement import choice_matrix
from posbias_kit.analysis.checks import check_verdicts
from posbias_kit.schema import PRESENTATION_KEY

_PLACE = ["benchmark", "experiment"]


def place_columns(frame):
    """Return what names a panel of judges: benchmark, experiment; arm and slots where several."""
    more = [name for name in ("arm", "slots") if name in frame and frame[name].nunique() > 1]
    return [*_PLACE, *more]


def disagreement(verdicts):
    """Count, for each presentation and repeat, the judges that do not choose the modal verdict.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on disagreement.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row an instance with at least two verdicts: benchmark, experiment, arm, turn,
        comparison, order, repeat, task, question, slots, judges (valid), dissenting (valid - modal
        count), disagreement = 1 - modal count / valid, modal (choice: slot, 0 = TIE; missing
        where the mode is tied), tied_mode.
    """
    check_verdicts(verdicts)
    matrix = choice_matrix(verdicts)
    counts = _count_choices(matrix.to_numpy())
    valid, modal = counts.sum(axis=1), counts.max(axis=1, initial=0)
    tied = (counts == modal[:, None]).sum(axis=1) > 1
    table = pd.DataFrame(
        {
            "judges": valid,
            "dissenting": valid - modal,
            "disagreement": 1 - modal / np.maximum(valid, 1),
            "modal": pd.array(counts.argmax(axis=1), dtype="Int64"),
            "tied_mode": tied,
        },
        index=matrix.index,
    )
    table["modal"] = table["modal"].mask(table["tied_mode"])
    key = [*PRESENTATION_KEY, "repeat"]
    about = verdicts[[*key, "task", "question", "slots"]].drop_duplicates(key)
    table = table[table["judges"] > 1].reset_index().merge(about, on=key, validate="1:1")
    lead = [*_PLACE, "arm", "turn", "comparison", "order", "repeat", "task", "question", "slots"]
    return table[[*lead, "judges", "dissenting", "disagreement", "modal", "tied_mode"]]


def disagreement_distribution(instances):
    """Count instances by the number of dissenting judges, with the cumulative share.

    Parameters
    ----------
    instances : DataFrame
        From :func:`disagreement`.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment (arm and slots, where there are several) and number of
        dissenting judges (every number from 0 to
        the largest): instances, share, cumulative.
    """
    tables = []
    keys = place_columns(instances)
    for place, block in instances.groupby(keys, observed=True):
        count = block["dissenting"].value_counts()
        count = count.reindex(range(int(block["dissenting"].max()) + 1), fill_value=0)
        table = count.rename_axis("dissenting").rename("instances").reset_index()
        table["share"] = table["instances"] / len(block)
        table["cumulative"] = table["share"].cumsum()
        tables.append(table.assign(**dict(zip(keys, place, strict=True))))
    columns = [*keys, "dissenting", "instances", "share", "cumulative"]
    return (
        pd.concat(tables, ignore_index=True)[columns] if tables else pd.DataFrame(columns=columns)
    )


def majority_reliability(verdicts, splits=200, seed=0):
    """Estimate how often the majorities of two random halves of the judges agree.

    The judges are split at random into two halves of the same size (with an odd number one is
    left out). A half's majority is its modal verdict; a tied mode stands for each of its
    verdicts with the same chance. Averaged over splits, by the number of dissenting judges: where
    it is low, a majority vote of these judges is not evidence of quality.

    *Source: the idea of the paper's section on disagreement; the split is ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    splits : int
    seed : int

    Returns
    -------
    DataFrame
        One row a benchmark, experiment (arm and slots, where there are several) and number of
        dissenting judges, over the instances on
        which every judge gave a verdict: instances, judges, reliability. Missing with fewer than
        two judges in a half, because a half of one has no majority.
    """
    check_verdicts(verdicts)
    rows, keys = [], place_columns(verdicts)
    for place, block in verdicts.groupby(keys, observed=True):
        matrix = choice_matrix(block).dropna()
        counts = _count_choices(matrix.to_numpy())
        dissenting = counts.sum(axis=1) - counts.max(axis=1, initial=0)
        agree = _halves_agree(matrix.to_numpy(), splits, seed)
        for count in np.unique(dissenting):
            chosen = dissenting == count
            value = agree[chosen].mean() if matrix.shape[1] >= 4 else np.nan
            rows.append((*place, count, chosen.sum(), matrix.shape[1], value))
    columns = [*keys, "dissenting", "instances", "judges", "reliability"]
    return pd.DataFrame(rows, columns=columns)


def extreme_instances(instances, count=10):
    """List the hardest and the easiest instances of each experiment, arm and number of slots.

    Parameters
    ----------
    instances : DataFrame
        From :func:`disagreement`.
    count : int
        How many of each.

    Returns
    -------
    DataFrame
        Rows of `instances` with `rank` (``hardest`` or ``easiest``): the most dissent first,
        then the most judges; equal ones in the order of their ids.
    """
    order = ["disagreement", "judges", "comparison", "order", "repeat"]
    tables, keys = [], place_columns(instances)
    for rank, ascending in (("hardest", False), ("easiest", True)):
        direction = [ascending, False, True, True, True]
        ranked = instances.sort_values(order, ascending=direction).groupby(keys, observed=True)
        tables.append(ranked.head(count).assign(rank=rank))
    table = pd.concat(tables, ignore_index=True)
    return table[["benchmark", "experiment", "rank", *instances.columns[2:]]]


def _count_choices(choices):
    """Count each choice in each row: (instances x judges) -> (instances x options)."""
    width = int(np.nanmax(choices, initial=0)) + 1
    return np.stack([(choices == option).sum(axis=1) for option in range(width)], axis=1)


def _halves_agree(choices, splits, seed):
    rng = np.random.default_rng(seed)
    judges = choices.shape[1]
    half = judges // 2
    agree = np.zeros(len(choices))
    width = int(np.nanmax(choices, initial=0)) + 1
    onehot = (choices[:, :, None] == np.arange(width)).astype(float)
    for _ in range(splits if half else 0):
        drawn = rng.permutation(judges)
        one = _majority(onehot[:, drawn[:half]].sum(axis=1))
        two = _majority(onehot[:, drawn[half : 2 * half]].sum(axis=1))
        agree += (one * two).sum(axis=1)
    return agree / max(splits, 1)


def _majority(counts):
    """Spread a half's vote evenly over its modal verdicts."""
    modal = counts == counts.max(axis=1, keepdims=True)
    return modal / modal.sum(axis=1, keepdims=True)
