"""Pairs with winner_ab and winner_ba: the real files, files of the same make, and bad rows."""

import gzip
import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import public

from posbias_kit.analysis import judge_agreement, position_bias
from posbias_kit.data import read_judgments
from posbias_kit.errors import ReadError

SLOT = {"A": 1, "B": 2, "tie": 0, "error": None}


@pytest.fixture(scope="module")
def korean():
    return read_judgments("swap_columns", public("korean_mt_bench", "data", "en"))


def test_korean_pairs(korean):
    """Counts as they were computed independently, and as the source's table 5 has them."""
    table = position_bias(korean.verdicts, draws=0).set_index("judge")
    kinds = ["complete", "incomplete", "consistent", "primacy_full", "recency_full"]
    halves = ["primacy_half", "recency_half"]

    assert table.loc["Qwen2.5-7B-Instruct", [*kinds, *halves]].tolist() == [
        1200, 0, 249, 630, 18, 292, 11,
    ]  # fmt: skip
    assert table.loc["Qwen2.5-32B-Instruct", [*kinds, *halves]].tolist() == [
        1198, 2, 827, 267, 52, 46, 6,
    ]  # fmt: skip
    totals = korean.verdicts.groupby(["judge", "choice"], dropna=False).size()
    assert totals["Qwen2.5-7B-Instruct"].tolist() == [423, 1741, 236]
    assert totals["Qwen2.5-32B-Instruct"].to_list() == [92, 1388, 918, 2]


def test_korean_ties_in_both_orders(korean):
    told = korean.verdicts.groupby(["judge", "comparison"])["choice"].agg(["sum", "count"])
    both = ((told["sum"] == 0) & (told["count"] == 2)).groupby("judge").sum()

    assert both.to_dict() == {"Qwen2.5-7B-Instruct": 60, "Qwen2.5-32B-Instruct": 20}


def test_korean_agreement_of_the_judges(korean):
    """Per order as published; verdicts as models, which for one order is the same as slots."""
    for order, n, share, kappa in (("AB", 1198, 0.5459, 0.1723), ("BA", 1200, 0.5517, 0.1415)):
        block = korean.verdicts[_first_order(korean.verdicts) == order]
        row = judge_agreement(block).iloc[0]
        assert row["instances"] == n
        assert round(row["agreement"], 4) == share
        assert round(row["kappa"], 4) == kappa


def test_korean_agreement_of_the_final_winners(korean):
    """Both orders taken together: a winner, a tie, or inconsistent."""
    told = korean.verdicts.groupby(["judge", "comparison"])["winner"].agg(
        ["nunique", "first", "count"]
    )
    told = told[told["count"] == 2]
    final = told["first"].where(told["nunique"] == 1, "inconsistent").unstack("judge").dropna()
    one, two = final["Qwen2.5-7B-Instruct"], final["Qwen2.5-32B-Instruct"]
    both = final[(one != "inconsistent") & (two != "inconsistent")]

    assert len(final) == 1198
    assert round((one == two).mean(), 4) == 0.3765
    assert len(both) == 187
    assert round((both.iloc[:, 0] == both.iloc[:, 1]).mean(), 4) == 0.7594


def _first_order(verdicts):
    """Order of the source, whose model_a is the one that stands first here."""
    names = ["Llama", "EEVE", "EXAONE", "gemma", "Mistral", "Phi"]
    place = (
        verdicts["shown"]
        .map(json.loads)
        .map(lambda pair: [next(i for i, n in enumerate(names) if m.startswith(n)) for m in pair])
    )
    return place.map(lambda pair: "AB" if pair[0] < pair[1] else "BA")


def test_korean_grades(korean):
    """Single grades of the 7B judge: the consistent share by the gap of the two grades."""
    scores = korean.scores.set_index(["question", "candidate"])["score"]
    told = korean.verdicts[korean.verdicts["judge"] == "Qwen2.5-7B-Instruct"]
    series = told.groupby("comparison").agg(winner=("winner", "nunique"))
    names = [json.loads(text) for text in series.index]
    gap = [abs(scores[q, a] - scores[q, b]) for q, a, b in names]
    same = series["winner"].eq(1).to_numpy()

    counts = {}
    for width, consistent in zip(gap, same, strict=True):
        cell = 0 if width == 0 else 1 if width <= 1 else 2 if width <= 2 else 3
        right, total = counts.get(cell, (0, 0))
        counts[cell] = right + consistent, total + 1
    assert len(korean.scores) == 480
    assert counts == {0: (36, 281), 1: (124, 647), 2: (49, 164), 3: (40, 108)}


LABELS = st.sampled_from(["A", "B", "tie", "error", "a", " b ", "Tie", "TIE", None])


