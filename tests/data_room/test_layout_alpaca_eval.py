"""AlpacaEval's annotations: the order recovered from names and replies, ties, probabilities."""

import hashlib
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_writers import check_planted, forms, slots, spoiled, write

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments

REQUIRED = (
    "instruction", "output_1", "generator_1", "output_2", "generator_2", "annotator", "preference",
)  # fmt: skip
FILE = "annotations.json"
HASH = hashlib.sha256(b"Hm?").hexdigest()[:12]
REF_FIRST, NEW_FIRST = ("ref", "new"), ("new", "ref")


def item(preference, raw=None, named=None, **more):
    row = {"instruction": "Hm?", "output_1": "One.", "generator_1": "ref", "output_2": "Two."}
    row |= {"generator_2": "new", "annotator": "gpt", "dataset": "koala"}
    row |= {"preference": preference, "raw_completion": raw, "referenced_models": named}
    return row | more


def ranked(best, worst):
    return {"ordered_models": [{"model": best, "rank": 1}, {"model": worst, "rank": 2}]}


def logprobs(**tokens):
    top = [{"token": token, "logprob": value} for token, value in tokens.items()]
    return {"logprobs": {"content": [{"token": top[0]["token"], "top_logprobs": top}]}}


def read(folder, *rows):
    return read_judgments("alpaca_eval", write(folder / FILE, rows, array=True))


@pytest.mark.parametrize(
    ("row", "shown", "choice"),
    [
        # m is shown first. Where m wins and output 1 is preferred, output 1 was shown first.
        (item(1, "m"), REF_FIRST, 1),
        (item(2.0, "m"), NEW_FIRST, 1),
        (item(1, "M"), NEW_FIRST, 2),
        (item(2, " M\n"), REF_FIRST, 2),
        (item(2, ranked("M", "m")), REF_FIRST, 2),
        (item(2, json.dumps(ranked("m", "M"))), NEW_FIRST, 1),
        (item(1, "[{'model': 'model_2', 'rank': 1}, {'model': 'model_1', 'rank': 2}]"),
         NEW_FIRST, 2),
        (item(2, "Output (b)"), REF_FIRST, 2),
        # The likelier token decides, not the one that was drawn.
        (item(1.2, logprobs(M=-1.6, m=-0.2)), REF_FIRST, 1),
        (item(1.2, logprobs(m=-1.6, M=-0.2)), NEW_FIRST, 2),
        (item(1.0000002, logprobs(m=0.0)), REF_FIRST, 1),
        # Named outputs need no reply.
        (item(1, None, {"M": "output_1", "m": "output_2"}), NEW_FIRST, 2),
        (item(2, None, {"m": "output_1", "M": "output_2"}), REF_FIRST, 2),
        (item(0, "equal", {"m": "output_1", "M": "output_2"}), REF_FIRST, 0),
        (item(1.5, "Both are good.", {"M": "output_1", "m": "output_2"}), NEW_FIRST, 0),
        (item(1.5, None, {"M": "output_1", "m": "output_2"}), NEW_FIRST, None),
        (item(None, "Hm.", {"M": "output_1", "m": "output_2"}), NEW_FIRST, None),
        (item(1.5, "m", {"M": "output_1", "m": "output_2"}), NEW_FIRST, None),
    ],
)  # fmt: skip
def test_order_and_slot(tmp_path, row, shown, choice):
    """What was shown first, and which slot won."""
    assert slots(read(tmp_path, row)) == {(f"koala/{HASH}", shown): choice}


def test_why_there_is_no_verdict(tmp_path):
    """No reply, a reply without a verdict, and a tie whose reply names a winner."""
    named = {"m": "output_1", "M": "output_2"}
    rows = [item(None, None, named), item(None, "Hm.", named, instruction="2")]
    rows += [item(1.5, "m", named, instruction="3")]

    assert read(tmp_path, *rows).verdicts["reason"].tolist() == [
        "empty", "no_label", "contradiction"
    ]  # fmt: skip


def test_margin_is_in_favour_of_the_first_slot(tmp_path):
    """A preference of 1.2 is a probability of 0.8 for output 1: log(0.8 / 0.2) = log 4."""
    rows = [item(1.2, "m"), item(1.2, "M", instruction="2"), item(1.0, "m", instruction="3")]
    margins = read(tmp_path, *rows).verdicts["margin"].tolist()

    assert margins[:2] == pytest.approx([math.log(4), -math.log(4)])
    assert math.isnan(margins[2])


