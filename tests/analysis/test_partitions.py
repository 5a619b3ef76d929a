"""Tables from partitions against the same tables from one piece."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis import (
    partition_tables,
    position_bias,
    repetition_stability,
    verdict_counts,
)
from posbias_kit.analysis.half import ONE_ORDER
from posbias_kit.data import partition_verdicts
from posbias_kit.errors import ParamsError, ReadError, TableError

CONVENTIONS = ("paper", "tie", "decisive", "half")
GROUPINGS = [("judge",), ("judge", "task"), ("judge", "candidate", "task"), ("task", "turn")]


def _codes(rng, count):
    letters = rng.choice(list("FSTIX"), p=[0.5, 0.3, 0.1, 0.05, 0.05], size=(count, 2))
    return ["EE" if number % 17 == 0 else "".join(pair) for number, pair in enumerate(letters)]


@pytest.fixture(scope="module")
def verdicts():
    """Three judges that lean differently, three repeats, two tasks, some identical answers."""
    rng = np.random.default_rng(7)
    tables = [
        pairs(_codes(rng, 60), judge=judge, repeat=repeat)
        for judge in ("j", "k", "l")
        for repeat in (1, 2, 3)
    ]
    table = stack(*tables)
    number = table["question"].str[1:].astype(int)
    # Five questions share their answers' texts with the next: one cluster, two partitions.
    cluster = "q" + (number - (number % 12 == 1)).astype(str)
    return table.assign(task=np.where(number % 3, "t", "u"), cluster=cluster.astype("str"))


def _cut(verdicts, folder, number=5):
    partition_verdicts(verdicts, folder, number)
    return folder


def _whole(verdicts, by, **settings):
    draws = {"draws": 200, "seed": 3}
    return (
        position_bias(verdicts, by, **draws, **settings),
        repetition_stability(verdicts, by, **draws),
        verdict_counts(verdicts, (*by, "order")),
    )


def _same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert len(other)
        assert_frame_equal(one, other, rtol=1e-12)


@pytest.mark.parametrize("by", GROUPINGS)
def test_equal_to_the_whole(verdicts, tmp_path, by):
    """Every number is that of the table in memory, clusters in two partitions included."""
    found = partition_tables(_cut(verdicts, tmp_path / "v"), by, CONVENTIONS, draws=200, seed=3)

    _same(found, _whole(verdicts, by, convention=CONVENTIONS))


def test_numbers_by_hand(tmp_path):
    """Of three pairs one leans to the first slot; each lies in a file of its own."""
    for number, code in enumerate(("FS", "FF", "SF")):
        pairs([code], questions=[f"q{number}"]).to_parquet(tmp_path / f"{number}.parquet")
    bias, stability, counts = partition_tables(tmp_path, draws=0)

    assert bias[["comparisons", "complete", "consistent", "primacy_full"]].values.tolist() == [
        [3, 3, 2, 1]
    ]
    assert bias["pc"].item() == pytest.approx(2 / 3)
    assert bias["pf"].item() == pytest.approx(-1 / 3)
    assert stability[["presentations", "rs_n"]].values.tolist() == [[6, 0]]
    assert counts[["order", "asked", "slot_1", "slot_2"]].values.tolist() == [
        ["AB", 3, 2, 1],
        ["BA", 3, 2, 1],
    ]


def test_arms_and_sizes_apart(verdicts, tmp_path):
    """Arms and set sizes that one partition alone has are told in the tables of all."""
    lists = sets(["123", "111", "000"]).replace({"question": {"q0": "s0", "q1": "s1", "q2": "s2"}})
    lists = lists.assign(cluster=lists["question"])
    arm = verdicts[verdicts["question"] == "q4"].assign(arm="short")
    table = stack(verdicts, lists, arm)
    found = partition_tables(_cut(table, tmp_path / "v"), draws=200, seed=3)

    assert {"arm", "slots"} <= set(found.position_bias)
    _same(found, _whole(table, ("judge",)))


def test_ties_of_another_partition(tmp_path):
    """TIE is an option, and lowers the chance level, where any partition has one."""
    for number, code in enumerate(("FS", "TT")):
        both = stack(*(pairs([code], questions=[f"q{number}"], repeat=r) for r in (1, 2)))
        both.to_parquet(tmp_path / f"{number}.parquet")

    # Of two guesses among three options: 1 with chance 1/3, else 1/2.
    assert partition_tables(tmp_path).repetition_stability["rs_chance"].item() == pytest.approx(
        1 / 3 + 2 / 3 / 2
    )


def test_one_order_everywhere(tmp_path):
    """Where each comparison was shown in one order, the note says why pc is missing."""
    table = pairs(["F-", "-S", "F-", "-F", "S-"])
    found = partition_tables(_cut(table, tmp_path / "once"))
    mixed = partition_tables(_cut(pairs(["F-", "-S", "FI", "IS"]), tmp_path / "mixed"))

    assert found.position_bias["note"].tolist() == [ONE_ORDER]
    assert mixed.position_bias["note"].tolist() == ["no complete series"]


def test_a_question_in_two_files_is_refused(verdicts, tmp_path):
    """Its series could be torn; the question and both files are named."""
    folder = _cut(verdicts, tmp_path / "v")
    verdicts[verdicts["question"] == "q8"].iloc[:2].to_parquet(folder / "more.parquet")

    with pytest.raises(TableError, match=r"question 'q8' of benchmark 'B' lies in .* and ") as said:
        partition_tables(folder)
    assert "more.parquet" in str(said.value)


def test_doubled_verdicts_name_the_file(tmp_path):
    """A key that stands twice is refused as in memory, with the file's name."""
    table = pairs(["FS"])
    stack(table, table).to_parquet(tmp_path / "twice.parquet")

    with pytest.raises(TableError, match=r"twice\.parquet, verdicts: 2 rows repeat the key"):
        partition_tables(tmp_path)


