"""JudgeBench's outputs: decisions, gold labels, and calls that failed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_writers import check_planted, forms, slots, spoiled, texts, whole, write

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments

AB, BA = ("A", "B"), ("B", "A")
SPELLINGS = {
    "A>B": 1, "B<A": 1, "b < a ": 1, "A>>B": 1, "B>A": 2, "A<B": 2, "A=B": 0, "a=b": 0,
    None: None, "A>A": None, "": None,
}  # fmt: skip
PROMPT = """<|The Start of Assistant A's Answer|>\n{0}\n<|The End of Assistant A's Answer|>
<|The Start of Assistant B's Answer|>\n{1}\n<|The End of Assistant B's Answer|>"""
REQUIRED = ("pair_id", "response_A", "response_B", "label", "judge_name", "judgments")


def judgment(decision, first="4", second="5", response="My verdict is [[A>B]]"):
    call = {"judge_model": "j-1", "prompt": PROMPT.format(first, second), "response": response}
    return {"judgment": call, "decision": decision}


def row(pair, *judgments, **more):
    told = {"pair_id": pair, "original_id": 7, "source": "livebench-math", "question": "2 + 2?"}
    told |= {"response_model": "gpt-4o", "response_A": "4", "response_B": "5", "label": "A>B"}
    return told | {"judge_name": "arena_hard", "judgments": list(judgments)} | more


def test_slots_labels_and_texts(tmp_path):
    """A decision is a slot in both games; the gold label names the answer that is right."""
    rows = [
        row("p", judgment("A>B"), judgment("A>B", "5", "4")),
        row(2, judgment("B>A"), judgment("A>A", "5", "4"), label="B>A", original_id="x"),
        row("t", judgment("A=B"), judgment(None, "5", "4", ""), label="A=B"),
    ]
    reading = read_judgments("judgebench", write(tmp_path / "out.jsonl", rows))

    assert slots(reading) == {
        ("p", AB): 1, ("p", BA): 1, ("2", AB): 2, ("2", BA): None, ("t", AB): 0, ("t", BA): None,
    }  # fmt: skip
    assert reading.verdicts["winner"].tolist()[:3] == ["A", "B", "B"]
    assert reading.verdicts["reason"].tolist() == ["", "", "", "no_label", "", "empty"]
    assert reading.verdicts["task"].unique().tolist() == ["livebench-math"]
    assert reading.labels[["question", "labeller", "winner"]].values.tolist() == [
        ["p", "gold", "A"], ["2", "gold", "B"], ["t", "gold", "TIE"]
    ]  # fmt: skip
    assert set(reading.labels["comparison"]) == set(reading.verdicts["comparison"])
    assert reading.answers[["question", "candidate", "turns"]].values.tolist()[:2] == [
        ["p", "A", '["4"]'], ["p", "B", '["5"]']
    ]  # fmt: skip
    assert reading.questions["turns"].tolist() == ['["2 + 2?"]'] * 3


def test_judge_is_the_model_that_was_called(tmp_path):
    """A failed call does not name it: the other one does, the file, or at last judge_name."""
    named = "dataset=judgebench,judge_name=arena_hard,judge_model=o1-2024.1.jsonl"
    failed = row("q", None, None)
    path = write(tmp_path / named, [row("p", None, judgment("A>B", "5", "4")), failed])
    other = write(tmp_path / "out.jsonl", [failed | {"judge_name": "vanilla"}])

    table = read_judgments("judgebench", path).verdicts

    assert table["judge"].tolist() == ["j-1", "j-1", "o1-2024.1", "o1-2024.1"]
    assert table["reason"].tolist() == ["connection", "", "connection", "connection"]
    assert table["status"].tolist() == ["failed", "ok", "failed", "failed"]
    assert read_judgments("judgebench", other).verdicts["judge"].tolist() == ["vanilla"] * 2


def test_one_model_behind_two_judges_is_two_arms(tmp_path):
    """The same model asked for the same pair in two ways must not look like a repeat."""
    one = write(tmp_path / "1.jsonl", [row("p", judgment("A>B"))])
    two = write(tmp_path / "2.jsonl", [row("p", judgment("A>B"), judge_name="vanilla")])

    reading = read_judgments("judgebench", one, two)

    assert reading.verdicts["arm"].tolist() == ["arena_hard", "vanilla"]
    assert reading.verdicts["repeat"].tolist() == [1, 1]
    # Only the first one's replies are written as the kit can read them again.
    assert reading.replies["arm"].tolist() == ["arena_hard"]


@st.composite
def rows(draw, number):
    """Draw a row and what it must give."""
    decisions = draw(st.lists(st.sampled_from(list(SPELLINGS)), min_size=1, max_size=2))
    said, gold = draw(texts), draw(st.sampled_from(["A>B", "B>A", "A=B", None]))
    shown = zip(decisions, (("4", "5"), ("5", "4")), strict=False)
    judgments = [judgment(decision, *answers, said) for decision, answers in shown]
    planted = dict(zip((AB, BA), (SPELLINGS[d] for d in decisions), strict=False))
    kind = draw(st.sampled_from(["plain", "null", "swap", "label", "decision", "judgments"]))
    fine = kind in ("plain", "null") or (kind == "swap" and len(judgments) == 1)
    if kind == "null":
        judgments[-1], planted[(AB, BA)[len(judgments) - 1]] = None, None
    elif kind == "swap" and len(judgments) == 2:
        judgments[1] = judgment(decisions[1])
    elif kind == "label":
        gold = draw(st.sampled_from(["A", 1, True, "A>A", []]))
    elif kind == "decision":
        judgments[0]["decision"] = draw(st.sampled_from(["first", 1, False, {}]))
    elif kind == "judgments":
        judgments = draw(st.sampled_from([[], [1], ["A>B", "A>B"], judgments * 3]))
    told = row(draw(whole)(number), *judgments, label=gold, original_id=draw(whole)(number))
    told, whole_row = draw(spoiled(told, REQUIRED))
    found = {(str(number), candidates): slot for candidates, slot in planted.items()}
    return told, found if fine and whole_row else None


@given(st.data(), st.integers(1, 4), forms)
def test_any_file_gives_what_was_planted(data, size, form):
    """Whatever the decisions and the form of the file: right slots, bad rows set aside."""
    check_planted("judgebench", [data.draw(rows(n)) for n in range(size)], form)


@pytest.mark.parametrize(
    ("bad", "problem", "cure"),
    [
        (row("q", judgment("first")), "decision is 'first'", "mend the label"),
        (row("q", judgment("A>B"), label="A"), "label is 'A'", "mend the label"),
        (row("q", *[None] * 3), "judgments is '[None, None, None]'", "mend judgments"),
        (row("q", judgment("A>B"), response_B=5), "response_B is '5'", "mend response_B"),
        (row("q", judgment("A>B"), judgment("A>B")), "the second game does not show", "judge this"),
        ({"pair_id": "q", "label": "A>B"}, "no 'response_A', 'response_B', 'judge_name'", "comp"),
    ],
)
def test_bad_row_is_told(tmp_path, bad, problem, cure):
    path = write(tmp_path / "out.jsonl", [row("p", judgment("A>B")), bad])
    with pytest.warns(UserWarning, match="out.jsonl, line 2"):
        aside = read_judgments("judgebench", path).set_aside

    assert aside["line"].tolist() == [2]
    assert aside["problem"][0].startswith(problem)
    assert aside["cure"][0].startswith(cure)


def test_no_other_layout_claims_the_rows(tmp_path):
    path = write(tmp_path / "a.jsonl", [row("p", judgment("A>B"))])
    table = detect_layout(path).set_index("layout")

    assert table.loc["judgebench", "fitting"] == table["fitting"].sum() == 1
