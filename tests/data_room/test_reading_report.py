"""What was found in published judgments, and what can be computed from it."""

import pandas as pd

from posbias_kit.data import build_verdicts, describe_reading, what_can_be_computed

NOTHING = pd.DataFrame()


def _verdicts(rows):
    """Each row: (judge, question, shown, repeat)."""
    table = pd.DataFrame(rows, columns=["judge", "question", "shown", "repeat"])
    table = table.assign(benchmark="B", task="t", status="ok", choice=1, order=table["shown"])
    return build_verdicts(table.assign(shown=table["shown"].map(tuple)))


def _possible(verdicts, scores=NOTHING, labels=NOTHING):
    table = what_can_be_computed(verdicts, NOTHING, scores, labels)
    return dict(zip(table["result"], table["possible"], strict=True))


def test_one_order_judged_once():
    """Nothing about swaps, repeats or other judges; the slots can be counted."""
    told = _possible(_verdicts([("j", "1", "xy", 1), ("j", "2", "yx", 1)]))

    assert [name for name, possible in told.items() if possible == "yes"] == [
        "shares and wins of each slot"
    ]


def test_both_orders_repeats_and_two_judges():
    rows = [(j, "1", s, r) for j in "jk" for s in ("xy", "yx") for r in (1, 2)]
    told = _possible(_verdicts(rows))

    assert [name for name, possible in told.items() if possible == "no"] == [
        "slot effects in lists", "length and format", "quality gap from scores",
        "accuracy, agreement with labels",
    ]  # fmt: skip


def test_lists_in_all_shifts():
    rows = [("j", "1", shown, 1) for shown in ("xyz", "yzx", "zxy")] + [("j", "2", "xyz", 1)]
    verdicts = _verdicts(rows)
    told = _possible(verdicts)
    (found,) = describe_reading(verdicts).to_dict("records")

    assert (told["order effect on flips"], told["slot effects in lists"]) == ("no", "yes")
    assert told["position consistency and fairness"] == "yes"
    assert (found["comparisons"], found["every_order"], found["candidates"]) == (2, 1, 3)


def test_grades_and_labels_are_counted():
    table = pd.DataFrame({"a": [1, 2]})
    told = _possible(_verdicts([("j", "1", "xy", 1)]), scores=table, labels=table)

    assert told["quality gap from scores"] == told["accuracy, agreement with labels"] == "yes"
