"""Blinded items: their orders, their ids, and each comparison once."""

import pandas as pd
import pytest

from posbias_kit.errors import ParamsError
from posbias_kit.report.blind import blind_items
from posbias_kit.report.review import _count_naming, _once


def blinded(drawn="s", digest="d", count=8, given="ab"):
    """Return the items and the key of so many comparisons."""
    ids = [f"q{n}" for n in range(count)]
    place = {"benchmark": "B", "experiment": "", "arm": "", "turn": ""}
    queue = pd.DataFrame({**place, "comparison": ids, "question": ids,
                          "candidates": '["a", "b"]'})  # fmt: skip
    questions = pd.DataFrame({"benchmark": "B", "question": ids, "turns": '["Ask"]',
                              "reference_answer": None, "guidance": None})  # fmt: skip
    answers = pd.DataFrame([
        {"benchmark": "B", "question": name, "candidate": who, "digest": digest,
         "turns": f'["{who} {name}"]'}
        for name in ids for who in given
    ])  # fmt: skip
    return blind_items(queue, questions, answers, "Look.", "anna", 1, drawn)


def test_orders_are_drawn_from_the_secret():
    """Seed and name of the reviewer are public: they alone do not tell which answer is whose."""
    texts = [
        [[text for _, text in item["answers"]] for item in blinded(drawn)[0]] for drawn in "stuv"
    ]

    assert len({str(told) for told in texts}) == 4
    assert texts[0] == [[text for _, text in item["answers"]] for item in blinded("s")[0]]


def test_other_texts_have_other_ids():
    """Neither an item nor an answer of a changed text has the id of the old one."""
    old, new = (blinded(digest=digest)[1] for digest in "de")

    assert old["question"].tolist() == new["question"].tolist()
    assert set(old["item"]) & set(new["item"]) == set()
    assert set(old["answer"]) & set(new["answer"]) == set()


def test_a_missing_text_is_named():
    """Nothing is handed out whose texts the run does not hold."""
    with pytest.raises(ParamsError, match="has no answer text of 'b'"):
        blinded(given="a")


def test_a_comparison_disputed_in_two_arms_is_handed_out_once():
    """At its best rank, and of the same arm whichever arm is disputed most."""
    queue = pd.DataFrame({"rank": [1, 2, 3], "benchmark": "B", "experiment": "", "turn": "",
                          "arm": ["r", "p", "p"], "comparison": ["c", "d", "c"]})  # fmt: skip

    assert _once(queue)[["comparison", "arm"]].values.tolist() == [["c", "p"], ["d", "p"]]


def test_an_answer_that_names_a_model_counts_once():
    """One such answer stands in three comparisons, and one in none."""
    names = ["a", "b", "c", "d", "e"]
    answers = pd.DataFrame({"benchmark": "B", "question": "q", "candidate": names,
                            "turns": ['["I am Claude"]', *['["x"]'] * 3, '["Qwen2"]']})  # fmt: skip
    tables = {"answers": answers, "verdicts": pd.DataFrame({"judge": ["j"]})}
    queue = pd.DataFrame({"benchmark": "B", "question": "q",
                          "candidates": [f'["a", "{name}"]' for name in "bcd"]})  # fmt: skip

    assert _count_naming(queue, tables) == 1
