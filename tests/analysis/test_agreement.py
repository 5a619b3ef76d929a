"""Agreement, clusters and disagreement by hand."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, stack

from posbias_kit.analysis import (
    agreement_matrix,
    disagreement,
    disagreement_distribution,
    extreme_instances,
    judge_agreement,
    judge_clusters,
    majority_reliability,
)
from posbias_kit.analysis.intervals import share_intervals


def _panel(**codes):
    return stack(*(pairs(list(row), judge=judge) for judge, row in codes.items()))


def test_agreement_with_and_without_ties_by_hand():
    """j: F S | F T, k: F S | T T. With ties 3 of 4; without, only q0's two instances stay."""
    verdicts = _panel(j=["FS", "FT"], k=["FS", "TT"])
    both = judge_agreement(verdicts).iloc[0]
    decided = judge_agreement(verdicts, ties=False).iloc[0]

    assert both[["instances", "agreement"]].tolist() == [4, 0.75]
    assert decided[["instances", "agreement"]].tolist() == [2, 1.0]


def test_kappa_by_hand():
    """Po = 3/4; marginals F 2/4, S 1/4, T 1/4 against F 1/4, S 1/4, T 2/4: pe = 5/16."""
    row = judge_agreement(_panel(j=["FS", "FT"], k=["FS", "TT"])).iloc[0]

    assert row["kappa"] == pytest.approx((3 / 4 - 5 / 16) / (1 - 5 / 16))


def test_interval_of_agreement_is_over_clusters():
    """Per question 2, 1, 1 of 2 agree: the Wilson interval of these sums; both directions alike."""
    verdicts = _panel(j=["FS", "FT", "SS"], k=["FS", "TT", "FS"])
    table = judge_agreement(verdicts, level=0.9)
    index = pd.MultiIndex.from_product([["j"], ["q0", "q1", "q2"]])
    sums = pd.DataFrame({"x": [2.0, 1.0, 1.0], "n": [2.0, 2.0, 2.0]}, index=index)
    by_hand = share_intervals(sums, "x", "n", level=0.9)[["low", "high"]].to_numpy()

    assert table[["agreement_low", "agreement_high"]].to_numpy() == pytest.approx(
        np.repeat(by_hand, 2, axis=0)
    )


def test_one_cluster_has_no_interval_of_agreement():
    """One question: a share, no limits."""
    row = judge_agreement(_panel(j=["FS"], k=["FF"])).iloc[0]

    assert row["agreement"] == 0.5
    assert row[["agreement_low", "agreement_high"]].isna().all()


def test_agreement_is_on_shared_instances_only():
    """An instance where one judge has no verdict is left out."""
    row = judge_agreement(_panel(j=["FS", "FF"], k=["FS", "IF"])).iloc[0]

    assert row[["instances", "agreement"]].tolist() == [3, 1.0]


def test_nothing_shared_is_missing():
    """Two judges on different questions have no agreement, not 0."""
    verdicts = stack(pairs(["FS"]), pairs(["FS"], judge="k", questions=["other"]))
    row = judge_agreement(verdicts).iloc[0]

    assert row["instances"] == 0
    assert np.isnan(row["agreement"])


def test_one_judge_alone_has_no_row():
    """An empty table with its columns."""
    table = judge_agreement(pairs(["FS"]))

    assert table.empty
    assert "agreement" in table


def test_matrix_is_symmetric_with_ones():
    """Both directions are the same number."""
    matrix = agreement_matrix(judge_agreement(_panel(j=["FS", "FT"], k=["FS", "TT"])))

    assert matrix.to_numpy().tolist() == [[1, 0.75], [0.75, 1]]


def test_declared_families_are_found():
    """Two families that agree within and not across: the cut is the families."""
    verdicts = _panel(a1=["FF"] * 4, a2=["FF"] * 3 + ["FS"], b1=["SS"] * 4, b2=["SS"] * 3 + ["FS"])
    families = {"a": ["a1", "a2"], "b": ["b1", "b2"]}
    table = judge_clusters(judge_agreement(verdicts), families)

    assert table["adjusted_rand"].unique().tolist() == [1.0]
    assert table.groupby("family")["cluster"].nunique().tolist() == [1, 1]


def test_no_family_with_two_judges_has_nothing_to_compare():
    """Clusters are missing where every judge is its own family."""
    table = judge_clusters(judge_agreement(_panel(a=["FF"], b=["SS"], c=["FS"])))

    assert table[["cluster", "adjusted_rand"]].isna().all(axis=None)


def test_disagreement_by_hand():
    """AB: F F S -> one of three dissents; BA: F S T -> mode tied, two dissent."""
    table = disagreement(_panel(j=["FF"], k=["FS"], l=["ST"])).set_index("order")

    assert table["dissenting"].to_dict() == {"AB": 1, "BA": 2}
    assert table["disagreement"].to_dict() == pytest.approx({"AB": 1 / 3, "BA": 2 / 3})
    assert table["tied_mode"].to_dict() == {"AB": False, "BA": True}
    assert table.loc["AB", "modal"] == 1
    assert pd.isna(table.loc["BA", "modal"])


def test_instance_with_one_verdict_has_no_disagreement():
    """It is left out."""
    table = disagreement(_panel(j=["FF"], k=["FI"]))

    assert table["order"].tolist() == ["AB"]


def test_distribution_adds_up_and_names_every_count():
    """Counts 0 and 2 occur, 1 does not: it stands with 0 instances."""
    verdicts = _panel(j=["FF"], k=["FS"], l=["FT"])
    table = disagreement_distribution(disagreement(verdicts))

    assert table["dissenting"].tolist() == [0, 1, 2]
    assert table["instances"].tolist() == [1, 0, 1]
    assert table["cumulative"].tolist() == [0.5, 0.5, 1.0]


def test_hardest_come_first():
    """The instance with most dissent is the hardest, the one with none the easiest."""
    table = extreme_instances(disagreement(_panel(j=["FF"], k=["FS"], l=["FT"])), count=1)

    assert table.set_index("rank")["order"].to_dict() == {"hardest": "BA", "easiest": "AB"}


def test_majority_reliability_over_all_halves():
    """F F F S: of the three splits of four judges into halves, each has halves FF and FS.

    FF is for F, FS is tied and names F half of the time: the halves agree with chance 1/2.
    """
    verdicts = _panel(a=["FF"], b=["FF"], c=["FF"], d=["SF"])
    table = majority_reliability(verdicts, splits=50).set_index("dissenting")

    assert len(list(combinations(range(4), 2))) == 6
    assert table["reliability"].to_dict() == {0: 1.0, 1: 0.5}


def test_majority_needs_halves_of_two():
    """Three judges: halves of one have no majority, so it is missing."""
    table = majority_reliability(_panel(a=["FF"], b=["FF"], c=["FF"]))

    assert table["reliability"].isna().all()
