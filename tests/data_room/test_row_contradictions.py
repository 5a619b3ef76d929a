"""Rows that contradict themselves, and ratings and preferences that only look like verdicts."""

import pytest
from layout_writers import slots, write

from posbias_kit.data.judgments import read_judgments

SWAP = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
FAST = {"question_id": 1, "model_1": "x", "model_2": "y", "judge": ["j", "p"]}
NAMED = {"m": "output_1", "M": "output_2"}


def judged(ab, ba, winner):
    return SWAP | {"winner_ab": ab, "winner_ba": ba, "winner": winner}


def aside(folder, layout, good, bad, name="a.jsonl"):
    """Read a good row and a bad one; return the problem of the bad one."""
    path = write(folder / name, [good, bad])
    with pytest.warns(UserWarning, match="1 of 2 rows set aside"):
        (lost,) = read_judgments(layout, path).set_aside.itertuples()
    assert lost.line == 2
    assert lost.allowed
    assert lost.cure
    return lost.problem


@pytest.mark.parametrize(
    ("ab", "ba", "winner"),
    [
        ("A", "A", "x"), ("A", "A", "y"), ("B", "B", "x"),  # as models: x twice, or y
        ("A", "B", "inconsistent"), ("A", "B", "tie"), ("A", "B", "y"), ("B", "A", "inconsistent"),
    ],
)  # fmt: skip
def test_labels_that_are_models_and_no_slots(tmp_path, ab, ba, winner):
    """As slots, (A, B) is x twice; a file whose `winner` says otherwise has another convention."""
    problem = aside(tmp_path, "swap_columns", judged("A", "B", "x"), judged(ab, ba, winner))

    assert problem.startswith(f"winner is {winner!r}, but as slots winner_ab names ")


@pytest.mark.parametrize(
    ("ab", "ba", "winner"),
    [
        ("A", "B", "x"), ("B", "A", "y"), ("A", "A", "inconsistent"), ("B", "B", "tie"),
        ("A", "tie", "x"), ("A", "tie", "inconsistent"), ("error", "A", "error"),
        ("tie", "tie", "tie"), ("A", "B", None), ("A", "B", float("nan")), ("A", "B", "model_a"),
    ],
)  # fmt: skip
def test_winners_of_any_author(tmp_path, ab, ba, winner):
    """Ties and failures are made a winner in several ways, none of which is a contradiction."""
    path = write(tmp_path / "a.jsonl", [judged(ab, ba, winner)])

    assert read_judgments("swap_columns", path).set_aside.empty


def test_winners_that_are_slots_and_no_models(tmp_path):
    """In the second game [[A]] is model_2: a file that says model_1 has another convention."""
    good = FAST | {"g1_winner": "model_1", "g2_winner": "model_2"}
    good |= {"g1_judgment": "[[A]]", "g2_judgment": "Not [[B]], so [[A]]"}
    bad = good | {"question_id": 2, "g2_winner": "model_1", "g2_judgment": "[[A]]"}

    assert aside(tmp_path, "fastchat_pair", good, bad) == (
        "g2_winner is 'model_1', but the reply says [[A]] where game 2 shows model_2 as A"
    )


@pytest.mark.parametrize("reply", ["", None, "[[A]] or [[B]]", "Assistant A", "[[rating]]"])
def test_replies_that_name_no_one_slot_say_nothing(tmp_path, reply):
    row = FAST | {"g1_winner": "model_2", "g2_winner": "error", "g1_judgment": reply}

    assert slots(read_judgments("fastchat_pair", write(tmp_path / "a.jsonl", [row]))) == {
        ("1", ("x", "y")): 2, ("1", ("y", "x")): None
    }  # fmt: skip


RATING = "N/evaluators/G/Rating/result.json"


def rated(one, two, first="2", second="1", **more):
    orders = {"swap = False": {"winner": first}, "swap = True": {"winner": second}}
    last = {"score_1": one, "score_2": two} | orders | more
    return {"input": "?", "output_1": "a", "output_2": "b", "label": 1, "results": [last]}


@pytest.mark.parametrize(
    ("row", "first", "second"),
    [
        (rated(3, 9, "2", "2"), 2, 1),  # output_2 is shown second, then first
        (rated(9, 3, "1", "1"), 1, 2),
        (rated(["9", "stop"], ["9", "stop"]), 0, 0),
        (rated(["7", "stop"], ["7.0", "stop"]), 0, 0),
        (rated(7, "7"), 0, 0),
        (rated([None, "stop"], [None, "stop"]), None, None),
        (rated(["7", "stop"], ["seven", "stop"]), None, None),
        (rated({"rating": 7}, {"rating": 7}), None, None),
        (rated(None, 7, "2", "2"), None, None),
        (rated(True, True), None, None),
        (rated("inf", "inf"), None, None),
        (rated(3, 9, None, "2"), None, 1),
    ],
)
def test_ratings(tmp_path, row, first, second):
    """Equal ratings are ties, however they are spelt; without both there is no verdict."""
    path = write(tmp_path / RATING, [row], array=True)

    assert slots(read_judgments("llmbar", path)) == {
        ("N/0", ("output_1", "output_2")): first,
        ("N/0", ("output_2", "output_1")): second,
    }


def test_winner_against_the_ratings(tmp_path):
    """A winner that is a slot is the lower rating in one order."""
    problem = aside(tmp_path, "llmbar", rated(3, 9, "2", "2"), rated(3, 9, "2", "1"), RATING)

    assert problem == "winner is 'output_1', but the ratings are 3 and 9"


def item(preference, raw, named=NAMED):
    row = {"instruction": "Hm?", "output_1": "One.", "generator_1": "x", "output_2": "Two."}
    row |= {"generator_2": "y", "annotator": "j", "preference": preference}
    return row | {"raw_completion": raw, "referenced_models": named}


@pytest.mark.parametrize(
    ("preference", "raw", "reason"),
    [
        (1.5, " ", "empty"), (1.5, "$ERROR$", "error_marker"), (1.5, "None", "empty"),
        (1.5, "nan", "empty"), (1.5, {"text": ""}, "empty"), (1.5, {}, "empty"),
        (1.5, float("nan"), "empty"), (1.5, {"message": {"content": None}}, "empty"),
        (0, "$ERROR$", "error_marker"), (None, "$ERROR$", "error_marker"),
        (1, "M", "contradiction"), (2, "m", "contradiction"), (1.2, "M", "contradiction"),
        (1.5, "m", "contradiction"), (0, "M", "contradiction"),
    ],
)  # fmt: skip
def test_preferences_without_a_verdict(tmp_path, preference, raw, reason):
    """1.5 may stand for a reply that failed, and a reply may name the other output."""
    path = write(tmp_path / "annotations.json", [item(preference, raw)], array=True)
    (row,) = read_judgments("alpaca_eval", path).verdicts.itertuples()

    assert (row.status, row.reason) == ("invalid", reason)


@pytest.mark.parametrize("raw", ["Both are good.", {"text": "Equal"}, {"ordered_models": []}])
def test_preference_of_a_tie(tmp_path, raw):
    """A reply that names no winner."""
    path = write(tmp_path / "annotations.json", [item(1.5, raw)], array=True)

    assert read_judgments("alpaca_eval", path).verdicts["choice"].tolist() == [0]
