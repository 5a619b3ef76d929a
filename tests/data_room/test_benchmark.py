"""Digests, opaque ids and clusters of a benchmark."""

import hashlib

import pandas as pd
import pytest

from posbias_kit.data import build_benchmark
from posbias_kit.data.benchmark import cluster_questions, share_answers
from posbias_kit.errors import ParamsError, TableError


def build(answers, questions=("q1", "q2"), **columns):
    rows = pd.DataFrame({"question": questions, "task": "t"})
    rows["turns"] = [["Why?"]] * len(rows)
    table = pd.DataFrame(answers, columns=["question", "candidate", "turns"])
    return build_benchmark("b", rows.assign(**columns), table)


def test_digest_length_and_id():
    first, second = build([("q1", "x", ["aé", "b"]), ("q2", "x", ["aé", "b"])]).answers.itertuples()

    assert first.turns == '["aé", "b"]'
    assert first.digest == second.digest == hashlib.sha256('["aé", "b"]'.encode()).hexdigest()
    assert first.length == 3
    # Opaque: the same text under another question has another id, and no name shows through.
    assert first.answer_id != second.answer_id
    assert first.answer_id.startswith("answer-")
    assert "x" not in first.answer_id.removeprefix("answer-")


def test_references_and_guidance_may_be_missing():
    questions = build([("q1", "x", ["a"])], reference_answer=[["r"], None]).questions

    assert questions["reference_answer"][0] == '["r"]'
    assert pd.isna(questions["reference_answer"][1])
    assert questions["guidance"].isna().all()


def test_questions_that_share_an_answer_are_one_cluster():
    answers = [("q1", "x", ["a"]), ("q2", "x", ["b"]), ("q2", "y", ["a"])]

    assert build(answers).questions["cluster"].tolist() == ["q1", "q1"]
    assert build(answers[:2]).questions["cluster"].tolist() == ["q1", "q2"]


def test_clusters_are_joined_through_a_third_question():
    # q1 and q3 share nothing, but both share a text with q2.
    answers = pd.DataFrame(
        {"question": ["q3", "q2", "q2", "q1"], "digest": ["u", "u", "v", "v"], "length": 1}
    )

    assert share_answers(pd.Series(["q3", "q1", "q2", "q4"]), answers).tolist() == [
        "q3",
        "q3",
        "q3",
        "q4",
    ]


def test_empty_answers_join_nothing():
    assert build([("q1", "x", [""]), ("q2", "x", [""])]).questions["cluster"].tolist() == [
        "q1",
        "q2",
    ]


def test_a_candidate_answers_a_question_once():
    with pytest.raises(TableError, match="share a key"):
        build([("q1", "x", ["a"]), ("q1", "x", ["b"])])


def test_a_question_stands_once():
    with pytest.raises(TableError, match="share a key"):
        build([("q1", "x", ["a"])], questions=("q1", "q1"))


def test_clusters_by_a_pattern_keep_shared_answers_together():
    """The group of the pattern names the cluster; q4 shares its answer with another project."""
    questions = pd.DataFrame({"question": ["x_1", "x_2", "y_1", "z_1"], "task": "t"})
    questions["turns"] = [["?"]] * 4
    texts = ["a", "b", "c", "c"]
    answers = pd.DataFrame({"question": questions["question"], "candidate": "m"})
    answers["turns"] = [[text] for text in texts]
    bench = build_benchmark("B", questions, answers)

    assert bench.questions["cluster"].tolist() == ["x_1", "x_2", "y_1", "y_1"]
    assert cluster_questions(bench, r"^(\w)_").questions["cluster"].tolist() == [
        "x_1", "x_1", "y_1", "y_1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "said"),
    [("(", "no regular"), ("^x", "2 q"), ("x(_)?|y|z", "2 q"), ("w*", "3 q")],
)
def test_pattern_that_cannot_name_every_cluster_is_refused(pattern, said):
    """It does not compile, or leaves questions without a name."""
    questions = pd.DataFrame({"question": ["x_1", "y_1", "z_1"], "task": "t"})
    questions["turns"] = [["?"]] * 3
    answers = questions.assign(candidate="m")[["question", "candidate", "turns"]]

    with pytest.raises(ParamsError, match=said):
        cluster_questions(build_benchmark("B", questions, answers), pattern)
