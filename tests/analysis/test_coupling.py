"""The coupling null: planted studies with and without a relation, and the paper's R squared."""

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, stack

from posbias_kit.analysis.coupling import coupling_null, quality_gap_sources
from posbias_kit.analysis.quality_gap import fit_quadratics
from posbias_kit.analysis.units import build_units
from posbias_kit.data import prepare_study
from posbias_kit.errors import ParamsError


def _study(rng, relation=0.0, units=140, series=8):
    """Units whose consistency depends on the true win share with strength `relation`."""
    share = rng.beta(2, 3, units)
    stays = np.clip(rng.beta(6, 2, units) * (1 - relation) + relation * 2 * abs(share - 0.5), 0, 1)
    consistent = rng.binomial(series, stays)
    wins = rng.binomial(consistent, share)
    table = pd.DataFrame({"complete": series, "consistent": consistent, "wins": wins})
    table["losses"] = table["consistent"] - table["wins"]
    table["owr"] = (wins + (series - consistent) / 2) / series
    table["pc"] = consistent / series
    return table.assign(benchmark="B", experiment="", chance=0.5)


@pytest.fixture(scope="module")
def planted():
    """Return the null of 60 studies with no relation, and of 20 with one; a study is a judge."""
    rng = np.random.default_rng(11)
    none = pd.concat([_study(rng).assign(judge=k) for k in range(60)])
    few, many = (
        pd.concat([_study(rng, 0.6, series=series).assign(judge=k) for k in range(20)])
        for series in (8, 40)
    )
    return tuple(coupling_null(units, ["pc"], draws=199) for units in (none, few, many))


def test_no_relation_stays_below_the_null(planted):
    """The null is conservative: own minus null is not above 0, and p is rarely small."""
    null, _, _ = planted

    assert null["own"].mean() > 0.08  # a parabola although nothing is related
    assert -0.1 < null["own_minus_null"].mean() < 0.01
    assert (null["null_p"] < 0.05).mean() <= 0.06


def test_shrunken_null_has_no_bias(planted):
    """With binomial noise taken out of the shares the null lies where it should, within .02."""
    null, _, _ = planted

    assert (null["own"] - null["shrunk_mean"]).mean() == pytest.approx(0, abs=0.02)


def test_a_relation_is_found(planted):
    """Consistency follows the true gap: seen with 40 series a unit, with 8 by the shrunken null."""
    _, few, many = planted

    assert (many["own_minus_null"] > 0.1).all()
    assert (many["null_p"] < 0.05).all()
    assert (few["own"] - few["shrunk_mean"]).mean() > 0.08


def test_own_is_the_r_squared_of_the_units():
    """`own` is the fit of the units as they are."""
    units = _study(np.random.default_rng(0)).assign(judge="j")
    own = fit_quadratics(units["owr"].to_numpy(), units["pc"].to_numpy())[1]

    assert coupling_null(units, ["pc"], draws=0)["own"].tolist() == [own]


def test_equal_shares_leave_nothing_to_permute():
    """All decisive series won: owr is a function of pc under the null, R squared 1."""
    units = _study(np.random.default_rng(0)).assign(judge="j", losses=0)
    units["wins"] = units["consistent"]
    units["owr"] = 0.5 + units["pc"] / 2
    null = coupling_null(units, ["pc"], draws=20).iloc[0]

    assert null[["own", "null_mean", "null_high", "null_p"]].tolist() == pytest.approx([1] * 4)


def test_units_without_a_decisive_series():
    """A unit of ties or flips only keeps its win rate of one half."""
    units = _study(np.random.default_rng(1), units=20).assign(judge="j")
    units.loc[:4, ["wins", "losses"]] = 0
    null = coupling_null(units, ["pc"], draws=50).iloc[0]

    assert 0 < null["null_mean"] < 1


def test_without_draws_there_is_no_null():
    """draws=0: the own R squared, and the reason in words."""
    null = coupling_null(_study(np.random.default_rng(0)).assign(judge="j"), ["pc"], draws=0).iloc[
        0
    ]

    assert null["note"] == "no draws"
    assert null[["null_mean", "null_high", "own_minus_null", "null_p"]].isna().all()


def test_settings_are_checked():
    """A negative number of draws or an impossible level is refused."""
    units = _study(np.random.default_rng(0)).assign(judge="j")
    with pytest.raises(ParamsError, match="draws -1 is negative"):
        coupling_null(units, draws=-1)
    with pytest.raises(ParamsError, match="level 95 is outside"):
        coupling_null(units, level=95)


def test_sources_say_what_is_missing():
    """One judge, one candidate: every R squared is missing, each with its reason."""
    verdicts = stack(pairs(["FS", "FF"]))
    table = quality_gap_sources(verdicts, build_units(verdicts), ["pc"], draws=5, splits=2).iloc[0]

    assert table[["own", "other_judges", "scores", "split_half"]].isna().all()
    for reason in ("too few units", "no other judge", "no scores", "fewer than 4 units"):
        assert reason in table["note"]


# STATISTICS: own, null mean (its 95% quantile), other judges, split half, half-sample own.
PAPER = {
    ("DevBench", "gemini-pro"): (0.51, 0.37, 0.47, 0.24, 0.09, 0.47),
    ("DevBench", "gpt-3.5-turbo-0125"): (0.53, 0.39, 0.49, 0.36, 0.16, 0.50),
    ("DevBench", "gpt-4-0613"): (0.45, 0.21, 0.29, 0.12, 0.08, 0.33),
    ("MTBench", "gpt-3.5-turbo-1106"): (0.41, 0.23, 0.29, 0.27, 0.11, 0.33),
    ("MTBench", "gpt-4-0613"): (0.28, 0.19, 0.24, 0.14, 0.08, 0.25),
}
COLUMNS = ["own", "null_mean", "null_high", "other_judges", "split_half", "split_half_own"]
TOLERANCE = (0.005, 0.015, 0.02, 0.005, 0.012, 0.012)  # rounding, and Monte Carlo where drawn


@pytest.mark.parametrize("benchmark", ["DevBench", "MTBench"])
def test_r_squared_of_the_paper_by_source(paper_data, benchmark):
    """The table of five judges; reliabilities lie between .63 and .89."""
    verdicts = prepare_study("paper", paper_data, benchmark, rule="first_match").verdicts
    verdicts = verdicts[verdicts["experiment"] == "full"]
    table = quality_gap_sources(verdicts, build_units(verdicts), ["pc"], draws=400)

    assert {(benchmark, judge) for judge in table["judge"]} == {
        k for k in PAPER if k[0] == benchmark
    }
    for row in table.to_dict("records"):
        expected = PAPER[benchmark, row["judge"]]
        for column, value, tolerance in zip(COLUMNS, expected, TOLERANCE, strict=True):
            assert row[column] == pytest.approx(value, abs=tolerance), (row["judge"], column)
    assert table["reliability"].between(0.63, 0.89).all()
    assert (table["null_p"] < 0.05).all()
