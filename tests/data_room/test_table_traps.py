"""Tables as people keep them: sheets, separators, copies, blanks, scores, case."""

import pandas as pd
import pytest
import yaml
from layout_writers import slots
from table_files import BASE, read_table, vote, without, write_table

from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ParamsError, ReadError


def book(path, **sheets):
    with pd.ExcelWriter(path) as writer:
        for name, rows in sheets.items():
            pd.DataFrame(rows).to_excel(writer, sheet_name=name, index=False)
    return path


def test_one_of_several_sheets_is_named(tmp_path):
    """None is taken for the others; the mapping says which one."""
    path = book(tmp_path / "a.xlsx", one=[vote()], two=[vote("right"), vote(q="2")])
    with pytest.raises(ReadError, match="2 sheets hold something") as caught:
        read_judgments("table", path, mapping=BASE)
    with pytest.raises(ReadError, match="no sheet 'three'"):
        read_judgments("table", path, mapping=BASE | {"sheet": "three"})

    assert caught.value.allowed == "'one', 'two'"
    assert "in the mapping: `sheet`" in caught.value.cure
    assert len(read_judgments("table", path, mapping=BASE | {"sheet": "two"}).verdicts) == 2


def test_empty_sheets_do_no_harm(tmp_path):
    path = book(tmp_path / "a.xlsx", notes=[], data=[vote()])

    assert len(read_judgments("table", path, mapping=BASE).verdicts) == 1


def test_title_above_the_header(tmp_path):
    """The message shows what was taken for the header, and the sheet."""
    path = tmp_path / "a.xlsx"
    rows = [("My votes", *[None] * 4), tuple(vote()), tuple(vote().values())]
    pd.DataFrame(rows).to_excel(path, sheet_name="S", header=False, index=False)
    with pytest.raises(
        ReadError, match=r"5 cells, but the header has 1 \(line 1: My votes\)"
    ) as caught:
        read_judgments("table", path, mapping=BASE)

    assert "delete what stands above the header of sheet 'S'" in caught.value.cure


def test_merged_cells(tmp_path):
    """Only the first of them is filled; nothing is filled down."""
    with pytest.warns(UserWarning, match="line 3: q is None"):
        reading = read_table(tmp_path, vote(), vote(q=None), name="a.xlsx")

    assert "unmerge them, and fill down" in reading.set_aside["cure"][0]


@pytest.mark.parametrize(("separator", "word"), [(";", ";"), ("\t", "tab"), ("|", "|")])
def test_other_separators(tmp_path, separator, word):
    """The message offers the key that reads the file."""
    path = tmp_path / "a.csv"
    pd.DataFrame([vote()]).to_csv(path, sep=separator, index=False)
    with pytest.raises(ParamsError, match="no column 'q'") as caught:
        read_judgments("table", path, mapping=BASE)

    assert "`separator: " in caught.value.cure
    assert yaml.safe_load(caught.value.cure.split("`")[1]) == {"separator": word}
    assert len(read_judgments("table", path, mapping=BASE | {"separator": word}).verdicts) == 1


def test_pasted_rows_stand_twice(tmp_path):
    """Rows that are equal in every column are one vote."""
    rows = [vote(), vote(q="2"), vote("right", q="3"), vote(), vote("right", q="3")]
    with pytest.warns(UserWarning, match="2 of 5 rows set aside.*line 5: stands twice"):
        reading = read_table(tmp_path, *rows)

    assert reading.set_aside["line"].tolist() == [5, 6]
    assert reading.verdicts["repeat"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "rows",
    [
        [vote(), vote(), vote("right")],  # the same vote may come twice where votes differ
        [vote(w="1"), vote(w="2"), vote(w="3")],  # another column tells them apart
    ],
)
def test_repeats_without_a_number_stay(tmp_path, rows):
    assert read_table(tmp_path, *rows).verdicts["repeat"].tolist() == [1, 2, 3]


def test_copy_of_a_file_stands_twice(tmp_path):
    """The same rows in another kind of file; a run that differs anywhere is a repeat."""
    rows = [vote(), vote("right", q="2")]
    write_table(tmp_path / "a.csv", rows)
    write_table(tmp_path / "a (1).xlsx", rows[::-1])
    with pytest.warns(UserWarning, match="2 of 4 rows set aside"):
        reading = read_judgments("table", tmp_path, mapping=BASE)
    write_table(tmp_path / "a (1).xlsx", [vote(), vote("tie", q="2")])

    assert reading.verdicts["repeat"].tolist() == [1, 1]
    assert read_judgments("table", tmp_path, mapping=BASE).verdicts["repeat"].max() == 2


def test_locks_of_excel_are_passed_over(tmp_path):
    write_table(tmp_path / "a.xlsx", [vote()])
    (tmp_path / "~$a.xlsx").write_bytes(b"lock")

    assert read_judgments("table", tmp_path, mapping=BASE).files["file"].tolist() == ["a.xlsx"]


