"""Lists of answers: slots from the order shown, retries, and published judgments of four."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_writers import check_planted, forms, slots, spoiled, write
from shared_data import public

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ReadError

REQUIRED = ("pid", "judge", "rotation", "order", "winner_model")
# Judge -> wins of slots 1 to 4, questions of 48 with one winner in all 4 orders, mean distinct
# winners; they equal the source's own results.
PUBLISHED = {
    "openai/gpt-5.6-sol": ([50, 53, 46, 43], 40, 1.229),
    "anthropic/claude-opus-4.8": ([43, 37, 56, 56], 14, 1.896),
    "google/gemini-3.5-flash": ([67, 38, 44, 43], 18, 1.792),
    "deepseek/deepseek-v4-flash": ([57, 61, 36, 38], 15, 1.875),
    "qwen/qwen3.7-max": ([79, 54, 43, 16], 12, 2.125),
}


def judged(winner="x", order=("x", "y", "z"), rotation=0, **more):
    row = {"pid": 0, "judge": "j", "rotation": rotation, "order": list(order), "raw": "1"}
    return row | {"winner_model": winner} | more


def read(folder, *rows):
    return read_judgments("listwise", write(folder / "lists.jsonl", rows))


def test_published_lists():
    """Slot wins, same winner in all orders, distinct winners; two failures were retried."""
    with pytest.warns(UserWarning, match="2 of 962 rows set aside"):
        reading = read_judgments("listwise", public("avran_listwise", "data"))
    found = {}
    for judge, verdicts in reading.verdicts.groupby("judge"):
        distinct = verdicts.groupby("question")["winner"].nunique()
        wins = verdicts["choice"].value_counts().sort_index().tolist()
        found[judge] = (wins, (distinct == 1).sum(), round(distinct.mean(), 3))

    assert found == PUBLISHED
    assert reading.files[["rows", "kept", "judgments"]].values.tolist() == [[962, 960, 960]]
    assert reading.set_aside["line"].tolist() == [149, 403]
    assert reading.set_aside["problem"].str.contains("no verdict, and the call was made").all()
    assert reading.verdicts.groupby(["judge", "question"])["order"].nunique().eq(4).all()
    # What the source calls rotation 0 is another list for every other judge.
    assert sorted(reading.verdicts["order"].unique()) == [
        "1-2-3-4", "1-4-3-2", "2-1-4-3", "2-3-4-1", "3-2-1-4", "3-4-1-2", "4-1-2-3", "4-3-2-1",
    ]  # fmt: skip
    shown = reading.verdicts.groupby(["comparison", "order"])["shown"].nunique()
    assert shown.eq(1).all()


def test_slot_is_the_place_in_the_order(tmp_path):
    """Lists of any length, pairs too; a pair's order follows from what is shown."""
    rows = [judged("z"), judged("x", "yzx", 1), judged("b", "ab", pid=1), judged("b", "ba", pid=1)]
    verdicts = read(tmp_path, *rows, judged("e", "abcde", "left", pid=2)).verdicts

    assert verdicts["choice"].tolist() == [3, 3, 2, 1, 5]
    assert verdicts["winner"].tolist() == ["z", "x", "b", "b", "e"]
    assert verdicts["order"].tolist() == ["r0", "r1", "AB", "BA", "left"]
    assert verdicts["comparison"].nunique() == 3
    assert verdicts["repeat"].unique().tolist() == [1]


def test_true_repeats_and_retries(tmp_path):
    """Two verdicts are repeats; a failure beside one verdict was made again."""
    failed = judged(None, rotation=1, raw="Let me see")
    with pytest.warns(UserWarning, match="1 of 4 rows"):
        reading = read(tmp_path, judged("x"), judged("y"), failed, judged("z", rotation=1))

    assert reading.verdicts[["order", "repeat", "winner"]].values.tolist() == [
        ["r0", 1, "x"],
        ["r0", 2, "y"],
        ["r1", 1, "z"],
    ]
    assert reading.set_aside["line"].tolist() == [3]


