"""The shares that series have in pc and pf add up to what position_bias reports."""

import pytest

from posbias_kit.analysis.measure import measure_series
from posbias_kit.analysis.position import position_bias
from posbias_kit.errors import ParamsError
from posbias_kit.schema import Convention
from tests.verdict_tables import pairs

CODES = ["FS", "FF", "SS", "FT", "TS", "TT", "F-", "XI", "SF", "EE", "FF"]


@pytest.mark.parametrize("convention", list(Convention))
@pytest.mark.parametrize("metric", ["pc", "pf"])
def test_sums_are_the_metric(metric, convention):
    """Sum x / sum n and sum n under every convention."""
    verdicts = pairs(CODES)
    series = measure_series(verdicts, metric, convention)
    row = position_bias(verdicts, convention=convention, draws=0).iloc[0]

    assert series["x"].sum() / series["n"].sum() == pytest.approx(row[metric])
    assert series["n"].sum() == row[f"{metric}_n"]


def test_each_candidate_counts_without_a_reference():
    """Grouped by candidate a pair counts on both sides."""
    series = measure_series(pairs(["FS", "FF"], reference=""), by=["judge", "candidate"])

    assert series.groupby("candidate")["n"].sum().to_dict() == {"a": 2, "b": 2}


def test_unknown_words_are_refused():
    """A metric or convention that does not exist."""
    for options in ({"metric": "rs"}, {"convention": "none"}):
        with pytest.raises(ParamsError, match="unknown value"):
            measure_series(pairs(["FS"]), **options)
