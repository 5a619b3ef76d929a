"""What the summary says of each judge."""

import numpy as np
import pandas as pd
import pytest

from posbias_kit import analysis
from posbias_kit.report import summarise_judges
from tests.verdict_tables import sets

JUDGE = {"benchmark": "B", "experiment": "", "judge": "j"}


def _finding(rs, pf, low, high, threshold=0.85):
    interval = {"pf": pf, "pf_low": low, "pf_high": high, "pc": 0.6, "pc_low": 0.5, "pc_high": 0.7}
    bias = pd.DataFrame([JUDGE | interval])
    stability = pd.DataFrame([JUDGE | {"rs": rs, "rs_chance": 0.75}])
    counts = pd.DataFrame([JUDGE | {"asked": 9, "invalid": 1, "failed": 0}])
    return summarise_judges(bias, stability, counts, threshold)["finding"].item()


@pytest.mark.parametrize(
    ("rs", "interval", "finding"),
    [
        (0.95, (-0.59, -0.7, -0.4), "leans to the first slot"),
        (0.842, (-0.59, -0.7, -0.4), "leans to the first slot (unstable: RS .84)"),
        (0.842, (0.59, 0.4, 0.7), "leans to the last slot (unstable: RS .84)"),
        (0.842, (-0.1, -0.3, 0.1), "no lean shown (unstable: RS .84)"),
        (0.849, (0.59, 0.4, 0.7), "leans to the last slot (unstable: RS .84)"),
        (0.29, (0.59, 0.4, 0.7), "leans to the last slot (unstable: RS .29)"),
        (np.nan, (0.59, 0.4, 0.7), "leans to the last slot; stability not measured"),
        (0.842, (0.59, np.nan, np.nan), "no interval, so no claim"),
        (0.842, (np.nan,) * 3, "no lean estimable: no complete series of two orders"),
    ],
)
def test_a_lean_is_claimed_by_its_interval(rs, interval, finding):
    """Instability is said beside the lean and does not hide it."""
    assert _finding(rs, *interval) == finding


BIAS = {"pf": 0.14, "pf_low": 0.02, "pf_high": 0.26, "pc": 0.6, "pc_low": 0.5, "pc_high": 0.7}
NO_PF = {"pf": np.nan, "pf_low": np.nan, "pf_high": np.nan, "pf_n": pd.NA, "complete": 9}


def _summary(bias=BIAS, stability=(), counts=(), **tests):
    """The row of one judge, from what differs of each table."""
    rs = {"rs": 0.95, "rs_valid": 0.95, "rs_chance": 0.75, "repeats": 3}
    asked = {"asked": 9, "invalid": 0, "failed": 0}
    frames = [JUDGE | bias, JUDGE | rs | dict(stability), JUDGE | asked | dict(counts)]
    tests = {name: pd.DataFrame([JUDGE | row for row in rows]) for name, rows in tests.items()}
    return summarise_judges(*(pd.DataFrame([frame]) for frame in frames), **tests).iloc[0]


@pytest.mark.parametrize(
    ("low", "p", "finding"),
    [
        (0.02, 0.01, "leans to the last slot"),
        (0.02, 0.26, "leans to the last slot by its own interval; "
         "not after Holm over judges (p .26)"),
        (-0.02, 0.26, "no lean shown"),
        (-0.02, 0.004, "no lean shown by its own interval; "
         "yet a test finds one after Holm over judges (p .004)"),
        (0.02, np.nan, "leans to the last slot"),
    ],
)  # fmt: skip
def test_interval_and_test_are_both_said(low, p, finding):
    """Where the interval and the corrected test part, the finding gives both."""
    direction = [{"pf_low": low, "pf_high": 0.26, "p_holm": p}]

    assert _summary(BIAS | {"pf_low": low}, direction=direction)["finding"] == finding


def test_a_test_of_another_convention_does_not_count():
    """Direction under `tie` says nothing of the lean under `paper`."""
    direction = [{"pf_low": 0.02, "pf_high": 0.26, "p_holm": 0.9, "convention": "tie"}]

    row = _summary(BIAS | {"convention": "paper"}, direction=direction)
    assert row["finding"] == "leans to the last slot"


