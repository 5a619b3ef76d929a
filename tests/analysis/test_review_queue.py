"""The queue of disputed comparisons: why each stands in it, and in which order."""

import json

import pandas as pd
import pytest

from posbias_kit.analysis import decide, flag_mentions, model_mentions, review_queue
from tests.verdict_tables import pairs, repeated, stack


def _by_question(queue):
    return queue.set_index("question")


def test_each_reason_is_found():
    """One question each: an order flip, a repeat flip, a split, a refusal, and no dispute."""
    one = repeated(["FFF FFF", "FFS SSS", "FFF SSS", "FFF SSS", "FFF SSS"], judge="j")
    two = repeated(["FFF SSS", "FFF SSS", "SSS FFF", "III SSS", "FFF SSS"], judge="k")
    two.loc[two["status"] == "invalid", "reason"] = "refusal"
    queue = _by_question(review_queue(stack(one, two)))

    assert queue["why"].to_dict() == {
        "q0": "order_flip",
        "q1": "repeat_flip",
        "q2": "judges_split",
        "q3": "refusal_in_one_order",
    }
    assert queue.loc["q0", ["order_flip", "judges_disputing"]].tolist() == [1, 1]
    assert queue.loc["q2", "judges_split"] == 2  # one each: neither is the majority
    assert queue.loc["q3", ["refusal_in_one_order", "judges"]].tolist() == [1, 2]


def test_a_minority_dissents():
    """Two judges name a, one b: one dissents."""
    verdicts = stack(*(pairs([code], judge=name) for name, code in zip("ijk", ("FS", "FS", "SF"),
                                                                      strict=True)))  # fmt: skip

    assert review_queue(verdicts)["judges_split"].tolist() == [1]


def test_ties_of_repeats_are_no_word_of_an_order():
    """FS in AB names nobody: no order flip, but the repeats differ."""
    queue = review_queue(repeated(["FS SS"]))

    assert queue[["why", "order_flip", "repeat_flip"]].values.tolist() == [["repeat_flip", 0, 1]]


def test_ambiguous_replies_are_counted():
    """The first label of one reply differs from its last."""
    verdicts = pairs(["SF"], judge="j")
    key = ["judge", "benchmark", "experiment", "arm", "turn", "comparison", "order", "repeat"]
    replies = verdicts[key].assign(format="mtbench_brackets", options=3, file="f", line=[1, 2])
    replies["raw"] = ["First [[A]]. No: [[B]]", "[[A]]"]

    queue = review_queue(verdicts, replies)
    assert queue[["why", "ambiguous_parse"]].values.tolist() == [["ambiguous_parse", 1]]


def test_the_more_a_comparison_could_move_the_earlier_it_stands():
    """All are order flips; ranks follow could_move."""
    verdicts = pairs(["FS"] * 4 + ["FF"] * 3)
    moves = decide(verdicts).moves
    moves.loc[moves["comparison"].str.contains("q5"), "could_move"] = 0.9
    queue = review_queue(verdicts, moves=moves)

    assert queue["question"].iloc[0] == "q5"
    assert queue["rank"].tolist() == [1, 2, 3]
    assert queue["could_move"].is_monotonic_decreasing


def test_nothing_disputed_is_an_empty_queue():
    """A judge that agrees with itself leaves nothing to look at."""
    assert review_queue(pairs(["FS", "SF", "EE"])).empty


def test_answers_that_name_a_model_are_counted():
    """Whole words only, in any case; a candidate's own name counts as one of the study's."""
    answers = pd.DataFrame(
        {
            "benchmark": "B",
            "question": ["q0", "q0", "q1", "q1"],
            "candidate": ["a", "b"] * 2,
            "turns": ['["I am chatgpt, ChatGPT."]', '["Claudette"]', '["zeta-7 here"]', '["x"]'],
        }
    )
    found = model_mentions(answers, ["zeta-7"])
    queue = flag_mentions(review_queue(pairs(["FF", "FF"])), found)

    assert found[["candidate", "mention", "own", "times"]].values.tolist() == [
        ["a", "ChatGPT", False, 2],
        ["a", "zeta-7", True, 1],
    ]
    assert queue["naming_a_model"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("I am GPT-4o.", "GPT-4o"), ("I am GPT4", "GPT4"), ("gpt-3.5-turbo", "GPT-3.5"),
        ("I am Llama-2.", "Llama"), ("I am Claude-3.", "Claude"), ("vicuna-13b here", "Vicuna"),
        ("I am Gemini-Pro", "Gemini"), ("Qwen2 by us", "Qwen"),
        ("\u6211\u662fChatGPT\u6a21\u578b", "ChatGPT"), ("\u6211\u662fGPT-4\u6a21\u578b", "GPT-4"),
    ],
)  # fmt: skip
def test_versions_and_neighbours_do_not_hide_a_name(text, mention):
    """A version after a family's name, and signs that are no letters from A to Z beside it."""
    answers = {"benchmark": "B", "question": "q", "candidate": "a", "turns": [json.dumps([text])]}

    assert model_mentions(pd.DataFrame(answers))["mention"].tolist() == [mention]


@pytest.mark.parametrize("text", ["Claudette", "Bardo", "a-17", "GPT", "the bombardier"])
def test_other_words_name_no_model(text):
    """A family's name within a word, and a name of the study beside a digit."""
    answers = {"benchmark": "B", "question": "q", "candidate": "a", "turns": [json.dumps([text])]}

    assert model_mentions(pd.DataFrame(answers), ["a", "a-1"]).empty
