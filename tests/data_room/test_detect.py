"""Which layout do files have, and what is told where they have another."""

import pandas as pd
import pytest
from layout_writers import write
from table_files import BASE, vote, write_table

from posbias_kit.data import build_verdicts, detect_layout, read_verdicts, write_verdicts
from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ParamsError, ReadError

PAIR = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
PAIR |= {"winner_ab": "A", "winner_ba": "B"}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_own_table(tmp_path, ending):
    table = pd.DataFrame({"question": ["1"], "shown": [("a", "b")], "choice": [1]})
    table = table.assign(benchmark="B", task="t", judge="j", repeat=1, status="ok")
    write_verdicts(build_verdicts(table), tmp_path / f"v.{ending}")
    found = detect_layout(tmp_path / f"v.{ending}")

    assert found["layout"][0] == "verdicts"
    assert found["fitting"].tolist()[:2] == [1, 0]


def test_record_of_the_paper(tmp_path):
    path = tmp_path / "run" / "record_gpt_3.tsv"
    path.parent.mkdir()
    path.write_text("cmp_index\tA\tB\tgpt\n1;x;y\t1\t2\t[[A]]\n")

    assert detect_layout(tmp_path)["layout"][0] == "paper"


def test_missing_and_empty_files(tmp_path):
    """One error, and a reason."""
    empty = tmp_path / "a.jsonl"
    empty.touch()
    with pytest.raises(ReadError, match=r"none\.csv: no such file or folder"):
        detect_layout(tmp_path / "none.csv")

    assert set(detect_layout(empty).query("layout != 'llmbar'")["lacks"]) >= {"a row"}
    assert detect_layout(empty)["fitting"].sum() == 0


def test_table_shows_its_columns(tmp_path):
    """And the layouts of JSON say what their files are called."""
    table = detect_layout(write_table(tmp_path / "a.csv", [vote()])).set_index("layout")

    assert table.loc["table", "lacks"] == "a mapping, which you give (columns: q, a, b, j, v)"
    assert table.loc["swap_columns", "lacks"].startswith("a file called *.jsonl or ")


def test_another_layout_is_named(tmp_path):
    """Whether its rows are refused, or only texts are found."""
    path = write(tmp_path / "a.jsonl", [PAIR])
    with pytest.raises(ReadError, match="they look like layout 'swap_columns'") as caught:
        read_judgments("fastchat_pair", path)
    assert str(caught.value).startswith(f"{path}, line 1: none of 1 rows")

    write(tmp_path / "question.jsonl", [{"question_id": 1, "turns": ["hi"]}])
    with pytest.raises(ReadError, match="texts but no judgment") as caught:
        read_judgments("fastchat_pair", tmp_path)
    assert "they look like layout 'swap_columns'" in caught.value.cure


def test_header_alone(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("q,a,b,j,v\n")
    with pytest.raises(ReadError, match="there is no row in it"):
        read_judgments("table", path, mapping=BASE)


def test_lists_of_paths(tmp_path):
    """As in a study."""
    one, two = (write(tmp_path / f"{j}.jsonl", [PAIR | {"judge_id": j}]) for j in "jk")

    assert len(read_verdicts("swap_columns", [one, str(two)])) == 4
    assert len(read_verdicts("swap_columns", (one,), two)) == 4
    assert detect_layout([one, two])["fitting"].max() == 2


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ([[]], "no path given"), ([], "no path given"), ([None], "'None' is no path but of type"),
        ([pd.DataFrame()], "of type DataFrame"), ([["a.csv", 7]], "'7' is no path"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("format", ["swap_columns", "verdicts"])
def test_what_is_no_path(format, paths, told):
    with pytest.raises(ParamsError, match=told):
        read_verdicts(format, *paths)


def test_utf_16_is_named(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame([vote()]).to_csv(path, encoding="utf-16", index=False)
    mapping = {"question": "q", "candidates": ["a", "b"], "judge": "j", "verdict": "v"}
    with pytest.raises(ReadError, match="the file looks like UTF-16") as caught:
        read_judgments("table", path, mapping=mapping | {"labels": {"first": [1], "second": [2]}})

    assert "CSV UTF-8" in caught.value.cure
