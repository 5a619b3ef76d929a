"""Numbers of groups against pandas' own."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posbias_kit.analysis import _codes
from posbias_kit.analysis._codes import number_groups

KEYS = st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.sampled_from(["x", "y", "z"]))


def _frame(rows):
    return pd.DataFrame(rows, columns=["judge", "repeat", "order"]).astype({"repeat": "Int64"})


@given(st.lists(KEYS, min_size=1))
def test_equal_to_groupby(rows):
    """The numbers are ngroup's in order of appearance, and heads are the first rows."""
    frame = _frame(rows)
    code, head = number_groups(frame, list(frame))

    assert code.tolist() == frame.groupby(list(frame), sort=False).ngroup().tolist()
    assert head.tolist() == frame.drop_duplicates().index.tolist()


@given(st.lists(KEYS, min_size=1))
def test_many_columns_do_not_overflow(rows):
    """Codes are packed whenever the next column would not fit."""
    frame = _frame(rows)
    expected = number_groups(frame, list(frame))[0].tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_codes, "_LARGEST", 3)
        assert number_groups(frame, list(frame))[0].tolist() == expected


@given(st.lists(KEYS, min_size=1))
def test_few_rows_of_many_codes(rows):
    """Where a table of all codes would be too large, a hash table gives the same."""
    frame = _frame(rows)
    expected = [part.tolist() for part in number_groups(frame, list(frame))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_codes, "_DENSE", 0)
        assert [part.tolist() for part in number_groups(frame, list(frame))] == expected


def test_missing_is_a_value_of_its_own():
    """A missing key is neither dropped nor one of the others."""
    frame = pd.DataFrame({"slots": pd.array([2, None, 2, None], dtype="Int64")})

    assert number_groups(frame, ["slots"])[0].tolist() == [0, 1, 0, 1]


def test_no_rows_have_no_groups():
    """An empty table gives two empty arrays."""
    assert [len(part) for part in number_groups(_frame([]), ["judge"])] == [0, 0]


def test_categoricals_are_numbered_like_text():
    """The type of a key column does not matter."""
    names = np.array(["k", "j", "k"])
    text, codes = pd.DataFrame({"judge": names}), pd.DataFrame({"judge": pd.Categorical(names)})

    assert number_groups(codes, ["judge"])[0].tolist() == number_groups(text, ["judge"])[0].tolist()
