"""FastChat's pairs and grades, and ja-vicuna-qa's dialect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_writers import check_planted, forms, spoiled, tally, texts, whole, write
from shared_data import public

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.replies import parse_replies
from posbias_kit.errors import ReadError

JA = ("ja_vicuna_qa", "data", "jp_bench")
REQUIRED = ("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge")
# Winner as spelled -> slot in the game that shows model_1 first, and in the other one.
SPELLINGS = {
    "model_1": (1, 2), " Model_1": (1, 2), "model_2": (2, 1), "MODEL_2 ": (2, 1),
    "tie": (0, 0), "Tie": (0, 0), "error": (None, None), None: (None, None), "": (None, None),
}  # fmt: skip
ANSWER = "<|The Start of Assistant {0}'s {2}|>\n{1}\n<|The End of Assistant {0}'s {2}|>\n"


def pair(question=1, one="model_1", two="model_1", **more):
    row = {"question_id": question, "model_1": "x", "model_2": "y", "judge": ["j", "pair-v2"]}
    return row | {"g1_winner": one, "g2_winner": two, "turn": 1} | more


def prompt(first, second, what="Answer"):
    return "Hm?\n" + ANSWER.format("A", first, what) + ANSWER.format("B", second, what)


def single(score, prompt="p", judgment="Rating: [[8]]", **more):
    row = {"question_id": "1", "model": "x", "judge": ["j", "single-v1"], "turn": 1}
    return row | {"score": score, "user_prompt": prompt, "judgment": judgment} | more


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("calm2-7b-chat_openai", (80, 0, 80, 68, 3, 7, 1, 1, 0, 75, 83, 2, 0)),
        ("instruct-full-jaster", (80, 0, 80, 75, 0, 1, 4, 0, 1, 78, 76, 6, 0)),
        ("instruct-lora-jaster", (80, 0, 80, 72, 0, 3, 3, 2, 2, 73, 78, 9, 0)),
        ("instruction-ppo", (80, 0, 80, 72, 0, 4, 1, 3, 1, 72, 82, 6, 0)),
        ("instruction-sft-v2", (80, 0, 80, 73, 0, 3, 1, 3, 1, 73, 81, 6, 0)),
        ("Swallow-70b", (80, 0, 80, 72, 1, 5, 0, 2, 1, 73, 83, 4, 0)),
    ],
)
def test_published_pairs_of_one_file(name, expected):
    """Each file of ja-vicuna-qa gives the numbers counted without this project."""
    (path,) = public(*JA, "model_judgment").rglob(f"*{name}*.jsonl")

    assert tally(read_judgments("fastchat_pair", path).verdicts) == expected


def test_published_pairs_with_their_answers():
    """The whole folder: 480 pairs, and 7 candidates whose texts stand in several files."""
    reading = read_judgments("fastchat_pair", public(*JA))

    assert tally(reading.verdicts) == (480, 0, 480, 432, 4, 23, 10, 11, 6, 444, 483, 33, 0)
    assert (len(reading.questions), len(reading.answers), len(reading.set_aside)) == (80, 560, 0)
    assert reading.files["rows"].tolist() == [80] * 8
    assert reading.verdicts[["judge", "arm", "turn"]].drop_duplicates().values.tolist() == [
        ["gpt-4", "", ""]
    ]


def test_published_replies_name_the_slot_that_was_recovered():
    """The mark in each of the 960 replies, read strictly, is the slot made of model and game."""
    reading = read_judgments("fastchat_pair", public(*JA, "model_judgment"))
    replies = reading.replies
    said = parse_replies(replies["raw"], replies["format"], 3, 2, "last_label")["choice"]

    assert len(said) == 960
    assert (said == reading.verdicts["choice"]).all()


def test_published_grades_are_repeats():
    """Four rows of one key and one prompt are repeats, failed ones too; an empty file is none."""
    reading = read_judgments("fastchat_pair", public("fastchat_single"))
    scores = reading.scores.groupby(["question", "turn"])["score"].apply(list)

    assert (len(reading.scores), len(reading.verdicts), len(reading.replies)) == (24, 0, 0)
    assert scores[("81_DE", "1")][1:] == [8, 8, 9]
    assert scores[("81_DE", "2")][1:] == [7, 3, 7]
    assert scores[("82_DE", "1")][1:] == [7, 7, 6]
    assert scores[("82_DE", "2")][1:] == [7, 2, 7]
    failed = reading.scores[reading.scores["score"].isna()]
    assert failed[["repeat", "reason"]].values.tolist() == [[1, "error_marker"]] * 4
    assert failed["question"].tolist() == ["81_DE", "82_DE", "82_DE", "81_DE"]
    assert sorted(reading.files["rows"]) == [0, 24]


@st.composite
def rows(draw, number):
    """Draw a row and what it must give."""
    one, two = draw(st.tuples(*[st.sampled_from(list(SPELLINGS))] * 2))
    question = draw(whole)(number)
    row = pair(question, one, two, turn=draw(whole)(1), g1_judgment=draw(texts))
    kind = draw(st.sampled_from(["plain", "prompts", "false swap", "dialect", "label", "text"]))
    if kind in ("prompts", "false swap"):
        second = "other" if kind == "false swap" else "no"
        row |= {"g1_user_prompt": prompt("no", "yes"), "g2_user_prompt": prompt("yes", second)}
    if kind == "dialect":
        del row["judge"], row["turn"]
        row |= {"judge_model": "j", "question": draw(texts), "answer_1": draw(texts)}
    if kind == "label":
        row["g2_winner"] = draw(st.sampled_from(["A", 3, True, ["tie"], {}, "model"]))
    if kind == "text":
        row["g1_judgment"] = draw(st.sampled_from([5, ["x"], {"answer": "x"}]))
    row, whole_row = draw(spoiled(row, (*REQUIRED, "judge_model")))
    if not whole_row or kind in ("false swap", "label", "text"):
        return row, None
    games = {("x", "y"): SPELLINGS[one][0], ("y", "x"): SPELLINGS[two][1]}
    return row, {(str(number), shown): slot for shown, slot in games.items()}


@given(st.data(), st.integers(1, 4), forms)
def test_any_file_gives_what_was_planted(data, size, form):
    """Whatever the spelling and the form of the file: right slots, bad rows set aside."""
    check_planted("fastchat_pair", [data.draw(rows(n)) for n in range(size)], form)


def test_two_turns_are_no_false_swap(tmp_path):
    """In a conversation each speech bears its assistant's letter, which changes with the swap."""

    def talk(who, answer):
        return f"### User:\nq\n\n### Assistant {who}:\n{answer}"

    what = "Conversation with User"
    first = prompt(talk("A", "no"), talk("B", "yes"), what)
    second = prompt(talk("A", "yes"), talk("B", "no"), what)
    path = write(tmp_path / "a.jsonl", [pair(g1_user_prompt=first, g2_user_prompt=second)])

    assert read_judgments("fastchat_pair", path).verdicts["choice"].tolist() == [1, 2]


