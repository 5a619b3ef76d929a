"""The split into noise and position: by hand, by enumeration, and on the paper's repetitions."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from verdict_tables import pairs, repeated, sets, stack

from posbias_kit.analysis.noise import NO_REPEATS, inconsistency_split
from posbias_kit.analysis.order_permutation import excess, excess_test, permuted_excess
from posbias_kit.data import STARTER_QUALITY, prepare_study, read_verdicts
from posbias_kit.errors import ParamsError
from posbias_kit.judge_kinds import PlantedParams
from posbias_kit.judging import PlantedJudge, judge_presentations


def test_split_by_hand():
    """AB: a a b, BA: a a a. Across 3 of 9 cross pairs differ, within 2 of 3 pairs and none."""
    row = inconsistency_split(repeated(["FFS SSS"])).iloc[0]

    assert row["across"] == pytest.approx(1 / 3)
    assert row["within"] == pytest.approx((2 / 3 + 0) / 2)
    assert row["excess"] == pytest.approx(0, abs=1e-15)
    assert row["pc_cross"] == pytest.approx(2 / 3)


def test_mean_excess_can_be_negative():
    """Both orders split in halves: half of the cross pairs differ, all of the pairs within."""
    row = inconsistency_split(repeated(["FS FS"])).iloc[0]

    assert row[["across", "within", "excess", "share"]].tolist() == [0.5, 1.0, -0.5, -1.0]


def test_tie_is_a_winner():
    """AB all TIE, BA all for a: the orders differ in every cross pair."""
    row = inconsistency_split(repeated(["TT SS"])).iloc[0]

    assert row[["across", "within", "share"]].tolist() == [1.0, 0.0, 1.0]


def test_sets_average_over_pairs_of_orders():
    """Orders a a, a b, c c. Cross pairs that differ: 2/4, 4/4, 4/4; within: 0, 1, 0."""
    verdicts = stack(sets(["131"]), sets(["111"], repeat=2))
    row = inconsistency_split(verdicts).iloc[0]

    assert row["across"] == pytest.approx((2 / 4 + 1 + 1) / 3)
    assert row["within"] == pytest.approx(1 / 3)


def test_interval_is_that_of_cluster_means():
    """One comparison a question: E has the one-sample t interval over questions."""
    orders = ["FFF FFF", "FFF SSS", "FFS SSS", "FSS FSS", "FFF FFS"]
    row = inconsistency_split(repeated(orders)).iloc[0]
    # I - N: 1 - 0; 0; 1/3 - 1/3; a b b and b a a: 5/9 - 2/3; a a a and b b a: 2/3 - 1/3
    e = np.array([1, 0, 0, -1 / 9, 1 / 3])
    low, high = stats.t.interval(0.95, 4, loc=e.mean(), scale=stats.sem(e))

    assert row["excess"] == pytest.approx(e.mean())
    assert row["excess_high"] == pytest.approx(min(high, 1))
    assert row["excess_low"] == pytest.approx(low)
    i = np.array([1, 0, 1 / 3, 5 / 9, 2 / 3])
    assert row["share"] == pytest.approx(e.sum() / i.sum())


def test_share_interval_by_matrix_form():
    """CR2 of sum E / sum I: questions without inconsistency add nothing."""
    orders = ["FFF FFF", "FFF SSS", "FFS SSS", "FSS FSS", "FFF FFS"]
    row = inconsistency_split(repeated(orders)).iloc[0]
    e, i = np.array([1, 0, -1 / 9, 1 / 3]), np.array([1, 1 / 3, 5 / 9, 2 / 3])
    h, total = i / i.sum(), i.sum()
    se = np.sqrt(((e - e.sum() / total * i) ** 2 / (1 - h)).sum()) / total
    a = (1 - h) ** -0.5
    b = -np.outer(a * i, a * i) / total + np.diag(a**2 * i)
    df = np.trace(b) ** 2 / (b**2).sum()

    assert row["share_high"] == pytest.approx(row["share"] + stats.t.ppf(0.975, df) * se)


@pytest.mark.parametrize("orders", [2, 3])
def test_excess_is_unbiased(orders):
    """E[E] is half the mean squared distance of the orders' distributions, by enumeration."""
    rng = np.random.default_rng(5)
    p = rng.dirichlet([1, 1, 1], size=orders)
    outcomes = np.array(list(product(range(3), repeat=2 * orders)))
    winners = np.stack([(outcomes == k).reshape(-1, orders, 2).sum(axis=2) for k in range(3)], 2)
    chance = p[np.repeat(range(orders), 2), outcomes].prod(axis=1)
    between = [((p[i] - p[j]) ** 2).sum() / 2 for i in range(orders) for j in range(i)]

    assert chance.sum() == pytest.approx(1)
    assert chance @ excess(winners) == pytest.approx(np.mean(between))


