"""What was found in published judgments, and what can be computed from it."""

import json

import pandas as pd

from posbias_kit.schema import PRESENTATION_KEY

_PLACE = ["benchmark", "turn", "comparison"]
_JUDGE = ["benchmark", "experiment", "judge", "arm", "slots"]


def describe_reading(verdicts):
    """Count what each judge was shown.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge, arm and number of slots: questions, comparisons
        (turns apart), every_order (comparisons shown in every order), candidates, orders (their
        names), repeats (the most of any presentation), verdicts, without_verdict.
    """
    found = []
    for key, block in verdicts.groupby(_JUDGE, observed=True):
        shown = block.drop_duplicates(["turn", "comparison", "shown"])
        orders = shown.groupby(["turn", "comparison"], observed=True).size()
        repeats = block.groupby(["turn", "comparison", "order"], observed=True)["repeat"].nunique()
        every = orders >= key[-1]  # as many arrangements as slots: a swap, or the cyclic shifts
        names = {name for text in shown["shown"].unique() for name in json.loads(text)}
        found.append(
            {
                **dict(zip(_JUDGE, key, strict=True)),
                "questions": block["question"].nunique(),
                "comparisons": len(orders),
                "every_order": int(every.sum()),
                "candidates": len(names),
                "orders": ", ".join(sorted(block["order"].unique())),
                "repeats": int(repeats.max()),
                "verdicts": len(block),
                "without_verdict": int(block["choice"].isna().sum()),
            }
        )
    columns = [*_JUDGE, "questions", "comparisons", "every_order", "candidates", "orders"]
    return pd.DataFrame(found, columns=[*columns, "repeats", "verdicts", "without_verdict"])


def what_can_be_computed(verdicts, answers, scores, labels):
    """Say which results these judgments allow, and what the others would need.

    Parameters
    ----------
    verdicts, answers, scores, labels : DataFrame
        Tables of a reading or of a prepared study.

    Returns
    -------
    DataFrame
        One row a result: result, chapter, possible ("yes" or "no"), why.
    """
    told = describe_reading(verdicts)
    swapped, again = told["every_order"].sum(), told["repeats"].max() > 1
    pairs = told[told["slots"] == 2]
    flips = f"{pairs['every_order'].sum()} of {pairs['comparisons'].sum()} pairs in both orders"
    lists = told[told["slots"] > 2]
    per_place = verdicts.groupby([*PRESENTATION_KEY, "repeat"], observed=True)["judge"].nunique()
    several = (per_place > 1).any()
    orders = f"{swapped} of {told['comparisons'].sum()} comparisons were shown in every order"
    repeats = "presentations were judged again" if again else "nothing was judged twice"
    graded, labelled = _count_graded(verdicts, scores), _count_labelled(verdicts, labels)
    texts = f"{len(answers)} answer texts" if len(answers) else "the files hold no answer texts"
    shared = "judges share presentations" if several else "no two judges share a presentation"
    rows = [
        ("shares and wins of each slot", "03", len(verdicts) > 0, f"{len(verdicts)} judgments"),
        ("position consistency and fairness", "03", swapped > 0, orders),
        ("repetition stability", "03", again, repeats),
        ("noise or position", "03", again and swapped > 0, f"{repeats}; {orders}"),
        ("agreement, disagreement, gap by other judges", "04, 05", several, shared),
        ("order effect on flips", "06", pairs["every_order"].sum() > 0, flips),
        ("slot effects in lists", "06", len(lists) > 0, f"{len(lists)} judges of lists"),
        ("length and format", "04, 06", len(answers) > 0, texts),
        ("quality gap from scores", "04", graded > 0,
         f"{len(scores)} grades of answers; {graded} comparisons whose answers all have one"),
        ("accuracy, agreement with labels", "05", labelled > 0,
         f"{len(labels)} labels; {labelled} comparisons that have one"),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["result", "chapter", "possible", "why"])
    return table.assign(possible=table["possible"].map({True: "yes", False: "no"}))


def _count_graded(verdicts, scores):
    """Count the comparisons all of whose answers somebody has graded."""
    if scores.empty:
        return 0
    told = scores.dropna(subset="score")
    graded = set(zip(told["benchmark"], told["question"], told["candidate"], strict=True))
    places = verdicts.drop_duplicates(_PLACE)[["benchmark", "question", "shown"]]
    return sum(
        all((benchmark, question, name) in graded for name in json.loads(shown))
        for benchmark, question, shown in places.itertuples(index=False)
    )


def _count_labelled(verdicts, labels):
    """Count the comparisons that have a label."""
    if labels.empty:
        return 0
    return len(verdicts[_PLACE].drop_duplicates().merge(labels[_PLACE].drop_duplicates()))
