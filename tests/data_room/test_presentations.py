"""Identity of a presentation."""

import pandas as pd
import pytest

from posbias_kit.data.presentations import identify
from posbias_kit.errors import TableError


def frame(*shown, **columns):
    rows = pd.DataFrame({"question": ["q"] * len(shown), "shown": list(shown)})
    return rows.assign(**columns)


def test_comparison_is_the_same_in_both_orders():
    table = identify(frame(("y", "x"), ("x", "y")))

    assert table["comparison"].tolist() == ['["q","x","y"]'] * 2
    assert table["shown"].tolist() == ['["y","x"]', '["x","y"]']
    assert table["slots"].tolist() == [2, 2]


def test_without_a_reference_order_ab_shows_the_smaller_id_first():
    table = identify(frame(("x", "y"), ("y", "x")))

    assert table["order"].tolist() == ["AB", "BA"]
    assert (table[["candidate", "reference"]] == "").all(axis=None)


def test_with_a_reference_order_ab_shows_the_other_candidate_first():
    # "a" sorts first, but it is the reference.
    table = identify(frame(("z", "a"), ("a", "z"), reference="a"))

    assert table["order"].tolist() == ["AB", "BA"]
    assert table["candidate"].tolist() == ["z", "z"]
    assert table["reference"].tolist() == ["a", "a"]


def test_a_reference_that_is_not_shown_is_none():
    table = identify(frame(("x", "y"), reference="human"))

    assert table[["order", "candidate", "reference"]].values.tolist() == [["AB", "", ""]]


def test_three_slots_keep_the_given_order():
    table = identify(frame(("z", "x", "y"), ("x", "y"), order=["r2", "given"]))

    assert table["comparison"].tolist() == ['["q","x","y","z"]', '["q","x","y"]']
    assert table["slots"].tolist() == [3, 2]
    assert table["order"].tolist() == ["r2", "AB"]


def test_index_and_ids_survive():
    rows = pd.DataFrame({"question": ["1;2", 'say "no"'], "shown": [("é", "ü"), ("a;b", "a")]})
    table = identify(rows.set_axis([7, 3]))

    assert table.index.tolist() == [7, 3]
    assert table["comparison"].tolist() == ['["1;2","é","ü"]', '["say \\"no\\"","a","a;b"]']


@pytest.mark.parametrize("shown", [("x", "x"), ("x",), ("x", "y", "x")])
def test_the_candidates_of_a_presentation_differ(shown):
    with pytest.raises(TableError, match="two or more different candidates"):
        identify(frame(shown))