@st.composite
def pairs(draw):
    """Rows as another author might write them."""
    ids = st.one_of(st.integers(0, 99), st.sampled_from(["007", "12_1", "81_DE"]))
    rows = []
    for question in draw(st.lists(ids, min_size=1, max_size=8, unique_by=str)):
        row = {
            "question_id": question,
            "model_a": draw(st.sampled_from(["None", "NA", "x\u2028y"])),
            "model_b": draw(st.sampled_from(["null", "b"])),
            "judge_id": draw(st.sampled_from(["j", "1"])),
            "winner_ab": draw(LABELS),
            "winner_ba": draw(LABELS),
            "judgment_ab": draw(st.sampled_from(["", "[[A]]", "no label"])),
            "extra": draw(st.sampled_from([None, 1.5, "z"])),
        }
        keys = draw(st.permutations(list(row)))
        rows.append({key: row[key] for key in keys})
    return rows


@given(pairs(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.booleans())
def test_other_files_of_this_layout(tmp_path_factory, rows, end, mark, array, packed):
    """Slots come back as they were written, whatever the file looks like."""
    text = end.join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = json.dumps(rows) if array else text
    data = ("\ufeff" * mark + text).encode()
    path = tmp_path_factory.mktemp("pairs") / ("p.jsonl.gz" if packed else "p.jsonl")
    path.write_bytes(gzip.compress(data) if packed else data)

    reading = read_judgments("swap_columns", path)

    assert reading.files[["rows", "kept", "set_aside"]].sum().tolist() == [len(rows), len(rows), 0]
    found = {
        (row.question, row.judge, row.shown): None if row.status == "invalid" else row.choice
        for row in reading.verdicts.itertuples()
    }
    for row in rows:
        pair = [row["model_a"], row["model_b"]]
        for name, shown in (("winner_ab", pair), ("winner_ba", pair[::-1])):
            text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
            label = (row[name] or "error").strip()
            planted = SLOT[label.upper() if len(label) == 1 else label.lower()]
            assert found[str(row["question_id"]), row["judge_id"], text] == planted


GOOD = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}


def test_bad_rows_are_told_with_file_line_and_cure(tmp_path):
    """Nothing vanishes: a row is kept or set aside, with the reason."""
    rows = [
        json.dumps(GOOD | {"winner_ab": "A", "winner_ba": "B"}),
        json.dumps(GOOD | {"question_id": 2, "winner_ab": "first", "winner_ba": "B"}),
        json.dumps(GOOD | {"question_id": 3, "model_b": "x", "winner_ab": "A", "winner_ba": "B"}),
        '{"question_id": 4',
        json.dumps(GOOD | {"question_id": None, "winner_ab": "A", "winner_ba": "B"}),
        json.dumps({"question_id": 5, "winner_ab": "A"}),
        "[1]",
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(rows))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reading = read_judgments("swap_columns", path)

    aside = reading.set_aside
    assert aside["line"].tolist() == [2, 3, 4, 5, 6, 7]
    assert aside["file"].unique().tolist() == ["p.jsonl"]
    problems = aside["problem"].tolist()
    assert problems[0] == "winner_ab is 'first'"
    assert problems[1] == "model_a and model_b are both 'x'"
    assert problems[2].startswith("not readable as JSON")
    assert problems[3] == "question_id is None"
    assert problems[4].startswith("no 'model_a', 'model_b', 'judge_id', 'winner_ba'")
    assert problems[5] == "'[1]' is no JSON object"
    assert (aside["cure"] != "").all()
    assert len(reading.verdicts) == 2
    assert "6 of 7 rows set aside" in str(caught[0].message)
    assert reading.files["kept"].tolist() == [1]


def test_retried_pair_leaves_one_verdict_an_order(tmp_path):
    """A failed row beside the row of its retry is set aside, and named."""
    path = tmp_path / "p.jsonl"
    rows = [
        GOOD | {"winner_ab": "error", "winner_ba": "A"},
        GOOD | {"winner_ab": "B", "winner_ba": "A"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.warns(UserWarning, match="1 of 2 rows set aside"):
        reading = read_judgments("swap_columns", path)

    assert reading.set_aside["problem"].tolist() == [
        "lacks one of its verdicts, and was judged again in p.jsonl, line 2"
    ]
    assert reading.verdicts["choice"].tolist() == [2, 1]
    assert reading.verdicts["repeat"].tolist() == [1, 1]


def test_files_of_another_layout_are_refused(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"a": 1}')

    with pytest.raises(ReadError, match=r"(?s)none of 1 rows is a row of layout.*--detect"):
        read_judgments("swap_columns", path)
