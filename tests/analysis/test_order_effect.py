"""The order effect: by hand, planted, covered, in words, and on the paper's files."""

import numpy as np
import pandas as pd
import pytest
from flip_studies import flip_study
from scipy.special import expit, logit
from scipy.stats import norm
from verdict_tables import pairs, stack

from posbias_kit.analysis.flips import solve_flips
from posbias_kit.analysis.order_effect import order_effect
from posbias_kit.data import build_verdicts, read_verdicts
from posbias_kit.errors import ParamsError

NUMBERS = ["beta", "beta_se", "beta_low", "beta_high", "p", "p_first", "p_first_low"]


def test_full_flips_by_hand():
    """Six flips to the first slot, two to the second: log(3) / 2, P(first) = sqrt(3) / (1 + ..).

    Every cluster is one comparison, so U is +-2 / (1 + e^(+-2 beta)) or 0: with sigma = 3/4 the
    scores are 2/4 (six times) and -6/4 (twice), the information of each flip 4 x 3/16 = 3/4.
    CR2 of equal clusters: se^2 = (6 x 1/4 + 2 x 9/4) / (1 - 1/8) / 6^2, df = 7.
    """
    row = order_effect(pairs(["FF"] * 6 + ["SS"] * 2 + ["FS"] * 12)).iloc[0]

    assert row["beta"] == pytest.approx(np.log(3) / 2)
    assert row["p_first"] == pytest.approx(np.sqrt(3) / (1 + np.sqrt(3)))
    assert row["beta_se"] == pytest.approx(np.sqrt(6 / (7 / 8) / 36))
    assert row[["comparisons", "flips", "clusters", "flip_clusters"]].tolist() == [20, 8, 20, 8]
    assert row["beta_df"] == pytest.approx(7)
    assert row["p_first_low"] == pytest.approx(expit(row["beta_low"]))


def test_half_flips_count_half():
    """FF and SS give exp(2 beta), half flips exp(beta); incomplete pairs give nothing."""
    codes = ["FF"] * 5 + ["SS"] * 2 + ["FT", "TF", "TF", "ST"] + ["TT", "FS", "IF", "FX", "EE"]
    row = order_effect(pairs(codes)).iloc[0]

    kinds = ["primacy_full", "recency_full", "primacy_half", "recency_half"]
    assert row[kinds].tolist() == [5, 2, 3, 1]
    assert row["beta"] == pytest.approx(solve_flips(([5], [2], [3], [1]))[0])
    assert row["comparisons"] == 13


def test_repeats_are_crossed():
    """Two repeats FF and FS: all four cross pairs are F with F or S, so FP = 1/2, nothing else.

    AB brings F, F; BA brings F, S. The other comparison, SS twice, gives FR = 1.
    """
    verdicts = stack(pairs(["FF", "SS"]), pairs(["FS", "SS"], repeat=2))
    row = order_effect(verdicts).iloc[0]

    assert row[["primacy_full", "recency_full"]].tolist() == [0.5, 1.0]
    assert row["beta"] == pytest.approx(np.log(0.5) / 2)


def test_identical_repeats_change_nothing():
    """A judge at temperature 0, asked three times, has the estimate and error of one repeat."""
    codes = ["FF"] * 4 + ["SS"] * 2 + ["FT"] + ["FS"] * 5
    once = order_effect(pairs(codes), pooled=False)
    thrice = order_effect(stack(*(pairs(codes, repeat=r) for r in (1, 2, 3))), pooled=False)

    pd.testing.assert_frame_equal(once, thrice, check_dtype=False)


def test_clusters_not_comparisons():
    """Ten comparisons that share answers are one cluster: no interval, and the note says so."""
    row = order_effect(pairs(["FF"] * 6 + ["SS"] * 4, cluster="shared")).iloc[0]

    assert row["beta"] == pytest.approx(np.log(1.5) / 2)
    assert row[["beta_low", "beta_high", "p"]].isna().all()
    assert row["note"] == "no interval: flips in one cluster only"


