"""Direction by hand on four clusters, its corrections and its notes."""

import numpy as np
import pytest
from scipy import stats

from posbias_kit.analysis.direction import direction_test
from posbias_kit.data.paper import read_paper_verdicts
from tests.verdict_tables import pairs, sets, stack

# Leans of the four clusters under `paper`: -2, -1, -1 (a half flip), +1.
CODES, CLUSTERS = ["FF", "FF", "FF", "FT", "SS"], ["g0", "g0", "g1", "g2", "g3"]


def clustered(codes, clusters):
    """One question a code, in these clusters."""
    names = {f"q{number}": cluster for number, cluster in enumerate(clusters)}
    verdicts = pairs(codes)
    return verdicts.assign(cluster=verdicts["question"].map(names))


@pytest.mark.parametrize(
    ("convention", "lean", "p"),
    [
        # 2 kept, +-1 +-1 +-1: totals 5, 3, 3, 3, 1, 1, 1, -1; four of eight reach 3
        ("paper", -3, 4 / 8),
        # the half flip leaves: 2 kept, +-1 +-1: totals 4, 2, 2, 0; three of four reach 2
        ("tie", -2, 3 / 4),
        ("decisive", -2, 3 / 4),
        # single verdicts -4, -2, -1, +2: totals 9, 7, 5, 5, 3, 3, 1, -1; four of eight reach 5
        ("half", -5, 4 / 8),
    ],
)
def test_four_clusters_by_hand(convention, lean, p):
    """Lean and exact p under each convention."""
    table = direction_test(clustered(CODES, CLUSTERS), convention=convention)

    assert table[["lean", "p"]].to_numpy().tolist() == [[lean, p]]


def test_counts_and_values():
    """The counts stand beside pf and its interval."""
    row = direction_test(clustered(CODES, CLUSTERS)).iloc[0]

    assert row[["primacy", "recency", "clusters", "leaning"]].tolist() == [4, 1, 4, 4]
    assert row["pf"] == row["lean"] / row["series"] == -3 / 5
    assert row["pf_low"] < row["pf"] < row["pf_high"]
    assert row["note"].startswith(
        "4 telling clusters: p cannot fall below 0.125; mde beyond 1: not even"
    )


@pytest.mark.parametrize(
    ("convention", "series"), [("paper", 3), ("tie", 3), ("decisive", 2), ("half", 4)]
)
def test_series_are_those_of_the_convention(convention, series):
    """FX is half a series: it has one verdict, which only `half` counts."""
    row = direction_test(pairs(["FF", "FS", "TT", "FX", "EE"]), convention=convention).iloc[0]

    assert row["series"] == series


def test_questions_of_one_cluster_count_once():
    """Two questions that share answers are one cluster: 7 leans become 6."""
    verdicts = pairs(["FF"] * 7)
    assert direction_test(verdicts)["p"].item() == 2 / 2**7

    verdicts["cluster"] = verdicts["cluster"].replace("q6", "q5")
    assert direction_test(verdicts)["p"].item() == 2 / 2**6


def test_detectable_effect_by_hand():
    """Leans -1, -1, -1, 1 of single series: sd 1, se 1/2, 3 degrees of freedom."""
    row = direction_test(pairs(["FF", "FF", "FF", "SS"])).iloc[0]
    expected = (stats.t.ppf(0.975, 3) + stats.t.ppf(0.8, 3)) / 2

    assert row["mde"] == pytest.approx(expected)


def test_holm_over_judges():
    """Two judges: the smaller p doubles, the larger stays at least as large."""
    verdicts = stack(
        pairs(["FF"] * 8, judge="lean"),  # 2/256
        pairs(["FF"] * 4 + ["FS"] * 4, judge="weak"),  # 2/16
    )
    table = direction_test(verdicts).set_index("judge")

    assert table["p"].to_dict() == {"lean": 2 / 256, "weak": 2 / 16}
    assert table["p_holm"].to_dict() == {"lean": 4 / 256, "weak": 2 / 16}


def test_benjamini_hochberg_over_tasks():
    """Grouped by task, the smallest of two p is doubled and the other one stays."""
    verdicts = stack(
        pairs(["FF"] * 8, questions=[f"s{k}" for k in range(8)]).assign(task="s"),
        pairs(["FF"] * 7, questions=[f"t{k}" for k in range(7)]).assign(task="t"),
    )
    table = direction_test(verdicts, by=("judge", "task")).set_index("task")

    assert "p_holm" not in table
    assert table["p_bh"].to_dict() == {"s": 2 / 128, "t": 2 / 128}  # min(2 x 2/256, 2/128)


@pytest.mark.parametrize(
    ("codes", "note"),
    [
        (["FS", "TT", "SF"], "no series leans"),
        (["F-", "XS", "II"], "no complete pair"),
        (["FF", "SS"], "recency equals primacy in every cluster"),
    ],
)
def test_nothing_to_test_is_said(codes, note):
    """A missing p has its reason in words, and no detectable effect is made up."""
    row = direction_test(clustered(codes, ["g"] * len(codes))).iloc[0]

    assert np.isnan(row["p"])
    assert np.isnan(row["p_holm"])
    assert row["note"] == note
    assert np.isnan(row["mde"])


def test_identical_answers_do_not_count():
    """A pair of equal texts is no evidence of fairness."""
    assert direction_test(pairs(["FF", "EE", "FF"]))["clusters"].item() == 2


@pytest.fixture(scope="module")
def released(paper_data):
    return read_paper_verdicts(paper_data, rule="first_match")[0]


def test_released_judges(released):
    """The paper's full runs: leans as counted there; 24 answer sets and 80 questions."""
    table = direction_test(released[released["experiment"] == "full"])
    table = table.set_index(["benchmark", "judge"])

    assert table.loc[("DevBench", "gpt-4-0613"), ["lean", "clusters"]].tolist() == [-147, 24]
    assert table.loc[("MTBench", "gpt-4-0613"), ["lean", "clusters"]].tolist() == [47, 80]
    assert table.loc[("DevBench", "gpt-4-0613"), "p_holm"] < 0.02
    assert table.loc[("MTBench", "gpt-4-0613"), "p_holm"] > 0.1
    assert table.loc[("MTBench", "gpt-4-0613"), "mde"] == pytest.approx(0.046, abs=0.001)


def test_sets_are_sent_to_their_own_tests():
    """There is no first or last lean of three slots; the note names what there is."""
    row = direction_test(sets(["111", "132"])).iloc[0]

    assert np.isnan(row["p"])
    assert row["note"] == "pairs only: for sets see slot_wins and listwise_fairness"


def test_no_flips_no_p():
    """Without draws p is missing, not 1, and the note says why; few clusters are tried in full."""
    many = direction_test(pairs(["FF"] * 12 + ["SS"]), flips=0).iloc[0]

    assert np.isnan(many["p"])
    assert many["note"] == "no flips: no p"