def test_a_pair_shown_twice_under_two_rotations_is_repeated(tmp_path):
    """Four rotations of two answers are two orders, each of them twice."""
    rows = [judged("a", "ab", 0), judged("a", "ba", 1), judged("b", "ab", 2), judged("b", "ba", 3)]
    verdicts = read(tmp_path, *rows).verdicts

    assert verdicts[["order", "repeat"]].values.tolist() == [
        ["AB", 1], ["BA", 1], ["AB", 2], ["BA", 2]
    ]  # fmt: skip


def test_failures(tmp_path):
    """A reply without a winner, and no reply."""
    verdicts = read(tmp_path, judged(None, raw="Well"), judged(None, raw="", pid=1)).verdicts

    assert verdicts["reason"].tolist() == ["no_label", "empty"]
    assert verdicts["status"].tolist() == ["invalid", "invalid"]


@pytest.mark.parametrize(
    ("row", "problem", "allowed", "cure"),
    [
        (judged("w", pid=1), "winner_model 'w' is not in the order", "x, y, z", "null where"),
        (judged("x", "xyx"), "order names a candidate twice: x, y, x", "different", "leave the"),
        (judged("x", "x"), "order is ['x']", "two or more", "give the row its order"),
        (judged("x", order="", pid=1), "order is []", "two or more", "give the row its order"),
        (judged(order={}) | {"order": "xyz"}, "order is 'xyz'", "two or more", "give the row"),
        (judged(rotation=None), "rotation is None", "a text or a whole", "give the row its rot"),
        ({"pid": 0, "judge": "j"}, "no 'rotation', 'order', 'winner_model'", "pid", "complete"),
        (judged("x", "zyx"), "shows other texts than lists.jsonl, line 1", "", "name the cand"),
    ],
)
def test_bad_rows_are_set_aside(tmp_path, row, problem, allowed, cure):
    """With file, line, what is allowed, and the cure."""
    with pytest.warns(UserWarning, match="1 of 2 rows set aside"):
        reading = read(tmp_path, judged("y"), row)

    (lost,) = reading.set_aside.itertuples()
    assert (lost.file, lost.line) == ("lists.jsonl", 2)
    assert problem in lost.problem
    assert allowed in lost.allowed
    assert cure in lost.cure
    assert slots(reading) == {("0", ("x", "y", "z")): 2}


def test_nothing_usable(tmp_path):
    """The first problem is the message."""
    with pytest.raises(ReadError, match="none of 1 rows is a row of layout 'listwise'") as caught:
        read(tmp_path, {"winner": "x"})

    assert "no 'pid', 'judge', 'rotation'" in str(caught.value)


def test_recognised(tmp_path):
    """As of one layout, and no other."""
    table = detect_layout(write(tmp_path / "a.jsonl", [judged()])).set_index("layout")

    assert table["fitting"].to_dict() == dict.fromkeys(table.index, 0) | {"listwise": 1}


@st.composite
def planted_list(draw, number):
    """Draw a row, and the slot in it, 0 where there is no verdict."""
    order = draw(st.lists(st.sampled_from([7, "7b", "é", "\u2028", "None"]), unique=True))
    slot = draw(st.integers(0, len(order) + 1))
    shown = tuple(map(str, order))
    if slot == 0:
        winner = None
    elif slot <= len(order):
        winner = order[slot - 1]
        winner = draw(st.sampled_from([winner, str(winner)]))
    else:
        winner = "who?"
    row = judged(winner, order, draw(st.sampled_from([0, "1", 2.0])), pid=number)
    row, whole = draw(spoiled(row, REQUIRED))
    good = whole and len(order) > 1 and slot <= len(order)
    return row, {(str(number), shown): slot or None} if good else None


@settings(max_examples=20)  # of several rows each
@given(st.data(), forms)
def test_planted_rows_come_back(data, form):
    """Whatever ids, lengths and form of the file: rows read are kept or set aside."""
    count = data.draw(st.integers(1, 8))
    planted = [data.draw(planted_list(number)) for number in range(count)]

    check_planted("listwise", planted, form)
