"""Variance components by hand, against statsmodels' one-way table, and from planted ones."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from posbias_kit import analysis
from posbias_kit.analysis.components import split_variance, variance_components
from posbias_kit.analysis.planning import design_error, expected_half_width
from posbias_kit.data.paper import read_paper_verdicts
from tests.verdict_tables import pairs, sets, stack


def measured(values, judge="j"):
    """Series with these values: an array of clusters x comparisons x repeats."""
    names = ["cluster", "comparison", "repeat"]
    where = dict(zip(names, (i.ravel() for i in np.indices(values.shape)), strict=True))
    frame = pd.DataFrame(where).assign(judge=judge, orders=2, arm="", turn="", n=1.0)
    frame["comparison"] += 1000 * frame["cluster"]
    return frame.assign(x=values.ravel().astype(float))


def test_balanced_by_hand():
    """Two clusters of two comparisons, asked twice.

    Means of comparisons 1, 1/2 | 1/2, 0, of clusters 3/4 | 1/4, of all 1/2.
    SS_r = 2 x 1/2 over 4 df: s2_r = 1/4. SS_c = 4 x 2/16 = 1/2 over 2 df: mean square 1/4 =
    s2_r + 2 s2_c: s2_c = 0. SS_q = 8/16 over 1 df: 1/2 = s2_r + 2 s2_c + 4 s2_q: s2_q = 1/16.
    """
    values = np.array([[[1, 1], [1, 0]], [[0, 1], [0, 0]]])
    row = split_variance(measured(values), ["judge"]).iloc[0]

    assert row[["s2_q", "s2_c", "s2_r"]].tolist() == pytest.approx([1 / 16, 0, 1 / 4])
    assert row[["clusters", "comparisons", "series", "orders"]].tolist() == [2, 4, 8, 2]
    assert row["estimate"] == 0.5


def test_unbalanced_without_repeats_is_the_one_way_table():
    """Against statsmodels: the mean squares of y ~ cluster, and the one-way n0."""
    rng = np.random.default_rng(3)
    sizes = [3, 5, 2, 6, 4]
    frame = measured(np.zeros((sum(sizes), 1, 1)))
    frame["cluster"] = np.repeat(range(5), sizes)
    frame["x"] = rng.normal(size=len(frame)) + frame["cluster"]
    fit = smf.ols("x ~ C(cluster)", frame).fit()
    n0 = (sum(sizes) - np.square(sizes).sum() / sum(sizes)) / 4
    row = split_variance(frame, ["judge"]).iloc[0]

    assert row["s2_c"] == pytest.approx(fit.mse_resid)
    assert row["s2_q"] == pytest.approx((fit.mse_model - fit.mse_resid) / n0)
    assert np.isnan(row["s2_r"])
    assert row["note"] == "no repeats: what they would bring is not known"


def test_planted_components_are_found():
    """Unbiased over 60 unbalanced pilots: .3, .5, .2 within 4 Monte Carlo errors."""
    rng, pilots = np.random.default_rng(0), []
    for pilot in range(60):
        values = rng.normal(0, 0.3**0.5, (30, 1, 1)) + rng.normal(0, 0.5**0.5, (30, 5, 1))
        frame = measured(values + rng.normal(0, 0.2**0.5, (30, 5, 3)), judge=pilot)
        pilots.append(frame[rng.random(len(frame)) < 0.8])
    parts = split_variance(pd.concat(pilots), ["judge"])[["s2_q", "s2_c", "s2_r"]]
    error = parts.std() / np.sqrt(len(parts))

    assert ((parts.mean() - [0.3, 0.5, 0.2]).abs() <= 4 * error).all()
    assert (error < 0.02).all()


def test_own_design_gives_the_own_interval():
    """With equal clusters the plan for the pilot's own size is its CR2 interval."""
    verdicts = pairs(["FS", "FF", "FS", "SS", "FS", "FS", "FS", "FF"])
    verdicts["cluster"] = verdicts["question"].map(lambda q: f"g{int(q[1]) // 2}")
    parts = variance_components(verdicts, "pf")
    bias = analysis.position_bias(verdicts).iloc[0]
    half = expected_half_width(parts, questions=4, comparisons=2)

    assert half.item() == pytest.approx((bias["pf_high"] - bias["pf_low"]) / 2)


