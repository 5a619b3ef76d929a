"""Each fault that users of other tools reported has its tests here, named after its number.

The list, to be read: ``python -m pytest tests/cases --collect-only -q``.
"""

import re
from pathlib import Path

import pytest

TITLES = {
    1: "First label found instead of the last",
    2: "Label taken from the candidate's text or from the prompt",
    3: "A default fills in for a missing verdict",
    4: "JSON in a fence, with prose, or with a value of the wrong type",
    5: "Letter without a boundary, lower case, invisible characters",
    6: "Reasoning text read as the verdict",
    7: "Slot mistaken for model after the swap",
    8: "Ties lost or weighed wrongly",
    9: "Failed calls counted as ties, losses or zeros",
    10: "Failures remembered as done",
    11: "Rate limits and hanging calls",
    12: "Judges that refuse sampling parameters",
    13: "Empty text because thinking used up the budget",
    14: "Refusals and content filters",
    15: "Resume key or cache key too short",
    16: "Repeats answered from the cache",
    17: "Half a line at the end of the store",
    18: "Results in order of completion",
    19: "Ids change type on the way",
    20: "Names that look like missing values",
    21: "Model names in paths and labels",
    22: "Separation and outcomes without variation",
    23: "Column names inside formulas",
    24: "Parameter types",
    25: "Misspelt or ignored parameters",
    26: "What a failed notebook leaves behind",
    27: "Model text as live HTML",
    28: "Text encoding of the platform",
    29: "Exports that cut or reject text",
    30: "Secrets in the output notebook",
}
TEXTS = [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py"))]


@pytest.mark.parametrize("number", TITLES, ids=lambda n: f"B{n:02} {TITLES[n]}")
def test_each_case_has_a_test_that_bears_its_number(number):
    found = [re.findall(rf"^def (test_b{number:02}_\w+)\(", text, re.M) for text in TEXTS]

    assert sum(map(len, found)) >= 1


def test_the_list_is_whole():
    assert list(TITLES) == list(range(1, 31))
