"""Agreement against R: raw, Cohen, Fleiss, Krippendorff and the clustering of judges.

`data/refs/agreement.json` is R 4.2.2's output with 12 significant digits on agreement.csv (150
items, six judges, 3% missing): Cohen checked there against psych, heights from hclust.
"""

import json
from pathlib import Path

import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster

from posbias_kit.analysis import agreement_matrix, judge_agreement, judge_linkage
from posbias_kit.analysis.coefficients import agreement_coefficients
from posbias_kit.data import build_verdicts

REFS = Path(__file__).parents[1] / "data" / "refs"
CHOICES = {"A": 1, "B": 2, "tie": 0}
CLOSE = {"rel": 1e-10, "abs": 1e-10}


@pytest.fixture(scope="module")
def verdicts():
    """Every item of the reference data as one presentation."""
    rows = pd.read_csv(REFS / "agreement.csv").rename(columns={"item": "question"})
    verdict = rows.pop("verdict")
    told = verdict.notna()
    return build_verdicts(
        rows.assign(
            benchmark="B",
            task="t",
            repeat=1,
            shown=[("a", "b")] * len(rows),
            status=told.map({True: "ok", False: "invalid"}),
            reason=told.map({True: "", False: "no_label"}),
            choice=verdict.map(CHOICES).astype("Int64"),
        )
    )


@pytest.fixture(params=["with_ties", "no_ties"])
def case(request):
    """Return whether ties count, and R's numbers."""
    expected = json.loads((REFS / "agreement.json").read_text("utf-8"))
    return request.param == "with_ties", expected[request.param]


def test_pairs_equal_r(verdicts, case):
    """Instances, share of identical choices and Cohen's kappa of all 15 pairs."""
    ties, expected = case
    table = judge_agreement(verdicts, ties).set_index(["judge", "other"])

    for pair in expected["pairs"]:
        found = table.loc[(pair["a"], pair["b"]), ["instances", "agreement", "kappa"]]
        assert found.tolist() == pytest.approx(
            [pair["n"], pair["agreement"], pair["kappa"]], **CLOSE
        )


def test_panel_coefficients_equal_r(verdicts, case):
    """Fleiss on the items that all judged, Krippendorff on those that two or more did."""
    ties, expected = case
    table = agreement_coefficients(verdicts, [ties]).set_index("coefficient")
    fleiss, alpha = expected["fleiss"], expected["krippendorff"]

    assert table["instances"][["fleiss", "krippendorff"]].tolist() == [
        fleiss["n_items"],
        alpha["n_units"],
    ]
    assert table["estimate"][["fleiss", "krippendorff"]].tolist() == pytest.approx(
        [fleiss["kappa"], alpha["alpha"]], **CLOSE
    )


def test_mean_cohen_equals_the_mean_of_rs_pairs(verdicts, case):
    """Computed from tables of counts by another library than the pairs' kappa."""
    ties, expected = case
    table = agreement_coefficients(verdicts, [ties]).set_index("coefficient")
    kappas = [pair["kappa"] for pair in expected["pairs"]]

    assert table.loc["cohen", "estimate"] == pytest.approx(sum(kappas) / len(kappas), **CLOSE)


def test_clustering_equals_r(verdicts, case):
    """Merge heights of average linkage and the cuts into two and three; leaf order is free."""
    ties, expected = case
    matrix = agreement_matrix(judge_agreement(verdicts, ties))
    merges = judge_linkage(matrix)
    clustering = expected["clustering"]

    assert merges[:, 2].tolist() == pytest.approx(clustering["heights"], **CLOSE)
    assert sorted(matrix.index) == sorted(clustering["leaves"])
    for count in (2, 3):
        cut = pd.Series(fcluster(merges, count, "maxclust"), matrix.index)
        groups = pd.Series(clustering[f"groups_{count}"])
        assert _partition(cut) == _partition(groups)


def _partition(cut):
    return {frozenset(names) for names in cut.groupby(cut).groups.values()}
