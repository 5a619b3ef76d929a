"""Paired differences of judges by hand."""

import numpy as np
import pytest
from scipy import stats

from posbias_kit.analysis.differences import judge_differences
from posbias_kit.errors import ParamsError
from tests.verdict_tables import pairs, stack

ONE = pairs(["FS", "FS", "FS", "FS", "FF", "F-"], judge="one")
TWO = pairs(["FF", "FF", "FF", "SS", "FS", "FF"], judge="two")


def test_consistency_by_hand():
    """Differences 1, 1, 1, 1, -1 on five shared pairs: mean 3/5, 12 of 32 patterns reach 3."""
    row = judge_differences(stack(ONE, TWO)).iloc[0]

    assert row[["judge", "other", "series", "clusters"]].tolist() == ["one", "two", 5, 5]
    assert row[["value", "other_value"]].tolist() == [4 / 5, 1 / 5]
    assert row["difference"] == pytest.approx(3 / 5)
    # |sum| of five signs is 5 in 2 patterns and 3 in 10
    assert row["p"] == 12 / 32


def test_interval_is_the_paired_t_interval():
    """With one series a cluster it is scipy's paired t interval."""
    row = judge_differences(stack(ONE, TWO)).iloc[0]
    values = [1.0, 1, 1, 1, 0], [0.0, 0, 0, 0, 1]
    low, high = stats.ttest_rel(*values).confidence_interval(0.95)

    assert row["difference_low"] == pytest.approx(low)
    assert row["difference_high"] == pytest.approx(min(high, 1))


def test_fairness_by_hand():
    """Values 0 0 0 0 -1 against -1 -1 -1 1 0: mean difference (3 - 1 - 1) / 5."""
    row = judge_differences(stack(ONE, TWO), "pf").iloc[0]

    assert row["difference"] == pytest.approx(1 / 5)
    assert [row["value"], row["other_value"]] == pytest.approx([-1 / 5, -2 / 5])


def test_opposite_judges_that_never_vary_have_a_width():
    """Always last against always first: difference 2, with limits that are not a point."""
    verdicts = stack(pairs(["SS"] * 8, judge="last"), pairs(["FF"] * 8, judge="first"))
    row = judge_differences(verdicts, "pf", baseline="first").iloc[0]

    assert row["difference"] == 2
    assert 0 < row["difference_low"] < 2
    assert row["difference_high"] == 2


def test_clusters_are_flipped_not_series():
    """Twenty series in two clusters: p is at least 1/2."""
    verdicts = stack(pairs(["FS"] * 20, judge="one"), pairs(["FF"] * 20, judge="two"))
    verdicts["cluster"] = verdicts["question"].str[-1].isin([*"02468"]).astype(str)
    row = judge_differences(verdicts).iloc[0]

    assert row[["series", "clusters", "p"]].tolist() == [20, 2, 0.5]
    assert row["note"] == "2 telling clusters: p cannot fall below 0.5"


def test_baseline_and_holm():
    """Against a baseline there are J - 1 rows; Holm counts these."""
    verdicts = stack(
        pairs(["FF"] * 8, judge="base"),
        pairs(["FS"] * 8, judge="high"),
        pairs(["FS"] * 4 + ["FF"] * 4, judge="middle"),
    )
    table = judge_differences(verdicts, baseline="base")

    assert table[["judge", "other"]].to_numpy().tolist() == [["high", "base"], ["middle", "base"]]
    assert table["p"].tolist() == [2 / 256, 2 / 16]
    assert table["p_holm"].tolist() == [4 / 256, 2 / 16]
    assert len(judge_differences(verdicts)) == 3


def test_a_tie_leaves_the_decisive_comparison():
    """Under `decisive` a series with a TIE of either judge is no pair."""
    verdicts = stack(pairs(["FS", "TT", "FF"], judge="one"), pairs(["FS", "FS", "FS"], judge="two"))

    assert judge_differences(verdicts)["series"].item() == 3
    assert judge_differences(verdicts, convention="decisive")["series"].item() == 2


def test_half_convention_counts_single_verdicts():
    """(last - first) / 2 of a pair: F,T is -1/2, S,S is 1."""
    verdicts = stack(pairs(["FT", "FS"], judge="one"), pairs(["SS", "FS"], judge="two"))
    row = judge_differences(verdicts, "pf", convention="half").iloc[0]

    assert row[["value", "other_value", "difference"]].tolist() == [-0.25, 0.5, -0.75]


def test_judges_that_agree_are_said_to():
    """No cluster in which they differ: p missing, reason given."""
    verdicts = stack(pairs(["FS", "FF"], judge="one"), pairs(["FS", "FF"], judge="two"))
    row = judge_differences(verdicts).iloc[0]

    assert row["difference"] == 0
    assert np.isnan(row["p"])
    assert row["note"] == "the judges differ in no cluster"


def test_judges_without_a_shared_series_are_said_to():
    """Each complete where the other is not."""
    verdicts = stack(pairs(["FS", "F-"], judge="one"), pairs(["F-", "FS"], judge="two"))
    row = judge_differences(verdicts).iloc[0]

    assert np.isnan(row["difference"])
    assert row["note"] == "no series that both completed"


def test_experiments_do_not_mix():
    """A judge of another experiment meets nobody there."""
    verdicts = stack(ONE, TWO, pairs(["FS"], judge="three", experiment="other"))

    assert judge_differences(verdicts)[["judge", "other"]].to_numpy().tolist() == [["one", "two"]]


def test_what_cannot_be_compared_is_refused():
    """Judge in `by`, and an unknown baseline."""
    for verdicts, options, text in (
        (stack(ONE, TWO), {"by": ["judge"]}, "leave `judge` out"),
        (stack(ONE, TWO), {"baseline": "three"}, "unknown value 'three'"),
    ):
        with pytest.raises(ParamsError, match=text):
            judge_differences(verdicts, **options)


def test_nobody_to_compare_with_gives_no_row():
    """One judge only, and judges of two experiments."""
    for verdicts in (ONE, stack(ONE, TWO.assign(experiment="other"))):
        assert judge_differences(verdicts).empty
