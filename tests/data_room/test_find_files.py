"""Which files are read, what they are called, and what their names tell."""

import json

import pytest
from layout_writers import slots, write

from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ParamsError, ReadError

ROW = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
ROW |= {"winner_ab": "A", "winner_ba": "B"}
VOTES = {"candidate_names": ["x", "y"], "judge_name": "j", "verdict": "v",
         "labels": {"first": ["A"], "second": ["B"], "tie": ["C"]}}  # fmt: skip
ALIGNED = {("1", ("x", "y")): 1, ("1", ("y", "x")): 2}


def votes(path, *labels):
    return write(path, [{"v": label} for label in labels])


def test_hidden_files_are_passed_over(tmp_path):
    """A checkpoint of Jupyter's is a copy, and no repeat."""
    write(tmp_path / "pairs.jsonl", [ROW])
    for hidden in (".ipynb_checkpoints/pairs-checkpoint.jsonl", "a/._pairs.jsonl"):
        write(tmp_path / hidden, [ROW])
    reading = read_judgments("swap_columns", tmp_path)

    assert reading.files["file"].tolist() == ["pairs.jsonl"]


def test_a_hidden_folder_that_is_given_is_read(tmp_path):
    write(tmp_path / ".cache" / "pairs.jsonl", [ROW])

    assert len(read_judgments("swap_columns", tmp_path / ".cache").verdicts) == 2


def test_a_file_given_twice_is_read_once(tmp_path, monkeypatch):
    """With its folder, by another way to it, and through a link to the folder."""
    path = write(tmp_path / "d" / "pairs.jsonl", [ROW])
    (tmp_path / "link").symlink_to(tmp_path / "d")
    monkeypatch.chdir(tmp_path)
    reading = read_judgments("swap_columns", "d", path, "d/../d/pairs.jsonl", "link")

    assert reading.files["rows"].tolist() == [1]


def test_files_of_one_name_are_told_apart(tmp_path):
    """Names are paths below the folder that holds all."""
    one, two = (write(tmp_path / name / "p.jsonl", [ROW | {"judge_id": name}]) for name in "jk")
    files = read_judgments("swap_columns", one, two).files
    folders = read_judgments("swap_columns", one.parent, two.parent).files

    assert files["file"].tolist() == folders["file"].tolist() == ["j/p.jsonl", "k/p.jsonl"]


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        ("Llama-3.1-8B_vs_Phi-3.5.jsonl", "Llama-3.1-8B_vs_Phi-3.5"),
        ("v1.2/pairs.json", "pairs"),
        ("v1.2", "v1.2"),
    ],
)
def test_benchmark_is_the_name_without_a_known_ending(tmp_path, name, benchmark):
    file = name if name.endswith(("json", "jsonl")) else f"{name}/p.jsonl"
    write(tmp_path / file, [ROW])
    reading = read_judgments("swap_columns", tmp_path / name)

    assert reading.verdicts["benchmark"].unique().tolist() == [benchmark]


@pytest.mark.parametrize(
    ("plain", "swapped", "pattern"),
    [
        ("a.jsonl", "a_swap.jsonl", "*swap*"),
        ("plain/v.jsonl", "swap/v.jsonl", "*swap*"),
        ("plain/v.jsonl", "swap/v.jsonl", "swap/*"),
        ("plain/v.jsonl", "x/swap/v.jsonl", "*/swap/*"),
    ],
)
def test_pattern_of_exchanged_files(tmp_path, plain, swapped, pattern):
    """It is matched with the whole name, folders included, however the files are given."""
    files = (
        votes(tmp_path / "swap_study" / plain, "A"),
        votes(tmp_path / "swap_study" / swapped, "B"),
    )
    mapping = VOTES | {"order": {"files": pattern}}

    for given in ([tmp_path / "swap_study"], files, [file.parent for file in files]):
        assert slots(read_judgments("table", *given, mapping=mapping)) == ALIGNED


def test_exchanged_file_given_alone(tmp_path):
    """Then its path tells the folder."""
    path = votes(tmp_path / "swap" / "v.jsonl", "A")
    reading = read_judgments("table", path, mapping=VOTES | {"order": {"files": "swap/*"}})

    assert slots(reading) == {("1", ("y", "x")): 1}


def test_pattern_that_fits_no_file(tmp_path):
    """Without it, exchanged pairs would look like repeats."""
    votes(tmp_path / "v.jsonl", "A")
    votes(tmp_path / "v_exch.jsonl", "B")
    with pytest.raises(ParamsError, match=r"no file fits '\*exchange\*'") as caught:
        read_judgments("table", tmp_path, mapping=VOTES | {"order": {"files": "*exchange*"}})

    assert caught.value.allowed == "v.jsonl, v_exch.jsonl"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (r"x-vs-y(-(?P<judge>gpt4))?-reviewer", "judge"),
        (r"(?P<judge>x)-vs-y-reviewer(-(?P<repeat>\d))?", "repeat"),
    ],
)
def test_name_that_does_not_tell(tmp_path, pattern, told):
    """Neither a judge nor a repeat is guessed."""
    path = votes(tmp_path / "x-vs-y-reviewer.jsonl", "A")
    mapping = {key: value for key, value in VOTES.items() if key != "judge_name"}
    with pytest.raises(ReadError, match=f"the name of the file does not tell the {told}"):
        read_judgments("table", path, mapping=mapping | {"file_name": pattern})


def test_rows_known_by_their_number_need_partners(tmp_path):
    """A row more in one file moves all below it: refused, with the numbers."""
    votes(tmp_path / "a.jsonl", "A", "B")
    votes(tmp_path / "a_swap.jsonl", "A")
    with pytest.raises(ReadError, match=r"differ in it: a.jsonl 2, a_swap.jsonl 1") as caught:
        read_judgments("table", tmp_path, mapping=VOTES | {"order": {"files": "*swap*"}})

    assert "name the column of the question" in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*set aside")
def test_blank_line_is_a_row_where_rows_are_known_by_their_number(tmp_path):
    """The third rows stay partners."""
    votes(tmp_path / "b.jsonl", "A", "B", "C")
    text = '{"v": "B"}\n\n{"v": "A"}\n\n'
    (tmp_path / "b_swap.jsonl").write_text(text)
    reading = read_judgments("table", tmp_path, mapping=VOTES | {"order": {"files": "*swap*"}})

    assert slots(reading) == {
        ("1", ("x", "y")): 1, ("2", ("x", "y")): 2, ("3", ("x", "y")): 0,
        ("1", ("y", "x")): 2, ("3", ("y", "x")): 1,
    }  # fmt: skip
    assert reading.set_aside[["file", "line"]].values.tolist() == [["b_swap.jsonl", 2]]


def test_copy_of_a_row_in_another_file(tmp_path):
    """Files put together from others: the call is the same, and stands twice."""
    row = ROW | {"tstamp": 1.5, "judgment_ab": "[[A]]"}
    write(tmp_path / "a.jsonl", [row])
    write(tmp_path / "all.jsonl", [json.loads(json.dumps(row)), row | {"question_id": 2}])
    with pytest.warns(UserWarning, match="all.jsonl, line 1: stands twice"):
        reading = read_judgments("swap_columns", tmp_path)

    assert reading.verdicts["repeat"].unique().tolist() == [1]
