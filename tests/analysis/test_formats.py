"""Length and format of answers."""

import json

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs

from posbias_kit.analysis import position_bias
from posbias_kit.analysis.formats import answer_features, match_lengths
from posbias_kit.data import STARTER_QUALITY, prepare_study
from posbias_kit.judge_kinds import PlantedParams
from posbias_kit.judging import PlantedJudge, judge_presentations

CASES = {
    "# One\n\nText\n### Two ###\n#not a heading\n####### seven": (2, 0, 0, 0),
    "- one\n* two\n  + nested\n3. three\n4) four\n-no\n2024 was a year": (0, 5, 0, 0),
    "**bold** and __bold__, 2 ** 3 ** 4 is code, **not\nover lines**": (0, 0, 2, 0),
    "call `__init__` or `obj.__init__()`, my__private__name, a ** b, 2 **3 ** 4": (0, 0, 0, 0),
    "***both*** and ___both___, **a** (__b__)": (0, 0, 4, 0),
    "# `heading`\n- `item`\n- **`bold`**": (1, 2, 1, 0),
    "```python\n# comment\n- x\n```\n\n  ```\n**a**\n  ```": (0, 0, 0, 2),
    "text\n```\n# never closed\n- x": (0, 0, 0, 1),
    "* **both**": (0, 1, 1, 0),
    "": (0, 0, 0, 0),
}


@pytest.mark.parametrize("text", CASES)
def test_markdown_is_counted(text):
    """Headings, list items, bold, code blocks; a code block hides what it holds."""
    answers = pd.DataFrame(
        {"benchmark": "B", "question": "q", "candidate": "a", "turns": [json.dumps([text])]}
    ).assign(length=len(text))

    row = answer_features(answers).iloc[0]

    counts = row[["headings", "list_items", "bold", "code_blocks"]]
    assert tuple(counts) == CASES[text]
    assert row["log_length"] == pytest.approx(np.log(max(len(text), 1)))


def test_turns_are_taken_together():
    """Counts add up over turns; columns and rows are those of the answers."""
    turns = [json.dumps(["# a", "# b\n- c"]), json.dumps(["plain"])]
    answers = pd.DataFrame(
        {"benchmark": "B", "question": ["q", "r"], "candidate": "a", "turns": turns, "length": 5}
    )

    table = answer_features(answers)

    assert table["headings"].tolist() == [2, 0]
    assert table["question"].tolist() == ["q", "r"]


ANSWERS = pd.DataFrame(
    {
        "benchmark": "B",
        "question": ["q0", "q0", "q1", "q1"],
        "candidate": ["a", "b", "a", "b"],
        "length": [100, 125, 100, 126],
    }
)


def test_equal_lengths_are_kept_up_to_the_ratio():
    """125 against 100 is just within 1.25, 126 is not; both orders stay together."""
    verdicts = pairs(["FS", "FS"])

    assert match_lengths(verdicts, ANSWERS)["question"].tolist() == ["q0", "q0"]
    assert match_lengths(verdicts, ANSWERS, ratio=1.3)["question"].nunique() == 2


def test_rows_of_several_tables_are_matched():
    """Index labels that stand twice, as after putting tables under each other, do no harm."""
    verdicts = pairs(["FS", "FS"])
    twice = verdicts.set_axis([0] * len(verdicts))

    assert match_lengths(twice, ANSWERS)["question"].tolist() == ["q0", "q0"]


def test_unknown_length_matches_nothing():
    """An answer that is not in the table is not taken for equally long."""
    verdicts = pairs(["FS", "FS"])

    assert match_lengths(verdicts, ANSWERS.iloc[:3], ratio=9)["question"].tolist() == ["q0", "q0"]
    assert match_lengths(verdicts, ANSWERS.iloc[:0]).empty


def test_length_taste_has_nothing_to_go_by_on_equal_lengths():
    """A judge that takes the longer answer is consistent, and at chance where lengths are equal."""
    study = prepare_study("starter", plan={"repeats": 1}, seed=1)
    params = PlantedParams(name="long", kind="planted", discernment=0, length_taste=100)
    answers = study.answers.assign(length=study.answers["length"].round(-1))
    judge = PlantedJudge(params, STARTER_QUALITY)
    verdicts = judge_presentations([judge], study.presentations, answers)
    matched = match_lengths(verdicts, answers, ratio=1.001)

    assert position_bias(verdicts, draws=0)["pc"].item() > 0.95
    assert len(matched) > 10
    assert position_bias(matched, draws=0)["pc"].item() == pytest.approx(0.5, abs=0.2)