def test_other_prompts_under_the_same_key_are_false_repeats(tmp_path):
    """The same key with a new answer is set aside; a retry replaces what failed."""
    games = [
        {"g1_user_prompt": prompt(text, "b"), "g2_user_prompt": prompt("b", text)} for text in "ac"
    ]
    rows = [
        pair(1, **games[0]), pair(1, **games[1]), pair(1, **games[0]),
        pair(2, "error", "error"), pair(2, "tie", "tie"),
    ]  # fmt: skip
    path = write(tmp_path / "gpt-4_pair.jsonl", rows)

    with pytest.warns(UserWarning, match=r"2 of 5 rows set aside, .* line 2: shows other texts"):
        reading = read_judgments("fastchat_pair", path)

    assert reading.set_aside["line"].tolist() == [2, 4]
    assert reading.verdicts["repeat"].tolist() == [1, 1, 2, 2, 1, 1]


def test_prompts_are_arms_only_where_one_pair_has_several(tmp_path):
    """A prompt that goes with the question parts nothing; two for one pair are two arms."""
    math = pair(2, judge=["j", "pair-math-v1"])
    one, two = write(tmp_path / "1.jsonl", [pair(), math]), tmp_path / "2.jsonl"
    write(two, [pair(one="tie", judge=["j", "pair-v1"])])

    alone = read_judgments("fastchat_pair", one).verdicts
    both = read_judgments("fastchat_pair", one, two).verdicts

    assert alone["arm"].tolist() == [""] * 4
    assert both["arm"].unique().tolist() == ["pair-v2", "pair-math-v1", "pair-v1"]
    assert both["repeat"].unique().tolist() == [1]


