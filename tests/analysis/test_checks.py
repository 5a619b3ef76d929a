"""Bad arguments and broken tables: the kit's own errors, whatever the function."""

import numpy as np
import pandas as pd
import pytest

from posbias_kit import analysis
from posbias_kit.errors import ParamsError, TableError
from tests.verdict_tables import pairs, sets

TABLE = pairs(["FS", "FF", "SS"])


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("position_bias", {"draws": -1}),
        ("repetition_stability", {"draws": 1.5}),
        ("repetition_stability", {"level": 95}),
        ("adjusted_win_rates", {"draws": -1}),
        ("adjusted_win_rates", {"seed": None}),
        ("direction_test", {"flips": -5}),
        ("direction_test", {"level": 0}),
        ("judge_differences", {"level": -1}),
        ("task_differences", {"flips": -1}),
        ("two_way_intervals", {"level": 1}),
        ("slot_wins", {"permutations": -5}),
        ("inconsistency_split", {"permutations": -5}),
        ("listwise_fairness", {"level": "a"}),
        ("estimate_metric", {"level": 2}),
        ("judge_agreement", {"level": 95}),
        ("agreement_coefficients", {"level": 0}),
    ],
)
def test_numbers_outside_their_range(name, setting):
    """The message names function, argument, value and what is allowed."""
    ((argument, value),) = setting.items()
    with pytest.raises(ParamsError) as caught:
        getattr(analysis, name)(TABLE, **setting)

    assert caught.value.place == name
    assert caught.value.problem.startswith(f"{argument} {value!r}")
    assert caught.value.allowed


@pytest.mark.parametrize("sizes", [{"questions": (0,)}, {"repeats": (2.5,)}, {"questions": ()},
                                   {"comparisons": 40}, {"questions": (-3,)}])  # fmt: skip
def test_sizes_of_a_plan_are_whole_numbers(sizes):
    """Nothing is planned for no question, or for half a repeat."""
    with pytest.raises(ParamsError, match="whole number"):
        analysis.planning_table(analysis.variance_components(TABLE), **sizes)


def test_a_plan_needs_components():
    """Verdicts are no pilot yet."""
    with pytest.raises(ParamsError, match="give it the table of variance_components"):
        analysis.planning_table(TABLE)


NAMES = [
    "position_bias", "repetition_stability", "inconsistency_split", "slot_wins",
    "listwise_fairness", "direction_test", "task_differences", "judge_differences",
    "missing_bounds", "two_way_intervals", "variance_components", "order_effect", "pooled_order",
    "slot_effects", "adjusted_win_rates", "win_rates", "build_units",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_column_is_named(name):
    """Without `cluster` nothing is computed."""
    with pytest.raises(TableError, match="missing column 'cluster'"):
        getattr(analysis, name)(TABLE.drop(columns="cluster"))


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_stand_twice_are_refused(name):
    """The same verdicts under themselves are no more series."""
    with pytest.raises(TableError, match="repeat the key of another"):
        getattr(analysis, name)(pd.concat([TABLE, TABLE], ignore_index=True))


@pytest.mark.parametrize(
    "name", ["slot_wins", "listwise_fairness", "adjusted_win_rates", "build_units"]
)
def test_no_rows(name):
    """An empty table is said to be empty."""
    with pytest.raises(ParamsError, match="no verdicts"):
        getattr(analysis, name)(TABLE.iloc[:0])


@pytest.mark.filterwarnings("error")
def test_a_set_without_two_orders_has_no_split():
    """Nothing is divided by nothing."""
    row = analysis.inconsistency_split(sets(["1--", "2--"])).iloc[0]

    assert np.isnan(row["excess"])
    assert row["note"]


def test_an_experiment_without_a_name_is_among_the_allowed():
    """The only experiment is '': the message says so, and does not end in nothing."""
    with pytest.raises(ParamsError, match=r"allowed: '' \(without a name\)"):
        analysis.choose_experiment(TABLE, "zz")
    with pytest.raises(ParamsError, match="unknown value 'zz'"):
        analysis.build_units(TABLE, experiment="zz")
