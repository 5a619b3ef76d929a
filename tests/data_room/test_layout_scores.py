"""Grades alone, grades in lists, and reviews with two scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_writers import check_planted, forms, slots, spoiled, texts, whole, write
from shared_data import public

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments

XY = ("x", "y")
ERROR = "empty_response (finish_reason=content_filter)"


def review(question, scores, ids=("h", "k"), text="8 9\nBoth"):
    row = {"review_id": "r", "question_id": question, "answer1_id": ids[0], "answer2_id": ids[1]}
    return row | {"score": scores, "text": text, "reviewer_id": "j", "metadata": {}}


def repeats(number, scores, subset="Math", **more):
    return {"id": number, "subset": subset, "prompt_variant": "base", "full_scores": scores} | more


def single(question, score, user_prompt="p", judgment="Rating: [[8]]"):
    row = {"question_id": question, "model": "m", "judge": ["j", "single-v1"], "turn": 1}
    return row | {"score": score, "user_prompt": user_prompt, "judgment": judgment}


def test_published_repeats():
    """The repeated scores give the numbers counted without this project."""
    reading = read_judgments("scores", public("composo_repeats"))
    table = reading.scores
    cells = table.pivot(index=["question", "candidate"], columns="repeat", values="score")
    whole_rows = cells.groupby("question").filter(lambda four: four.notna().all(axis=None))
    best = whole_rows == whole_rows.groupby("question").transform("max")
    same = (best.nunique(axis=1) == 1).groupby("question").all()

    assert reading.files["rows"].tolist() == reading.files["kept"].tolist() == [1734]
    assert cells.shape == (6936, 8)
    assert table["score"].isna().sum() == 14
    assert table.loc[table["score"].isna(), "reason"].unique().tolist() == ["empty"]
    assert cells.nunique(axis=1).eq(1).sum() == 2782  # of the scores that are there
    assert np.nanmean(np.nanstd(cells, axis=1)) == pytest.approx(0.2906, abs=5e-5)
    assert (same.sum(), len(same)) == (1098, 1729)
    assert reading.questions["task"].value_counts().to_dict() == {
        "Focus": 495, "Factuality": 474, "Safety": 423, "Math": 183, "Precise IF": 159,
    }  # fmt: skip
    assert table["judge"].unique().tolist() == ["base_full_k8_t0.7/base"]
    assert table["candidate"].unique().tolist() == ["1", "2", "3", "4"]
    assert (len(reading.verdicts), len(reading.replies)) == (0, 0)


@pytest.mark.parametrize(
    ("other", "expected"),
    [("gpt35", [44, 14, 22]), ("alpaca-13b", [3, 76, 1])],
)
def test_published_reviews(other, expected):
    """The file names the models; first, second and tie are as counted without this project."""
    (path,) = public("vicuna_blog_eval").rglob(f"review_{other}_vicuna-13b.jsonl")
    reading = read_judgments("scores", path)

    choice = reading.verdicts["choice"]
    assert [(choice == slot).sum() for slot in (1, 2, 0)] == expected
    assert reading.verdicts["shown"].unique().tolist() == [f'["{other}","vicuna-13b"]']
    assert reading.scores["candidate"].value_counts().to_dict() == {other: 80, "vicuna-13b": 80}


def test_published_grades_alone():
    """FastChat's grades without any pair: no verdicts, and six questions graded."""
    reading = read_judgments("scores", public("fastchat_single"))

    assert (len(reading.scores), len(reading.verdicts), len(reading.questions)) == (24, 0, 6)
    # Scores 7 and 8 six times each, 2 and 9 twice, 1, 3, 6 and 10 once; four have failed.
    assert reading.scores["score"].sum() == 42 + 48 + 4 + 18 + 20
    assert reading.scores["score"].count() == 20
    assert reading.scores["repeat"].max() == 4


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("review_x_y.jsonl", XY),
        ("review_x_y.jsonl.gz", XY),
        ("review_x_1_y.jsonl", ("h", "k")),
        ("reviews.jsonl", ("h", "k")),
    ],
)
def test_candidates_of_a_review(tmp_path, name, shown):
    """Models where the file's name tells two, else the ids of the answers."""
    path = write(tmp_path / name.removesuffix(".gz"), [review(1, [8, 9.5])], gz="gz" in name)
    reading = read_judgments("scores", path)

    assert slots(reading) == {("1", shown): 2}
    assert reading.scores[["candidate", "score"]].values.tolist() == [
        [shown[0], 8], [shown[1], 9.5]
    ]  # fmt: skip


def test_failed_review_is_no_retry_of_another_pair(tmp_path):
    """Both models have grades from other reviews; the failed pair stays in the tables."""
    rows = {"x_y": [-1, -1], "x_z": [8, 7], "y_z": [6, 7]}
    for models, scores in rows.items():
        ids = models.split("_")
        write(tmp_path / f"review_{models}.jsonl", [review(1, scores, ids, "no score")])

    reading = read_judgments("scores", tmp_path)

    assert reading.set_aside.empty
    assert reading.verdicts["reason"].tolist() == ["no_label", "", ""]
    assert reading.scores["score"].isna().sum() == 2


