"""Texts that lie beside judgments: a judgment with one key more is none, nor with one less."""

import pytest
from layout_writers import write

from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.layouts.collect import Ledger
from posbias_kit.data.layouts.records import Game
from posbias_kit.errors import ReadError

ROWS = {
    "swap_columns": {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j",
                     "winner_ab": "A", "winner_ba": "B"},
    "fastchat_pair": {"question_id": 1, "model_1": "x", "model_2": "y", "judge": ["j", "p"],
                      "g1_winner": "model_1", "g2_winner": "model_1"},
    "arena_hard": {"question_id": 1, "uid": 1, "model": "x", "judge": "j", "baseline": "b",
                   "games": [{"score": "A>B"}]},
    "scores": {"question_id": 1, "model": "x", "judge": ["j", "p"], "score": 8},
}  # fmt: skip
TEXT = {"turns": ["hi"], "prompt": "hi", "model_id": "x", "choices": [{"turns": ["hi"]}]}
TEXT |= {"messages": [], "category": "math"}
OWN = [
    ("swap_columns", "judge_id"), ("swap_columns", "winner_ba"), ("fastchat_pair", "judge"),
    ("fastchat_pair", "g1_winner"), ("arena_hard", "judge"), ("arena_hard", "games"),
    ("scores", "judge"), ("scores", "score"),
]  # fmt: skip


@pytest.mark.parametrize("layout", ROWS)
def test_judgment_with_texts_is_a_judgment(tmp_path, layout):
    """Whatever else stands in the row, its verdict is read."""
    reading = read_judgments(layout, write(tmp_path / "a.jsonl", [ROWS[layout] | TEXT]))

    assert len(reading.verdicts) + len(reading.scores) > 0
    assert reading.answers.empty


@pytest.mark.parametrize(("layout", "key"), OWN)
def test_judgment_that_lacks_a_key_is_no_text(tmp_path, layout, key):
    """It is set aside, and tells which."""
    bad = {name: value for name, value in (ROWS[layout] | TEXT).items() if name != key}
    with pytest.warns(UserWarning, match="line 2"):
        reading = read_judgments(layout, write(tmp_path / "a.jsonl", [ROWS[layout], bad]))

    assert reading.set_aside["problem"].str.contains(f"'{key}").all()
    assert reading.answers.empty


def test_answer_without_a_model(tmp_path):
    """It is a ReadError's row, and no failure of the kit's."""
    bad = {"question_id": 1, "turns": ["a"], "choices": [{"turns": ["x"]}]}
    with pytest.warns(UserWarning, match="line 2: no 'model_id' in this row"):
        read_judgments("fastchat_pair", write(tmp_path / "a.jsonl", [ROWS["fastchat_pair"], bad]))


@pytest.mark.parametrize("found", [[], [Game("1", ("x", "y"), "j", 1)] * 2])
def test_no_row_vanishes(tmp_path, found):
    """A reader that makes nothing of a row is found out, as is a row both kept and set aside."""
    ledger = Ledger(LAYOUTS["swap_columns"]._replace(read=lambda *_: found), "B", {})
    ledger.read(write(tmp_path / "a.jsonl", [ROWS["swap_columns"]]), "a.jsonl")
    if found:
        ledger.aside[0] = ReadError("a row of two fates")
    with pytest.raises(AssertionError):
        ledger.account()


def test_no_judgment_is_taken_for_a_text(tmp_path):
    """A reader that makes a text of a row with all that its layout needs is found out."""
    text = LAYOUTS["fastchat_pair"].read
    layout = LAYOUTS["swap_columns"]._replace(
        read=lambda row, line, source: text({"question_id": 1, "turns": ["hi"]}, line, source)
    )
    with pytest.raises(AssertionError):
        Ledger(layout, "B", {}).read(write(tmp_path / "a.jsonl", [ROWS["swap_columns"]]), "a.jsonl")
