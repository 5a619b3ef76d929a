"""Verdict tables out and in again."""

import pandas as pd
import pytest

from posbias_kit.data import build_verdicts, read_judgments, read_verdicts, write_verdicts
from posbias_kit.errors import ParamsError, ReadError, TableError


def _verdicts(rows):
    """Each row: (question, shown, repeat, choice or None)."""
    table = pd.DataFrame(rows, columns=["question", "shown", "repeat", "choice"])
    table["status"] = table["choice"].notna().map({True: "ok", False: "failed"})
    table["reason"] = table["choice"].notna().map({True: "", False: "timeout"})
    table["choice"] = table["choice"].astype("Int64")
    table = table.assign(benchmark="B", task="NA", judge="None", order=table["shown"].map(str))
    return build_verdicts(table)


PAIRS = _verdicts(
    [
        ("007", ("null", "b"), 1, 1), ("007", ("b", "null"), 1, 0),
        ("007", ("null", "b"), 2, 2), ("007", ("b", "null"), 2, None),
        ("8", ("b", "null"), 1, 2),
    ]
)  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_own_tables_come_back_as_they_were(tmp_path, ending):
    """Names like NA and null, and ids like 007, survive; a missing choice stays missing."""
    path = tmp_path / f"v.{ending}"

    assert write_verdicts(PAIRS, path) == 0
    pd.testing.assert_frame_equal(read_verdicts("verdicts", path), PAIRS)


def test_fastchat_pairs_come_back(tmp_path):
    """Whole series are written, one row each; the verdict that stands alone is counted."""
    path = tmp_path / "pairs.jsonl"

    assert write_verdicts(PAIRS, path) == 1
    found = read_judgments("fastchat_pair", path).verdicts
    key = ["question", "judge", "shown", "repeat"]
    told = PAIRS[PAIRS["question"] == "007"].set_index(key)["winner"]
    pd.testing.assert_series_equal(found.set_index(key)["winner"].sort_index(), told.sort_index())
    assert found["task"].unique().tolist() == ["NA"]


def test_fastchat_pairs_have_a_category_where_there_is_a_task(tmp_path):
    """The word for no task is not written."""
    path = tmp_path / "pairs.jsonl"
    write_verdicts(PAIRS.assign(task="all"), path)

    assert "category" not in path.read_text()


def test_identical_answers_are_left_out_and_counted(tmp_path):
    """Nobody was asked: that is no error of the judge's."""
    path = tmp_path / "pairs.jsonl"
    same = PAIRS[PAIRS["repeat"] == 2].assign(status="identical", choice=pd.NA, winner=None)
    asked = PAIRS[(PAIRS["repeat"] == 1) & (PAIRS["question"] == "007")]

    assert write_verdicts(pd.concat([asked, same], ignore_index=True), path) == 2
    assert len(read_judgments("fastchat_pair", path).verdicts) == 2


@pytest.mark.parametrize("name", ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b", " a ", "1"])
def test_any_id_comes_back_from_csv(tmp_path, name):
    """A lone carriage return, too."""
    path = tmp_path / "v.csv"
    table = _verdicts([(name, (name, "z"), 1, 1), ("8", ("z", name), 1, None)])
    write_verdicts(table, path)

    pd.testing.assert_frame_equal(read_verdicts("verdicts", path), table)


def test_lists_do_not_fit_into_pairs(tmp_path):
    lists = _verdicts([("1", ("a", "b", "c"), 1, 3)])

    with pytest.raises(TableError, match="1 verdicts are on three or more answers"):
        write_verdicts(lists, tmp_path / "v.jsonl")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ParamsError, match=r"cannot write \.txt"):
        write_verdicts(PAIRS, tmp_path / "v.txt")


@pytest.mark.parametrize("content", [b"", b"a,b\n1", b"\xff\xfe"])
def test_broken_tables_are_refused(tmp_path, content):
    path = tmp_path / "v.csv"
    path.write_bytes(content)

    with pytest.raises((ReadError, TableError)):
        read_verdicts("verdicts", path)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"choice": 5}, "choice"), ({"status": "nix"}, "status"), ({"winner": "b"}, "winner"),
        ({"winner": None}, "winner"), ({"judge": ""}, "judge"), ({"slots": 3}, "slots"),
        ({"shown": "b"}, "shown"), ({"choice": None}, "missing column 'choice'"),
    ],
)  # fmt: skip
def test_tables_that_contradict_themselves_are_neither_written_nor_read(
    tmp_path, ending, wrong, told
):
    """A row is named; a table without verdicts is none."""
    table = PAIRS.head(1).assign(**wrong)
    table = table.drop(columns="choice") if told.startswith("missing") else table
    with pytest.raises(TableError, match=told):
        write_verdicts(table, tmp_path / f"v.{ending}")
    if ending == "csv":
        table.to_csv(tmp_path / "v.csv", index=False)
        with pytest.raises(TableError, match=told):
            read_verdicts("verdicts", tmp_path / "v.csv")


def test_no_verdicts_are_no_table(tmp_path):
    with pytest.raises(TableError, match="there is no verdict to write"):
        write_verdicts(PAIRS.head(0), tmp_path / "v.csv")

    assert list(tmp_path.iterdir()) == []


def test_the_ending_may_be_told_apart_from_the_path(tmp_path):
    """In any case; without one, the path that stands for it is not blamed."""
    assert write_verdicts(PAIRS, tmp_path / "V.CSV") == 0
    assert len(read_verdicts("verdicts", tmp_path / "V.CSV")) == len(PAIRS)
    with pytest.raises(ParamsError, match=r"^the output: cannot write a file without an ending"):
        write_verdicts(PAIRS, tmp_path / ".v.1.tmp", "")