def test_files_of_several_generators_share_questions(tmp_path):
    """The id is the text's hash; the dataset is the task; the reference's answer stands once."""
    for name in ("new", "newer"):
        row = item(1, "m", generator_2=name, output_2=name)
        rows = [row, item(2, "m", generator_2=name, dataset=None)]
        write(tmp_path / name / FILE, rows, array=True)
    (tmp_path / "new" / "model_outputs.json").write_text("[]")
    reading = read_judgments("alpaca_eval", tmp_path)

    tasks = reading.questions.set_index("question")["task"].to_dict()
    assert tasks == {f"koala/{HASH}": "koala", HASH: "all"}
    assert reading.files["file"].tolist() == ["new/annotations.json", "newer/annotations.json"]
    assert sorted(reading.answers["candidate"]) == ["new", "new", "newer", "newer", "ref", "ref"]


@pytest.mark.parametrize(
    ("row", "problem", "allowed", "cure"),
    [
        (item(1), "raw_completion names no winner", "names m or M", "keeps raw_completion"),
        (item(2, "Both"), "the order shown cannot be recovered", "referenced_models", "read a"),
        (item(None, "m"), "no winner to compare with", "referenced_models", "leave the item"),
        (item(0, "m"), "no winner to compare with", "referenced_models", "leave the item"),
        (item(1.4, logprobs(m=-1.0, M=-1.0)), "names no winner", "", "read a file"),
        (item(1, ranked("m", "m") | {"ordered_models": [1, {}]}), "names no winner", "", "read"),
        (item(1, None, {"m": "output_1"}), "the order shown cannot", "", "read a file"),
        (item(3, "m"), "preference is 3", "1 to 2; 0 for a tie", "mend the preference"),
        (item("best", "m"), "preference is 'best'", "1 to 2", "mend the preference"),
        (item(True, "m"), "preference is True", "1 to 2", "mend the preference"),
        (item(1, "m", generator_2="ref"), "generator_1 and generator_2 are both 'ref'",
         "two different", "different names"),
        (item(1, "m", output_1=None), "output_1 is None", "a text", "mend output_1"),
        (item(1, "m", output_2="New."), "another text of this answer stands in annotations.json, "
         "line 1", "one text", "keep one generation"),
    ],
)  # fmt: skip
def test_bad_rows_are_set_aside(tmp_path, row, problem, allowed, cure):
    """With file, place in the array, what is allowed, and the cure."""
    with pytest.warns(UserWarning, match="1 of 2 rows set aside"):
        reading = read(tmp_path, item(2, "m"), row)

    (lost,) = reading.set_aside.itertuples()
    assert (lost.file, lost.line) == (FILE, 2)
    assert problem in lost.problem
    assert allowed in lost.allowed
    assert cure in lost.cure


def test_recognised(tmp_path):
    """As of one layout, and no other, from its columns."""
    path = write(tmp_path / FILE, [item(1, "m"), item(2)], array=True)
    table = detect_layout(path).set_index("layout")

    assert table["fitting"].to_dict() == dict.fromkeys(table.index, 0) | {"alpaca_eval": 2}


@st.composite
def planted_item(draw, number):
    """Draw which output won and whether output 1 was shown first, then write it down."""
    winner, first = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    slot = 1 if winner == first else 2
    spelt = {1: [1, 1.0, "1", 1.0000002, 1.3], 2: [2, 2.0, "2.0", 1.9, 1.5000001]}
    letters = ("m", "M") if slot == 1 else ("M", "m")
    tokens = logprobs(**{letters[1]: -2.0, letters[0]: -0.1})
    raw = draw(st.sampled_from([letters[0], ranked(*letters), json.dumps(ranked(*letters)), tokens,
                                None, "\u2028"]))  # fmt: skip
    names = {"m": f"output_{first}", "M": f"output_{3 - first}"}
    named = draw(st.sampled_from([None, names]))
    row = item(draw(st.sampled_from(spelt[winner])), raw, named, instruction=f"Hm {number}?")
    row, whole = draw(spoiled(row, REQUIRED))
    told = whole and (named is not None or raw not in (None, "\u2028"))
    digest = hashlib.sha256(f"Hm {number}?".encode()).hexdigest()[:12]
    shown = REF_FIRST if first == 1 else NEW_FIRST
    return row, {(f"koala/{digest}", shown): slot} if told else None


@settings(max_examples=20)  # of several rows each
@given(st.data(), forms)
def test_planted_rows_come_back(data, form):
    """Whatever the spelling and the form of the file: rows read are kept or set aside."""
    count = data.draw(st.integers(1, 8))
    planted = [data.draw(planted_item(number)) for number in range(count)]

    check_planted("alpaca_eval", planted, form, FILE)
