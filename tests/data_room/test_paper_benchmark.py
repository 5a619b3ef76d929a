"""Spreadsheets of questions and answers, in both layouts."""

import pandas as pd
import pytest
from paper_files import ONE_TURN, TWO_TURNS, message_of, write_book

from posbias_kit.data import read_benchmark
from posbias_kit.data.paper import read_paper_benchmark
from posbias_kit.errors import ParamsError, ReadError, TableError


def test_two_turn_spreadsheet(tmp_path):
    write_book(tmp_path, TWO_TURNS)
    questions, answers = read_paper_benchmark(tmp_path, "MTBench")

    assert questions["question"].tolist() == ["81", "007"]
    assert questions["turns"].tolist() == ['["One?", "Two?"]', '["Uno?", "Due?"]']
    assert questions["reference_answer"][0] == '["r1", "r2"]'
    assert pd.isna(questions["reference_answer"][1])
    assert questions["guidance"].isna().all()
    # "NA" and "None" are texts; one blank turn is empty text; both blank are no answer.
    assert answers[["question", "candidate", "turns"]].values.tolist() == [
        ["81", "x", '["a", "b"]'],
        ["007", "x", '["NA", "None"]'],
        ["81", "y-v1.3", '["", "c"]'],
    ]


def test_one_turn_spreadsheet(tmp_path):
    path = write_book(tmp_path, ONE_TURN, "DevBench")
    questions, answers = read_paper_benchmark(path, "DevBench")

    assert questions["turns"].tolist() == ['["Why?"]'] * 2
    assert questions["guidance"][0] == "Look at size."
    assert pd.isna(questions["guidance"][1])
    assert questions["cluster"].tolist() == ["q_uml-a", "q_uml-a"]
    assert answers["candidate"].unique().tolist() == ["human", "gpt"]
    assert read_benchmark("paper", tmp_path, "DevBench").answers.equals(answers)


def test_numbers_in_cells_become_text(tmp_path):
    path = write_book(tmp_path, {**ONE_TURN, "index": [81, 82]})

    assert read_paper_benchmark(path, "DevBench").questions["question"].tolist() == ["81", "82"]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({**ONE_TURN, "index": ["q", "q"]}, TableError, "2 rows share a key"),
        ({**ONE_TURN, "index": ["q", ""]}, TableError, "index is blank in row 3"),
        ({**ONE_TURN, "question": ["", "q"]}, TableError, "question is blank in row 2"),
        ({"index": ["1"], "task": ["t"], "question": ["q"]}, TableError, "'answer-<candidate>'"),
        ({"task": ["t"], "question": ["q"], "answer-x": ["a"]}, TableError, "column 'index'"),
        ({**TWO_TURNS, "answer_1-z": ["a", "b"]}, TableError, "missing column 'answer_2-z'"),
        (pd.DataFrame(columns=list(ONE_TURN)), ReadError, "no rows"),
    ],
)
def test_spreadsheet_errors_name_file_and_value(tmp_path, columns, error, message):
    path = write_book(tmp_path, columns)
    told = message_of(error, read_paper_benchmark, path, "MTBench")

    assert message in told
    assert "data.xlsx" in told


def test_spreadsheets_not_found(tmp_path):
    book = tmp_path / "broken.xlsx"
    book.write_text("no zip")

    assert "no spreadsheet found" in message_of(
        ReadError, read_paper_benchmark, tmp_path, "MTBench"
    )
    assert "not readable as a spreadsheet" in message_of(
        ReadError, read_paper_benchmark, book, "MTBench"
    )
    assert "no such file" in message_of(
        ReadError, read_paper_benchmark, tmp_path / "none.xlsx", "MTBench"
    )
    assert "allowed: MTBench, DevBench" in message_of(
        ParamsError, read_paper_benchmark, book, "Mine"
    )