@pytest.mark.parametrize(("named", "sizes"), [("aaabbc", (3, 3)), ("aabbc", (3, 2))])
def test_permutation_law_of_pairs_by_enumeration(named, sizes):
    """Drawn sums have the frequencies of all orderings of the verdicts."""
    tables = _tables(named, sizes)
    values, counts = np.unique(excess(tables).round(9), return_counts=True)
    drawn = permuted_excess(tables[:1], 20_000, seed=1).round(9)
    expected = counts / counts.sum() * len(drawn)
    observed = [(drawn == value).sum() for value in values]

    assert stats.chisquare(observed, expected).pvalue > 0.001


def test_permutation_law_of_sets_by_enumeration():
    """Shuffled sets have the frequencies of all orderings of the verdicts."""
    tables = _tables("aabbcc", (2, 2, 2))
    values, counts = np.unique(excess(tables).round(9), return_counts=True)
    drawn = permuted_excess(tables[:1], 20_000, seed=1).round(9)
    expected = counts / counts.sum() * len(drawn)
    observed = [(drawn == value).sum() for value in values]

    assert stats.chisquare(observed, expected).pvalue > 0.001


def _tables(named, sizes):
    """Counts (orderings, orders, winners) of all orderings of these verdicts."""
    letters = sorted(set(named))
    order = np.repeat(np.arange(len(sizes)), sizes)
    tables = np.zeros((720 if len(named) == 6 else 120, len(sizes), len(letters)), dtype=int)
    for table, names in zip(tables, permutations(named), strict=True):
        np.add.at(table, (order, [letters.index(name) for name in names]), 1)
    return tables


def test_p_by_hand():
    """Three a and three b fall into two pure orders in 2 of 20 ways."""
    split = inconsistency_split(repeated(["FFF FFF"]), permutations=9999)

    assert split["p"].item() == pytest.approx(0.1, abs=0.01)


def test_pure_recency():
    """Always the last slot, ten times: all of the inconsistency is owed to position."""
    row = inconsistency_split(repeated(["S" * 10 + " " + "S" * 10] * 6)).iloc[0]

    assert row[["across", "within", "excess", "share"]].tolist() == [1.0, 0.0, 1.0, 1.0]
    assert 0 < row["share_low"] < 1 == row["share_high"]
    assert row["p"] == pytest.approx(1 / 1001)
    assert row["note"] == "the share is the same in all clusters: its interval counts clusters"


def test_pure_noise():
    """Coin flips, half of them inconsistent: E near 0, its share and interval on both sides."""
    rng = np.random.default_rng(11)
    flips = rng.choice(["F", "S"], size=(40, 2, 10))
    row = inconsistency_split(repeated([" ".join(map("".join, one)) for one in flips])).iloc[0]

    assert abs(row["excess"]) < 0.03
    assert row["share_low"] < 0 < row["share_high"]
    assert row["across"] == pytest.approx(0.5, abs=0.03)
    assert row["p"] > 0.05


def test_level_of_the_permutation_test():
    """Without an order effect the test rejects about 5% of 400 studies at .05, not more."""
    rng = np.random.default_rng(3)
    chance = rng.beta(0.4, 0.4, size=(400, 96, 1))
    winners = rng.binomial(3, np.repeat(chance, 2, axis=2))
    winners = np.stack([winners, 3 - winners], axis=3)
    p = np.array([excess_test(study, 199, seed) for seed, study in enumerate(winners)])

    assert 0.018 <= np.mean(p <= 0.05) <= 0.075  # .05 + 2.3 Monte Carlo errors


