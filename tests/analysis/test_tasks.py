"""Task differences: over clusters, within clusters, and both."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from posbias_kit.analysis.tasks import OVER, WITHIN, task_differences
from posbias_kit.data.paper import read_paper_verdicts
from posbias_kit.errors import ParamsError
from tests.verdict_tables import pairs, stack

MONTE_CARLO = 0.02  # 4 standard errors of a share over 9,999 draws


def task(name, codes, clusters=None):
    """One question a code; `clusters` names those that share answers."""
    verdicts = pairs(codes, questions=[f"{name}{k}" for k in range(len(codes))]).assign(task=name)
    if clusters:
        number = verdicts["question"].str.removeprefix(name).astype(int)
        verdicts["cluster"] = pd.Series(clusters)[number].to_numpy()
    return verdicts


def test_own_clusters_by_hand():
    """Three consistent against three not: 2 of the 20 splits; spread is 1/2."""
    row = task_differences(stack(task("s", ["FS"] * 3), task("t", ["FF"] * 3))).iloc[0]

    assert row[["way", "tasks", "clusters"]].tolist() == [OVER, 2, 6]
    assert row[["lowest", "lowest_deviation"]].tolist() == ["t", -0.5]
    assert row[["highest", "highest_deviation"]].tolist() == ["s", 0.5]
    assert row["spread"] == 0.5
    assert row["p"] == pytest.approx(2 / 20, abs=MONTE_CARLO)


def test_series_are_those_with_a_value():
    """Incomplete series and identical answers are no denominators."""
    table = task_differences(stack(task("s", ["FS", "F-", "FF"]), task("t", ["FX", "EE", "SS"])))
    none = task_differences(stack(task("s", ["F-"]), task("t", ["FX"])))

    assert [table["series"].item(), none["series"].item()] == [3, 0]


def test_shared_clusters_by_hand():
    """Four answer sets, task s consistent in all: 2 of the 16 ways to swap labels."""
    shared = ["g0", "g1", "g2", "g3"]
    verdicts = stack(task("s", ["FS"] * 4, shared), task("t", ["FF"] * 4, shared))
    row = task_differences(verdicts).iloc[0]

    assert row[["way", "tasks", "clusters"]].tolist() == [WITHIN, 2, 4]
    assert row["spread"] == 0.5
    assert row["p"] == pytest.approx(2 / 16, abs=MONTE_CARLO)


def test_shared_clusters_take_out_the_answers():
    """Hard and easy answer sets graded alike under both tasks: nothing varies within them."""
    shared = ["g0", "g1", "g2", "g3"]
    codes = ["FS", "FF", "FS", "FF"]
    row = task_differences(stack(task("s", codes, shared), task("t", codes, shared))).iloc[0]

    assert np.isnan(row["p"])
    assert row["note"] == "nothing varies"
    ends = ["lowest", "lowest_deviation", "highest", "highest_deviation"]
    assert row[ends].isna().all()


def test_islands_of_tasks_are_compared_both_ways():
    """Tasks s and t share answers, u has its own: two rows, the second compares {s, t} with u."""
    shared = ["g0", "g1", "g2"]
    verdicts = stack(
        task("s", ["FS", "FS", "FF"], shared), task("t", ["FS", "FF", "FF"], shared),
        task("u", ["FF", "FS", "FF"]),
    )  # fmt: skip
    table = task_differences(verdicts).set_index("way")

    assert table["tasks"].to_dict() == {WITHIN: 2, OVER: 2}
    assert table["clusters"].to_dict() == {WITHIN: 3, OVER: 6}
    assert table["series"].to_dict() == {WITHIN: 6, OVER: 9}
    assert table.loc[WITHIN, ["lowest", "highest"]].tolist() == ["t", "s"]
    assert table.loc[OVER, ["lowest", "highest"]].tolist() == ["u", "s and 1 more"]


def test_detectable_difference_of_two_tasks_is_that_of_welch():
    """One series a cluster: se of the two-sample t test with unequal variances, G - 2 df."""
    one, two = ["FS", "FS", "FF", "FS", "FS"], ["FF", "FF", "FS", "FF"]
    row = task_differences(stack(task("s", one), task("t", two))).iloc[0]
    values = [np.array([code == "FS" for code in codes], dtype=float) for codes in (one, two)]
    se = np.sqrt(sum(v.var(ddof=1) / len(v) for v in values))

    assert row["mde"] == pytest.approx((stats.t.ppf(0.975, 7) + stats.t.ppf(0.8, 7)) * se)


def test_detectable_difference_within_clusters_is_the_paired_one():
    """Two tasks on the same clusters: se of the mean paired difference, G - 1 df."""
    shared = ["g0", "g1", "g2", "g3"]
    one, two = ["FS", "FS", "FF", "FS"], ["FF", "FS", "FF", "FF"]
    row = task_differences(stack(task("s", one, shared), task("t", two, shared))).iloc[0]
    gap = np.array([a == "FS" for a in one], float) - np.array([b == "FS" for b in two], float)
    se = gap.std(ddof=1) / 2

    assert row["mde"] == pytest.approx((stats.t.ppf(0.975, 3) + stats.t.ppf(0.8, 3)) * se)


@pytest.mark.parametrize(
    ("verdicts", "note"),
    [
        (task("s", ["FS", "FF"]), "one task: nothing to compare"),
        (
            stack(task("s", ["FS"]), task("t", ["FF"])),
            "one cluster a task: tasks and clusters cannot be told apart",
        ),
        (stack(task("s", ["FS"] * 2), task("t", ["FS"] * 2)), "nothing varies"),
        (stack(task("s", ["F-"]), task("t", ["FX"])), "no complete series"),
    ],
)
def test_nothing_to_test_is_said(verdicts, note):
    """A missing p has its reason in words."""
    row = task_differences(verdicts).iloc[0]

    assert np.isnan(row["p"])
    assert row["note"] == note


def test_tasks_are_not_a_grouping():
    """`task` in `by` is refused."""
    with pytest.raises(ParamsError, match="leave `task` out"):
        task_differences(task("s", ["FS"]), by=["judge", "task"])


def test_released_tasks(paper_data):
    """MTBench has own questions for each task; DevBench grades an answer set under 4 or 5."""
    verdicts = read_paper_verdicts(paper_data, rule="first_match")[0]
    table = task_differences(verdicts[verdicts["experiment"] == "full"], flips=999)

    ways = table.groupby("benchmark")["way"].unique().map(sorted).to_dict()
    assert ways == {"DevBench": [OVER, WITHIN], "MTBench": [OVER]}
    mtbench = table[table["benchmark"] == "MTBench"]
    assert mtbench["tasks"].tolist() == [8, 8]
    assert (mtbench["p_holm"] < 0.02).all()
