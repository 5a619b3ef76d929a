"""Which rows are repeats, retries, copies: whole rows of a layout, and all files together."""

import json

import pytest
from layout_writers import slots, write

from posbias_kit.data.judgments import read_judgments

SWAP = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
SWAP |= {"winner_ab": "A", "winner_ba": "B"}
FAST = {"question_id": 1, "model_1": "x", "model_2": "y", "judge": ["j", "p"]}
FAST |= {"g1_winner": "model_1", "g2_winner": "model_1"}
VOTE = {"candidate_names": ["x", "y"], "judge_name": "j", "verdict": "v", "question": "q",
        "labels": {"first": ["A"], "second": ["B"]}}  # fmt: skip


def read(folder, layout, *rows, **options):
    return read_judgments(layout, write(folder / "a.jsonl", rows), **options)


def told(reading, *columns):
    """Return rows of the verdict table, a missing choice as None."""
    table = reading.verdicts[list(columns)].astype(object)
    return table.where(table.notna(), None).values.tolist()


def test_no_order_loses_its_last_verdict(tmp_path):
    """Two rows with a verdict in BA alone, retried by one with a verdict in AB: one stays."""
    rows = [SWAP | {"winner_ab": "error"}, SWAP | {"winner_ab": "error", "winner_ba": "A"}]
    with pytest.warns(UserWarning, match="1 of 3 rows set aside"):
        reading = read(tmp_path, "swap_columns", *rows, SWAP | {"winner_ba": "error"})

    assert reading.set_aside["line"].tolist() == [1]
    assert told(reading, "order", "repeat", "choice") == [
        ["AB", 1, None], ["BA", 1, 1], ["AB", 2, 1], ["BA", 2, None]
    ]  # fmt: skip


def test_half_a_pair_that_was_retried_is_called_so(tmp_path):
    """A row with a verdict is not said to have none."""
    rows = [SWAP | {"winner_ab": "error"}, SWAP | {"winner_ba": "A"}]
    with pytest.warns(UserWarning, match="1 of 2"):
        reading = read(tmp_path, "swap_columns", *rows)

    assert reading.set_aside["problem"].tolist() == [
        "lacks one of its verdicts, and was judged again in a.jsonl, line 2"
    ]


def test_failure_of_one_run_is_no_retry_of_another(tmp_path):
    """Each file is a run: the second question failed in the first one, and in it alone."""
    runs = [["A", "", "B"], ["A", "B", "B"]]
    for number, labels in enumerate(runs, start=1):
        rows = [{"q": str(q), "v": label} for q, label in enumerate(labels)]
        write(tmp_path / f"run{number}.jsonl", rows)
    reading = read_judgments("table", tmp_path, mapping=VOTE)
    second = reading.verdicts[reading.verdicts["question"] == "1"]

    assert reading.set_aside.empty
    assert second[["repeat", "status"]].values.tolist() == [[1, "invalid"], [2, "ok"]]


SAID = {"judgment_ab": "[[A]]", "judgment_ba": "[[B]]", "g1_judgment": "[[A]]"}
SAID |= {"judgment": "$ERROR$", "judgment_turn1": "Rating: [[8]]"}
GRADE = {"question_id": 1, "model_id": "x", "judge_id": "j", "avg_score": 8}
SINGLE = {"question_id": 1, "model": "x", "judge": ["j", "p"], "score": -1}
GAMES = {"question_id": 1, "model": "x", "judge": "j", "baseline": "b", "games": [{"score": "A>B"}]}


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        ("swap_columns", SWAP), ("swap_columns", GRADE), ("fastchat_pair", FAST),
        ("scores", SINGLE), ("arena_hard", GAMES),
    ],
)  # fmt: skip
def test_the_same_call_twice_stands_twice(tmp_path, layout, row):
    """Time and reply are the same: a copy. Another time, or no reply, makes a repeat."""
    first = row | SAID | {"tstamp": 1.5}
    rows = [first, first | {"tstamp": 2.5}, first, row, row]
    with pytest.warns(UserWarning, match="1 of 5 rows"):
        reading = read(tmp_path, layout, *rows)

    assert reading.set_aside["line"].tolist() == [3]
    assert reading.set_aside["problem"][0].endswith("stands in a.jsonl, line 1")
    repeats = (reading.scores if reading.verdicts.empty else reading.verdicts)["repeat"]
    assert repeats.unique().tolist() == [1, 2, 3, 4]


def test_the_same_review_twice_stands_twice(tmp_path):
    """A review is known by its id, and the reply."""
    row = {"question_id": 1, "answer1_id": "h", "answer2_id": "k", "reviewer_id": "j"}
    row |= {"score": [8, 9], "text": "8 9", "review_id": "r"}
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        reading = read(tmp_path, "scores", row, row, row | {"review_id": "s"})

    assert reading.set_aside["line"].tolist() == [2]


