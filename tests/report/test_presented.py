"""Tables as pages show them."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from posbias_kit.report.tables import present, table_html


def test_an_interval_stands_beside_its_estimate():
    """Ends in either form join the estimate; without one they keep a column of their own."""
    frame = pd.DataFrame(
        {
            "pc_low": [0.4, np.nan], "pc": [0.5, 0.25], "pc_high": [0.6, np.nan],
            "pf": [-0.1, 0.0], "pf_min": [-0.2, -0.1], "pf_max": [0.0, 0.1],
            "boot_low": [0.1, np.nan], "boot_high": [0.2, np.nan],
            "half_low": [1.0, 2.0],
            "rank": [2, 1], "rank_low": [1.0, 1.0], "rank_high": [3.0, 2.0],
        }
    )  # fmt: skip

    assert present(frame).to_dict("list") == {
        "pc": ["0.500 [0.400, 0.600]", "0.250"],
        "pf": ["-0.100 (-0.200 to 0.000)", "0.000 (-0.100 to 0.100)"],
        "boot interval": ["[0.100, 0.200]", ""],
        "half_low": ["1", "2"],
        "rank": ["2 [1, 3]", "1 [1, 2]"],
    }


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([1 / 3, None], ["0.333", "–"]),
        ([2.0, None], ["2", "–"]),
        ([1, 2], ["1", "2"]),
        (pd.array([1, None], dtype="Int64"), ["1", "–"]),
        (["007", None], ["007", "–"]),
        ([True, False], ["yes", "no"]),
        ([["a"], []], ["['a']", "[]"]),
        ([None, None], ["–", "–"]),
        ([np.nan, np.nan], ["–", "–"]),
    ],
)
def test_values(values, shown):
    """Three decimals, none for whole numbers; gaps are dashes; ids stay as they are."""
    assert present(pd.DataFrame({"x": values}))["x"].tolist() == shown


def test_the_arm_without_a_name_is_called_plain():
    """Beside others; where there is no other, the column is left out."""
    frame = pd.DataFrame({"arm": ["", "turned", None], "note": ["", "x", ""]})

    assert present(frame)["arm"].tolist() == ["plain", "turned", "–"]
    assert present(frame)["note"].tolist() == ["", "x", ""]
    assert "arm" not in present(frame.head(1).assign(n=1))


def test_p_values_are_never_zero():
    """A small p says how small, and a column of texts called p is left alone."""
    frame = pd.DataFrame({"p": [0.0004, 0.05], "p_holm": [0.001, np.nan], "p_text": ["a", "b"]})

    assert present(frame).to_dict("list") == {
        "p": ["< .001", "0.050"],
        "p_holm": ["0.001", "–"],
        "p_text": ["a", "b"],
    }


def test_only_silent_texts_are_left_out():
    """Empty notes go; numbers that could not be estimated stay."""
    frame = pd.DataFrame({"judge": ["a"], "note": [""], "pc": [np.nan]})

    assert list(present(frame)) == ["judge", "pc"]
    assert list(present(frame.head(0))) == ["judge", "note", "pc"]


def test_a_page_says_what_it_leaves_out():
    """A long table is cut, with a word on how long it is; texts are escaped and never cut."""
    soup = BeautifulSoup(table_html(pd.DataFrame({"a": ["<b>" * 99] * 5}), rows=2), "html.parser")

    assert [cell.get_text() for cell in soup("td")] == ["<b>" * 99] * 2
    assert soup.select_one(".note").get_text() == "The first 2 of 5 rows."


def test_an_empty_table_says_so():
    """Nothing set aside reads as nothing, not as a header without rows."""
    assert table_html(pd.DataFrame(columns=["file", "line"])) == '<p class="note">No rows.</p>'


@pytest.mark.parametrize(
    ("index", "cells"), [(None, 1), (pd.Index(["r"]), 2), (pd.Index([3], name="n"), 2)]
)
def test_an_index_is_shown_where_it_says_something(index, cells):
    """Row numbers are left out, names are not."""
    html = table_html(pd.DataFrame({"a": ["x"]}, index=index))

    assert len(BeautifulSoup(html, "html.parser").tbody.tr.find_all(["td", "th"])) == cells
