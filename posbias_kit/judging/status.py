"""Who the judges are, and what became of every planned call."""

import pandas as pd

from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.planted import PlantedJudge
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.schema import Status

_WHAT = {PlantedJudge: "simulation", RecordedJudge: "recorded", LiveJudge: "asked now"}


def count_statuses(judges, verdicts, presentations):
    """Count the planned calls of each judge by what became of them.

    Parameters
    ----------
    judges : list of judges
        From :func:`posbias_kit.judging.make_judges`.
    verdicts : DataFrame
        The verdict table.
    presentations : DataFrame
        The plan.

    Returns
    -------
    DataFrame
        One row a benchmark and judge: benchmark, judge, what ("simulation", "recorded" or "asked
        now"), planned (calls), ok, invalid, failed, identical (nobody was asked), not_made (a cap
        was reached, a stopping rule knew enough, or nothing was recorded).

    Examples
    --------
    >>> from posbias_kit.data import prepare_study
    >>> from posbias_kit.judging import judge_presentations, make_judges
    >>> study = prepare_study("starter", sample={"tasks": ["math"]}, plan={"repeats": 1})
    >>> judges = make_judges([{"name": "fair", "kind": "planted"}])
    >>> verdicts = judge_presentations(judges, study.presentations, study.answers)
    >>> table = count_statuses(judges, verdicts, study.presentations)
    >>> table[["judge", "what", "planned", "ok", "not_made"]].values.tolist()
    [['fair', 'simulation', 120, 120, 0]]
    """
    planned = presentations.groupby("benchmark")["repeats"].sum().rename("planned").reset_index()
    panel = pd.DataFrame({"judge": [judge.name for judge in judges]})
    panel["what"] = [_WHAT.get(type(judge), "") for judge in judges]
    table = planned.merge(panel, how="cross")
    counts = verdicts.groupby(["benchmark", "judge", "status"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=list(map(str, Status)), fill_value=0)
    table = table.join(counts, on=["benchmark", "judge"]).fillna(dict.fromkeys(counts, 0))
    table = table.astype(dict.fromkeys(["planned", *counts], "int64"))
    table["not_made"] = table["planned"] - table[list(counts)].sum(axis=1)
    return table[["benchmark", "judge", "what", "planned", *counts, "not_made"]]
