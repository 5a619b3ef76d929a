"""Do tasks differ? Clusters are shuffled over tasks, or tasks within clusters."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.intervals import cluster_sums
from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.multiplicity import adjust_p
from posbias_kit.analysis.notes import note_draws, note_effect
from posbias_kit.analysis.planning import detectable_effect
from posbias_kit.analysis.randomization import label_permutation_test
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.errors import ParamsError

OVER, WITHIN = "clusters over tasks", "tasks within clusters"


def task_differences(
    verdicts, metric="pc", by=("judge",), convention="paper", level=0.95, flips=9999, seed=0
):
    """Test whether a metric differs between tasks.

    Tasks with clusters of their own are compared by shuffling the clusters over the tasks.
    Where one cluster is judged under several tasks (the same answers graded for different
    things), the tasks are shuffled within clusters. Where both occur, the tasks that share
    clusters are compared within them, and the groups of tasks that share none are compared over
    clusters: two rows. The statistic is that of
    :func:`posbias_kit.analysis.randomization.label_permutation_test`; `spread` gives it as a
    standard deviation,

        spread = sqrt(sum_k N_k (theta_k - theta)^2 / N),

    for tasks within clusters after taking out the clusters' own values. Shuffling asks whether
    tasks are alike in every way: tasks with few clusters and a wider spread than the others can
    bring a small p without a difference of means.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    metric : {"pc", "pf"}
    by : sequence of str
        Grouping columns after benchmark and experiment, without `task`.
    convention : {"paper", "tie", "decisive", "half"}
        As for :func:`posbias_kit.analysis.position_bias`.
    level : float
    flips : int
        Random shuffles.
    seed : int

    Returns
    -------
    DataFrame
        One row a group and way: metric; convention; way; tasks (groups compared); series (that
        have a value); clusters; lowest, lowest_deviation, highest, highest_deviation (the tasks
        furthest below and above the common value, or what their clusters give, and how far;
        missing where no task differs); spread; p; p_holm over the rows of the same benchmark,
        experiment and way; mde (difference of two tasks found with probability .8, median over
        pairs, without a correction for their number); note.

    Raises
    ------
    ParamsError
        `by` holds `task`.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> rows = [(t, f"{t}{n}", a, b, k) for t, c in (("s", "12"), ("t", "11")) for n in range(5)
    ...         for (a, b), k in zip(("xy", "yx"), map(int, c))]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": [row[0] for row in rows], "judge": "j", "repeat": 1,
    ...     "question": [row[1] for row in rows], "shown": [row[2:4] for row in rows],
    ...     "status": "ok", "choice": pd.array([row[4] for row in rows], dtype="Int64")}))
    >>> task_differences(verdicts)[["way", "lowest", "spread", "p"]].round(2).values.tolist()
    [['clusters over tasks', 't', 0.5, 0.01]]
    """
    check_settings("task_differences", level=level, flips=flips, seed=seed)
    if "task" in ([by] if isinstance(by, str) else by):
        raise ParamsError(
            "tasks are compared, not grouped by", place="task_differences, by",
            cure="leave `task` out of `by`",
        )  # fmt: skip
    keys = group_verdicts(verdicts, by)
    series = measure_series(verdicts, metric, convention, keys)
    series["series"] = series["n"] > 0
    cells = cluster_sums(series, [*keys, "task"], _SUMMED).reset_index()
    rows = []
    for key, block in cells.groupby(keys, observed=True):
        about = dict(zip(keys, key, strict=True)) | {"metric": metric, "convention": convention}
        used = block[block["n"] > 0]
        found = _compare(used, level, flips, seed) if len(used) else [_EMPTY]
        rows += [about | row for row in found]
    table = pd.DataFrame(rows, columns=[*keys, "metric", "convention", *_COLUMNS])
    table = note_effect(note_draws(table, flips, "flips"), 1 if metric == "pc" else 2)
    return adjust_p(table, keys, ["benchmark", "experiment", "way"])


_SUMMED = ["series", "x", "n"]
_COLUMNS = [
    "way", "tasks", "series", "clusters", "lowest", "lowest_deviation", "highest",
    "highest_deviation", "spread", "p", "mde", "note",
]  # fmt: skip
_EMPTY = {"way": OVER, "tasks": 0, "series": 0, "clusters": 0, "note": "no complete series"}


def _compare(cells, level, flips, seed):
    """One row for each way in which the tasks of a group can be compared."""
    (task, tasks), (cluster, clusters) = (pd.factorize(cells[k]) for k in ("task", "cluster"))
    size = len(tasks) + len(clusters)
    links = coo_array((np.ones(len(cells)), (task, len(tasks) + cluster)), shape=(size, size))
    island = connected_components(links, directed=False)[1][task]
    shared = cells.groupby("cluster")["task"].transform("size") > 1
    rows = []
    if shared.any():
        inside = cells[shared]
        rows.append(_test(inside, inside["cluster"], WITHIN, level, flips, seed))
    if not shared.any() or len(set(island)) > 1:
        names = cells.groupby(island)["task"].agg(_name_tasks)
        whole = cells.assign(task=names.reindex(island).to_numpy())
        whole = whole.groupby(["task", "cluster"])[_SUMMED].sum().reset_index()
        rows.append(_test(whole, pd.Series(0, whole.index), OVER, level, flips, seed))
    return rows


def _name_tasks(tasks):
    names = sorted(set(tasks))
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _test(cells, blocks, way, level, flips, seed):
    labels, names = pd.factorize(cells["task"], sort=True)
    sums = cells.groupby(blocks.to_numpy())[["x", "n"]].transform("sum")
    cells = cells.assign(e=cells["x"] - sums["x"] / sums["n"] * cells["n"])
    residual, size = cells["e"].to_numpy(), cells["n"].to_numpy()
    counts = {"series": int(cells["series"].sum()), "clusters": cells["cluster"].nunique()}
    row = {"way": way, "tasks": len(names), "note": ""} | counts | _name_ends(cells)
    if len(names) < 2:
        return row | {"note": "one task: nothing to compare"}
    if way == OVER and len(cells) == len(names):
        return row | {"note": "one cluster a task: tasks and clusters cannot be told apart"}
    if not np.abs(residual).max() > 1e-9:
        return row | {"spread": 0.0, "note": "nothing varies"}
    codes = pd.factorize(blocks)[0]
    statistic, p = label_permutation_test(residual, size, labels, codes, flips, seed)
    row |= {"spread": float(np.sqrt(statistic / size.sum())), "p": float(p)}
    return row | {"mde": _detectable(cells, labels, way, level)}


def _name_ends(cells):
    """Name the tasks furthest below and above what their clusters give, where any differs."""
    totals = cells.groupby("task")[["e", "n"]].sum()
    away = totals["e"] / totals["n"]
    if not away.abs().max() > 1e-9:
        return {}
    ends = {"lowest": away.idxmin(), "lowest_deviation": away.min()}
    return ends | {"highest": away.idxmax(), "highest_deviation": away.max()}


def _detectable(cells, labels, way, level):
    """Median over pairs of tasks of the detectable difference, from cluster contributions.

    A task's mean moves by e_gk / N_k with cluster g; a pair's error is that of the difference
    of its two contributions, with G_k + G_l - 2 degrees of freedom, or G - 1 where shared.
    """
    totals = cells.groupby(labels)[["x", "n"]].transform("sum")
    part = (cells["x"] - totals["x"] / totals["n"] * cells["n"]) / totals["n"]
    table = part.groupby([cells["cluster"].to_numpy(), labels]).sum().unstack().to_numpy()
    held = ~np.isnan(table)
    counts = held.sum(axis=0)
    moves = np.nan_to_num(table) * np.sqrt(counts / np.maximum(counts - 1, 1))
    effects = []
    for one, two in combinations(range(len(counts)), 2):
        both = (held[:, one] & held[:, two]).sum()
        df = counts[one] + counts[two] - 2 - max(both - 1, 0)
        if min(counts[one], counts[two]) > 1 and (both or way == OVER):
            se = np.sqrt(((moves[:, one] - moves[:, two]) ** 2).sum())
            effects.append(float(detectable_effect(se, df, level)))
    effects = [effect for effect in effects if effect > 0]  # not the missing ones
    return float(np.median(effects)) if effects else np.nan
