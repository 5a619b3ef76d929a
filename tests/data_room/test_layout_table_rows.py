"""A table read with a mapping: what is set aside or refused, and what comes back as planted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_writers import slots
from table_files import BASE, KINDS, LABELS, TEXT, read_table, vote, without, write_table

from posbias_kit.data.detect import detect_layout
from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.table_mapping import TableMapping


@pytest.mark.parametrize(
    ("row", "more", "problem", "allowed", "cure"),
    [
        (vote("up"), {}, "v is 'up'", "left, right, tie, error", "in the mapping what it means"),
        (vote(a="y"), {}, "a, b names a candidate twice: y, y", "different", "different names"),
        (vote(a=""), {}, "a is ''", "a text or a whole number", "give the row"),
        (vote(q=""), {}, "q is ''", "a text or a whole number", "give the row its q"),
        (vote(k="two"), {"repeat": "k"}, "the repeat is 'two'", "a whole number from 1", "number"),
        (vote(k="0"), {"repeat": "k"}, "the repeat is '0'", "from 1", "repeat_from"),
        (vote(k="?"), {"order": {"column": "k", "exchanged": ["y"], "kept": ["1"]}},
         "k is '?'", "y, 1", "mend the label"),
        (vote("z"), {"labels_name": "ids", "labels": {"tie": ["tie"], "invalid": ["left"]}},
         "v is 'z'", "x, y, tie, left", "mend the label"),
        (vote("C"), {"labels": LABELS | {"further": [["C"]]}},
         "v is 'C', number 3 of 2 candidates", "x, y", "the mapping's `labels`"),
        (vote(""), {"labeller": True}, "this row holds no label", "", "fill it in"),
    ],
)  # fmt: skip
def test_bad_rows_are_set_aside(tmp_path, row, more, problem, allowed, cure):
    """With file, line, what is allowed, and the cure."""
    with pytest.warns(UserWarning, match="1 of 2 rows set aside"):
        reading = read_table(tmp_path, {"k": "1"} | vote(q="0"), {"k": "1"} | row, **more)

    (lost,) = reading.set_aside.itertuples()
    assert (lost.file, lost.line) == ("votes.csv", 3)
    assert problem in lost.problem
    assert allowed in lost.allowed
    assert cure in lost.cure


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_column_is_one_error(tmp_path, kind):
    """It names the column, the key, and the columns that are there."""
    more = {"verdict": "winner", "question_text": ["text", "q"]}
    with pytest.raises(ParamsError) as caught:
        read_table(tmp_path, vote(), vote(), name=f"votes.{kind}", **more)

    told = str(caught.value)
    assert "no column 'winner', which `verdict` names" in told
    assert "no column 'text', which `question_text` names" in told
    assert f"votes.{kind}, mapping" in told
    assert "allowed: q, a, b, j, v" in told


def test_a_key_that_only_some_objects_have(tmp_path):
    """Then the others are set aside."""
    with pytest.warns(UserWarning, match="1 of 2 rows"):
        reading = read_table(tmp_path, {"q": 1}, vote(), name="votes.jsonl")

    assert reading.set_aside["problem"].tolist() == ["no 'a', 'b', 'j', 'v' in this row"]


def test_a_file_whose_name_does_not_fit(tmp_path):
    """One error that shows the pattern."""
    with pytest.raises(ReadError, match="the name of the file does not fit") as caught:
        read_table(tmp_path, vote(), mapping=without("judge", file_name="(?P<judge>gpt.)"))

    assert caught.value.place == "votes.csv"
    assert caught.value.allowed == "(?P<judge>gpt.)"


@pytest.mark.parametrize("given", [{}, {"mapping": None}, {"mapping": ["votes.yaml"]}])
def test_no_mapping(tmp_path, given):
    """It is asked for, with its keys."""
    path = write_table(tmp_path / "votes.csv", [vote()])
    with pytest.raises(ParamsError, match="needs a mapping") as caught:
        read_judgments("table", path, **given)

    assert "question, candidates, candidate_names" in str(caught.value)


def test_a_model_will_do_and_detection_asks_for_it(tmp_path):
    """A TableMapping instead of its keys; without one, no table is recognised."""
    path = write_table(tmp_path / "votes.csv", [vote()])
    table = detect_layout(path).set_index("layout")

    assert len(read_judgments("table", path, mapping=TableMapping(**BASE)).verdicts) == 1
    assert table["fitting"].sum() == 0
    assert table.loc["table", "lacks"] == "a mapping, which you give (columns: q, a, b, j, v)"


SPELT = {1: ["left", " LEFT"], 2: ["right", "Right\u2028"], 0: ["tie"], None: ["error", ""]}
ids = st.sampled_from(["x", "007", "None", "é,\t\"'", "\u2028-", "NA"])


@st.composite
def planted_row(draw, number):
    """Draw a row, and the slot in it; the list of candidates may be exchanged."""
    pair = draw(st.lists(ids, min_size=2, max_size=2))
    swap = draw(st.booleans())
    slot = draw(st.sampled_from([1, 2, 0, None, "bad"]))
    label = "who?" if slot == "bad" else draw(st.sampled_from(SPELT[slot]))
    row = vote(label, *pair, q=str(number), swap=draw(st.sampled_from([["n", " N"], ["y"]][swap])))
    row |= {"text": draw(st.text('a\u2028\n\r",\té', max_size=5))}
    shown = tuple(pair[::-1] if swap else pair)
    return row, None if slot == "bad" or pair[0] == pair[1] else {(str(number), shown): slot}


@pytest.mark.filterwarnings("ignore:.*set aside")
@settings(max_examples=20)  # of several rows each
@given(st.data(), st.sampled_from(KINDS), st.booleans(), st.booleans(), st.booleans())
def test_planted_rows_come_back(tmp_path_factory, data, kind, gz, mark, returns):
    """Whatever holds the table: rows read are kept or set aside, and slots are those planted."""
    planted = [data.draw(planted_row(n)) for n in range(data.draw(st.integers(1, 8)))]
    keys = data.draw(st.permutations(list(planted[0][0])))
    rows = [{key: row[key] for key in keys} for row, _ in planted]
    gz = gz and kind in (*TEXT, "json", "jsonl")
    path = tmp_path_factory.mktemp("table") / f"votes.{kind}"
    path = write_table(path, rows, gz, mark, returns)
    order = {"column": "swap", "exchanged": ["y"], "kept": ["n"]}
    good = [games for _, games in planted if games is not None]
    mapping = BASE | {"order": order}
    if not good:
        with pytest.raises(ReadError, match="rows is a row of layout 'table'"):
            read_judgments("table", path, mapping=mapping)
        return
    reading = read_judgments("table", path, mapping=mapping)

    assert slots(reading) == {key: slot for games in good for key, slot in games.items()}
    assert reading.files["set_aside"].tolist() == [len(planted) - len(good)]
    assert reading.files["rows"].tolist() == [len(planted)]