def test_one_sided_flips_are_said_in_words():
    """No number but the counts, the bound (sigma(2b) = .05^(1/12)) and the sensitivity column."""
    verdicts = stack(
        pairs(["FF"] * 12), pairs(["SS"] * 12, judge="k"), pairs(["FS"] * 3, judge="l")
    )
    table = order_effect(verdicts).set_index("judge")

    assert table[NUMBERS].isna().all(axis=None)
    bound = logit(0.05 ** (1 / 12)) / 2
    assert table["beta_bound"].tolist()[:2] == pytest.approx([bound, -bound])
    assert table["note"].tolist() == [
        "not estimable: all flips to the first slot (12); beta above 0.63 "
        "with 95% confidence (one-sided)",
        "not estimable: all flips to the second slot (12); beta below -0.63 "
        "with 95% confidence (one-sided)",
        "not estimable: no flips",
    ]
    assert table.loc["j", "beta_firth"] == pytest.approx(np.log(12.5 / 0.5) / 2)
    assert table.loc["j", "flips"] == 12


def test_missing_verdicts_and_sets_are_said_in_words():
    """A judge without a complete pair, and list-wise verdicts, keep their row."""
    sets = build_verdicts(
        pd.DataFrame(
            {
                "benchmark": "B",
                "task": "t",
                "judge": "l",
                "question": "q",
                "status": "ok",
                "shown": [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")],
                "order": ["r0", "r1", "r2"],
                "repeat": 1,
                "choice": pd.array([1, 1, 1], dtype="Int64"),
            }
        )
    )
    verdicts = stack(pairs(["FI", "XS"]), pairs(["II"], judge="k"), sets)
    table = order_effect(verdicts).set_index("judge")

    assert table["note"].str.replace("not estimable: ", "").tolist() == [
        "no pair has verdicts in both orders",
        "no pair has verdicts in both orders",
        "more than two slots, see slot_effects",
    ]
    assert table.loc["k", "marginal_note"] == "not estimable: no verdicts"


def test_holm_over_judges_and_bh_over_tasks():
    """Holm multiplies the smallest of two p by 2; judge x task uses Benjamini-Hochberg."""
    verdicts = stack(pairs(["FF"] * 9 + ["SS"] * 2), pairs(["FF"] * 5 + ["SS"] * 4, judge="k"))
    table = order_effect(verdicts)

    assert table["p_holm"].min() == pytest.approx(2 * table["p"].min())
    assert "p_bh" in order_effect(verdicts, by=["judge", "task"])


@pytest.mark.parametrize("spread", [0, 1, 2, 4])
def test_planted_beta_whatever_the_quality(spread):
    """The conditional estimate is .5 at every quality spread; the pooled one shrinks as derived.

    Over comparisons with delta ~ N(0, spread^2), P(first) averages to m = E sigma(.5 + delta) in
    one order and E sigma(.5 - delta), the same, in the other: with many questions a candidate,
    beta_marginal aims at logit(m), .50, .41, .30 and .18 at spreads 0, 1, 2 and 4.
    """
    grid = norm.ppf((np.arange(4000) + 0.5) / 4000)
    aim = logit(expit(0.5 + spread * grid).mean())
    verdicts, _ = flip_study(np.random.default_rng(spread), 250, 10, 0.5, spread)

    row = order_effect(verdicts).iloc[0]

    assert abs(row["beta"] - 0.5) < 4 * row["beta_se"]
    assert abs(row["beta_marginal"] - aim) < 4 * row["beta_marginal_se"]
    if spread:
        assert row["beta_marginal"] + 4 * row["beta_marginal_se"] < 0.5


def test_planted_beta_with_ties():
    """Davidson-Beaver ties: .5 from full and half flips; log_nu is the planted log(.6)."""
    verdicts, _ = flip_study(np.random.default_rng(8), 250, 10, 0.5, tie=0.6)

    row = order_effect(verdicts).iloc[0]

    assert abs(row["beta"] - 0.5) < 4 * row["beta_se"]
    assert row["log_nu"] == pytest.approx(np.log(0.6), abs=0.1)
    assert row["p_tie"] == pytest.approx(0.6 / (np.exp(0.5) + 0.6 + 1), abs=0.02)


def test_interval_covers():
    """Nominal 95% over 400 studies of 20 questions x 5 pairs x 2 repeats; null rejected rarely.

    The allowed band is .95 +- 3 Monte Carlo errors, and for the level at most .05 + 3.
    """
    verdicts, _ = flip_study(
        np.random.default_rng(11), 20, 5, 0.0, 1.0, repeats=2, studies=400, question_spread=0.5
    )

    table = order_effect(verdicts, pooled=False)

    assert table["beta"].notna().all()
    covered = table["beta_low"].lt(0) & table["beta_high"].gt(0)
    error = np.sqrt(0.95 * 0.05 / 400)
    assert abs(covered.mean() - 0.95) < 3 * error
    assert (table["p"] < 0.05).mean() < 0.05 + 3 * error


def test_wrong_arguments_are_named():
    """The message holds the value, the place and the cure."""
    with pytest.raises(ParamsError, match=r"order_effect: level 2 is outside \(0, 1\)"):
        order_effect(pairs(["FF"]), level=2)
    with pytest.raises(ParamsError, match="cannot group by 'repeat'"):
        order_effect(pairs(["FF"]), by=["judge", "repeat"])
    with pytest.raises(ParamsError, match="unknown grouping column 'jugde'"):
        order_effect(pairs(["FF"]), by=["jugde"])


def test_candidates_without_a_reference_count_on_both_sides():
    """By candidate, a pair's flips count once for each of the two."""
    table = order_effect(pairs(["FF", "FF", "SS"], reference=""), by=["judge", "candidate"])

    assert table["candidate"].tolist() == ["a", "b"]
    assert table["beta"].tolist() == pytest.approx([np.log(2) / 2] * 2)


@pytest.fixture(scope="module")
def released(paper_data):
    """Return the order effects of the full runs by answer-set cluster."""
    verdicts = read_verdicts("paper", paper_data, rule="first_match")
    full = verdicts[verdicts["experiment"] == "full"]
    return full, order_effect(full).set_index(["benchmark", "judge"])


def test_released_devbench(released):
    """Gpt-4-0613 on DevBench: 170 flips to the first slot against 23; pooled .42.

    beta = log(170 / 23) / 2 = 1.00 and P(first) .73. With a cluster's information in its place
    the interval is [.19, 1.81] at 11.8 degrees of freedom, as 8 of 24 clusters hold 7 of 10
    flips; with comparisons as sizes it would be [.24, 1.76].
    """
    row = released[1].loc["DevBench", "gpt-4-0613"]

    assert row[["primacy_full", "recency_full"]].tolist() == [170, 23]
    assert row["beta"] == pytest.approx(np.log(170 / 23) / 2)
    assert row["p_first"] == pytest.approx(0.73, abs=0.005)
    assert row[["beta_low", "beta_high"]].tolist() == pytest.approx([0.19, 1.81], abs=0.005)
    assert row["beta_marginal"] == pytest.approx(0.42, abs=0.005)
    assert expit(row["beta_marginal"]) == pytest.approx(0.60, abs=0.005)
    assert row["clusters"] == 24


def test_released_breakdown_survives(released):
    """Judge x task: where flips go one way there is a note and no number, elsewhere a number."""
    verdicts, _ = released
    table = order_effect(verdicts, by=["judge", "task"])

    missing = table["beta"].isna()
    assert 0 < missing.sum() < len(table) / 2
    assert table.loc[missing, "note"].str.startswith("not estimable: ").all()
    assert table.loc[missing, NUMBERS].isna().all(axis=None)
    assert table.loc[~missing, "beta"].abs().max() < 5
