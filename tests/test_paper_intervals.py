"""The paper's judges with intervals, by question and by answer set: what must be found there."""

import pytest

from posbias_kit.analysis import (
    estimate_metric,
    inconsistency_split,
    order_effect,
    position_bias,
    repetition_stability,
)
from posbias_kit.analysis.intervals import cluster_sums, ratio_intervals
from posbias_kit.analysis.measure import measure_series
from posbias_kit.data import read_verdicts

ERRORS = {  # of PC in the full DevBench experiment, by question and by answer set
    "gpt-4-0613": (0.0163, 0.0337),
    "gpt-3.5-turbo-0125": (0.0160, 0.0274),
    "gemini-pro": (0.0171, 0.0269),
}
SHARES = {"MTBench": (0.16, 0.61), "DevBench": (0.19, 0.88)}
"""Lowest and highest share of the inconsistency that is owed to position."""


@pytest.fixture(scope="module", params=SHARES)
def verdicts(request, paper_data):
    return read_verdicts("paper", paper_data, benchmark=request.param, rule="first_match")


def test_answer_sets_widen_the_errors(paper_data):
    """DevBench's 112 questions are 24 sets of answers: the error of PC doubles."""
    table = read_verdicts("paper", paper_data, benchmark="DevBench", rule="first_match")
    table = table[table["experiment"] == "full"]
    found = []
    for cluster in (table["question"], table["cluster"]):
        series = measure_series(table.assign(cluster=cluster))
        found.append(ratio_intervals(cluster_sums(series, ["judge"], ["x", "n"]), "x", "n")["se"])

    bias = position_bias(table).set_index("judge")
    half = (bias["pc_high"] - bias["pc_low"]) / 2
    for judge, errors in ERRORS.items():
        assert 1.9 * errors[1] < half[judge] < 2.5 * errors[1], (
            "a t quantile of at most 24 clusters"
        )
        assert [part[judge] for part in found] == pytest.approx(errors, abs=6e-4)


@pytest.mark.parametrize("wide", [False, True], ids=["by question", "by answer set"])
def test_every_judge_has_its_intervals(verdicts, wide):
    """RS, PC and PF lie inside their intervals, and beta too wherever it can be estimated."""
    table = verdicts if wide else verdicts.assign(cluster=verdicts["question"])
    bias = position_bias(table, draws=200)
    stable = repetition_stability(table, draws=200).dropna(subset=["rs"])
    effect = order_effect(table, pooled=False)

    for frame, name in ((bias, "pc"), (bias, "pf"), (stable, "rs")):
        assert (
            (frame[f"{name}_low"] <= frame[name]) & (frame[name] <= frame[f"{name}_high"])
        ).all()
    told = effect["beta"].notna()
    assert effect.loc[~told, "note"].str.startswith("not estimable").all()
    inside = effect["beta_low"].le(effect["beta"]) & effect["beta"].le(effect["beta_high"])
    assert (inside | effect["note"].ne(""))[told].all()
    assert len(bias) == verdicts.groupby(["experiment", "judge"]).ngroups


def test_position_owns_a_part_of_the_flips(verdicts):
    """The share of position runs from 16 to 61% on MTBench, from 19 to 88% on DevBench."""
    split = inconsistency_split(verdicts, permutations=0)
    share = split.loc[split["experiment"] == "repetition", "share"]
    name = verdicts["benchmark"].iloc[0]

    assert (share.min(), share.max()) == pytest.approx(SHARES[name], abs=0.006)
    assert split.loc[split["experiment"] == "full", "note"].str.startswith("no repeats").all()


def test_methods_differ_in_their_limits_only(paper_data):
    """Gpt-4-0613 on DevBench: all methods give the estimate, none an interval of no width."""
    table = read_verdicts("paper", paper_data, benchmark="DevBench", rule="first_match")
    table = table[(table["experiment"] == "full") & (table["judge"] == "gpt-4-0613")]
    found = [estimate_metric(table, "pc", method) for method in ("headline", "cr2", "bca")]

    assert len({each.estimate for each in found}) == 1
    assert all(each.low < each.estimate < each.high for each in found)
    assert {each.clusters for each in found} == {24}
