"""LLMBar's result.json: rounds, ratings, folders, and what is set aside."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_writers import check_planted, forms, slots, spoiled, texts, write

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ParamsError, ReadError

FILE = "Natural/evaluators/GPT-4/Vanilla/result.json"
REQUIRED = ("input", "output_1", "output_2", "results")


def item(first="1", second="1", rounds=(), **more):
    row = {"input": "Sum up.", "output_1": "One.", "output_2": "Two.", "label": 1}
    last = {"swap = False": told(first), "swap = True": told(second)}
    return row | {"results": [*rounds, last]} | more


def told(winner, text="Output (a)"):
    return {"completion": [text, "stop"], "winner": winner}


def rated(one, two, first, second):
    scores = {"score_1": [one, "stop"], "score_2": [two, "stop"]}
    last = scores | {"swap = False": {"winner": first}, "swap = True": {"winner": second}}
    return item(results=[last])


def read_one(folder, *rows, name=FILE, **options):
    return read_judgments("llmbar", write(folder / name, rows, array=True), **options)


def test_winner_is_an_output_in_both_orders(tmp_path):
    """Output 1 is shown first, then second; the reply is told apart from no reply."""
    reading = read_one(tmp_path, item("1", "1"), item(None, "2", label="2"), item(2, 1))

    assert slots(reading) == {
        ("Natural/0", ("output_1", "output_2")): 1,
        ("Natural/0", ("output_2", "output_1")): 2,
        ("Natural/1", ("output_1", "output_2")): None,
        ("Natural/1", ("output_2", "output_1")): 1,
        ("Natural/2", ("output_1", "output_2")): 2,
        ("Natural/2", ("output_2", "output_1")): 2,
    }
    assert reading.labels["winner"].tolist() == ["output_1", "output_2", "output_1"]
    assert reading.labels["labeller"].unique().tolist() == ["gold"]
    assert reading.verdicts["task"].unique().tolist() == ["Natural"]
    assert reading.verdicts["arm"].unique().tolist() == ["Vanilla"]
    assert reading.answers["turns"].tolist()[:2] == ['["One."]', '["Two."]']


def test_rounds_and_helper_texts(tmp_path):
    """The last element counts, helper texts before it do not; `first` takes the first round."""
    rounds = [["1. Is it short?", "stop"], {"swap = False": told("2"), "swap = True": told("1")}]
    path = write(tmp_path / FILE, [item("1", "1", rounds)], array=True)

    final = read_judgments("llmbar", path).verdicts
    first = read_judgments("llmbar", path, stage="first").verdicts
    assert final["winner"].tolist() == ["output_1", "output_1"]
    assert first["winner"].tolist() == ["output_2", "output_1"]


def test_ratings(tmp_path):
    """Equal ratings are ties; a rating that failed is no tie."""
    rows = [rated("9", "9", "2", "1"), rated("4", "9", "2", "2"), rated("", "", None, None)]
    verdicts = read_one(tmp_path, *rows).verdicts

    choices = verdicts["choice"].astype(object).where(verdicts["choice"].notna(), None)
    assert choices.tolist() == [0, 0, 2, 1, None, None]


def test_empty_replies_are_told_apart(tmp_path):
    """PaLM2's blocked replies are empty texts."""
    rows = item(results=[{"swap = False": told(None, ""), "swap = True": told(None, "Both.")}])

    verdicts = read_one(tmp_path, rows).verdicts
    assert verdicts["reason"].tolist() == ["empty", "no_label"]
    assert verdicts["status"].tolist() == ["invalid", "invalid"]


def test_statistics_are_not_read(tmp_path):
    """Only result.json is a file of judgments."""
    path = write(tmp_path / FILE, [item()], array=True)
    path.with_name("statistics.json").write_text(json.dumps({"equal": "1 / 1"}))

    assert len(read_judgments("llmbar", tmp_path).files) == 1


