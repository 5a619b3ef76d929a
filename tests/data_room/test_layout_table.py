"""A table read with a mapping: candidates, judges, labels, orders, repeats, texts."""

import pytest
from layout_writers import slots
from table_files import BASE, KINDS, LABELS, read_table, vote, without, write_table

from posbias_kit.data.judgments import read_judgments


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(tmp_path, kind):
    """The same rows from each; ids that look like numbers or like nothing stay as they are."""
    rows = [vote("left", q="007"), vote("Right ", "NA", "None"), vote("tie", q="null")]
    rows.append(vote("error", "nan", "1.0"))
    reading = read_table(tmp_path, *rows, name=f"votes.{kind}")

    assert slots(reading) == {
        ("007", ("x", "y")): 1,
        ("1", ("NA", "None")): 2,
        ("null", ("x", "y")): 0,
        ("1", ("nan", "1.0")): None,
    }
    assert reading.files[["rows", "kept"]].values.tolist() == [[4, 4]]


@pytest.mark.parametrize("kind", ["xlsx", "json", "parquet"])
def test_numbers_are_ids_and_labels(tmp_path, kind):
    """7 and 7.0 are the id 7; 1.0 and true are labels."""
    rows = [vote(1.0, a=7, b=8, q=81.0), vote(2.0, a=8, b=7, q=82.0)]
    labels = {"first": [1], "second": ["2"]}

    assert slots(read_table(tmp_path, *rows, name=f"votes.{kind}", labels=labels)) == {
        ("81", ("7", "8")): 1,
        ("82", ("8", "7")): 2,
    }


def test_labels_as_places_in_the_list_or_as_ids(tmp_path):
    """In exchanged places, the first slot is the second candidate of the list."""
    order = {"column": "swap", "exchanged": [True, "yes"], "kept": ["no"]}
    rows = [vote(swap="no"), vote(swap="TRUE", q="2"), vote("right", swap="yes", q="3")]
    by_slot = read_table(tmp_path, *rows, order=order).verdicts
    by_place = read_table(tmp_path, *rows, order=order, labels_name="candidates").verdicts
    ids = [row | {"v": "y"} for row in rows]
    mapping = BASE | {"order": order, "labels_name": "ids", "labels": {"tie": ["tie"]}}
    by_id = read_table(tmp_path, *ids, mapping=mapping).verdicts

    assert by_slot["order"].tolist() == ["AB", "BA", "BA"]
    assert by_slot["winner"].tolist() == ["x", "y", "x"]
    assert by_place["winner"].tolist() == ["x", "x", "y"]
    assert by_place["choice"].tolist() == [1, 2, 1]
    assert by_id["winner"].tolist() == ["y", "y", "y"]
    assert by_id["choice"].tolist() == [2, 1, 1]


def test_one_file_an_order(tmp_path):
    """Names spell - as _ here and there: one pair, and a real repeat under two spellings."""
    pattern = "answer[-_](?P<first>.+)-vs-answer[-_](?P<second>.+)-(?P<judge>[^-]+)-reviewer"
    rename = {"vicuna_13b": "vicuna-13b", "gpt_35": "gpt-35"}
    mapping = {"question": "question_id", "file_name": pattern, "rename": rename,
               "verdict": "score", "labels": {"first": [1], "second": [2], "tie": [3]}}  # fmt: skip
    for name, score in [
        ("answer_gpt-35-vs-answer_vicuna_13b-gpt4-reviewer.jsonl", 1),
        ("answer-gpt_35-vs-answer_vicuna-13b-gpt4-reviewer-2.jsonl", "2"),
        ("answer_vicuna-13b-vs-answer-gpt-35-gpt4-reviewer.jsonl", 3),
    ]:
        write_table(tmp_path / name, [{"question_id": 5, "score": score}])
    verdicts = read_judgments("table", tmp_path, mapping=mapping).verdicts

    assert verdicts.sort_values(["order", "repeat"])[["order", "repeat", "choice"]].values.tolist(
    ) == [["AB", 1, 2], ["AB", 2, 1], ["BA", 1, 0]]  # fmt: skip
    assert verdicts["judge"].unique().tolist() == ["gpt4"]
    assert verdicts["comparison"].unique().tolist() == ['["5","gpt-35","vicuna-13b"]']