def test_regenerated_answer_is_no_repeat(tmp_path):
    """Rows of one key whose prompts differ grade different answers; a retry is one row."""
    rows = [single(1, 8), single("1", 3, "new"), single(1, 9), single(2, -1, judgment="$ERROR$")]
    path = write(tmp_path / "gpt-4_single.jsonl", [*rows, single(2, 5)])

    with pytest.warns(UserWarning, match="2 of 5 rows set aside"):
        reading = read_judgments("scores", path)

    assert reading.set_aside["line"].tolist() == [2, 4]
    assert reading.scores[["question", "repeat", "score"]].values.tolist() == [
        ["1", 1, 8], ["1", 2, 9], ["2", 1, 5]
    ]  # fmt: skip


def test_reasons_without_a_score(tmp_path):
    """An error mark, an empty reply, no label; in lists what the source says of the call."""
    grades = [single(1, -1, judgment="$ERROR$"), single(2, -1, judgment=" "), single(3, None)]
    table = [[7, None, None, None]]
    lists = repeats(1, table, full_errors=[[None, ERROR, "timed out", None]])
    reading = read_judgments("scores", write(tmp_path / "a.jsonl", [*grades, lists]))

    assert reading.scores["reason"].tolist() == [
        "error_marker", "empty", "no_label", "", "empty", "connection", "no_label",
    ]  # fmt: skip


def test_id_counts_only_with_its_subset(tmp_path):
    rows = [repeats(1, [[7, 8]]), repeats("1", [[5, 6]], "Focus")]
    scores = read_judgments("scores", write(tmp_path / "run.json", rows, array=True)).scores

    assert scores[["question", "judge", "repeat", "score"]].values.tolist() == [
        ["Math/1", "run/base", 1, 7], ["Math/1", "run/base", 2, 8],
        ["Focus/1", "run/base", 1, 5], ["Focus/1", "run/base", 2, 6],
    ]  # fmt: skip


@st.composite
def rows(draw, number):
    """Draw a row of any kind and what it must give: (row, games, grades)."""
    numbers = {8: 8, "8": 8, 9.5: 9.5, 1: 1, 10: 10, -1: None, None: None, "-1": None}
    one, two = draw(st.tuples(*[st.sampled_from(list(numbers))] * 2))
    kind, question = draw(st.sampled_from(["review", "repeats", "single"])), draw(whole)(number)
    a, b = numbers[one], numbers[two]
    games, key = {}, str(number)
    if kind == "review":
        row = review(question, [one, two], text=draw(texts))
        slot = None if None in (a, b) else 0 if a == b else 1 if a > b else 2
        games, grades = {(key, XY): slot}, {(key, "x", 1): a, (key, "y", 1): b}
        required, place = ("score", "answer1_id", "reviewer_id"), "score"
    elif kind == "repeats":
        row, name = repeats(question, [[one], [two]]), f"Math/{number}"
        grades = {(name, "1", 1): a, (name, "2", 1): b}
        required, place = ("id", "subset", "full_scores"), "full_scores"
    else:
        row, grades = single(question, one), {(key, "m", 1): a}
        required, place = ("question_id", "model", "judge", "score"), "score"
    if broken := draw(st.booleans()):
        row[place] = draw(st.sampled_from(["high", [1], [[1], 2], {}, True, [1, "x"], []]))
    row, whole_row = draw(spoiled(row, required))
    return (row, None, {}) if broken or not whole_row else (row, games, grades)


@given(st.data(), st.integers(1, 4), forms)
def test_any_file_gives_what_was_planted(data, size, form):
    """Whatever the kind of the row and the form of the file: right slots and scores."""
    drawn = [data.draw(rows(number)) for number in range(size)]
    planted = [(row, games) for row, games, _ in drawn]
    reading = check_planted("scores", planted, form, "review_x_y.jsonl")
    if reading is not None:
        table = reading.scores.astype(object).where(reading.scores.notna(), None)
        found = {(r.question, r.candidate, r.repeat): r.score for r in table.itertuples()}
        assert found == {key: score for *_, grades in drawn for key, score in grades.items()}


@pytest.mark.parametrize(
    ("bad", "problem", "cure"),
    [
        (review(1, [8]), "score is '[8]'", "mend score"),
        (review(1, [8, "good"]), "score is 'good'", "mend score"),
        (review(1, [8, 9], ("h", "h")), "answer1_id and answer2_id are both 'h'", "give the two"),
        (repeats(1, [[1], 2]), "full_scores is '2'", "mend full_scores"),
        (repeats(1, [[1, 2]], full_errors=[[None]]), "full_errors is '[None]'", "mend full_err"),
        (single(1, "high"), "score is 'high'", "mend score"),
        ({"question_id": 1, "score": 8}, "no 'model', 'judge' in this row", "complete the row"),
    ],
)
def test_bad_row_is_told(tmp_path, bad, problem, cure):
    path = write(tmp_path / "a.jsonl", [single(7, 8), bad])
    with pytest.warns(UserWarning, match="a.jsonl, line 2"):
        aside = read_judgments("scores", path).set_aside

    assert aside["line"].tolist() == [2]
    assert aside["problem"][0].startswith(problem)
    assert aside["cure"][0].startswith(cure)


def test_no_other_layout_claims_the_rows(tmp_path):
    path = write(tmp_path / "a.jsonl", [single(1, 8), review(2, [8, 9]), repeats(3, [[1]])])
    table = detect_layout(path).set_index("layout")

    assert table.loc["scores", "fitting"] == table["fitting"].sum() == 3
