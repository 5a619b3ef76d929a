"""Arena-Hard's games against a baseline, v0.1 and v2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_writers import check_planted, forms, slots, spoiled, texts, write

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.layouts.arena_hard import slot_of
from posbias_kit.errors import ParamsError, ReadError

FIRST, SECOND = ("base", "m"), ("m", "base")
SPELLINGS = {
    "A>>B": 1, "A>B": 1, " a > b": 1, "B<A": 1, "B<<A": 1,
    "A=B": 0, "B=A": 0, "a=b ": 0,
    "B>A": 2, "B>>A": 2, "A<B": 2, "A<<B": 2,
    None: None, "": None, "A>A": None, "A<>B": None, "B": None,
}  # fmt: skip
PROMPT = """<|User Prompt|>\n{0}\n
<|The Start of Assistant A's Answer|>\n{1}\n<|The End of Assistant A's Answer|>\n
<|The Start of Assistant B's Answer|>\n{2}\n<|The End of Assistant B's Answer|>"""


def old_game(score, first="b", second="m", judgment="My verdict is [[A>B]]", question="q"):
    user = PROMPT.format(question, first, second)
    return {"user_prompt": user, "judgment": judgment, "score": score}


def new_game(score, first="b", second="m", judgment="My verdict is [[A>B]]", question="q"):
    old = old_game(score, first, second, judgment, question)
    messages = [
        {"role": "system", "content": "Judge."},
        {"role": "user", "content": old["user_prompt"]},
    ]
    return {"score": score, "judgment": {"answer": judgment}, "prompt": messages}


def old_row(number, *games):
    return {"question_id": number, "model": "m", "judge": "j", "games": list(games)}


def new_row(number, *games, **more):
    row = {"uid": number, "category": "math", "judge": "j", "model": "m", "baseline": "base"}
    return row | {"games": list(games)} | more


@pytest.mark.parametrize(("label", "slot"), SPELLINGS.items())
def test_label_is_a_slot(label, slot):
    assert slot_of(label, "score") == slot


def test_every_label_in_both_games(tmp_path):
    """The baseline is A in the first game and B in the second: A > B is slot 1 in both."""
    rows = [
        old_row(1, old_game("A>>B"), old_game("A>B", "m", "b")),
        old_row("2", old_game("B>A"), old_game("A=B", "m", "b")),
    ]
    path = write(tmp_path / "m.jsonl", rows)
    reading = read_judgments("arena_hard", path, baseline="base")
    table = reading.verdicts

    assert slots(reading) == {
        ("1", FIRST): 1, ("1", SECOND): 1, ("2", FIRST): 2, ("2", SECOND): 0,
    }  # fmt: skip
    assert table["winner"].tolist() == ["base", "m", "m", "TIE"]
    assert table[["candidate", "reference", "order"]].values.tolist() == [
        ["m", "base", "BA"], ["m", "base", "AB"]
    ] * 2  # fmt: skip
    assert reading.replies["raw"].tolist() == ["My verdict is [[A>B]]"] * 4
    assert reading.replies["format"].unique().tolist() == ["arena_hard"]


def test_v2_names_its_baseline_and_task(tmp_path):
    """A row's own baseline goes before the option; a null game is a call that failed."""
    rows = [
        new_row("u", new_game("A<<B", judgment="x [[A<<B]]"), None),
        new_row("v", new_game(None, judgment=" "), new_game(None, "m", "b", "Both.")),
    ]
    reading = read_judgments("arena_hard", write(tmp_path / "m.jsonl", rows), baseline="other")

    assert reading.verdicts[["shown", "status", "reason", "task"]].values.tolist() == [
        ['["base","m"]', "ok", "", "math"],
        ['["m","base"]', "failed", "connection", "math"],
        ['["base","m"]', "invalid", "empty", "math"],
        ['["m","base"]', "invalid", "no_label", "math"],
    ]
    assert reading.replies["raw"].tolist() == ["x [[A<<B]]", " ", "Both."]


def test_games_of_different_questions_are_set_aside(tmp_path):
    """A row whose second game shows other answers was joined wrongly."""
    rows = [
        old_row(1, old_game("A>B"), old_game("A>B", "m", "b")),
        old_row(2, old_game("A>B"), old_game("B>A", "m2", "b2")),
        old_row(3, old_game("A>B"), old_game("B>A")),
    ]
    path = write(tmp_path / "m.jsonl", rows)

    with pytest.warns(UserWarning, match=r"2 of 3 rows set aside"):
        reading = read_judgments("arena_hard", path, baseline="base")

    assert reading.set_aside["line"].tolist() == [2, 3]
    assert set(reading.set_aside["problem"]) == {
        "the second game does not show the answers of the first one exchanged"
    }
    assert reading.verdicts["question"].tolist() == ["1", "1"]


def test_baseline_must_be_named(tmp_path):
    """Without a column and without the option nobody knows who was compared."""
    path = write(tmp_path / "m.jsonl", [old_row(1, old_game("A>B"))])

    with pytest.raises(ReadError, match="line 1") as caught:
        read_judgments("arena_hard", path)
    with pytest.raises(ParamsError, match="unknown value 'base_line'"):
        read_judgments("arena_hard", path, base_line="base")

    assert "does not name the baseline" in str(caught.value)
    assert "give the option, e.g. baseline='gpt-4-0314'" in str(caught.value)