def test_exchanged_file_aligned_by_row(tmp_path):
    """No ids: the number of the row is the question, whatever lines a cell takes up."""
    mapping = {"candidate_names": ["x", "y"], "judge_name": "j", "verdict": "v", "labels": LABELS,
               "order": {"files": "*swap*"}}  # fmt: skip
    write_table(tmp_path / "a.csv", [{"v": "left", "why": "long\ntext"}, {"v": "tie", "why": ""}])
    write_table(tmp_path / "a_swap.csv", [{"v": "left", "why": ""}, {"v": "right", "why": ""}])

    assert slots(read_judgments("table", tmp_path, mapping=mapping)) == {
        ("1", ("x", "y")): 1, ("2", ("x", "y")): 0,
        ("1", ("y", "x")): 1, ("2", ("y", "x")): 2,
    }  # fmt: skip


def test_candidates_in_one_column(tmp_path):
    """A pattern with a group for each candidate."""
    mapping = without("candidates", candidate_column="pair", candidate_pattern="(.+)_vs_(.+)")
    rows = [vote(pair="x_1_vs_y"), vote("right", pair="x and y", q="2")]
    with pytest.warns(UserWarning, match="1 of 2 rows"):
        reading = read_table(tmp_path, *rows, mapping=mapping)

    assert slots(reading) == {("1", ("x_1", "y")): 1}
    assert reading.set_aside["problem"][0] == (
        "pair is 'x and y', which does not fit the mapping's `candidate_pattern`"
    )
    assert reading.set_aside["allowed"][0] == "(.+)_vs_(.+)"


def test_lists_of_three(tmp_path):
    """Each order has a name made of the candidates' places in the alphabet."""
    labels = {"first": ["A"], "second": ["B"], "further": [["C"]]}
    rows = [vote("C", c="z"), vote("B", "z", "x", c="y"), vote("A", "z", "x", c="y")]
    verdicts = read_table(tmp_path, *rows, candidates=["a", "b", "c"], labels=labels).verdicts

    assert verdicts["order"].tolist() == ["1-2-3", "3-1-2", "3-1-2"]
    assert verdicts["winner"].tolist() == ["z", "x", "z"]
    assert verdicts["repeat"].tolist() == [1, 1, 2]


def test_several_verdict_columns(tmp_path):
    """Each is a judge named as the column, or a repeat of the one judge that is named."""
    rows = [vote("left", ann1="left", ann2="tie", ann3="")]
    columns = ["ann1", "ann2", "ann3"]
    judges = read_table(tmp_path, *rows, mapping=without("judge", verdict=columns)).verdicts
    repeats = read_table(tmp_path, *rows, verdict=columns).verdicts
    labels = read_table(
        tmp_path, *rows, mapping=without("judge", verdict=columns, labeller=True)
    ).labels

    assert judges["judge"].tolist() == columns
    assert judges["status"].tolist() == ["ok", "ok", "invalid"]
    assert repeats[["judge", "repeat"]].values.tolist() == [["gpt", 1], ["gpt", 2], ["gpt", 3]]
    assert labels[["labeller", "winner"]].values.tolist() == [["ann1", "x"], ["ann2", "TIE"]]


def test_repeat_task_turn_and_joined_question(tmp_path):
    """What else a column may tell; repeats from 0 become repeats from 1."""
    rows = [vote(k="0", t="math", turn="2", set="S"), vote(k="1", t="", turn="2", set="S")]
    more = {"repeat": "k", "repeat_from": 0, "task": "t", "turn": "turn", "question": ["set", "q"]}
    verdicts = read_table(tmp_path, *rows, **more).verdicts

    columns = ["question", "repeat", "turn"]
    assert verdicts[columns].values.tolist() == [["S/1", 1, "2"], ["S/1", 2, "2"]]
    assert verdicts["task"].iloc[0] == "math"


def test_texts(tmp_path):
    """Of the question, from two columns; of the answers, in the order of the list."""
    row = vote(i="Say it.", e="", one="Yes.", two="No\u2028.")
    order = {"column": "q", "exchanged": ["1"], "kept": ["0"]}
    more = {"question_text": ["i", "e"], "answer_texts": ["one", "two"], "order": order}
    reading = read_table(tmp_path, row, **more)

    assert reading.questions["turns"].tolist() == ['["Say it."]']
    answers = reading.answers.set_index("candidate")["turns"].to_dict()
    assert answers == {"x": '["Yes."]', "y": '["No\u2028."]'}
    assert reading.verdicts["winner"].tolist() == ["y"]