def test_without_draws_the_interval_comes_from_the_test():
    """The tables of chapter 03 have the same interval in the test of direction."""
    direction = [{"pf_low": 0.02, "pf_high": 0.26, "p_holm": 0.01}]
    row = _summary(BIAS | {"pf_low": np.nan, "pf_high": np.nan}, direction=direction)

    assert row["fairness"] == "+0.140 [+0.020, +0.260]"
    assert row["finding"] == "leans to the last slot"


def test_failed_repeats_are_not_instability():
    """A stability of .72 beside rs_valid 1: said to be stable, and both stabilities are shown."""
    row = _summary(stability={"rs": 0.72, "rs_valid": 1.0})

    assert row["finding"] == "leans to the last slot"
    assert row["stability"] == "0.720; of valid repeats 1.000 (chance 0.750)"


@pytest.mark.parametrize(
    ("repeats", "words"), [(1, "not asked twice"), (3, "no verdict where asked again")]
)
def test_why_there_is_no_stability(repeats, words):
    """Asked three times without a reply is not the same as asked once."""
    none = {"rs": np.nan, "rs_valid": np.nan, "rs_chance": np.nan, "repeats": repeats}

    assert _summary(stability=none)["stability"] == words


def _slots(first, p=0.01):
    """Fairness and test of three slots, the first with this pf and limits .1 to both sides."""
    values = [first, -first / 2, -first / 2]
    fairness = [
        {"slot": k + 1, "pf": value, "pf_low": value - 0.1, "pf_high": value + 0.1}
        for k, value in enumerate(values)
    ]
    return {"fairness": fairness, "slots": [{"slot": k, "p_holm": p} for k in (1, 2, 3)]}


@pytest.mark.parametrize(
    ("first", "p", "fairness", "finding"),
    [
        (0.6, 0.01, "slot 1: +0.600 [+0.500, +0.700]", "leans to slot 1 of 3"),
        (-0.4, 0.01, "slot 1: -0.400 [-0.500, -0.300]", "leans away from slot 1 of 3"),
        (0.05, 0.3, "slot 1: +0.050 [-0.050, +0.150]", "no lean shown"),
        (0.2, 0.3, "slot 1: +0.200 [+0.100, +0.300]",
         "leans to slot 1 of 3 by its own interval; not after Holm over judges (p .3)"),
    ],
)  # fmt: skip
def test_sets_are_told_by_their_slots(first, p, fairness, finding):
    """The slot furthest from fair, and the test of slot wins."""
    row = _summary(BIAS | NO_PF, **_slots(first, p))

    assert (row["fairness"], row["finding"]) == (fairness, finding)


@pytest.mark.parametrize(
    ("bias", "counts", "why"),
    [
        ({"complete": 0, "pf_n": 0}, {}, "no complete series of two orders"),
        ({"complete": 0, "pf_n": 0}, {"invalid": 4, "failed": 5}, "no verdict"),
        ({"complete": 4, "pf_n": 0}, {}, "every complete series has a tie"),
        ({"complete": 4, "pf_n": pd.NA}, {}, "see slot_wins and listwise_fairness"),
    ],
)
def test_why_no_lean_is_estimable(bias, counts, why):
    """One order only, no verdict at all, ties only, or sets without their tables."""
    row = _summary(BIAS | NO_PF | bias, counts=counts)

    assert row["finding"] == f"no lean estimable: {why}"


def test_real_sets_end_to_end():
    """First slot in six of nine comparisons of three, a in the rest: a lean to slot 1 of 3."""
    verdicts = sets(["111"] * 6 + ["132"] * 3)
    table = summarise_judges(
        analysis.position_bias(verdicts),
        analysis.repetition_stability(verdicts),
        analysis.verdict_counts(verdicts),
        direction=analysis.direction_test(verdicts),
        slots=analysis.slot_wins(verdicts),
        fairness=analysis.listwise_fairness(verdicts),
    )

    # PC = 3/9; every inconsistent series names slot 1 only: (1 - 1/3)(1 - 1/3) 3/2 = 2/3.
    assert table["fairness"].str.startswith("slot 1: +0.667 [").all()
    assert table["finding"].tolist() == ["leans to slot 1 of 3; stability not measured"]