def test_broken_files_are_named(tmp_path):
    """No folder, no file in it, a missing column, a value that is not allowed."""
    with pytest.raises(ReadError, match="no such file"):
        partition_tables(tmp_path / "nowhere")
    with pytest.raises(ReadError, match="no Parquet file here"):
        partition_tables(tmp_path)
    path = tmp_path / "a.parquet"
    pairs(["FS"]).drop(columns="order").to_parquet(path)
    with pytest.raises(TableError, match=r"a\.parquet: missing column 'order'"):
        partition_tables(tmp_path)
    pairs(["FS"]).assign(status="fine").to_parquet(path)
    with pytest.raises(TableError, match=r"a\.parquet: .*status = 'fine'"):
        partition_tables(tmp_path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(ReadError, match=r"a\.parquet: not readable"):
        partition_tables(tmp_path)


def test_settings_are_checked_first(tmp_path):
    """A wrong setting is told before anything is read."""
    for wrong in ({"convention": "mine"}, {"level": 95}, {"draws": -1}):
        with pytest.raises(ParamsError):
            partition_tables(tmp_path / "nowhere", **wrong)


def test_an_empty_partition_adds_nothing(verdicts, tmp_path):
    """A file without rows changes no number."""
    folder = _cut(verdicts, tmp_path / "v")
    before = partition_tables(folder, draws=0)
    verdicts.iloc[:0].to_parquet(folder / "empty.parquet")

    _same(partition_tables(folder, draws=0), before)


def test_each_question_in_one_file(verdicts, tmp_path):
    """Nothing is lost, and rows stay in their order; a file gives what a table gives."""
    files = partition_verdicts(verdicts, tmp_path / "table", 4)
    verdicts.to_parquet(tmp_path / "whole.parquet", index=False)
    again = partition_verdicts(tmp_path / "whole.parquet", tmp_path / "file", 4)
    parts = [pd.read_parquet(file) for file in files]

    held = pd.concat([part["question"].drop_duplicates() for part in parts])
    assert len(files) == 4
    assert held.is_unique
    for part, twin in zip(parts, again, strict=True):
        expected = verdicts[verdicts["question"].isin(part["question"])]
        assert_frame_equal(part, expected.reset_index(drop=True))
        assert_frame_equal(part, pd.read_parquet(twin))


def test_no_folder_is_written_over(verdicts, tmp_path):
    """What is there stays; a wrong number of files is refused."""
    with pytest.raises(ParamsError, match="is there already"):
        partition_verdicts(verdicts, tmp_path)
    for wrong in (0, 2.5):
        with pytest.raises(ParamsError, match="partitions"):
            partition_verdicts(verdicts, tmp_path / "v", wrong)
    assert list(tmp_path.iterdir()) == []
