"""The verdict table: slots become winners here and nowhere else."""

import pandas as pd
import pytest

from posbias_kit.data import build_verdicts
from posbias_kit.data.verdicts import winner_of
from posbias_kit.errors import TableError
from posbias_kit.schema import VERDICTS


def frame(shown, choice, **columns):
    rows = pd.DataFrame({"shown": shown, "choice": pd.array(choice, dtype="Int64")})
    filled = {"benchmark": "b", "task": "t", "question": "q", "judge": "j", "repeat": 1}
    rows = rows.assign(**filled)
    status = rows["choice"].notna().map({True: "ok", False: "invalid"})
    return rows.assign(status=status, **columns)


def test_winner_follows_the_slot_in_both_orders():
    shown = [("x", "y"), ("y", "x")]

    assert build_verdicts(frame(shown, [1, 1]))["winner"].tolist() == ["x", "y"]
    assert build_verdicts(frame(shown, [2, 2]))["winner"].tolist() == ["y", "x"]
    assert build_verdicts(frame(shown, [0, 0]))["winner"].tolist() == ["TIE", "TIE"]


def test_no_verdict_has_no_winner():
    table = build_verdicts(frame([("x", "y")], [None], reason="no_label"))

    assert table["winner"].isna().tolist() == [True]
    assert table["choice"].isna().tolist() == [True]
    assert table["reason"].tolist() == ["no_label"]


def test_three_slots():
    shown = [("x", "y", "z"), ("y", "z", "x")]
    table = build_verdicts(frame(shown, [3, 3], order=["r0", "r1"]))

    assert table["winner"].tolist() == ["z", "x"]


def test_pairs_and_triples_in_one_table():
    table = build_verdicts(frame([("x", "y"), ("x", "y", "z")], [2, 3], order=["", "r0"]))

    assert table["winner"].tolist() == ["y", "z"]


def test_columns_and_their_defaults():
    table = build_verdicts(frame([("x", "y")], [1]))

    assert list(table) == list(VERDICTS.columns)
    assert (table[["experiment", "turn", "arm", "reason", "candidate", "reference"]] == "").all(
        axis=None
    )
    assert table["cluster"].tolist() == ["q"]
    assert table["margin"].isna().all()


def test_a_presentation_stands_once():
    with pytest.raises(TableError, match="2 rows share a key"):
        build_verdicts(frame([("x", "y"), ("x", "y")], [1, 2]), place="my file")
    assert len(build_verdicts(frame([("x", "y")] * 2, [1, 2]).assign(repeat=[1, 2]))) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choice": [3]}, "choice is at most slots"),
        ({"choice": [-1]}, "choice = -1"),
        ({"status": ["failed"]}, "choice is given exactly where status is ok"),
        ({"status": ["done"], "choice": [pd.NA]}, "status = 'done'"),
        ({"reason": ["bored"]}, "reason = 'bored'"),
        ({"repeat": [0]}, "repeat = 0"),
        ({"mood": ["fine"]}, "unknown column 'mood'"),
    ],
)
def test_values_off_the_schema_are_named(change, message):
    with pytest.raises(TableError, match=message):
        build_verdicts(frame([("x", "y")], [1]).assign(**change))


def test_missing_columns_are_named():
    with pytest.raises(TableError, match="my file: missing column 'judge', 'repeat'"):
        build_verdicts(frame([("x", "y")], [1]).drop(columns=["judge", "repeat"]), "my file")


def test_winner_of_keeps_the_index():
    choice = pd.Series(pd.array([2, None], dtype="Int64"), index=[5, 2])
    winner = winner_of(choice, pd.Series(['["x","y"]'] * 2, index=[5, 2]))

    assert winner.index.tolist() == [5, 2]
    assert winner[5] == "y"
    assert pd.isna(winner[2])


def test_a_candidate_called_tie_is_refused():
    """The word names the winner of a tied verdict; the cure is another id."""
    with pytest.raises(TableError, match=r"a candidate is called 'TIE'\n.*\n  cure: rename"):
        build_verdicts(frame([("TIE", "y")], [1]))


def test_sets_without_order_are_named_by_their_turn():
    """X y z, y z x and z x y are turns of the sorted ids: r0, r1, r2."""
    shown = [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")]

    assert build_verdicts(frame(shown, [1, 1, 1]))["order"].tolist() == ["r0", "r1", "r2"]


def test_sets_in_other_orders_need_a_name():
    """Y x z is no turn of x y z: which rows are shown alike must be said."""
    with pytest.raises(TableError, match=r"no order for .*\n.*\n  cure: add column `order`"):
        build_verdicts(frame([("y", "x", "z")], [1]))


def test_a_choice_beyond_the_slots_names_its_row():
    """The row, the choice and what is allowed."""
    with pytest.raises(TableError, match="row 1 has choice 3 of 2\n  allowed: 1 to 2"):
        build_verdicts(frame([("x", "y")] * 2, [1, 3], repeat=[1, 2]))
