"""Units of the regressions: judge x candidate x task, with win rates, gaps and lengths."""

import json

import numpy as np
import pandas as pd

from posbias_kit.analysis.checks import check_verdicts
from posbias_kit.analysis.position import position_bias
from posbias_kit.analysis.series import (
    build_series,
    choose_experiment,
    group_verdicts,
    name_families,
    take_sides,
)
from posbias_kit.errors import TableError

UNIT = ["judge", "candidate", "task"]


def win_rates(verdicts, by=("judge", "candidate")):
    """Count wins over complete series, from the candidate's side.

    consistent win rate = (wins + ties / 2) / consistent series; overall win rate
    owr = (wins + (ties + inconsistent) / p) / complete series, p = 2 for a pair.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on the answer-quality gap;
    list-wise 1/p is ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    by : sequence of str
        Grouping columns after benchmark and experiment; must hold `candidate` where there is no
        reference.

    Returns
    -------
    DataFrame
        One row a group: complete, wins, losses, ties, inconsistent, consistent_win_rate, owr.
        Without a side (no reference, not grouped by candidate) wins and rates are missing.
    """
    keys = group_verdicts(verdicts, by)
    series = take_sides(build_series(verdicts), keys)
    series["split"] = (series["tie"] | series["inconsistent"]) / series["slots"].astype(float)
    series["tie_split"] = series["tie"] / series["slots"].astype(float)
    columns = ["complete", "consistent", "win", "loss", "tie", "inconsistent", "split", "tie_split"]
    groups = series[columns].astype(float).groupby([series[key] for key in keys], observed=True)
    total = groups.sum()
    sided = series.groupby(keys, observed=True)["win"].agg(lambda side: side.notna().all())
    wins = total["win"].where(sided)
    table = total[["complete", "tie", "inconsistent"]].astype("Int64")
    table = table.rename(columns={"tie": "ties"})
    table.insert(1, "wins", wins.astype("Int64"))
    table.insert(2, "losses", total["loss"].where(sided).astype("Int64"))
    table["consistent_win_rate"] = _over(wins + total["tie_split"], total["consistent"])
    table["owr"] = _over(wins + total["split"], total["complete"])
    return table.reset_index()


def build_units(
    verdicts, questions=None, answers=None, families=None, experiment=None, scores=None
):
    """Build the regression units: one row a judge, candidate and task.

    The answer-quality gap is ``|owr - 1/p|``. Source `own` takes the unit's own overall win rate,
    which binds it to pc: -pc / p <= owr - 1/p <= pc (1 - 1/p), so at most `gap_bound` (pc / 2
    for a pair). `other_judges` takes the mean overall win rate of the same candidate and task
    over the other judges, and is missing with one judge. `scores` takes no verdict at all: the
    distance of the candidate's mean score from that of the other answers shown beside it, on the
    scale of the scores. The fourth source, :func:`posbias_kit.analysis.split_half_fits`, needs
    more than one number a unit.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on the answer-quality gap
    and its regressions.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    questions, answers : DataFrame, optional
        Tables of the benchmark; without them the lengths are missing.
    families : mapping of str to list of str, optional
        Declared judge families; a judge in none is its own.
    experiment : str, optional
        Keep this experiment only.
    scores : DataFrame, optional
        question, candidate, score, and benchmark where there are several: single grades or human
        labels of answers; several grades of one answer are averaged. Without it the columns of
        source `scores` are missing.

    Returns
    -------
    DataFrame
        benchmark, experiment, judge, judge_series (family), candidate, task, complete,
        consistent, wins, losses (of the consistent series; missing without a side), pc, pf,
        pf_paper, owr, chance (1/p), gap_own, gap_bound, owr_other, gap_other_judges, scored
        (comparisons whose answers all have a score), score_difference, gap_scores,
        log_task_input_length, log_task_output_length (natural log of the mean characters over
        the unit's questions, turns summed; output is all answers shown).

    Raises
    ------
    TableError
        `scores` lacks a column.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "reference": "b", "shown": [("a", "b"), ("b", "a")], "repeat": 1,
    ...     "choice": pd.array([1, 2], dtype="Int64")}))
    >>> scores = pd.DataFrame({"question": "q", "candidate": ["a", "b"], "score": [8.0, 5.5]})
    >>> units = build_units(verdicts, scores=scores)
    >>> units[["owr", "gap_own", "gap_bound", "gap_scores"]].values.tolist()
    [[1.0, 0.5, 0.5, 2.5]]
    """
    if experiment is not None:
        verdicts = choose_experiment(verdicts, experiment)
    check_verdicts(verdicts, some=True)
    bias = position_bias(verdicts, by=UNIT, draws=0)
    keys = list(bias.columns[: bias.columns.get_loc("convention")])
    counts = {"consistent_win": "wins", "consistent_loss": "losses"}
    units = bias[[*keys, "complete", "consistent", *counts, "pc", "pf", "pf_paper"]]
    units = units.rename(columns=counts)
    units["owr"] = bias["overall_win_rate"]
    units.insert(3, "judge_series", name_families(units["judge"], families))
    slots = units["slots"].astype(float) if "slots" in units else int(verdicts["slots"].max())
    chance = 1 / slots
    units["chance"] = chance
    units["gap_own"] = (units["owr"] - chance).abs()
    units["gap_bound"] = units["pc"] * np.where(units["owr"] < chance, chance, 1 - chance)
    units["owr_other"] = _mean_of_others(units, [key for key in keys if key != "judge"])
    units["gap_other_judges"] = (units["owr_other"] - chance).abs()
    series = take_sides(build_series(verdicts), keys)
    units = _join(units, _score_differences(series, scores, keys), keys)
    units["gap_scores"] = units["score_difference"].abs()
    if questions is None or answers is None:
        return units.assign(log_task_input_length=np.nan, log_task_output_length=np.nan)
    return _join(units, _lengths(series, questions, answers, keys), keys)


