"""What the summary says of each judge."""

import numpy as np
import pandas as pd
import pytest

from posbias_kit.report import summarise_judges

JUDGE = {"benchmark": "B", "experiment": "", "judge": "j"}


def _finding(rs, pf, low, high, threshold=0.85):
    interval = {"pf": pf, "pf_low": low, "pf_high": high, "pc": 0.6, "pc_low": 0.5, "pc_high": 0.7}
    bias = pd.DataFrame([JUDGE | interval])
    stability = pd.DataFrame([JUDGE | {"rs": rs, "rs_chance": 0.75}])
    counts = pd.DataFrame([JUDGE | {"asked": 9, "invalid": 1, "failed": 0}])
    return summarise_judges(bias, stability, counts, threshold)["finding"].item()


@pytest.mark.parametrize(
    ("rs", "interval", "finding"),
    [
        (0.95, (-0.59, -0.7, -0.4), "leans to the first slot"),
        (0.842, (-0.59, -0.7, -0.4), "leans to the first slot (unstable: RS .84)"),
        (0.842, (0.59, 0.4, 0.7), "leans to the last slot (unstable: RS .84)"),
        (0.842, (-0.1, -0.3, 0.1), "no lean shown (unstable: RS .84)"),
        (0.849, (0.59, 0.4, 0.7), "leans to the last slot (unstable: RS .84)"),
        (0.29, (0.59, 0.4, 0.7), "leans to the last slot (unstable: RS .29)"),
        (np.nan, (0.59, 0.4, 0.7), "leans to the last slot; stability not measured"),
        (0.842, (0.59, np.nan, np.nan), "no interval, so no claim"),
        (0.842, (np.nan,) * 3, "no lean estimable: no complete series of two orders"),
    ],
)
def test_a_lean_is_claimed_by_its_interval(rs, interval, finding):
    """Instability is said beside the lean and does not hide it."""
    assert _finding(rs, *interval) == finding
