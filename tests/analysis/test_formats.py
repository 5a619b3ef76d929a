"""Length and format of answers."""

import json

import numpy as np
import pandas as pd
import pytest

from posbias_kit.analysis.formats import answer_features

CASES = {
    "# One\n\nText\n### Two ###\n#not a heading\n####### seven": (2, 0, 0, 0),
    "- one\n* two\n  + nested\n3. three\n4) four\n-no\n2024 was a year": (0, 5, 0, 0),
    "**bold** and __bold__, 2 ** 3 ** 4 is code, **not\nover lines**": (0, 0, 3, 0),
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