def test_folder_with_questions_answers_and_references(tmp_path):
    """Texts lie beside; tasks come from the questions, and a reference is no candidate."""
    answer = {"question_id": 1, "model_id": "x", "choices": [{"index": 0, "turns": ["four"]}]}
    write(
        tmp_path / "question.jsonl",
        [{"question_id": 1, "category": "math", "turns": ["2 + 2?"], "reference": ["4"]}],
    )
    write(tmp_path / "model_answer" / "x.jsonl", [answer])
    write(tmp_path / "reference_answer" / "g.jsonl", [answer | {"model_id": "g"}])
    write(tmp_path / "z_pair.jsonl", [pair("1") | {"question": "2 + 2?"}])
    write(tmp_path / "z_single.jsonl", [single(9)])

    reading = read_judgments("fastchat_pair", tmp_path)

    assert reading.answers[["candidate", "turns"]].values.tolist() == [["x", '["four"]']]
    assert reading.verdicts["task"].tolist() == ["math", "math"]
    assert reading.questions["reference_answer"].tolist() == ['["4"]']
    assert reading.scores["score"].tolist() == [9]
    assert reading.files["kept"].tolist() == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("row", "problem", "cure"),
    [
        (pair(two="[[A]]"), "g2_winner is '[[A]]'", "mend the label, or leave the row out"),
        (pair(model_2="x"), "model_1 and model_2 are both 'x'", "give the two answers different"),
        (pair(judge=[]), "judge is '[]'", "mend judge"),
        (pair(g2_judgment=7), "g2_judgment is '7'", "mend g2_judgment"),
        (pair(question=None), "question_id is None", "give the row its question_id"),
        (single("high"), "score is 'high'", "mend score"),
        ({"question_id": 1, "model_1": "x"}, "no 'model_2', 'g1_winner'", "the layout that fits"),
    ],
)
def test_bad_row_is_told(tmp_path, row, problem, cure):
    """A row that cannot be used stands in the account with file, line and cure."""
    write(tmp_path / "in" / "a.jsonl", [pair(7), row])
    with pytest.warns(UserWarning, match="in/a.jsonl, line 2"):
        aside = read_judgments("fastchat_pair", tmp_path).set_aside

    assert aside[["file", "line"]].values.tolist() == [["in/a.jsonl", 2]]
    assert aside["problem"][0].startswith(problem)
    assert cure in aside["cure"][0]


def test_references_alone_are_no_judgment(tmp_path):
    answer = {"question_id": 1, "model_id": "x", "choices": [{"turns": ["four"]}]}
    write(tmp_path / "reference_answer" / "g.jsonl", [answer])

    with pytest.raises(ReadError, match="texts but no judgment"):
        read_judgments("fastchat_pair", tmp_path)


def test_no_other_layout_claims_the_rows(tmp_path):
    table = detect_layout(write(tmp_path / "a.jsonl", [pair(1), pair(2)])).set_index("layout")

    assert table.index[0] == "fastchat_pair"
    assert table["fitting"].sum() == table.loc["fastchat_pair", "fitting"] == 2