def test_the_prompt_that_brought_a_verdict_stays(tmp_path):
    """The first row failed under other texts: it is the one to go."""
    rows = [
        FAST | {"g1_winner": "error", "g2_winner": "error", "g1_user_prompt": "P"},
        FAST | {"g1_user_prompt": "Q"},
    ]
    with pytest.warns(UserWarning, match="line 1: shows other texts than a.jsonl, line 2"):
        reading = read(tmp_path, "fastchat_pair", *rows)

    assert slots(reading) == {("1", ("x", "y")): 1, ("1", ("y", "x")): 2}


def test_turns_are_judged_apart(tmp_path):
    """The rows of two turns are no repeats."""
    reading = read(tmp_path, "swap_columns", SWAP | {"turn": 1}, SWAP | {"turn": 2.0})

    assert told(reading, "turn", "repeat") == [["1", 1], ["1", 1], ["2", 1], ["2", 1]]


def test_another_input_is_no_repeat(tmp_path):
    """Rows of one key whose input differs are about different answers."""
    rows = [SWAP | {"input_sha256": digest} for digest in ("e", "f", "e")]
    with pytest.warns(UserWarning, match="line 2: shows other texts"):
        reading = read(tmp_path, "swap_columns", *rows)

    assert reading.verdicts["repeat"].tolist() == [1, 1, 2, 2]


def test_judges_of_other_lists_share_no_order(tmp_path):
    """One name for different lists: orders are named by what they show, and then counted."""
    first = {"pid": 1, "judge": "j", "rotation": 0, "order": ["a", "b", "c"], "winner_model": "a"}
    rows = [first, first | {"rotation": 1}, first | {"judge": "k", "order": ["b", "c", "a"]}]
    reading = read(tmp_path, "listwise", *rows)

    assert told(reading, "judge", "order", "repeat") == [
        ["j", "1-2-3", 1], ["j", "1-2-3", 2], ["k", "2-3-1", 1]
    ]  # fmt: skip


def test_exchanged_review_is_the_other_order(tmp_path):
    """The file names the models of the first review; the second shows them in exchanged places."""
    row = {"question_id": 1, "answer1_id": "h", "answer2_id": "k", "reviewer_id": "j"}
    rows = [row | {"score": [8, 9]}]
    rows += [row | {"answer1_id": "k", "answer2_id": "h", "score": [7, 6]}]
    path = write(tmp_path / "review_x_y.jsonl", rows)
    reading = read_judgments("scores", path)

    assert told(reading, "order", "winner") == [["AB", "y"], ["BA", "y"]]
    assert reading.scores[["candidate", "repeat", "score"]].values.tolist() == [
        ["x", 1, 8], ["y", 1, 9], ["y", 2, 7], ["x", 2, 6]
    ]  # fmt: skip


def test_prompt_variants_are_judges(tmp_path):
    """The same answers graded under two prompts of one file."""
    row = {"id": 1, "subset": "Math", "full_scores": [[7]]}
    rows = [row | {"prompt_variant": "base"}, row | {"prompt_variant": "cot"}, row]
    scores = read_judgments("scores", write(tmp_path / "run.jsonl", rows)).scores

    assert scores[["judge", "repeat"]].values.tolist() == [
        ["run/base", 1], ["run/cot", 1], ["run", 1]
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["", None, "9" * 23, "9" * 5000, "-1", "²"])
def test_a_wrong_repeat_costs_one_row(tmp_path, cell):
    """The others are read."""
    rows = [{"q": "1", "v": "A", "k": "1"}, {"q": "1", "v": "A", "k": cell}, {"q": "2", "v": "B"}]
    rows[2]["k"] = "000000000007"
    with pytest.warns(UserWarning, match="1 of 3 rows set aside.*line 2: the repeat is"):
        reading = read(tmp_path, "table", *rows, mapping=VOTE | {"repeat": "k"})

    assert reading.verdicts["repeat"].tolist() == [1, 7]


TIES = {
    "swap_columns": SWAP | {"model_b": "TIE"},
    "fastchat_pair": FAST | {"model_2": "TIE"},
    "arena_hard": GAMES | {"baseline": "TIE"},
    "listwise": {"pid": 1, "judge": "j", "rotation": 0, "order": ["a", "TIE"], "winner_model": "a"},
}


@pytest.mark.parametrize("layout", TIES)
def test_a_candidate_called_tie_costs_one_row(tmp_path, layout):
    """In every layout."""
    text = json.dumps(TIES[layout])
    rows = [json.loads(text.replace("TIE", "z")), TIES[layout]]
    with pytest.warns(UserWarning, match="1 of 2 rows set aside.*a candidate is called 'TIE'"):
        reading = read(tmp_path, layout, *rows)

    assert reading.set_aside["line"].tolist() == [2]
