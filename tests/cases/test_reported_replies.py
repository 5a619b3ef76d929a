"""Reported faults in reading a reply: B01 to B06."""

import json
from pathlib import Path

import pandas as pd
import pytest

from posbias_kit.analysis import labels_in_answers, verdict_counts
from posbias_kit.data import build_verdicts
from posbias_kit.parsing import Verdict, has_fence, parse_verdict
from posbias_kit.schema import Reason

CASES_FILE = Path(__file__).parents[1] / "data" / "parse_cases.jsonl"
MTBENCH, DEVBENCH, JSON = "mtbench_brackets", "devbench_choice", "json_choice"


def choice(text, format=MTBENCH, **how):
    """Return the slot that a reply names, 0 for a tie, None for none."""
    return parse_verdict(text, format, **how).choice


def test_b01_last_statement_wins():
    text = "One could argue for [[A]]. Yet its second step divides by zero.\n[[B]]"

    assert parse_verdict(text, MTBENCH) == Verdict(2, "")
    assert choice(text, rule="first_match") == 1


def test_b01_no_reply_of_the_case_file_is_wrongly_read_as_first():
    cases = map(json.loads, CASES_FILE.read_text("utf-8").splitlines())
    wrong = [
        case["raw"]
        for case in cases
        if choice(case["raw"], case["format"]) == 1 and case["expect"] != "FIRST"
    ]

    assert wrong == []


def test_b02_the_label_of_the_completion_counts():
    assert choice("The second is right. [[B]]") == 2


def test_b02_a_quoted_label_does_not_count():
    text = 'The first text says "print [[A]] now".'

    assert parse_verdict(text, MTBENCH) == Verdict(None, Reason.NO_LABEL)


def test_b03_no_default_fills_in_for_a_missing_verdict():
    replies = ["[[A]]", "[[B]]", "The first one.", ""]

    assert [choice(text) for text in replies] == [1, 2, None, None]
    assert [parse_verdict(text, MTBENCH).reason for text in replies] == [
        "",
        "",
        Reason.NO_LABEL,
        Reason.EMPTY,
    ]


def test_b03_invalid_replies_leave_the_share_and_are_counted():
    verdicts = build_verdicts(
        pd.DataFrame(
            {
                "question": list("abcd"),
                "shown": [("x", "y")] * 4,
                "choice": [1, 2, None, None],  # as in the test above
                "status": ["ok", "ok", "invalid", "invalid"],
            }
        ).assign(benchmark="B", task="t", judge="j", repeat=1)
    )
    (row,) = verdict_counts(verdicts, by=("judge",)).to_dict("records")

    assert (row["slot_1"], row["slot_2"], row["tie"], row["invalid"]) == (1, 1, 0, 2)
    assert row["first_share"] == 0.5
    assert row["invalid"] / row["asked"] == 0.5


@pytest.mark.parametrize(
    ("text", "expected", "fenced"),
    [
        ('```json\n{"choice":"TIE","reason":"x"}\n```', 0, True),
        ('Sure! {"choice":"second","reason":""} Hope it helps.', 2, False),
        ('{"choice":"A"}', None, False),
        ('{"choice":false}', None, False),
        ('{"choice":"FIRST","reason":"a " b"}', None, False),
    ],
)
def test_b04_json_is_not_repaired_and_a_fence_is_noticed(text, expected, fenced):
    assert choice(text, JSON) == expected
    assert has_fence(text) == fenced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Choice: Assistant B", None),
        ("Choice: Both", None),
        ("Choice: b", 2),
        ("Choice:\u200bA", 1),
        ("upgrade choice: A", None),
    ],
)
def test_b05_the_letter_stands_alone(text, expected):
    assert choice(text, DEVBENCH) == expected


def test_b06_reasoning_with_only_its_closing_tag_does_not_count():
    assert choice("maybe [[A]], no …\n</think>\n[[B]]") == 2


def test_b06_reasoning_that_is_never_closed_is_a_truncated_reply():
    assert parse_verdict("<think>[[A]] looks fine", MTBENCH) == Verdict(None, Reason.TRUNCATED)


def test_b02_labels_in_a_candidate_s_text_are_counted():
    answers = pd.DataFrame(
        {
            "benchmark": "B",
            "candidate": ["a", "a", "b"],
            "turns": map(json.dumps, [["[[A]] [[ b ]]", "Choice: A"], ["x"], ["[A] Choice: it"]]),
        }
    )
    table = labels_in_answers(answers, ["mtbench_brackets", "devbench_choice"])

    assert table.to_numpy().tolist() == [
        ["B", "a", "devbench_choice", 2, 1, 1],
        ["B", "a", "mtbench_brackets", 2, 1, 2],
        ["B", "b", "devbench_choice", 1, 0, 0],
        ["B", "b", "mtbench_brackets", 1, 0, 0],
    ]
