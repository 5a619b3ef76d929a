"""Reported faults in counting and fitting: B07, B08, B22, B23."""

import pandas as pd
import pytest
from verdict_tables import pairs, stack

from posbias_kit.analysis import (
    order_effect,
    position_bias,
    quality_gap_fits,
    slot_wins,
    stepwise_aic,
    verdict_counts,
    win_rates,
)
from posbias_kit.analysis.pooled import pooled_order
from posbias_kit.errors import ParamsError

ODD = pd.DataFrame(
    {"y": [1, 2, 3, 4], "len": [1, 0, 1, 0], "gap": [2, 1, 4, 3], "len-gap": [9, 1, 7, 2]}
)
NUMBERS = ["beta", "beta_se", "beta_low", "beta_high", "p", "p_first", "p_first_low"]
B07 = ["FS"] * 4 + ["SF"] * 2 + ["TT"] + ["FF"] * 2 + ["SS", "FT", "IF"]


def test_b07_counts_pairs_not_verdicts():
    """Twelve pairs asked, eleven complete, seven consistent; the kinds stay apart."""
    row = position_bias(pairs(B07)).iloc[0]

    assert row[["series", "complete", "incomplete", "consistent"]].tolist() == [12, 11, 1, 7]
    assert row[["consistent_win", "consistent_loss", "consistent_tie"]].tolist() == [4, 2, 1]
    assert row[["primacy_full", "primacy_half"]].tolist() == [2, 1]
    assert row[["recency_full", "recency_half"]].tolist() == [1, 0]
    assert row["pc"] == 7 / 11


def test_b08_ties_stay_in():
    """1 win, 1 loss, 98 ties: one half for both sides."""
    table = win_rates(pairs(["FS", "SF"] + ["TT"] * 98, reference="")).set_index("candidate")

    assert table["owr"].to_dict() == {"a": 0.5, "b": 0.5}
    assert table["ties"].to_dict() == {"a": 98, "b": 98}


def test_b08_shares_add_up_to_one():
    """1 win, 1 loss, 98 ties, both orders agreeing; the shares are of all verdicts."""
    row = verdict_counts(pairs(["FS", "SF"] + ["TT"] * 98), by=("judge",)).iloc[0]
    shares = row[["slot_1", "slot_2", "tie"]] / row["asked"]

    assert shares.tolist() == [0.01, 0.01, 0.98]


def test_b08_a_run_without_ties_shows_none():
    row = verdict_counts(pairs(["FS"]), by=("judge",)).iloc[0]

    assert row["tie"] == 0


def test_b22_separation():
    """Always the first slot, never the first slot: counts are shown, the rest is in words."""
    verdicts = stack(pairs(["FF"] * 2, judge="j-a"), pairs(["SS"] * 2, judge="j-b"))
    table = order_effect(verdicts).set_index("judge")

    assert table["primacy_full"].to_dict() == {"j-a": 2, "j-b": 0}
    marginal = [f"beta_marginal{part}" for part in ("", "_se", "_df", "_low", "_high")]
    assert table[NUMBERS + marginal].isna().all(axis=None)
    assert table["marginal_note"].str.startswith("not estimable: separation").all()
    assert table["p_holm"].isna().all()


def test_b22_separation_in_words():
    """A judge that always picks the first slot has no coefficient, error or p; the other has."""
    verdicts = stack(
        pairs(["FF"] * 4, judge="j-a"),
        pairs(["SS"] * 4, judge="j-b"),
        pairs(["FS", "SF", "FF", "SS", "FS", "FF"], judge="j-c"),
    )
    table = pooled_order(verdicts).query("kind == 'order'").set_index("judge")

    numbers = ["estimate", "se", "low", "high", "p"]
    assert table.loc[["j-a", "j-b"], numbers].isna().all(axis=None)
    assert table["note"].str.startswith("not estimable: separation").tolist() == [True, True, False]
    assert table.loc["j-c", numbers].notna().all()


def test_b23_odd_name_in_backticks_is_the_one_fitted():
    """By hand: sum of products about the means -7.5, sum of squares of len-gap 44.75."""
    found = stepwise_aic(ODD, "y ~ `len-gap`", lower="~ `len-gap`")
    estimates = found.coefficients.set_index("term")["estimate"]

    assert found.terms == ["`len-gap`"]
    assert estimates["`len-gap`"] == pytest.approx(-7.5 / 44.75)
    assert estimates["(Intercept)"] == pytest.approx(2.5 + 7.5 / 44.75 * 4.75)


def test_b23_odd_name_without_backticks_is_refused():
    """It would be read as `len` without `gap`, and another model fitted without notice."""
    with pytest.raises(ParamsError, match=r"'len-gap'.*arithmetic") as caught:
        stepwise_aic(ODD, "y ~ len-gap")
    assert "`len-gap` in backticks" in str(caught.value)


def test_b22_shares_without_variation_have_intervals_that_are_not_of_zero_width():
    """4 of 4 and 0 of 4 first slots: the share is shown, and its interval reaches inwards."""
    verdicts = stack(pairs(["FF"] * 2, judge="j-a"), pairs(["SS"] * 2, judge="j-b"))
    told = slot_wins(verdicts).query("slot == 1").set_index("judge")

    assert told["share"].to_dict() == {"j-a": 1.0, "j-b": 0.0}
    assert 0 < told.loc["j-a", "share_low"] < 1
    assert 0 < told.loc["j-b", "share_high"] < 1


def test_b22_outcome_that_never_varies_has_no_fit():
    """Six units, all with pc 1: no coefficient, no error, no p, no R squared, but a word why."""
    units = pd.DataFrame(
        [{"benchmark": "B", "experiment": "", "judge": "j", "arm": "", "slots": 2, "task": f"t{n}",
          "candidate": f"c{n}", "pc": 1.0, "pf": 0.0, "owr": n / 6, "gap_own": abs(n / 6 - 0.5)}
         for n in range(6)]
    )  # fmt: skip
    table = quality_gap_fits(units, sources=["own"]).set_index("response")

    assert table["note"].eq("not estimable: the response does not vary").all()
    numbers = ["intercept", "linear", "quadratic", "linear_se", "quadratic_p", "r_squared"]
    assert table[numbers].isna().all(axis=None)


def test_b23_names_of_judges_are_values():
    """A judge called like arithmetic keeps its name in every row."""
    names = ["gpt-4-0613", "claude-3.5", "org/model"]
    table = order_effect(stack(*(pairs(["FS", "FF", "SS"], judge=name) for name in names)))

    assert sorted(table["judge"]) == sorted(names)


def test_b23_factor_with_one_level_is_left_out_with_a_note():
    """A constant judge column explains nothing, and the fit goes on without it."""
    found = stepwise_aic(ODD.assign(judge="org/model"), "y ~ gap + judge")

    assert "judge" not in found.terms
    assert any("judge" in note for note in found.notes)
