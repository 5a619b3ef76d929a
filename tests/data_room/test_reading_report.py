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


def _grades(*rows):
    """Each row: (question, candidate, score)."""
    return pd.DataFrame(rows, columns=["question", "candidate", "score"]).assign(benchmark="B")


def test_grades_count_where_all_answers_of_a_comparison_have_one():
    """Not those of another question, of one answer alone, or without a score."""
    verdicts = _verdicts([("j", "1", "xy", 1), ("j", "2", "xy", 1), ("j", "3", "xy", 1)])
    alone = [("99", "zz", 8.0), ("1", "x", 8.0), ("2", "x", 8.0), ("2", "y", None)]
    whole = [*alone, ("3", "x", 8.0), ("3", "y", 1.0)]
    table = what_can_be_computed(verdicts, NOTHING, _grades(*whole), NOTHING).set_index("result")

    assert _possible(verdicts, scores=_grades(*alone))["quality gap from scores"] == "no"
    assert table.loc["quality gap from scores", ["possible", "why"]].tolist() == [
        "yes", "6 grades of answers; 1 comparisons whose answers all have one"
    ]  # fmt: skip


def test_labels_count_where_they_are_on_what_was_judged():
    """Of the same comparison, in the same turn."""
    verdicts = _verdicts([("j", "1", "xy", 1)])
    label = verdicts[["benchmark", "turn", "comparison"]].assign(labeller="gold", winner="x")
    result = "accuracy, agreement with labels"

    assert _possible(verdicts, labels=label)[result] == "yes"
    assert _possible(verdicts, labels=label.assign(turn="2"))[result] == "no"
    assert _possible(verdicts, labels=label.assign(comparison='["9","x","y"]'))[result] == "no"


def test_repeats_are_counted_and_not_read_off_their_numbers():
    """A file with the third repeat alone was judged once."""
    verdicts = _verdicts([("j", "1", "xy", 3), ("j", "1", "yx", 1)])

    assert describe_reading(verdicts)["repeats"].tolist() == [1]
    assert _possible(verdicts)["repetition stability"] == "no"


def test_orders_of_two_turns_are_no_swap():
    """AB in the first turn and BA in the second are two comparisons in one order."""
    verdicts = _verdicts([("j", "1", "xy", 1), ("j", "1", "yx", 1)])
    (found,) = describe_reading(verdicts.assign(turn=["1", "2"])).to_dict("records")

    assert (found["comparisons"], found["every_order"]) == (2, 0)
    assert describe_reading(verdicts)["every_order"].tolist() == [1]
