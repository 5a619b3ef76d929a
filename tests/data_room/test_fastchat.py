"""A FastChat folder: what is read, and what each broken folder is told."""

import json

import pytest

from posbias_kit.data import read_benchmark
from posbias_kit.data.fastchat import read_fastchat
from posbias_kit.errors import ReadError


def question(id, turns=("Why?",), **more):
    return {"question_id": id, "category": "math", "turns": list(turns), **more}


def answer(id, *turns, **more):
    return {"question_id": id, "choices": [{"index": 0, "turns": list(turns)}], **more}


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "question.jsonl", question(81, ("One?", "Two?")), question("007"))
    write(
        tmp_path / "model_answer" / "a.jsonl",
        answer("81", "1", "2", model_id="model-a"),
        answer("007", "three", model_id="model-a"),
    )
    write(tmp_path / "model_answer" / "b-13b.v1.jsonl", answer(81, "x", "y"))
    return tmp_path


def test_questions_and_answers(folder):
    questions, answers = read_fastchat(folder, "Mine")

    assert questions["question"].tolist() == ["81", "007"]
    assert questions["task"].tolist() == ["math", "math"]
    assert questions["turns"].tolist() == ['["One?", "Two?"]', '["Why?"]']
    assert questions["benchmark"].unique().tolist() == ["Mine"]
    assert questions["reference_answer"].isna().all()
    # Without a model_id the candidate is called as the file.
    assert answers[["question", "candidate", "turns", "length"]].values.tolist() == [
        ["81", "model-a", '["1", "2"]', 2],
        ["007", "model-a", '["three"]', 5],
        ["81", "b-13b.v1", '["x", "y"]', 2],
    ]


def test_reference_answers_win_over_the_reference_of_the_question(folder):
    write(
        folder / "question.jsonl",
        question(81, ("One?", "Two?"), reference=["r1", "r2"]),
        question("007", reference="seven"),
    )
    write(folder / "reference_answer" / "gpt-4.jsonl", answer(81, "R1", "R2", model_id="gpt-4"))

    references = read_fastchat(folder, "Mine").questions["reference_answer"]

    assert references.tolist() == ['["R1", "R2"]', '["seven"]']


def test_byte_order_mark_carriage_returns_blank_lines_and_line_separators(folder):
    rows = [question(81, ("One\u2028?", "Two?")), question("007")]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / "question.jsonl").write_bytes(("\ufeff" + "\r\n\r\n".join(lines)).encode())

    questions = read_fastchat(folder, "Mine").questions

    assert questions["turns"].tolist() == ['["One\u2028?", "Two?"]', '["Why?"]']


def test_by_name(folder):
    assert read_benchmark("fastchat", folder, "Mine").answers.equals(
        read_fastchat(folder, "Mine").answers
    )


@pytest.mark.parametrize(
    ("file", "rows", "message"),
    [
        ("question.jsonl", [question(1), question("1")], "line 2: question_id '1' stands twice"),
        ("question.jsonl", [question(None)], "line 1: question_id is None"),
        ("question.jsonl", [{"question_id": 1, "turns": ["?"]}], "category is None"),
        ("question.jsonl", [question(1, [])], "line 1: turns is '[]'"),
        ("question.jsonl", [], "question.jsonl: the file is empty"),
        ("model_answer/c.jsonl", [answer(82, "z")], "line 1: unknown question_id '82'"),
        ("model_answer/c.jsonl", [answer("007", "z")] * 2, "line 2: the answer of 'c' to '007'"),
        (
            "model_answer/c.jsonl",
            [answer("007", "z", model_id="model-a")],
            "the answer of 'model-a' to '007' stands twice, before in",
        ),
        ("model_answer/c.jsonl", [answer("007", "z", "z")], "2 turns answer the 1 of question"),
        ("model_answer/c.jsonl", [{"question_id": "007"}], "choices[0].turns is 'None'"),
        ("model_answer/c.jsonl", [], "c.jsonl: the file is empty"),
        ("reference_answer/r.jsonl", [answer("82", "z")], "line 1: unknown question_id '82'"),
        (
            "reference_answer/r.jsonl",
            [answer("007", "z", model_id="m"), answer("007", "y", model_id="n")],
            "the answer of 'reference' to '007' stands twice",
        ),
    ],
)
def test_errors_name_the_file_and_the_value(folder, file, rows, message):
    write(folder / file, *rows)

    with pytest.raises(ReadError) as caught:
        read_fastchat(folder, "Mine")

    assert message in str(caught.value)
    assert file.rpartition("/")[2] in str(caught.value)


def test_broken_line_names_file_and_line(folder):
    with (folder / "model_answer" / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"question_id": 8')

    with pytest.raises(ReadError, match=r"a\.jsonl, line 3: not readable as JSON"):
        read_fastchat(folder, "Mine")


def test_no_answers(folder):
    for file in (folder / "model_answer").iterdir():
        file.unlink()

    with pytest.raises(ReadError, match="model_answer: no answers"):
        read_fastchat(folder, "Mine")


def test_no_folder(tmp_path):
    with pytest.raises(ReadError, match="no such folder"):
        read_fastchat(tmp_path / "none", "Mine")