def test_texts_lie_beside_in_both_versions(tmp_path):
    """Questions and answers are read, v0.1's turns as objects, v2's as messages."""
    said = [
        {"role": "user", "content": "2 + 2?"},
        {"role": "assistant", "content": {"answer": "four"}},
    ]
    old = {"question_id": "o", "category": "hard", "cluster": "c", "turns": [{"content": "Hm?"}]}
    turns = [{"index": 0, "turns": [{"content": "Oh.", "token_len": 2}]}]
    write(
        tmp_path / "a" / "question.jsonl",
        [{"uid": "u", "category": "math", "subcategory": "s", "prompt": "2 + 2?"}, old],
    )
    write(
        tmp_path / "a" / "model_answer.jsonl",
        [
            {"uid": "u", "ans_id": "1", "model": "m", "messages": said},
            {"question_id": "o", "model_id": "m", "choices": turns},
        ],
    )
    rows = [new_row("u", new_game("A>B")), old_row("o", old_game("A>B")) | {"baseline": "base"}]
    write(tmp_path / "b.jsonl", rows)

    reading = read_judgments("arena_hard", tmp_path)

    assert reading.questions[["question", "task", "turns"]].values.tolist() == [
        ["u", "math", '["2 + 2?"]'], ["o", "hard", '["Hm?"]']
    ]  # fmt: skip
    assert reading.answers[["candidate", "turns"]].values.tolist() == [
        ["m", '["four"]'], ["m", '["Oh."]']
    ]  # fmt: skip
    assert reading.verdicts["task"].tolist() == ["math", "hard"]
    assert reading.set_aside.empty


@st.composite
def rows(draw, number):
    """Draw a row of either version and what it must give."""
    version = draw(st.sampled_from(["old", "new"]))
    make = old_game if version == "old" else new_game
    scores = draw(st.lists(st.sampled_from(list(SPELLINGS)), min_size=1, max_size=2))
    kind = draw(st.sampled_from(["plain", "null", "swap", "label", "games", "text"]))
    said = draw(texts)
    games = [
        make(score, *answers, said)
        for score, answers in zip(scores, (("b", "m"), ("m", "b")), strict=False)
    ]
    planted = dict(zip((FIRST, SECOND), (SPELLINGS[score] for score in scores), strict=False))
    fine = kind in ("plain", "null") or (kind == "swap" and len(games) == 1)
    if kind == "null":
        games[0], planted[FIRST] = None, None
    elif kind == "swap" and len(games) == 2:
        games[1] = make(scores[1], "m", "another")
    elif kind == "label":
        games[-1]["score"] = draw(st.sampled_from(["better", 1, True, ["A>B"], {}]))
    elif kind == "text":
        games[-1]["judgment"] = draw(st.sampled_from([5, ["x"], {"answer": 5}]))
    row = old_row(number, *games) if version == "old" else new_row(str(number), *games)
    if kind == "games":
        row["games"] = draw(st.sampled_from([[], None, "A>B", [1, 2], games * 3, {}]))
    required = ("model", "judge", "games", "uid", "question_id")
    row, whole_row = draw(spoiled(row, required))
    found = {(str(number), shown): slot for shown, slot in planted.items()}
    return row, found if fine and whole_row else None


@given(st.data(), st.integers(1, 4), forms)
def test_any_file_gives_what_was_planted(data, size, form):
    """Whatever the version, the labels and the form of the file: right slots, bad rows aside."""
    planted = [data.draw(rows(n)) for n in range(size)]
    check_planted("arena_hard", planted, form, baseline="base")


@pytest.mark.parametrize(
    ("row", "problem", "cure"),
    [
        (old_row(1, old_game("A is better")), "score is 'A is better'", "mend the label"),
        (old_row(1), "games is '[]'", "mend games"),
        (old_row(1, old_game("A>B")) | {"model": "base"}, "baseline and model are both", "give"),
        ({"question_id": 1, "judge": "j"}, "no 'model', 'games' in this row", "complete the row"),
        ({"judge": "j", "model": "m", "games": [None]}, "no 'question_id'", "complete the row"),
    ],
)
def test_bad_row_is_told(tmp_path, row, problem, cure):
    path = write(tmp_path / "m.jsonl", [old_row(7, old_game("A>B")), row])
    with pytest.warns(UserWarning, match="m.jsonl, line 2"):
        aside = read_judgments("arena_hard", path, baseline="base").set_aside

    assert aside["line"].tolist() == [2]
    assert aside["problem"][0].startswith(problem)
    assert aside["cure"][0].startswith(cure)


def test_no_other_layout_claims_the_rows(tmp_path):
    rows = [old_row(1, old_game("A>B")), new_row("u", new_game("A>B"))]
    table = detect_layout(write(tmp_path / "a.jsonl", rows)).set_index("layout")

    assert table.loc["arena_hard", "fitting"] == table["fitting"].sum() == 2
