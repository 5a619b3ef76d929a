"""Null, and not a number as pandas writes it: nothing is told, and the row is kept."""

import math

import pandas as pd
import pytest
from layout_writers import slots, write

from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.layouts.records import is_missing, look_up, task_of
from posbias_kit.errors import ReadError

NAN = math.nan
SWAP = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
SWAP |= {"winner_ab": "A", "winner_ba": "B"}
FAST = {"question_id": 1, "model_1": "x", "model_2": "y", "judge": ["j", "p"]}
FAST |= {"g1_winner": "model_1", "g2_winner": "model_1"}
GAME = {"question_id": 1, "model": "y", "judge": "j", "baseline": "x"}
LIST = {"pid": 1, "judge": "j", "rotation": 0, "order": ["x", "y"], "raw": "?"}
BENCH = {"pair_id": 1, "response_A": "4", "response_B": "5", "judge_name": "j"}
ITEM = {"instruction": "?", "output_1": "1", "generator_1": "x", "output_2": "2"}
ITEM |= {"generator_2": "y", "annotator": "j", "raw_completion": "?"}
ITEM |= {"referenced_models": {"m": "output_1", "M": "output_2"}}
LINES = {"input": "?", "output_1": "a", "output_2": "b"}


@pytest.mark.parametrize("nothing", [None, NAN])
@pytest.mark.parametrize(
    ("layout", "row", "key", "name"),
    [
        ("swap_columns", SWAP, "winner_ab", "a.jsonl"),
        ("fastchat_pair", FAST, "g1_winner", "a.jsonl"),
        ("listwise", LIST, "winner_model", "a.jsonl"),
        ("alpaca_eval", ITEM, "preference", "annotations.jsonl"),
    ],
)
def test_label(tmp_path, nothing, layout, row, key, name):
    """No verdict in the first order; the row is kept."""
    path = write(tmp_path / name, [row | {key: nothing}])
    reading = read_judgments(layout, path)

    first = reading.verdicts[reading.verdicts["shown"] == '["x","y"]']
    assert first["status"].tolist() == ["invalid"]
    assert reading.set_aside.empty


@pytest.mark.parametrize("nothing", [None, NAN])
def test_labels_in_games(tmp_path, nothing):
    """Arena-Hard's score, JudgeBench's decision and gold label, LLMBar's winner and label."""
    arena = write(tmp_path / "a.jsonl", [GAME | {"games": [{"score": nothing}]}])
    bench = BENCH | {"label": nothing, "judgments": [{"decision": nothing}]}
    bench = read_judgments("judgebench", write(tmp_path / "b.jsonl", [bench]))
    orders = {"swap = False": {"winner": nothing}, "swap = True": {"winner": "1"}}
    path = write(
        tmp_path / "N" / "evaluators" / "G" / "V" / "result.json",
        [LINES | {"results": [orders], "label": nothing}],
        array=True,
    )
    bar = read_judgments("llmbar", path)

    assert slots(read_judgments("arena_hard", arena)) == {("1", ("x", "y")): None}
    assert slots(bench) == {("1", ("A", "B")): None}
    assert slots(bar) == {
        ("N/0", ("output_1", "output_2")): None, ("N/0", ("output_2", "output_1")): 2
    }  # fmt: skip
    assert bench.labels.empty
    assert bar.labels.empty


@pytest.mark.parametrize("nothing", [None, NAN])
def test_what_else_a_row_may_lack(tmp_path, nothing):
    """Task, turn, reply, prompt and dataset."""
    swap = SWAP | dict.fromkeys(["category", "turn", "judgment_ab", "input_sha256"], nothing)
    fast = FAST | dict.fromkeys(["category", "turn", "g1_judgment", "g1_user_prompt"], nothing)
    swap = read_judgments("swap_columns", write(tmp_path / "a.jsonl", [swap])).verdicts
    fast = read_judgments("fastchat_pair", write(tmp_path / "b.jsonl", [fast])).verdicts
    item = ITEM | {"preference": 1.5, "dataset": nothing}
    item = read_judgments("alpaca_eval", write(tmp_path / "annotations.jsonl", [item])).verdicts

    for table in (swap, fast, item):
        assert table[["task", "turn"]].drop_duplicates().values.tolist() == [["all", ""]]
    assert "/" not in item["question"][0]


def test_missing_answer_is_no_text(tmp_path):
    """An answer that is not there is not the word nan; one that is empty is an answer."""
    path = tmp_path / "a.parquet"
    pd.DataFrame({"q": ["1", "2"], "v": ["A", "B"], "t": [NAN, 1.5], "u": ["", "b"]}).to_parquet(
        path
    )
    mapping = {"question": "q", "candidate_names": ["x", "y"], "judge_name": "j", "verdict": "v",
               "labels": {"first": ["A"], "second": ["B"]}, "answer_texts": ["t", "u"]}  # fmt: skip
    answers = read_judgments("table", path, mapping=mapping).answers

    assert answers[["question", "candidate", "turns"]].values.tolist() == [
        ["1", "y", '[""]'], ["2", "x", '["1.5"]'], ["2", "y", '["b"]']
    ]  # fmt: skip


def test_words_for_nothing():
    """Only null and not a number; an unknown label is still refused, and shown in short."""
    assert [is_missing(value) for value in (None, NAN, 0, "", "nan", [])] == [True] * 2 + [
        False
    ] * 4
    assert look_up(NAN, {"a": 1, "none": None}, "v") is None
    assert [task_of({"category": value}) for value in ("", NAN, 7, "math")] == [
        "all", "all", "7", "math"
    ]  # fmt: skip
    with pytest.raises(ReadError, match="v is 'b") as caught:
        look_up("b" * 900, {"a": 1}, "v")
    assert len(caught.value.problem) < 80
    assert caught.value.cure == "mend the label, or leave the row out"
