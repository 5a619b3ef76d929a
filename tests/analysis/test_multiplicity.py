"""Holm and Benjamini-Hochberg by hand, in families."""

import numpy as np
import pandas as pd
import pytest

from posbias_kit.analysis.multiplicity import adjust_p

TABLE = pd.DataFrame(
    {
        "benchmark": "B",
        "experiment": ["full"] * 4 + ["other"],
        "p": [0.01, np.nan, 0.04, 0.03, 0.04],
        "mde": 1.0,
    }
)


def test_holm_by_hand():
    """Three tests: 3 x .01, then 2 x .03, then not below it; another experiment is its own."""
    found = adjust_p(TABLE, ["judge"])

    assert found["p_holm"].dropna().tolist() == pytest.approx([0.03, 0.06, 0.06, 0.04])


def test_benjamini_hochberg_by_hand():
    """Tasks ask for it: .04 x 3/3, .03 x 3/2 cut to that, .01 x 3."""
    found = adjust_p(TABLE, ["judge", "task"])

    assert found["p_bh"].dropna().tolist() == pytest.approx([0.03, 0.04, 0.04, 0.04])


def test_a_missing_p_is_no_test():
    """It stays missing, and the column stands after p."""
    found = adjust_p(TABLE, ["judge"])

    assert np.isnan(found["p_holm"][1])
    assert list(found) == ["benchmark", "experiment", "p", "p_holm", "mde"]
    assert "p_holm" not in TABLE
