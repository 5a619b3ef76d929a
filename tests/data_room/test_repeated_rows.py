"""Any files with several rows of one key: what is set aside, and that it may be."""

import json
import re
import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_writers import columns, write

from posbias_kit.data.judgments import read_judgments
from posbias_kit.errors import ReadError


def swap_row(question, turn, slots, prompt, time):
    labels = [{1: "A", 2: "B", 0: "tie", None: "error"}[slot] for slot in slots]
    row = {"question_id": question, "model_a": "x", "model_b": "y", "judge_id": "j", "turn": turn}
    row |= {"winner_ab": labels[0], "winner_ba": labels[1], "input_sha256": prompt}
    return row | {"judgment_ab": "said", "judgment_ba": "said", "tstamp": time}


def fast_row(question, turn, slots, prompt, time):
    names = ["model_1", "model_2"], ["model_2", "model_1"]
    won = [
        {1: pair[0], 2: pair[1], 0: "tie", None: "error"}[slot]
        for pair, slot in zip(names, slots, strict=True)
    ]
    row = {"question_id": question, "model_1": "x", "model_2": "y", "judge": ["j", "p"]}
    row |= {"g1_winner": won[0], "g2_winner": won[1], "g1_user_prompt": prompt, "turn": turn}
    return row | {"g1_judgment": "said", "g2_judgment": "said", "tstamp": time}


slot = st.sampled_from([1, 2, 0, None, None])
planted = st.tuples(
    st.integers(1, 2), st.sampled_from([1, 2]), st.tuples(slot, slot),
    st.sampled_from([None, "e", "f"]), st.sampled_from([None, 1.5, 2.5]),
)  # fmt: skip
files = st.lists(st.lists(planted, min_size=1, max_size=5), min_size=1, max_size=2)


def name(file):
    return f"{file}.jsonl"


def check_reason(problem, row, found):
    """A row may go for what another one shows: `found` is place -> planted row."""
    (question, turn, slots, prompt, time), (file, _) = row
    place = re.search(r"in (\S+), line (\d+)|than (\S+), line (\d+)", problem)
    other_file, other_line = [group for group in place.groups() if group]
    other = found[other_file, int(other_line)]
    assert other[:2] == (question, turn)
    if problem.startswith("stands twice"):
        assert time is not None
        assert other[4] == time
    elif problem.startswith("shows other texts"):
        assert {prompt, other[3]} == {"e", "f"}
    else:
        assert other_file == file
        assert any(
            mine is None and its is not None for mine, its in zip(slots, other[2], strict=True)
        )
        assert problem.startswith("has no verdict") == (slots == (None, None))


@pytest.mark.parametrize(
    ("layout", "make"), [("swap_columns", swap_row), ("fastchat_pair", fast_row)]
)
@given(files, st.data())
def test_any_rows_of_one_key(tmp_path_factory, layout, make, drawn, data):
    """Kept rows give their verdicts, numbered as they come; the others go for a true reason."""
    folder = tmp_path_factory.mktemp("rows")
    found = {}
    for file, rows in enumerate(drawn):
        extra = [data.draw(columns) for _ in rows]
        write(folder / name(file), [e | make(*row) for e, row in zip(extra, rows, strict=True)])
        found |= {(name(file), line): row for line, row in enumerate(rows, start=1)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reading = read_judgments(layout, folder)
    aside = {(row.file, row.line): row.problem for row in reading.set_aside.itertuples()}
    kept = {place: row for place, row in found.items() if place not in aside}

    assert len(aside) == len(reading.set_aside)
    for place, problem in aside.items():
        check_reason(problem, (found[place], place), found)
    count, expected = Counter(), []
    for question, turn, slots, *_ in kept.values():
        for shown, choice in zip(("xy", "yx"), slots, strict=True):
            count[question, turn, shown] += 1
            number = count[question, turn, shown]
            expected.append((str(question), str(turn), shown, number, choice))
    assert [
        (row.question, row.turn, "".join(json.loads(row.shown)), row.repeat,
         row.choice if row.status == "ok" else None)
        for row in reading.verdicts.itertuples()
    ] == expected  # fmt: skip


@given(files)
def test_no_key_loses_its_last_verdict(tmp_path_factory, drawn):
    """Without other prompts and copies, each order of each file keeps a verdict that it had."""
    folder = tmp_path_factory.mktemp("rows")
    for file, rows in enumerate(drawn):
        write(folder / name(file), [swap_row(*row[:3], None, None) for row in rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            reading = read_judgments("swap_columns", folder)
        except ReadError:
            pytest.fail("every row was set aside")
    aside = set(zip(reading.set_aside["file"], reading.set_aside["line"], strict=True))
    told, left = set(), set()
    for file, rows in enumerate(drawn):
        for line, (question, turn, slots, *_) in enumerate(rows, start=1):
            keys = {(file, question, turn, n) for n in (0, 1) if slots[n] is not None}
            told |= keys
            left |= set() if (name(file), line) in aside else keys

    assert left == told