def test_below_zero_is_cut_and_said():
    """Clusters more alike than chance: s2_q is 0, with a note."""
    row = split_variance(measured(np.array([[[1], [0]], [[0], [1]], [[1], [0]]])), ["judge"]).iloc[
        0
    ]

    assert row["s2_q"] == 0
    assert row["note"].startswith("s2_q came out below 0 and is taken as 0")


def test_precision_of_the_pilot():
    """Cluster means 1, 0, 0, 0: kurtosis 7/3 stays below 3, df is G - 1; 1 of 16: kurtosis 14.1."""
    few = split_variance(measured(np.eye(1, 4)[0].reshape(4, 1, 1)), ["judge"]).iloc[0]
    many = split_variance(measured(np.eye(1, 16)[0].reshape(16, 1, 1)), ["judge"]).iloc[0]
    p, q = 1 / 16, 15 / 16
    excess = (1 - 6 * p * q) / (p * q)  # of a Bernoulli variable

    assert few["df"] == pytest.approx(3)
    assert many["df"] == pytest.approx(2 / (2 / 15 + excess / 16))
    assert many["s2_mean"] == pytest.approx(16 / 15 * p * q)


@pytest.mark.parametrize(
    ("verdicts", "note"),
    [
        (pairs(["FS"]), "fewer than two clusters: nothing is known between them"),
        (pairs(["FI", "XS"]), "fewer than two clusters: nothing is known between them"),
        (pairs(["FS", "FS", "FS"]), "nothing varied in the pilot"),
    ],
)
def test_what_a_pilot_cannot_tell_is_said(verdicts, note):
    """Missing components with the reason."""
    row = variance_components(verdicts).iloc[0]

    assert row[["s2_q", "s2_c", "s2_r"]].isna().all()
    assert row["note"] == note


def test_orders_are_those_needed():
    """Sets of three take a call for each of their turns; another source may have two orders."""
    two = sets(["13-", "11-"])
    named = two.assign(order="other " + two["order"].astype("str"))

    assert variance_components(sets(["132", "111"]))["orders"].item() == 3
    assert variance_components(two)["orders"].item() == 3
    assert variance_components(named)["orders"].item() == 2


def test_one_comparison_a_cluster():
    """Comparisons are not told apart from clusters, but repeats are."""
    verdicts = stack(pairs(["FS", "FF", "FS"], repeat=1), pairs(["FS", "FS", "FF"], repeat=2))
    row = variance_components(verdicts).iloc[0]

    assert np.isnan(row["s2_c"])
    assert row["s2_r"] == pytest.approx(1 / 3)  # SS 0 + 1/2 + 1/2 over 3
    assert row["note"].endswith("one comparison a cluster: s2_q holds s2_c")


def test_half_widths_of_the_released_runs(paper_data):
    """The full MTBench runs' half-widths .0382 and .0242 from their own components."""
    verdicts = read_paper_verdicts(paper_data, rule="first_match")[0]
    parts = variance_components(verdicts[verdicts["benchmark"] == "MTBench"])
    full = parts[parts["experiment"] == "full"].set_index("judge")
    half = expected_half_width(full, questions=80, comparisons=30)

    assert dict(zip(full.index, half.round(4), strict=True)) == {
        "gpt-3.5-turbo-1106": 0.0382, "gpt-4-0613": 0.0242,
    }  # fmt: skip
    repeated = parts[parts["experiment"] == "repetition"]
    three = design_error(repeated, 24, 4, 3) / design_error(repeated, 24, 4, 1)
    assert 0.79 < three.min() < three.max() < 0.88  # three repeats cut errors by 13 to 20 %
