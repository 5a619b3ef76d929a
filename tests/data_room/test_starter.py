"""The starter benchmark is complete, and its answers keep the lengths they promise."""

import json
from pathlib import Path

import pytest

import posbias_kit.data
from posbias_kit.data import read_benchmark
from posbias_kit.data.json_rows import read_json_lines
from posbias_kit.data.starter import STARTER_QUALITY, read_starter
from posbias_kit.errors import ParamsError

TASKS = ["writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"]


@pytest.fixture(scope="module")
def starter():
    return read_starter()


@pytest.fixture(scope="module")
def words(starter):
    """Words of each answer, a row a question, a column a candidate."""
    answers = starter.answers.assign(
        words=starter.answers["turns"].map(lambda text: len(" ".join(json.loads(text)).split()))
    )
    return answers.pivot(index="question", columns="candidate", values="words")


def test_six_questions_of_each_task(starter):
    assert starter.questions["task"].value_counts().to_dict() == dict.fromkeys(TASKS, 6)


def test_two_questions_of_each_task_have_two_turns(starter):
    turns = starter.questions["turns"].map(lambda text: len(json.loads(text)))

    assert turns.isin([1, 2]).all()
    assert (turns == 2).groupby(starter.questions["task"]).sum().tolist() == [2] * 8


def test_five_answers_of_each_question(starter, words):
    assert sorted(words) == sorted(STARTER_QUALITY)
    assert len(starter.answers) == 48 * 5
    assert words.notna().all(axis=None)


def test_lengths(words):
    assert words.min(axis=None) >= 20
    assert words.max(axis=None) <= 120
    # The equivalent pair is about equally long; the padded answer is clearly longer.
    assert ((words["restated"] - words["careful"]).abs() <= 0.2 * words["careful"]).all()
    assert (words["padded"] >= 1.6 * words["mediocre"]).all()


def test_no_text_repeats(starter):
    questions = starter.questions
    texts = [
        *questions["turns"],
        *starter.answers["turns"],
        *questions["reference_answer"].dropna(),
    ]
    turns = [turn for text in texts for turn in json.loads(text)]

    assert len(set(turns)) == len(turns)
    assert all(turn == turn.strip() != "" for turn in turns)
    assert (questions["cluster"] == questions["question"]).all()


def test_references_where_answers_can_be_checked(starter):
    given = starter.questions["reference_answer"].notna()

    assert given.groupby(starter.questions["task"]).sum().to_dict() == {
        **dict.fromkeys(["reasoning", "math", "coding", "extraction"], 6),
        **dict.fromkeys(["stem", "humanities"], 2),
        **dict.fromkeys(["writing", "roleplay"], 1),
    }


def test_quality_order():
    quality = STARTER_QUALITY

    assert quality["careful"] == quality["restated"]
    assert quality["mediocre"] == quality["padded"]
    assert quality["careful"] > quality["mediocre"] > quality["flawed"]


def test_each_flawed_answer_names_its_planted_error():
    file = Path(posbias_kit.data.__file__).parent / "starter" / "model_answer" / "flawed.jsonl"
    rows = [row for _, row in read_json_lines(file)]

    assert all(row["planted_error"].endswith(".") for row in rows)
    assert len({row["planted_error"] for row in rows}) == 48


def test_by_name():
    assert read_benchmark("starter").questions["benchmark"].unique().tolist() == ["Starter"]
    with pytest.raises(ParamsError, match="drop the path"):
        read_benchmark("starter", "somewhere")
    with pytest.raises(ParamsError, match="give the folder"):
        read_benchmark("fastchat")
    with pytest.raises(ParamsError, match="allowed: starter, fastchat, paper"):
        read_benchmark("arena", "somewhere")
