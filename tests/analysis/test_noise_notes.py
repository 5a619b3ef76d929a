"""Why inconsistency cannot be split into noise and position."""

import pytest
from verdict_tables import repeated

from posbias_kit.analysis.noise import (
    FEW_VERDICTS,
    NO_REPEATS,
    ONLY_IDENTICAL,
    inconsistency_split,
)


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (["FFF ---", "SSS ---"], FEW_VERDICTS),
        (["FFF III", "SSS XXX"], FEW_VERDICTS),
        (["F-- S--", "EEE EEE"], NO_REPEATS),
        (["EEE EEE"], ONLY_IDENTICAL),
    ],
)
def test_why_there_is_no_split(texts, note):
    """Asked once, repeats that lack verdicts in one order, or nothing to choose from."""
    assert inconsistency_split(repeated(texts))["note"].item() == note