def _join(units, more, keys):
    return units.merge(more, on=keys, how="left", validate="1:1")


def _mean_of_others(units, place):
    """Mean owr of the other judges on the same candidate and task, missing where there is none."""
    groups = units.groupby(place, observed=True)["owr"]
    total, count = groups.transform("sum"), groups.transform("count")
    own, told = units["owr"].fillna(0), units["owr"].notna()
    others = count - told
    return ((total - own) / others).where(others > 0)


def _score_differences(series, scores, keys):
    """Mean over a unit's comparisons of own score minus the mean score of the other answers."""
    names = dict.fromkeys([*keys, "question", "comparison", "slots"])
    shown = series[list(names)].drop_duplicates()
    if scores is None:
        scores = pd.DataFrame(columns=["question", "candidate", "score"]).astype({"score": float})
    if "benchmark" not in scores:
        scores = scores.merge(shown[["benchmark", "question"]].drop_duplicates(), on="question")
    missing = [name for name in ("question", "candidate", "score") if name not in scores]
    if missing:
        raise TableError(
            f"missing column {', '.join(map(repr, missing))}",
            place="scores",
            allowed="question, candidate, score",
            cure="add the column, or map one of yours to it",
        )
    told = scores.astype({"question": str, "candidate": str})
    mean = told.groupby(["benchmark", "question", "candidate"])["score"].mean()
    own = mean.reindex(pd.MultiIndex.from_frame(shown[list(mean.index.names)])).to_numpy()
    total = _sums(shown, mean.to_dict())
    total = np.array(total, dtype=float)
    difference = own - (total - own) / (shown["slots"].to_numpy(dtype=float) - 1)
    found = shown.assign(score_difference=difference)
    found = found.groupby(keys, observed=True)["score_difference"].agg(["count", "mean"])
    found = found.rename(columns={"count": "scored", "mean": "score_difference"})
    return found.reset_index()


def _sums(shown, per_answer):
    """Sum a number of each answer over the candidates of every comparison."""
    places = shown[["benchmark", "comparison"]].drop_duplicates()
    sums = {}
    for benchmark, text in places.itertuples(index=False):
        question, *candidates = json.loads(text)
        told = [per_answer.get((benchmark, question, name), np.nan) for name in candidates]
        sums[benchmark, text] = sum(told)
    return [sums[key] for key in shown[["benchmark", "comparison"]].itertuples(index=False)]


def _lengths(series, questions, answers, keys):
    """Log of the mean characters over the comparisons of each unit; missing without texts."""
    shown = series[list(dict.fromkeys([*keys, "question", "comparison"]))].drop_duplicates()
    place = ["benchmark", "question"]
    turns = questions["turns"].map(json.loads)
    asked = turns.map(lambda texts: sum(map(len, texts)) if texts else np.nan)
    asked.index = pd.MultiIndex.from_frame(questions[place])
    per_answer = answers.set_index([*place, "candidate"])["length"].astype(float).to_dict()
    shown["input"] = asked.reindex(pd.MultiIndex.from_frame(shown[place])).to_numpy(dtype=float)
    shown["output"] = np.array(_sums(shown, per_answer), dtype=float)
    mean = np.log(shown.groupby(keys, observed=True)[["input", "output"]].mean())
    names = {"input": "log_task_input_length", "output": "log_task_output_length"}
    return mean.rename(columns=names).reset_index()


def _over(top, bottom):
    return (top / bottom).where(bottom > 0)