def test_planted_excess_is_found():
    """Mean E and share over seeds are those of the planted probabilities, within 4 errors."""
    prepared = prepare_study(
        "starter", sample={"questions_per_task": 1}, plan={"repeats": 3}, seed=1
    )
    plan = prepared.presentations.sort_values(["comparison", "order"])
    params = PlantedParams(name="j", kind="planted", slot_effect=-0.8, ties=0.3)
    one, two = np.moveaxis(
        PlantedJudge(params, STARTER_QUALITY)
        .probabilities(plan, prepared.answers)
        .reshape(-1, 2, 3),
        1,
        0,
    )
    two = two[:, [0, 2, 1]]  # from slots to candidates
    apart = ((one - two) ** 2).sum(axis=1).mean() / 2
    found = []
    for seed in range(8):
        judge = PlantedJudge(params, STARTER_QUALITY, seed)
        verdicts = judge_presentations([judge], prepared.presentations, prepared.answers)
        found.append(inconsistency_split(verdicts, permutations=0).iloc[0])
    found = pd.DataFrame(found)[["excess", "across"]].astype(float)
    error = 4 * found.std(ddof=1) / np.sqrt(len(found))

    assert abs(found["excess"].mean() - apart) < error["excess"]
    assert abs(found["across"].mean() - (1 - (one * two).sum(axis=1).mean())) < error["across"]


def test_excluded_comparisons_still_enter_pc_cross():
    """One valid verdict an order gives cross pairs, but no split; an empty order gives neither."""
    split = inconsistency_split(repeated(["FF SS", "FI SX", "II SS", "EE EE"])).iloc[0]

    assert split[["comparisons", "excluded", "identical"]].tolist() == [1, 2, 1]
    assert split["pc_cross_n"] == 2
    assert split["pc_cross"] == 1


def test_no_repeats_say_so():
    """With one verdict an order only pc_cross is left, and it is position consistency."""
    row = inconsistency_split(pairs(["FS", "FF", "SF", "SS"])).iloc[0]

    assert row["note"] == NO_REPEATS
    assert row[["across", "within", "excess", "share", "share_low", "p"]].isna().all()
    assert row["pc_cross"] == 0.5


def test_never_inconsistent_has_no_share():
    """0 / 0 is missing; E is 0 with an interval that is not a point."""
    row = inconsistency_split(repeated(["FFF SSS"] * 5)).iloc[0]

    assert row["note"] == "never inconsistent: no share"
    assert np.isnan(row["share"])
    assert row["excess_low"] < 0 == row["excess"] < row["excess_high"]
    assert row["p"] == 1


def test_rows_and_other_judges_change_nothing():
    """Shuffled rows, and a second judge, leave a judge's row as it is."""
    orders = ["FFF FFF", "FFS SSS", "FSS FSS", "FTF FFS", "III FFF"]
    one = repeated(orders)
    both = stack(one, repeated(orders[::-1], judge="a")).sample(frac=1, random_state=1)

    alone, split = inconsistency_split(one), inconsistency_split(both)
    beside = split[split["judge"] == "j"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.drop(columns="p_holm"), beside.drop(columns="p_holm"))


def test_without_reference_each_candidate_counts():
    """By candidate, a comparison without a reference counts for both."""
    split = inconsistency_split(repeated(["FF FF"], reference=""), by=("candidate",))

    assert split["candidate"].tolist() == ["a", "b"]
    assert split["share"].tolist() == [1.0, 1.0]


def test_repeats_cannot_be_grouped():
    """Grouping by repeat is refused with the reason."""
    with pytest.raises(ParamsError, match="cannot group by 'repeat'"):
        inconsistency_split(pairs(["FS"]), by=("judge", "repeat"))


def test_level_is_checked():
    """A level in percent is refused."""
    with pytest.raises(ParamsError, match="level 95 is outside"):
        inconsistency_split(pairs(["FS"]), level=95)


def test_papers_repetitions(paper_data):
    """Position's share is 16 to 61% on MTBench, 19 to 88% on DevBench; a known E; no full runs."""
    verdicts = read_verdicts("paper", paper_data, rule="first_match")
    split = inconsistency_split(verdicts).set_index(["benchmark", "experiment", "judge"])
    shares = split["share"].groupby(["benchmark", "experiment"]).agg(["min", "max"]).round(2)

    assert shares.loc[("MTBench", "repetition")].tolist() == [0.16, 0.61]
    assert shares.loc[("DevBench", "repetition")].tolist() == [0.19, 0.88]
    haiku = split.loc[("MTBench", "repetition", "claude-3-haiku-20240307")]
    assert haiku["excess"] == pytest.approx(0.133, abs=5e-4)
    assert (split.xs("full", level="experiment")["note"] == NO_REPEATS).all()
