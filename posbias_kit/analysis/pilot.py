"""Did a judge pass the rubric pilot? Pass or fail for each pair, with its own reason."""

import json

import pandas as pd

from posbias_kit.analysis.plurality import SAME_TEXTS
from posbias_kit.analysis.verdict_sheet import verdict_sheet
from posbias_kit.data.pilot_pairs import PILOT
from posbias_kit.schema import TIE, Status

EXCERPT = 300
"""Characters of a reply that stand for its reason where it is no JSON with one."""


def judge_pilot(verdicts, labels, replies=None):
    """Hold every verdict on the pairs of a pilot against what a judge may say of them.

    A pair is passed when every order and repeat brought a verdict and each names an answer, or
    TIE, that is expected. A prompt that allows no tie cannot pass a pair on which only TIE is
    expected; there `passed` is missing.

    *Source: ours.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table of the pilot.
    labels : DataFrame
        What is expected, labeller ``pilot``; with none of these the table is empty.
    replies : DataFrame, optional
        The table of replies, for the judge's reasons.

    Returns
    -------
    DataFrame
        One row a judge and pair: benchmark, experiment, arm, judge, pair (question), kind (task),
        expected, verdicts (by order), passed (true, false or missing), why, reason (the judge's
        own, of the first verdict that failed, else of the first).

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "obvious", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("right", "wrong"), ("wrong", "right")], "repeat": 1,
    ...     "choice": pd.array([1, 1], dtype="Int64")}))
    >>> labels = pd.DataFrame({"benchmark": "B", "question": "q", "turn": "",
    ...     "comparison": verdicts["comparison"][:1], "labeller": "pilot", "winner": "right"})
    >>> judge_pilot(verdicts, labels)[["passed", "why"]].values.tolist()
    [[False, 'BA: wrong']]
    """
    wanted = (
        labels[labels["labeller"] == PILOT].groupby(SAME_TEXTS, observed=True)["winner"].agg(list)
    )
    told = verdicts.merge(wanted.rename("expected").reset_index(), on=SAME_TEXTS)
    if told.empty:
        return pd.DataFrame(columns=["benchmark", "experiment", "arm", *_COLUMNS])
    told["wrong"] = [
        winner not in expected if status == Status.OK else True
        for winner, expected, status in told[["winner", "expected", "status"]].to_numpy()
    ]
    no_tie, reasons = _read(replies)
    key = ["benchmark", "experiment", "arm", "judge", "turn", "comparison"]
    sheet = verdict_sheet(told.drop(columns=["expected", "wrong"])).set_index(key)
    orders = [name for name in sheet if name.endswith("_verdicts")]
    rows = []
    for place, block in told.sort_values(["order", "repeat"]).groupby(key, observed=True):
        first = block.iloc[0]
        row = dict(zip(key, place, strict=True))
        spoken = sheet.loc[place]
        failed = block[block["wrong"]]
        passed, why = _outcome(failed, first["expected"], no_tie.get((row["judge"], row["arm"])))
        shown = failed.iloc[0] if len(failed) else first
        rows.append(
            {
                **{name: row[name] for name in key[:4]},
                "pair": first["question"],
                "kind": first["task"],
                "expected": " or ".join(first["expected"]),
                "verdicts": "; ".join(
                    f"{name.removesuffix('_verdicts').upper()}: {spoken[name]}" for name in orders
                ),
                "passed": passed,
                "why": why,
                "reason": reasons.get((*place, shown["order"], shown["repeat"]), ""),
            }
        )
    return pd.DataFrame(rows).astype({"passed": "boolean"})


_COLUMNS = ["judge", "pair", "kind", "expected", "verdicts", "passed", "why", "reason"]


def _outcome(failed, expected, no_tie):
    if expected == [TIE] and no_tie:
        return pd.NA, "the prompt allows no tie"
    said = [
        f"{row.order}: {row.winner if row.status == Status.OK else f'{row.status} {row.reason}'}"
        for row in failed.itertuples()
    ]
    return not said, "; ".join(dict.fromkeys(said))


def _read(replies):
    """Which judges may not tie, and the reason in each reply."""
    if replies is None or replies.empty:
        return {}, {}
    options = replies.groupby(["judge", "arm"], observed=True)["options"].max()
    key = ["benchmark", "experiment", "arm", "judge", "turn", "comparison", "order", "repeat"]
    reasons = {tuple(row[:-1]): _reason(row[-1])
               for row in replies[[*key, "raw"]].itertuples(index=False, name=None)}  # fmt: skip
    return (options == 2).to_dict(), reasons


def _reason(raw):
    if not isinstance(raw, str):
        return ""
    try:
        told = json.loads(raw[raw.index("{") : raw.rindex("}") + 1])
        return str(told["reason"]).strip()
    except (ValueError, KeyError, TypeError):
        text = " ".join(raw.split())
        return text if len(text) <= EXCERPT else f"... {text[-EXCERPT:]}"


def sum_pilot(pairs):
    """Count the pairs that each judge passed.

    Parameters
    ----------
    pairs : DataFrame
        From :func:`judge_pilot`.

    Returns
    -------
    DataFrame
        One row a judge: benchmark, experiment, arm, judge, pairs (that could be passed), passed,
        failed (their names), outcome (passed, failed, or not tested where none could be passed).
    """
    key = ["benchmark", "experiment", "arm", "judge"]
    rows = []
    for place, block in pairs.groupby(key, observed=True):
        asked = block.dropna(subset="passed")
        failed = asked.loc[~asked["passed"].astype(bool), "pair"].tolist()
        told = {"pairs": len(asked), "passed": len(asked) - len(failed)}
        outcome = "failed" if failed else "passed" if len(asked) else "not tested"
        told |= {"failed": ", ".join(failed), "outcome": outcome}
        rows.append(dict(zip(key, place, strict=True)) | told)
    return pd.DataFrame(rows, columns=[*key, "pairs", "passed", "failed", "outcome"])