def test_outer_blanks_make_no_names(tmp_path):
    """Of questions, candidates, judges, tasks, turns and repeats."""
    rows = [vote(t="a"), vote("right", " y", "x\t", "1 ", " gpt\xa0", t=" a ")]
    verdicts = read_table(tmp_path, *rows, task="t").verdicts

    assert verdicts["comparison"].nunique() == 1
    assert verdicts[["judge", "task"]].drop_duplicates().values.tolist() == [["gpt", "a"]]
    assert verdicts["order"].tolist() == ["AB", "BA"]


def test_blank_candidate_is_told_by_its_column(tmp_path):
    with pytest.warns(UserWarning, match="line 3: b is ''"):
        read_table(tmp_path, vote(), vote(b=" "))


def test_a_name_to_be_spelt_otherwise_must_occur(tmp_path):
    """Or the typo leaves two candidates where there is one."""
    with pytest.raises(ParamsError, match="no candidate or judge is called 'm3'"):
        read_table(tmp_path, vote(), rename={"m3": "x"})
    rename = {"gpt": "gpt-4", "y": "z"}

    assert read_table(tmp_path, vote(), rename=rename).verdicts["judge"].tolist() == ["gpt-4"]


def test_case_tells_labels_apart(tmp_path):
    """As AlpacaEval's m and M; the message shows labels as given."""
    rows = [vote("m"), vote("M", q="2"), vote("TIE", q="3"), vote("X", q="4")]
    with pytest.warns(UserWarning, match="1 of 4"):
        reading = read_table(
            tmp_path, *rows, labels={"first": ["m"], "second": ["M"], "tie": ["Tie"]}
        )

    assert reading.verdicts["choice"].tolist() == [1, 2, 0]
    assert reading.set_aside["allowed"].tolist() == ["m, M, Tie"]


def test_yes_and_no_without_quotes(tmp_path):
    """YAML takes them for true and false; the cure says so."""
    labels = yaml.safe_load("{first: [yes], second: [no]}")
    with pytest.raises(ReadError, match="v is 'yes'") as caught:
        read_table(tmp_path, vote("yes"), labels=labels)

    assert "quote yes, no, on and off in the mapping" in caught.value.cure


SCORES = without("verdict", "labels", scores=["s", "t"])


def test_two_scores(tmp_path):
    """The higher one wins, equal ones tie, and without both there is no verdict."""
    order = {"column": "v", "exchanged": ["yes"], "kept": ["no"]}
    rows = [
        vote("no", q="1", s="9", t="8.5"), vote("yes", q="1", s="9", t="8.5"),
        vote("no", q="2", s="7", t="7.0"), vote("no", q="3", s="", t="7"),
    ]  # fmt: skip
    reading = read_table(tmp_path, *rows, mapping=SCORES | {"order": order})

    assert slots(reading) == {
        ("1", ("x", "y")): 1, ("1", ("y", "x")): 2, ("2", ("x", "y")): 0, ("3", ("x", "y")): None
    }  # fmt: skip
    told = reading.scores[reading.scores["question"] == "1"]
    assert told[["candidate", "repeat", "score"]].values.tolist() == [
        ["x", 1, 9], ["y", 1, 8.5], ["x", 2, 9], ["y", 2, 8.5]
    ]  # fmt: skip
    assert reading.scores["reason"].tolist()[-2:] == ["no_label", ""]


def test_a_score_that_is_none(tmp_path):
    with pytest.warns(UserWarning, match="line 3: s is '8,5'"):
        read_table(tmp_path, vote(s="8", t="9"), vote(s="8,5", t="9", q="2"), mapping=SCORES)


def test_mapping_in_a_file(tmp_path):
    """As on the command line; what is wrong in it is told with the file."""
    path = write_table(tmp_path / "votes.csv", [vote()])
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(yaml.safe_dump(BASE))
    bad.write_text(yaml.safe_dump(without("labels")))

    assert len(read_judgments("table", path, mapping=good).verdicts) == 1
    assert len(read_judgments("table", path, mapping=str(good)).verdicts) == 1
    with pytest.raises(ParamsError, match=r"bad.yaml: labels needs first and second"):
        read_judgments("table", path, mapping=bad)
    with pytest.raises(ReadError, match=r"none\.yaml: not readable as YAML"):
        read_judgments("table", path, mapping=tmp_path / "none.yaml")


def test_blanks_around_a_column_are_shown(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("q, a ,b,j,v\n1,x,y,j,left\n")
    with pytest.raises(ParamsError, match="no column 'a'") as caught:
        read_judgments("table", path, mapping=BASE)

    assert caught.value.allowed == "q, ' a ', b, j, v"
