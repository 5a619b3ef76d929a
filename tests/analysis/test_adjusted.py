"""Win rates from one order and with the order taken out: by hand, planted, and in words."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import special
from verdict_tables import LETTERS, pairs, stack

from posbias_kit.analysis.adjusted import adjusted_win_rates
from posbias_kit.analysis.intervals import share_intervals
from posbias_kit.analysis.units import win_rates
from posbias_kit.data import build_verdicts
from posbias_kit.errors import ParamsError

PLAIN = {"draws": 0}
CODES = ["FS", "FS", "FF", "SS", "FT", "TT", "SF", "IF", "F-"]


def _against(codes, reference="r"):
    """Verdicts of candidates, each against r, one code a question: AB letter first."""
    rows = [
        (f"q{k}", shown, LETTERS[letter][2])
        for name, series in codes.items()
        for k, code in enumerate(series)
        for letter, shown in zip(code, ((name, "r"), ("r", name)), strict=True)
    ]
    table = pd.DataFrame(rows, columns=["question", "shown", "choice"])
    table["choice"] = table["choice"].astype("Int64")
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    return build_verdicts(table.assign(**about, reference=reference))


def _by_method(table, column="win_rate"):
    return table.set_index("method")[column].to_dict()


def test_by_hand():
    """Seven complete series; the invalid and the lonely verdict leave all methods alike.

    AB: F F F S F T S = 4.5 / 7. BA (S wins): S S F S T T F = 4 / 7. Agreeing: FS FS TT SF, 2.5 / 4.
    """
    table = adjusted_win_rates(pairs(CODES), **PLAIN)
    rates, sizes = _by_method(table), _by_method(table, "n")

    assert list(rates) == ["order_AB", "order_BA", "both_agree", "order_averaged", "bradley_terry"]
    assert table["candidate"].unique().tolist() == ["a"]
    assert rates["order_AB"] == pytest.approx(4.5 / 7)
    assert rates["order_BA"] == pytest.approx(4 / 7)
    assert rates["order_averaged"] == pytest.approx(8.5 / 14)
    assert rates["both_agree"] == pytest.approx(2.5 / 4)
    sizes.pop("bradley_terry")
    assert list(sizes.values()) == [7, 7, 4, 14]


def test_both_agree_is_the_consistent_win_rate_and_says_so():
    """Same number as in the win rates; the note names the condition."""
    verdicts = pairs(CODES)
    row = adjusted_win_rates(verdicts, **PLAIN).set_index("method").loc["both_agree"]

    assert row["win_rate"] == pytest.approx(win_rates(verdicts)["consistent_win_rate"].iloc[0])
    assert row["note"] == (
        "conditional: consistent series only; 1 of 8 comparisons in one order left out"
    )


def test_all_pairs_by_hand():
    """Without a reference both candidates have rates, also by the slot they were shown in.

    FS FF: a wins AB twice, BA once. a shown first (AB) 2/2, second 1/2; b first (BA) 1/2, second 0.
    """
    table = adjusted_win_rates(pairs(["FS", "FF"], reference=""), **PLAIN)
    a, b = (_by_method(table[table["candidate"] == name]) for name in "ab")

    keys = ["order_AB", "order_BA", "first_shown", "second_shown", "order_averaged"]
    assert [a[key] for key in keys] == [1, 0.5, 1, 0.5, 0.75]
    assert [b[key] for key in keys] == [0, 0.5, 0.5, 0, 0.25]


def test_a_rank_that_one_order_turns():
    """A candidate that wins whenever shown first is best in AB, and second once averaged."""
    codes = {"a": ["FS", "FS", "FS", "SF"], "c": ["FF"] * 4, "d": ["SF", "SF", "SF", "FS"]}
    table = adjusted_win_rates(_against(codes), **PLAIN).set_index(["method", "candidate"])

    assert table.loc["order_AB", "rank"].to_dict() == {"a": 2, "c": 1, "d": 3}
    assert table.loc["order_averaged", "rank"].to_dict() == {"a": 1, "c": 2, "d": 3}
    assert table.loc["order_AB", "rank_change"].to_dict() == {"a": 1, "c": -1, "d": 0}
    assert (table.loc["order_averaged", "rank_change"] == 0).all()


def _round_robin(names, questions, choice):
    """Every pair in both orders on every question, always with the same choice."""
    rows = [
        (f"q{q}", shown)
        for q in range(questions)
        for pair in combinations(names, 2)
        for shown in (pair, pair[::-1])
    ]
    table = pd.DataFrame(rows, columns=["question", "shown"])
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    choices = pd.array([choice] * len(table), dtype="Int64")
    return build_verdicts(table.assign(**about, choice=choices))


@pytest.mark.parametrize("choice", [0, 1])
def test_equal_candidates_hold_all_ranks(choice):
    """Always a tie, or always the first slot: all four average 1/2, each on ranks 1 to 4."""
    table = adjusted_win_rates(_round_robin("wxyz", 6, choice), draws=200)
    averaged = table[table["method"] == "order_averaged"]

    assert averaged["win_rate"].tolist() == [0.5] * 4
    assert averaged[["rank", "rank_low", "rank_high"]].values.tolist() == [[1, 1, 4]] * 4


def test_every_rank_lies_within_its_limits():
    """Whatever the method, the limits hold the rank."""
    table = adjusted_win_rates(_round_robin("wxyz", 6, 1), draws=200).dropna(subset="rank_low")

    assert len(table) == 20  # both orders, both sides shown, the average; four candidates
    assert table["rank"].between(table["rank_low"], table["rank_high"]).all()


def test_a_tie_that_parts_moves_nobody():
    """The first slot always wins: AB ranks a tie of four 1, 2, 3, 4, each a rank that it held.

    Third of three in the average, b is first in BA: from rank 3 to 1; the tied a and c held rank 2.
    """
    tied = adjusted_win_rates(_round_robin("wxyz", 3, 1), **PLAIN).set_index("method")
    assert tied.loc["order_AB", "rank"].tolist() == [1, 2, 3, 4]
    assert tied.loc["order_AB", "rank_change"].tolist() == [0] * 4

    codes = {"a": ["FS", "FF"], "b": ["SS", "SS"], "c": ["FF", "FS"]}
    table = adjusted_win_rates(_against(codes), **PLAIN).set_index(["method", "candidate"])
    assert table.loc["order_averaged", "win_rate"].to_dict() == {"a": 0.75, "b": 0.5, "c": 0.75}
    assert table.loc["order_BA", "rank"].to_dict() == {"a": 2, "b": 1, "c": 2}
    assert table.loc["order_BA", "rank_change"].to_dict() == {"a": 0, "b": -2, "c": 0}


def test_order_average_is_not_the_unbiased_rate():
    """Planted delta 1 and beta 2: order-averaged .611, Bradley-Terry .731 as without the bias."""
    rng = np.random.default_rng(8)
    first = special.expit(2 + 1.0), special.expit(2 - 1.0)  # a shown first; r shown first
    drawn = rng.random((3000, 2)) < first
    codes = ["".join("FS"[1 - win] for win in row) for row in drawn.astype(int)]
    rates = _by_method(adjusted_win_rates(_against({"a": codes}), **PLAIN))

    assert rates["order_averaged"] == pytest.approx(
        (special.expit(3) + special.expit(-1)) / 2, abs=0.02
    )
    assert rates["bradley_terry"] == pytest.approx(special.expit(1), abs=0.03)


def test_planted_bias_is_covered():
    """Twelve judges with a first-slot lean: intervals cover the order-free truth."""
    rng = np.random.default_rng(9)
    truth = {"a": 1.2, "b": 0.4, "c": -0.3, "d": -1.0}
    studies = []
    for judge in range(12):
        codes = {
            name: [
                "FS"[int(rng.random() > special.expit(0.8 + delta))]
                + "FS"[int(rng.random() > special.expit(0.8 - delta))]
                for _ in range(40)
            ]
            for name, delta in truth.items()
        }
        studies.append(_against(codes).assign(judge=f"j{judge}"))
    table = adjusted_win_rates(stack(*studies), draws=1)
    model = table[table["method"] == "bradley_terry"]
    expected = special.expit(model["candidate"].map(truth))

    covered = (model["win_rate_low"] <= expected) & (expected <= model["win_rate_high"])
    assert covered.mean() >= 0.87  # 95% less 2.5 standard errors of 48


def test_interval_is_the_wilson_interval_of_the_clusters():
    """CR2 and Wilson from per-cluster sums, orders of one question in one cluster."""
    codes, questions = ["FS", "FF", "SS", "FS", "SF", "FT"], [*"xxyyzz"]
    row = adjusted_win_rates(
        pairs(codes, questions=[f"{q}{k}" for k, q in enumerate(questions)]).assign(
            cluster=lambda table: table["question"].str[0]
        )
    )
    row = row.set_index("method").loc["order_averaged"]
    x, n = [3.0, 3.0, 1.5], [4.0, 4.0, 4.0]  # x: FS FF, y: SS FS, z: SF FT
    index = pd.MultiIndex.from_product([["j"], [*"xyz"]])
    found = share_intervals(pd.DataFrame({"x": x, "n": n}, index=index), "x", "n").iloc[0]

    assert row["win_rate"] == pytest.approx(7.5 / 12)
    assert row[["win_rate_low", "win_rate_high"]].tolist() == pytest.approx(
        [found["low"], found["high"]]
    )
    assert row["clusters"] == 3


def test_ranks_move_together_over_shared_questions():
    """Where every question treats two candidates alike but one wins it more, no draw turns them."""
    rng = np.random.default_rng(10)
    luck = ["FS" if win else "SF" for win in rng.random(30) < 0.5]
    better = ["FS"] * 10 + luck[10:]
    table = adjusted_win_rates(_against({"a": better, "c": luck}), draws=400)
    table = table[table["method"] == "order_averaged"].set_index("candidate")

    assert table["rank_high"].to_dict() == {"a": 1, "c": 2}
    assert table["rank_low"].to_dict() == {"a": 1, "c": 2}


def test_never_lost_in_words():
    """A candidate without a loss has a rate and a first rank, and no ability."""
    codes = {"a": ["FS"] * 5, "c": ["FS", "SF", "FF", "SS", "FS"]}
    table = adjusted_win_rates(_against(codes), draws=50).set_index(["candidate", "method"])
    sure = table.loc[("a", "bradley_terry")]

    assert sure["note"] == "not estimable: never lost"
    assert sure[["win_rate", "ability", "ability_low"]].isna().all()
    assert (sure["rank"], sure["rank_change"]) == (1, 0)
    assert table.loc[("a", "order_averaged"), "win_rate"] == 1
    assert table.loc[("a", "order_averaged"), "win_rate_low"] < 1
    assert not np.isnan(table.loc[("c", "bradley_terry"), "ability"])


def test_without_draws_no_interval():
    """draws=0 gives points only."""
    table = adjusted_win_rates(pairs(CODES), draws=0)
    limits = [name for name in table if name.endswith(("_low", "_high"))]

    assert len(limits) == 8
    assert table[limits].isna().all(axis=None)


def test_groups_and_candidate_in_by():
    """Judges and tasks are apart; naming the candidate changes nothing."""
    verdicts = stack(pairs(CODES), pairs(["FS"], judge="k"))
    table = adjusted_win_rates(verdicts, by=("judge", "task"), **PLAIN)

    assert table.columns[:5].tolist() == ["benchmark", "experiment", "judge", "task", "candidate"]
    assert table["judge"].unique().tolist() == ["j", "k"]
    pd.testing.assert_frame_equal(
        adjusted_win_rates(verdicts, by=("judge", "candidate"), **PLAIN),
        adjusted_win_rates(verdicts, by="judge", **PLAIN),
    )


def test_sets_have_their_own_orders():
    """List-wise: one rate an order, a tie gives 1/3 to each, all orders agreeing."""
    orders = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    choice = {"q0": (1, 3, 2), "q1": (1, 1, 1), "q2": (0, 0, 0)}  # a in all; the first; ties
    rows = [(q, s, f"r{k}", c[k]) for q, c in choice.items() for k, s in enumerate(orders)]
    table = pd.DataFrame(rows, columns=["question", "shown", "order", "choice"])
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    verdicts = build_verdicts(table.assign(**about, choice=table["choice"].astype("Int64")))
    table = adjusted_win_rates(verdicts, **PLAIN)
    rates = _by_method(table[table["candidate"] == "a"])

    assert rates["order_r0"] == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert rates["order_r1"] == pytest.approx((1 + 0 + 1 / 3) / 3)
    assert rates["both_agree"] == pytest.approx((1 + 1 / 3) / 2)
    assert rates["order_averaged"] == pytest.approx((3 + 1 + 1) / 9)


def test_nothing_to_go_by_is_said_in_words():
    """Without a complete series, or without a consistent one, the rate is missing with a reason."""
    none = adjusted_win_rates(pairs(["FX", "IS"])).set_index("method")
    flips = adjusted_win_rates(_against({"a": ["FF", "SS"], "c": ["FS", "FF"]}))
    flips = flips.set_index(["candidate", "method"])

    assert (
        none.loc[["order_averaged", "bradley_terry"], "note"].tolist() == ["no complete series"] * 2
    )
    assert none[["win_rate", "win_rate_low", "rank"]].isna().all(axis=None)
    assert flips.loc[("a", "both_agree"), "note"] == "no consistent series"
    assert np.isnan(flips.loc[("a", "both_agree"), "win_rate"])
    assert flips.loc[("a", "order_averaged"), "win_rate"] == 0.5


def test_arguments_are_checked():
    """An impossible level or an unknown column is refused."""
    with pytest.raises(ParamsError, match="level 2 is outside"):
        adjusted_win_rates(pairs(CODES), level=2)
    with pytest.raises(ParamsError, match="unknown grouping column 'slot'"):
        adjusted_win_rates(pairs(CODES), by=("slot",))
