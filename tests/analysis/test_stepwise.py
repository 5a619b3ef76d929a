"""Stepwise AIC against R's `step()`, and the tables that formulas stumble over.

`data/refs/step_*.json` are outputs of R 4.2.2 with 12 significant digits, each on the CSV of
its name or on step_aic.csv (step_alias: an empty cell and a length that the task determines,
p is the rank); the paper's are R's too, on the units of its released files.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from posbias_kit.analysis.stepwise import stepwise_aic
from posbias_kit.errors import ParamsError, TableError

REFS = Path(__file__).parents[1] / "data" / "refs"
CASES = ("full", "null", "bic", "poly", "interaction", "swap", "alias")
CONVENTIONS = {
    "n": "n",
    "dropped": "n_dropped_missing",
    "rss": "rss",
    "aic_step": "aic_step_extractAIC",
    "aic_r": "aic_R_AIC",
    "aic_statsmodels": "aic_statsmodels_OLS",
    "bic": "bic_R_BIC",
    "bic_statsmodels": "bic_statsmodels_OLS",
}
REF_TOLERANCE, PAPER_TOLERANCE = 1e-8, 1e-6


def _assert_as_in_r(found, expected, tolerance):
    """Compare a result with the JSON of `step()`, names and order of everything included."""

    def close(values, reference):
        np.testing.assert_allclose(
            np.array(values, float), np.array(reference, float), rtol=tolerance, atol=tolerance
        )

    path, table = pd.DataFrame(expected["path"]), pd.DataFrame(expected["coefficients"])
    assert found.path["step"].tolist() == path["step"].tolist()
    assert found.terms == expected["selected"]
    assert found.coefficients["term"].tolist() == table["term"].tolist()
    assert (found.path["n"] == expected["conventions"]["n"]).all()
    for column in ("df", "deviance", "resid_df", "resid_dev", "aic"):
        close(found.path[column], path[column])
    for column in ("estimate", "std_error", "t", "p"):
        close(found.coefficients[column], table[column])
    for ours, theirs in CONVENTIONS.items():
        close(getattr(found, ours), expected["conventions"][theirs])
    for name in ("k", "r_squared", "adj_r_squared"):
        close(getattr(found, name), expected[name])


@pytest.mark.parametrize("case", CASES)
def test_equals_r(case):
    """Path, terms, coefficients and all AIC scales are R's."""
    expected = json.loads((REFS / f"step_{case}.json").read_text("utf-8"))
    own = REFS / f"step_{case}.csv"
    frame = pd.read_csv(own if own.exists() else REFS / "step_aic.csv")
    k = "bic" if case == "bic" else expected["k"]

    found = stepwise_aic(frame, expected["formula"], start=expected["start"], k=k)

    _assert_as_in_r(found, expected, REF_TOLERANCE)


@pytest.mark.parametrize("outcome", ["pc", "pf"])
@pytest.mark.parametrize("benchmark", ["MTBench", "DevBench", "all"])
def test_equals_r_on_the_papers_units(paper_data, benchmark, outcome):
    """The real units: 31 candidates, a question length aliased by the task, both benchmarks."""
    folder = paper_data / "expected"
    expected = json.loads((folder / f"step_{benchmark}_{outcome}.json").read_text("utf-8"))
    units = pd.read_csv(folder / "regression_units.csv")
    units = units if benchmark == "all" else units[units["benchmark"] == benchmark]

    found = stepwise_aic(units, expected["formula"], start=expected["start"], k=expected["k"])

    _assert_as_in_r(found, expected, PAPER_TOLERANCE)


@pytest.fixture
def units():
    """Return 120 units whose outcome is 0.6 - 0.5 gap + 0.1 (judge gpt-4) and a little noise."""
    rng = np.random.default_rng(20240607)
    frame = pd.DataFrame(
        {
            "gap": rng.uniform(0, 0.5, 120),
            "judge": rng.choice(["claude-3.5", "gpt-4", "org/model"], 120),
            "noise": rng.normal(size=120),
        }
    )
    error = rng.normal(0, 0.02, 120)
    return frame.assign(pc=0.6 - 0.5 * frame["gap"] + 0.1 * (frame["judge"] == "gpt-4") + error)


def _coefficients(found):
    return found.coefficients.set_index("term")["estimate"]


