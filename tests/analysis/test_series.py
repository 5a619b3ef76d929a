"""A series is what all orders of one comparison say together."""

import pandas as pd
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis import build_series
from posbias_kit.analysis.counts import count_orders
from posbias_kit.analysis.credits import judge_cells
from posbias_kit.analysis.series import choose_experiment, group_columns, take_sides
from posbias_kit.data import build_verdicts
from posbias_kit.errors import ParamsError

KINDS = ["primacy_full", "primacy_half", "recency_full", "recency_half"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("FF", "primacy_full"),
        ("FT", "primacy_half"),
        ("TF", "primacy_half"),
        ("SS", "recency_full"),
        ("ST", "recency_half"),
        ("TS", "recency_half"),
    ],
)
def test_inconsistent_pair_has_exactly_one_kind(code, kind):
    """Every inconsistent series of a pair is of one kind, by slot and by ties."""
    series = build_series(pairs([code]))

    assert [name for name in KINDS if series[name].item()] == [kind]
    assert series["inconsistent"].item()


@pytest.mark.parametrize(("code", "winner"), [("FS", "a"), ("SF", "b"), ("TT", "TIE")])
def test_consistent_pair_names_its_winner(code, winner):
    """A pair is consistent when both orders name the same candidate, or a tie."""
    series = build_series(pairs([code]))

    assert series["consistent"].item()
    assert series["winner"].item() == winner
    assert not series[KINDS].any(axis=None)


@pytest.mark.parametrize("code", ["FI", "XS", "F-", "-T", "IX"])
def test_series_with_an_order_missing_is_incomplete(code):
    """An order that is invalid, failed or not there makes a series incomplete, never consistent."""
    series = build_series(pairs([code]))

    assert series["incomplete"].item()
    assert not series[["complete", "consistent", "inconsistent", *KINDS]].any(axis=None)


def test_identical_answers_are_neither_complete_nor_incomplete():
    """A series of identical answers is only counted as such."""
    series = build_series(pairs(["EE"]))

    assert series["identical"].item()
    assert not series[["complete", "incomplete", "consistent"]].any(axis=None)


def test_repeats_and_judges_are_series_of_their_own():
    """The second repeat is never paired with the first, nor one judge with another."""
    verdicts = stack(
        pairs(["F-"]), pairs(["-S"], repeat=2), pairs(["FS"], judge="k"), pairs(["SF"], repeat=3)
    )

    series = build_series(verdicts)

    assert series["complete"].sum() == 2
    assert series["incomplete"].sum() == 2


def _sets(orders, choices):
    shown = {"r0": ("a", "b", "c"), "r1": ("b", "c", "a"), "r2": ("c", "a", "b")}
    return build_verdicts(
        pd.DataFrame(
            {
                "benchmark": "B",
                "task": "t",
                "question": "q",
                "judge": "j",
                "repeat": 1,
                "status": "ok",
                "order": orders,
                "shown": [shown[order] for order in orders],
                "choice": pd.array(choices, dtype="Int64"),
            }
        )
    )


def test_set_of_three_is_consistent_when_all_shifts_name_the_same():
    """Candidate a stands in slots 1, 3, 2 of the three cyclic shifts."""
    series = build_series(_sets(["r0", "r1", "r2"], [1, 3, 2]))

    assert series["consistent"].item()
    assert series["winner"].item() == "a"


def test_set_of_three_that_follows_the_slot_is_inconsistent_without_a_pairwise_kind():
    """Always the first slot: three winners, and none of the kinds of pairs."""
    series = build_series(_sets(["r0", "r1", "r2"], [1, 1, 1]))

    assert series["inconsistent"].item()
    assert not series[KINDS].any(axis=None)


def test_set_needs_every_order_in_which_another_judge_saw_it():
    """A judge that saw two of three shifts has an incomplete series."""
    full = _sets(["r0", "r1", "r2"], [1, 3, 2])
    part = _sets(["r0", "r1"], [1, 3]).assign(judge="k")

    series = build_series(stack(full, part)).set_index("judge")

    assert series["complete"].to_dict() == {"j": True, "k": False}


def test_without_reference_a_series_counts_for_each_candidate():
    """Grouped by candidate, a win of one is a loss of the other."""
    sides = take_sides(build_series(pairs(["FS"], reference="")), ["candidate"])

    assert sides.set_index("candidate")[["win", "loss"]].astype(int).to_dict("index") == {
        "a": {"win": 1, "loss": 0},
        "b": {"win": 0, "loss": 1},
    }


def test_without_reference_and_candidate_there_is_no_side():
    """Wins are missing, not 0, where a series has no side."""
    sides = take_sides(build_series(pairs(["FS"], reference="")), ["judge"])

    assert sides[["win", "loss"]].isna().all(axis=None)


def test_arms_are_never_pooled():
    """Where there are several arms, they are a grouping column of their own."""
    verdicts = stack(pairs(["FS"], arm="x"), pairs(["FF"], arm="y"))

    assert group_columns(verdicts, ("judge",)) == ["benchmark", "experiment", "judge", "arm"]


def test_unknown_grouping_column_is_refused_with_the_known_ones():
    """The message names the value and what is allowed."""
    with pytest.raises(ParamsError, match=r"'jugde'\n.*allowed: judge, task"):
        group_columns(pairs(["FS"]), ("jugde",))


def test_experiment_defaults_to_the_one_with_most_verdicts():
    """None takes the larger one; an unknown name is refused."""
    verdicts = stack(pairs(["FS"] * 3, experiment="full"), pairs(["FS"], experiment="repetition"))

    assert choose_experiment(verdicts)["experiment"].unique().tolist() == ["full"]
    assert len(choose_experiment(verdicts, "repetition")) == 2
    with pytest.raises(ParamsError, match="'pilot'"):
        choose_experiment(verdicts, "pilot")


def test_each_benchmark_has_its_own_largest_experiment():
    """Full is larger over all, but benchmark C has more repetitions."""
    verdicts = stack(
        pairs(["FS"] * 5, experiment="full"),
        pairs(["FS"], experiment="repetition"),
        pairs(["FS"], experiment="full").assign(benchmark="C"),
        pairs(["FS"] * 3, experiment="repetition").assign(benchmark="C"),
    )
    chosen = choose_experiment(verdicts).groupby("benchmark")["experiment"].unique()

    assert chosen.map(list).to_dict() == {"B": ["full"], "C": ["repetition"]}


def test_a_set_needs_all_its_turns_even_if_nobody_saw_them():
    """The kit's own turns are r0 to r2: without r2 nothing is complete, whatever a count asks."""
    verdicts = sets(["11-", "11-"])
    series, counts = build_series(verdicts), count_orders(verdicts)

    assert series["orders"].tolist() == [3, 3]
    assert series["incomplete"].all()
    assert judge_cells(verdicts)[["state", "needed"]].values.tolist() == [["excluded", 3]] * 2
    assert counts.labels.tolist() == [["r0", "r1", "r2"]] * 2
    assert counts.fewest().tolist() == [0, 0]


def test_orders_that_another_source_named_are_as_many_as_were_seen():
    verdicts = sets(["11-"])
    series = build_series(verdicts.assign(order="set " + verdicts["order"].astype("str")))

    assert series[["orders", "complete"]].values.tolist() == [[2, True]]
