"""Answers scored alone, and the verdicts that follow: no slot can act, the scale can."""

import json

import numpy as np
import pandas as pd

from posbias_kit.schema import TIE_CHOICE, Status

_PLACE = ["benchmark", "experiment", "turn", "question"]


def derive_verdicts(presentations, singles, calls):
    """Derive the verdicts of a plan from scores: the highest one wins, shared ones tie.

    All orders of a comparison rest on the same scores, so that its verdicts are consistent by
    construction. Where a score is lacking, the verdict is, with the same reason.

    Parameters
    ----------
    presentations : DataFrame
        From :func:`posbias_kit.judging.arms.plan_arm`.
    singles : DataFrame
        From :func:`posbias_kit.judging.arms.plan_singles`.
    calls : DataFrame
        One row a score: row (position in `singles`), repeat, status, reason, choice (the score).

    Returns
    -------
    DataFrame
        One row a verdict: row (position in `presentations`), repeat, status, reason, choice.
    """
    at = singles[_PLACE].iloc[calls["row"]].reset_index(drop=True)
    name = singles["candidate"].iloc[calls["row"]].reset_index(drop=True)
    keys = zip(*(at[key] for key in _PLACE), name, calls["repeat"], strict=True)
    told = zip(calls["status"], calls["reason"], calls["choice"], strict=True)
    scores = dict(zip(keys, told, strict=True))
    rows = []
    each = zip(presentations[_PLACE].itertuples(index=False, name=None), presentations["shown"],
               presentations["repeats"], strict=True)  # fmt: skip
    for row, (place, shown, repeats) in enumerate(each):
        names = json.loads(shown)
        for repeat in range(1, repeats + 1):
            parts = [scores.get((*place, name, repeat)) for name in names]
            if None not in parts:  # else the call was not made
                rows.append((row, repeat, *_compare(parts)))
    table = pd.DataFrame(rows, columns=["row", "repeat", "status", "reason", "choice"])
    return table.astype({"choice": "Int64"})


def _compare(parts):
    for wrong in (Status.FAILED, Status.INVALID):
        for status, reason, _ in parts:
            if status == wrong:
                return str(status), str(reason), None
    values = [int(score) for *_, score in parts]
    best = max(values)
    alone = values.count(best) == 1
    return str(Status.OK), "", values.index(best) + 1 if alone else TIE_CHOICE


def tabulate_scores(told):
    """Arrange the scores of judges that score answers alone.

    Parameters
    ----------
    told : iterable of (judge, singles, calls)
        As for :func:`derive_verdicts`.

    Returns
    -------
    DataFrame
        One row a score: benchmark, judge, arm, scale, question, candidate, repeat, status,
        reason, score.
    """
    tables = []
    for judge, singles, calls in told:
        about = calls[["repeat", "status", "reason", "choice"]].reset_index(drop=True)
        table = singles[["benchmark", "question", "candidate"]].iloc[calls["row"]]
        table = table.reset_index(drop=True).join(about.rename(columns={"choice": "score"}))
        lead = {"judge": judge.name, "arm": judge.arm.name, "scale": judge.arm.scale}
        tables.append(table.assign(**lead))
    columns = [*_LEAD, "question", "candidate", "repeat", "status", "reason", "score"]
    whole = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
    return whole[columns]


_LEAD = ["benchmark", "judge", "arm", "scale"]


def describe_scores(scores):
    """Describe how a judge uses each scale.

    Scores are brought to 0 to 1 by (score - 1) / (scale - 1). A judge that sees the same on two
    scales has the same mean on both; what differs is drift of the scale. Coarse scales tie more.

    Parameters
    ----------
    scores : DataFrame
        From :func:`tabulate_scores`.

    Returns
    -------
    DataFrame
        One row a judge and arm: scale, scores (valid), without (invalid or failed), used (how
        many different scores), mean, sd, lowest, highest (of scores brought to 0 to 1), at_top
        (share of the highest score), at_bottom.
    """
    columns = [*_LEAD, *_ABOUT]
    rows = [
        dict(zip(_LEAD, key, strict=True)) | _describe(block, int(key[-1]))
        for key, block in scores.groupby(_LEAD, observed=True)
    ]
    return pd.DataFrame(rows, columns=columns)


_ABOUT = ["scores", "without", "used", "mean", "sd", "lowest", "highest", "at_top", "at_bottom"]


def _describe(block, scale):
    told = block["score"].dropna().to_numpy(dtype=float)
    found = {"scores": len(told), "without": len(block) - len(told)}
    if not len(told):
        return found
    even = (told - 1) / (scale - 1)
    found |= {"used": len(np.unique(told)), "mean": even.mean(), "lowest": even.min()}
    found |= {"highest": even.max(), "sd": even.std(ddof=1) if len(told) > 1 else np.nan}
    return found | {"at_top": (told == scale).mean(), "at_bottom": (told == 1).mean()}


def count_scores(scores):
    """Count each score of each judge and arm: the distribution behind :func:`describe_scores`.

    Parameters
    ----------
    scores : DataFrame
        From :func:`tabulate_scores`.

    Returns
    -------
    DataFrame
        One row a judge, arm and score that was given: benchmark, judge, arm, scale, score, count,
        share.
    """
    told = scores.dropna(subset="score")
    counts = told.groupby([*_LEAD, "score"], observed=True).size().rename("count").reset_index()
    total = counts.groupby(_LEAD, observed=True)["count"].transform("sum")
    return counts.assign(share=counts["count"] / total)