@pytest.mark.parametrize(
    ("row", "problem", "allowed", "cure"),
    [
        (item(results=[]), "the last of `results` holds no verdict", "swap = False", "leave it"),
        (item(results=[{"swap = False": told("1")}, ["text"]]), "holds no verdict", "", "judge"),
        (item("3"), "winner is '3'", "1, 2", "mend the label"),
        (item(label=3), "label is 3", "1, 2", "mend the label"),
        (item(output_2=None), "output_2 is None", "a text", "mend output_2"),
        (item(results=[{"swap = True": "2"}]), "no 'winner'", "winner", "complete the row"),
        (item(output_1="New."), "another text of this answer", "one text", "keep one generation"),
    ],
)
def test_bad_rows_are_set_aside(tmp_path, row, problem, allowed, cure):
    """With file, place in the array, what is allowed, and the cure."""
    write(tmp_path / "Natural/evaluators/A/Vanilla/result.json", [item(), item()], array=True)
    write(tmp_path / FILE, [item(), row], array=True)
    with pytest.warns(UserWarning, match="1 of 4 rows set aside"):
        reading = read_judgments("llmbar", tmp_path)

    (lost,) = reading.set_aside.itertuples()
    assert (lost.file, lost.line) == (FILE, 2)
    assert problem in lost.problem
    assert allowed in lost.allowed
    assert cure in lost.cure
    assert reading.files["kept"].tolist() == [2, 1]


def test_a_file_elsewhere_is_refused(tmp_path):
    """Nothing but the folders tells subset and judge."""
    path = write(tmp_path / "result.json", [item()], array=True)
    with pytest.raises(ReadError, match="tells neither subset nor judge") as caught:
        read_judgments("llmbar", path)

    assert str(path) in str(caught.value)
    assert "SUBSET/evaluators/JUDGE/STRATEGY/result.json" in caught.value.allowed


def test_unknown_stage(tmp_path):
    """There are two."""
    with pytest.raises(ParamsError, match="allowed: final, first"):
        read_one(tmp_path, item(), stage="last")


def test_recognised(tmp_path):
    """As of one layout, and no other."""
    path = write(tmp_path / FILE, [item(), item()], array=True)
    table = detect_layout(path).set_index("layout")

    assert table["fitting"].to_dict() == dict.fromkeys(table.index, 0) | {"llmbar": 2}


spellings = st.sampled_from(["1", 1, 1.0, " 2", 2, None, "3", True])
MEANS = {"1": "output_1", " 2": "output_2", "2": "output_2", "1.0": "output_1"}


@st.composite
def planted_item(draw, number):
    """Draw a row and the slots in it."""
    orders = draw(st.sampled_from([("False", "True"), ("False",), ("True",)]))
    last, games, good = {}, {}, True
    for order in orders:
        spelt = draw(spellings)
        last[f"swap = {order}"] = told(spelt, draw(texts))
        shown = ("output_1", "output_2") if order == "False" else ("output_2", "output_1")
        winner = MEANS.get(str(spelt))
        good = good and spelt in ("1", 1, " 2", 2, None) and spelt is not True
        games[f"Natural/{number}", shown] = winner and shown.index(winner) + 1
    row = item(results=[*draw(st.sampled_from([[], [["help", "stop"]]])), last])
    row |= {"input": draw(texts), "output_1": draw(texts), "output_2": draw(texts)}
    row, whole = draw(spoiled(row, REQUIRED))
    return row, games if good and whole else None


@settings(max_examples=20)  # of several rows each
@given(st.data(), forms)
def test_planted_rows_come_back(data, form):
    """Whatever the spelling and the form of the file: rows read are kept or set aside."""
    count = data.draw(st.integers(1, 8))
    planted = [data.draw(planted_item(number)) for number in range(count)]

    check_planted("llmbar", planted, form, FILE)


def test_unread_rows_keep_their_number(tmp_path):
    """A question is named by its place in the file, so that judges share it."""
    with pytest.warns(UserWarning, match="1 of 2 rows"):
        reading = read_one(tmp_path, {"input": "?"}, item())

    assert pd.unique(reading.verdicts["question"]).tolist() == ["Natural/1"]
