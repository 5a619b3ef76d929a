"""Files of a run: whole or not at all, tables that keep their types."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from posbias_kit.errors import ReadError, TableError
from posbias_kit.report.files import digest_tree, read_csv, replacing, write_csv

MIXED = pd.DataFrame(
    {
        "judge": ["007", "NA", "1e5"],
        "note": ['a "b", c\nd', None, "true"],
        "pc": [0.1 + 0.2, np.nan, 1e-300],
        "series": [3, 2**53 + 1, 0],
        "fair": [True, False, True],
        "repeat": pd.array([1, None, 3], dtype="Int64"),
        "nothing": [np.nan] * 3,
    }
)


def test_table_keeps_its_types(tmp_path):
    """Ids that look like numbers or gaps stay text; numbers keep every digit; gaps stay gaps."""
    write_csv(MIXED, tmp_path / "t.csv")

    got = read_csv(tmp_path / "t.csv")

    assert got["judge"].tolist() == ["007", "NA", "1e5"]
    assert got["note"].tolist()[0] == 'a "b", c\nd'
    assert got["note"].isna().tolist() == [False, True, False]
    assert got["pc"].tolist()[::2] == [0.1 + 0.2, 1e-300]
    assert got["series"].tolist() == [3, 2**53 + 1, 0]
    assert got["fair"].tolist() == [True, False, True]
    assert got["repeat"].tolist()[::2] == [1, 3]
    assert got["pc"].isna().tolist() == got["repeat"].isna().tolist() == [False, True, False]
    assert got["nothing"].isna().all()


def test_table_is_plain_utf8(tmp_path):
    """Another program reads the same table: a header, no index, UTF-8."""
    frame = pd.DataFrame({"judge": ["你好 🙂"], "pc": [0.5]})
    write_csv(frame, tmp_path / "t.csv")

    assert (tmp_path / "t.csv").read_bytes() == '"judge","pc"\n"你好 🙂",0.5\n'.encode()
    assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), frame)


@pytest.mark.parametrize("frame", [MIXED.iloc[:0], MIXED[["pc"]], pd.DataFrame({"a": [""]})])
def test_edges_come_back(tmp_path, frame):
    """No rows, one column with a gap, and empty text survive."""
    write_csv(frame, tmp_path / "t.csv")

    got = read_csv(tmp_path / "t.csv")

    assert got.shape == frame.shape
    assert got.isna().to_numpy().tolist() == frame.isna().to_numpy().tolist()


def test_hand_made_table_is_read(tmp_path):
    """Without quotes, what is not a number is text; a byte-order mark is no part of a name."""
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfjudge,pc\r\na,0.5\r\nb,\r\n")

    got = read_csv(tmp_path / "t.csv")

    assert got["judge"].tolist() == ["a", "b"]
    assert got["pc"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (MIXED.set_index("judge"), "the index 'judge' would be lost"),
        (pd.DataFrame({"a": [[1, 2]]}), "cannot be written as CSV"),
    ],
)
def test_lossy_table_is_refused(tmp_path, frame, match):
    """An index with a name and cells that hold lists are refused, and nothing is written."""
    with pytest.raises(TableError, match=match):
        write_csv(frame, tmp_path / "t.csv")

    assert list(tmp_path.iterdir()) == []


def test_missing_table_is_named(tmp_path):
    """A table that is not there is refused with its path."""
    with pytest.raises(ReadError, match=r"t\.csv: no such table"):
        read_csv(tmp_path / "t.csv")


def test_failed_write_leaves_the_old_file(tmp_path):
    """A writer that fails half-way changes nothing and leaves nothing behind."""
    path = tmp_path / "t.txt"
    path.write_text("old")

    def fail():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_later_file_is_newer(tmp_path):
    """Files written one after the other have times in that order."""
    names = [f"{n}.txt" for n in "zmacb"]
    for name in names:
        with replacing(tmp_path / name) as temporary:
            temporary.write_text(name)

    assert sorted(names, key=lambda n: (tmp_path / n).stat().st_mtime_ns) == names


def test_hidden_files_have_no_digest(tmp_path):
    """What a version control system keeps for itself is no input."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("x")
    (tmp_path / "a.txt").write_text("x")

    assert list(digest_tree(tmp_path)) == ["a.txt"]
