"""docs/reading.md: every layout, and mappings that hold."""

import re
from pathlib import Path

import pytest
import yaml

from posbias_kit.data import LAYOUTS
from posbias_kit.study import LAYOUT_NAMES
from posbias_kit.table_mapping import TableMapping

PAGE = (Path(__file__).parents[1] / "docs" / "reading.md").read_text("utf-8")
MAPPINGS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_stands_in_the_table(name):
    """A row says whose layout it is, and which order convention is undone."""
    layout = LAYOUTS[name]

    assert f"| `{name}` | {layout.title} | {layout.undoes} |" in PAGE


def test_study_knows_the_readers():
    """What a study may name as its format is what there are readers for."""
    assert set(LAYOUT_NAMES) == set(LAYOUTS)


@pytest.mark.parametrize("text", MAPPINGS)
def test_mapping_is_valid(text):
    """Each example is a mapping that the kit takes."""
    mapping = TableMapping.model_validate(yaml.safe_load(text))

    assert mapping.verdict or mapping.scores


def test_there_are_examples():
    assert len(MAPPINGS) == 7
