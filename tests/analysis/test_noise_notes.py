"""Why inconsistency cannot be split into noise and position."""

import numpy as np
import pytest
from verdict_tables import repeated, stack

from posbias_kit.analysis.noise import (
    FEW_VERDICTS,
    NO_REPEATS,
    ONE_SCORE,
    ONLY_IDENTICAL,
    inconsistency_split,
)
from posbias_kit.analysis.worksheet import class_counts, worksheet


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


def test_answers_scored_alone_have_no_split():
    """Repeats differ, orders of a repeat cannot: E would be -N / R. The plain arm is untouched."""
    plain = repeated(["FFF SSS", "FFF FFF", "FSF SFS"])
    alone = repeated(["FSF SFS", "FSS SFF", "FFF SSS"], arm="points")
    both = stack(plain, alone)
    table = inconsistency_split(both, permutations=99, scored=["points"])
    numbers = ["across", "within", "excess", "excess_low", "share", "pc_cross", "p", "p_holm"]

    assert inconsistency_split(both, permutations=99)["excess"].iloc[1] == pytest.approx(
        -(2 / 3) * 2 / 3 / 3  # N = 2/3, 2/3, 0 of three comparisons, a third of it
    )
    assert table["arm"].tolist() == ["", "points"]
    assert table["note"].tolist() == ["", ONE_SCORE]
    assert table[["comparisons", "excluded"]].values.tolist() == [[3, 0], [0, 3]]
    assert table.loc[1, numbers].isna().all()
    assert table.loc[0, "p_holm"] == table.loc[0, "p"]  # one test, not two
    only = inconsistency_split(plain, permutations=99)
    assert table.loc[0, numbers].tolist() == only.loc[0, numbers].tolist()


def test_answers_scored_alone_have_no_class():
    """All rows stay, with the verdicts; what compares the orders is missing with the reason."""
    both = stack(repeated(["FFF FFF"]), repeated(["FSF SFS", "EEE EEE"], arm="points"))
    sheet = worksheet(both, ["points"])
    counts = class_counts(sheet)

    assert sheet["class"].tolist() == ["order_sensitive_first", "", ""]
    assert sheet["reason"].tolist() == ["", ONE_SCORE, "identical answers"]
    assert sheet["ab_slot_1"].tolist() == [3, 2, 0]
    assert sheet.loc[1, ["agreement_across", "order_sensitive_chance"]].isna().all()
    assert counts["note"].tolist() == ["", f"no classes: {ONE_SCORE}"]
    assert counts["without_class"].tolist() == [0, 2]
    assert np.isnan(counts.loc[1, "order_sensitive_p"])
