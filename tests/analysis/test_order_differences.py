"""Differences of order effects: by hand, planted, covered, and in words."""

import numpy as np
import pytest
from flip_studies import flip_study
from verdict_tables import pairs, stack

from posbias_kit.analysis import order_differences, order_effect
from posbias_kit.errors import ParamsError

NUMBERS = ["difference", "difference_low", "difference_high", "p"]


def test_full_flips_by_hand():
    """J flips 6 to 2, k 2 to 6, on the same eight questions: log(3) apart.

    Both have information 8 x 3/4 = 6. A flip to a judge's usual slot has score 1/2 towards it,
    one to the other slot -3/2; on six questions both follow their habit (1/2 - -1/2), on two
    neither does (-3/2 - 3/2). Clusters of equal size: CR2 factor 1 - 1/8, df = 7.
    """
    j, k = ["FF"] * 6 + ["SS"] * 2, ["SS"] * 6 + ["FF"] * 2
    row = order_differences(stack(pairs(j), pairs(k, judge="k"))).iloc[0]
    moves = np.array([0.5 + 0.5] * 6 + [-1.5 - 1.5] * 2) / 6
    se = np.sqrt((moves**2).sum() / (1 - 1 / 8))

    assert row["difference"] == pytest.approx(np.log(3))
    half = (row["difference_high"] - row["difference_low"]) / 2
    assert half == pytest.approx(2.3646242510 * se)  # t with 7 degrees of freedom
    assert row[["comparisons", "clusters"]].tolist() == [8, 8]


def test_a_judge_and_its_copy_do_not_differ():
    """The same verdicts: difference 0, nothing varies, and the note says why no interval."""
    codes = ["FF"] * 6 + ["SS"] * 3 + ["FS"] * 4
    row = order_differences(stack(pairs(codes), pairs(codes, judge="k"))).iloc[0]

    assert row["difference"] == 0
    assert row[["difference_low", "p"]].isna().all()
    assert row["note"].startswith("no interval")


def test_only_shared_pairs_count():
    """What one judge did not judge in both orders leaves both sides."""
    j, k = ["FF", "FF", "SS", "SS", "FF"], ["FF", "SS", "SS", "FF", "FX"]
    row = order_differences(stack(pairs(j), pairs(k, judge="k"))).iloc[0]

    assert row[["comparisons", "beta", "other_beta"]].tolist() == [4, 0, 0]


def test_one_sided_judge_is_named_in_words():
    """No difference, and the note names the judge."""
    j, k = ["FF", "FF", "SS", "SS"], ["FF"] * 4
    row = order_differences(stack(pairs(j), pairs(k, judge="k"))).iloc[0]

    assert row[NUMBERS].isna().all()
    assert row["note"] == "no order effect to compare: k flips one way only, or never"
    assert row["clusters"] == 4


def test_baseline_and_holm():
    """Against a baseline there is one row a judge; Holm covers the rows."""
    codes = {"j": "FF SS FF FF", "k": "SS SS FF SS", "l": "FF SS SS FF"}
    table = stack(*(pairs(text.split() * 5, judge=name) for name, text in codes.items()))
    found = order_differences(table, baseline="k")

    assert found[["judge", "other"]].values.tolist() == [["j", "k"], ["l", "k"]]
    assert (found["p_holm"] >= found["p"]).all()
    assert len(order_differences(table)) == 3


@pytest.mark.parametrize("by", ["judge", "repeat", "candidate"])
def test_refuses_what_cannot_be_grouped(by):
    """These columns are what is compared or crossed."""
    with pytest.raises(ParamsError, match="cannot group by"):
        order_differences(pairs(["FF", "SS"]), by=[by])


def test_one_judge_has_nobody_to_differ_from():
    """A table without rows, with its columns."""
    found = order_differences(pairs(["FF", "SS"]))

    assert found.empty
    assert "difference" in found


def _two_judges(betas, studies, **settings):
    """Two judges in each of many studies; a study is a benchmark of its own."""
    rng, parts = np.random.default_rng(7), []
    for name, beta in zip("jk", betas, strict=True):
        verdicts, _ = flip_study(rng, 40, 6, beta, studies=studies, **settings)
        parts.append(verdicts.assign(benchmark=verdicts["judge"], judge=name))
    return stack(*parts)


@pytest.mark.parametrize("spread", [0.0, 0.7])
def test_covers_the_planted_difference(spread):
    """Beta .8 and .2 in 500 studies of 40 questions: nominal 95% within 4 Monte Carlo errors.

    With `spread` a judge's beta varies by question; the difference is then covered around the
    one of all studies together, for each judge's limit is the root of its mean score.
    """
    found = order_differences(
        _two_judges((0.8, 0.2), 500, tie=0.3, spread=1.0, question_spread=spread)
    )
    truth = 0.6 if spread == 0 else found["difference"].mean()
    inside = (found["difference_low"] <= truth) & (truth <= found["difference_high"])

    assert found["difference"].mean() == pytest.approx(0.6, abs=0.03 + 0.1 * (spread > 0))
    assert inside.mean() == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 500))


def test_agrees_with_order_effect_on_the_same_pairs():
    """The betas are those of order_effect where both judges judged everything."""
    table = _two_judges((0.5, 0.1), 3)
    found = order_differences(table).set_index("benchmark")
    beta = order_effect(table, pooled=False).pivot(
        index="benchmark", columns="judge", values="beta"
    )

    assert found["beta"].tolist() == pytest.approx(beta["j"].tolist())
    assert found["other_beta"].tolist() == pytest.approx(beta["k"].tolist())


def test_no_shared_pair_is_said_in_words():
    """A judge that was shown one order only has nothing to be compared on, and keeps its row."""
    row = order_differences(stack(pairs(["FF", "SS"]), pairs(["F-", "S-"], judge="k"))).iloc[0]

    assert row[["comparisons", "clusters"]].tolist() == [0, 0]
    assert row[NUMBERS].isna().all()
    assert row["note"] == "no pair that both judged in both orders"