@pytest.mark.parametrize("start", ["full", "null"])
def test_planted_slope_is_recovered(units, start):
    """Shares below 1 keep their decimals: a cast to integers would find nothing."""
    found = stepwise_aic(units, "pc ~ gap + judge + noise", start=start)
    row = found.coefficients.set_index("term").loc["gap"]

    assert {"gap", "judge"} <= set(found.terms)
    assert abs(row["estimate"] + 0.5) < 3 * row["std_error"]
    assert row["std_error"] < 0.02


def test_order_of_rows_does_not_matter(units):
    """Shuffled rows with an odd index give the same path and the same numbers."""
    shuffled = units.sample(frac=1, random_state=1).set_index(np.zeros(len(units)))
    one, other = (stepwise_aic(f, "pc ~ gap * judge + noise") for f in (units, shuffled))

    pd.testing.assert_frame_equal(one.path, other.path)
    pd.testing.assert_frame_equal(one.coefficients, other.coefficients)


def test_input_is_left_alone(units):
    """The caller's frame is not changed."""
    before = units.copy()
    stepwise_aic(units, "pc ~ gap + judge")

    pd.testing.assert_frame_equal(units, before)


def test_rows_missing_anywhere_are_dropped_once(units):
    """A row that lacks a variable is out of every model, even after that variable is dropped."""
    units.loc[[3, 50], "noise"] = np.nan
    units.loc[[50, 70], "judge"] = None
    found = stepwise_aic(units.assign(unused=np.nan), "pc ~ gap + judge + noise", lower="~ gap")

    assert (found.n, found.dropped) == (117, 3)
    assert set(found.path["n"]) == {117}


ODD = pd.DataFrame(
    {"y": [1, 2, 3, 4], "len": [1, 0, 1, 0], "gap": [2, 1, 4, 3], "len-gap": [9, 1, 7, 2]}
)


def test_odd_name_in_a_function_and_a_square():
    """Backticks work inside `I()`, and `^` is R's power."""
    found = stepwise_aic(ODD, "y ~ I(`len-gap`^2)", lower="~ I(`len-gap`^2)")
    slope, _ = np.polyfit(ODD["len-gap"] ** 2, ODD["y"], 1)

    assert found.terms == ["I(`len-gap`^2)"]
    assert _coefficients(found)["I(`len-gap`^2)"] == pytest.approx(slope)


def test_odd_values_are_fine(units):
    """Names of judges are values; the coefficients show them as they are."""
    names = stepwise_aic(units, "pc ~ judge").coefficients["term"].tolist()

    assert names == ["(Intercept)", "judgegpt-4", "judgeorg/model"]


@pytest.mark.parametrize("formula", ["pc ~ gap + only + judge", "pc ~ gap * only + judge"])
def test_factor_with_one_level_is_left_out(units, formula):
    """R stops with an error about contrasts; we go on without the factor and say so."""
    found = stepwise_aic(units.assign(only="MTBench"), formula)

    assert found.terms == ["gap", "judge"]
    assert found.notes == ("only has one level (MTBench) and is left out",)


def test_levels_that_no_complete_row_has_do_not_count(units):
    """The only row of a level lacks another variable: one level is left."""
    units = units.assign(only=["a", *["b"] * 119], judge=units["judge"].astype("category"))
    units.loc[0, "gap"] = np.nan

    assert stepwise_aic(units, "pc ~ gap + only").notes == (
        "only has one level (b) and is left out",
    )


def test_booleans_and_categories_are_factors(units):
    """A boolean has one coefficient; categories keep their order, so gpt-4 is the reference."""
    order = pd.CategoricalDtype(["gpt-4", "org/model", "claude-3.5", "never seen"])
    units = units.assign(flag=units["gap"] > 0.2, judge=units["judge"].astype(order))
    found = stepwise_aic(units, "pc ~ flag + judge", lower="~ flag + judge")

    names = ["(Intercept)", "flagTrue", "judgeorg/model", "judgeclaude-3.5"]
    assert found.coefficients["term"].tolist() == names


def test_nullable_columns(units):
    """Columns that know pandas' own missing value give the numbers of plain ones."""
    nullable = units.convert_dtypes()
    nullable.loc[5, "gap"] = pd.NA
    one = stepwise_aic(units.drop(index=5), "pc ~ gap + judge")
    other = stepwise_aic(nullable, "pc ~ gap + judge")

    assert other.dropped == 1
    pd.testing.assert_frame_equal(one.coefficients, other.coefficients)


def test_main_effect_stays_while_its_interaction_is_in(units):
    """`noise` has no effect of its own, but noise:gap has."""
    units["pc"] += 0.2 * units["noise"] * units["gap"]
    found = stepwise_aic(units, "pc ~ noise * gap + judge")

    assert found.terms == ["noise", "gap", "judge", "noise:gap"]


def test_first_of_equal_terms_is_taken(units):
    """Three times the gap explains as much as the gap: formula order decides."""
    units["triple"] = 3 * units["gap"]

    assert stepwise_aic(units, "pc ~ triple + gap", start="null").terms == ["triple"]
    assert stepwise_aic(units, "pc ~ gap + triple", start="null").terms == ["gap"]


def test_last_aliased_term_is_dropped_first(units):
    """A drop that frees no degree of freedom comes before everything else."""
    units["triple"] = 3 * units["gap"]
    found = stepwise_aic(units, "pc ~ gap + triple + judge")

    assert found.path["step"].tolist() == ["<start>", "- triple"]
    assert found.path["df"].tolist()[1:] == [0]
    assert found.terms == ["gap", "judge"]


def test_aliased_column_of_a_kept_term_is_noted():
    """The empty cell gpt-4 x math has no coefficient, as in R."""
    found = stepwise_aic(pd.read_csv(REFS / "step_alias.csv"), "y ~ x + judge * task")

    assert found.notes == ("judgegpt-4:taskmath is aliased and has no coefficient",)


def test_unit_of_measurement_does_not_matter(units):
    """A length in 1e-9 and its square are no lack of rank."""
    units["tiny"] = units["gap"] * 1e-9
    one = stepwise_aic(units, "pc ~ gap + I(gap^2) + judge", lower="~ gap + I(gap^2)")
    other = stepwise_aic(units, "pc ~ tiny + I(tiny^2) + judge", lower="~ tiny + I(tiny^2)")

    np.testing.assert_allclose(one.path["aic"], other.path["aic"])
    np.testing.assert_allclose(
        _coefficients(one)["I(gap^2)"], _coefficients(other)["I(tiny^2)"] * 1e-18
    )


def test_lower_is_never_dropped(units):
    """A term of `lower` stays although it explains nothing."""
    found = stepwise_aic(units, "pc ~ gap + noise", start="null", k=1000, lower="~ noise")

    assert found.terms == ["noise"]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("pc ~ gap + jugde", "no column or function 'jugde'"),
        ("pc ~ I(gpa^2)", "no column or function 'gpa'"),
        ("pc ~ root(gap)", "no column or function 'root'"),
        ("pc ~ gap +", "cannot read the formula"),
        ("pc ~ I(gap +)", "cannot read the formula"),
        ("pc ~ gap | judge", "cannot read the formula"),
        ("pc ~ 0 + gap", "takes the intercept out"),
        ("pc ~ I(judge^2)", "cannot compute"),
    ],
)
def test_formula_that_cannot_be_used(units, formula, message):
    with pytest.raises(ParamsError, match=message):
        stepwise_aic(units, formula)


def test_unknown_column_lists_the_known(units):
    with pytest.raises(ParamsError, match="the columns gap, judge, noise, pc"):
        stepwise_aic(units, "pc ~ gap + jugde")


@pytest.mark.parametrize(
    "arguments",
    [{"start": "half"}, {"k": "aic"}, {"k": -1}, {"k": np.nan}, {"k": True}, {"lower": "~ noise"}],
)
def test_argument_that_cannot_be_used(units, arguments):
    with pytest.raises(ParamsError, match="allowed"):
        stepwise_aic(units, "pc ~ gap + judge", **arguments)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("constant ~ gap", "the response is 0.3 in all 120 rows"),
        ("judge ~ gap", "not one column of numbers"),
        ("~ gap", "not one column of numbers"),
        ("pc + gap ~ noise", "not one column of numbers"),
        ("pc ~ gap + I(2 * pc)", "fits all 120 rows exactly"),
        ("pc ~ log(zero)", "no finite number"),
        ("pc ~ empty", "no row has a value"),
        ("pc ~ day", "neither a number nor a factor"),
    ],
)
@pytest.mark.parametrize("start", ["full", "null"])
def test_table_that_cannot_be_used(units, formula, message, start):
    day = pd.Timestamp("2024-06-07")
    units = units.assign(constant=0.3, zero=0.0, empty=np.nan, day=day)
    with pytest.raises(TableError, match=message):
        stepwise_aic(units, formula, start=start)


def test_column_that_occurs_twice(units):
    twice = pd.concat([units, units[["gap"]]], axis=1)
    with pytest.raises(TableError, match="gap: the table has several columns"):
        stepwise_aic(twice, "pc ~ gap")
