"""Every reader, on files that are damaged in any way: the kit's own errors, and no row lost."""

import json
import tempfile
import warnings
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from lasting import in_words, lasting

from posbias_kit.data import detect_layout, read_benchmark, read_judgments, read_verdicts
from posbias_kit.errors import PosbiasError
from posbias_kit.report.files import read_csv

SWAP = {"question_id": 1, "model_a": "x", "model_b": "y", "judge_id": "j"}
SWAP |= {"winner_ab": "A", "winner_ba": "B"}
FAST = {"question_id": 1, "model_1": "x", "model_2": "y", "judge": ["j", "p"]}
FAST |= {"g1_winner": "model_1", "g2_winner": "tie", "turn": 1}
GAME = {"question_id": 1, "model": "y", "judge": "j", "baseline": "x"}
GAME |= {"games": [{"score": "A>B"}, {"score": "B>>A"}]}
LIST = {"pid": 1, "judge": "j", "rotation": 0, "order": ["x", "y", "z"], "raw": "[[B]]"}
LIST |= {"winner_model": "y"}
BENCH = {"pair_id": 1, "response_A": "4", "response_B": "5", "judge_name": "j", "label": "A>B"}
BENCH |= {"judgments": [{"decision": "A>B"}, {"decision": "B>A"}]}
ITEM = {"instruction": "?", "output_1": "1", "generator_1": "x", "output_2": "2"}
ITEM |= {"generator_2": "y", "annotator": "j", "raw_completion": "?", "preference": 1.5}
ITEM |= {"referenced_models": {"m": "output_1", "M": "output_2"}}
LINES = {"input": "?", "output_1": "a", "output_2": "b", "label": 1}
LINES |= {"results": [{"swap = False": {"winner": "1"}, "swap = True": {"winner": "2"}}]}
GRADE = {"question_id": 1, "model": "x", "judge": ["j", "p"], "score": 7, "turn": 1}
TABLE = {"q": "1", "a": "x", "b": "y", "j": "k", "v": "left"}
MAPPING = {"question": "q", "candidates": ["a", "b"], "judge": "j", "verdict": "v"}
MAPPING |= {"labels": {"first": ["left"], "second": ["right"]}}
ROWS = {
    "swap_columns": ("a.jsonl", SWAP), "fastchat_pair": ("a.jsonl", FAST),
    "arena_hard": ("a.jsonl", GAME), "listwise": ("a.jsonl", LIST),
    "judgebench": ("a.jsonl", BENCH), "alpaca_eval": ("annotations.jsonl", ITEM),
    "llmbar": ("N/evaluators/G/V/result.json", LINES), "scores": ("a.jsonl", GRADE),
    "table": ("a.jsonl", TABLE),
}  # fmt: skip

texts = st.text(max_size=12) | st.sampled_from(["", "TIE", "nan", "NA", "\ud800", "a\0b", "🙂"])
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    plain, lambda part: st.lists(part, max_size=3) | st.dictionaries(texts, part, max_size=3)
)


@st.composite
def spoilt(draw, row):
    """Draw rows whose values, keys and neighbours are anything."""
    rows = []
    for number in range(draw(st.integers(1, 4))):
        key = next(iter(row))
        made = {**row, key: number}
        for name in draw(st.lists(st.sampled_from(sorted(row)), max_size=2)):
            made[name] = draw(values)
        for name in draw(st.lists(st.sampled_from(sorted(row)), max_size=1)):
            made.pop(name, None)
        rows.append(made if draw(st.integers(0, 9)) else draw(values))
    return rows


def damage(draw, data):
    """Draw bytes that replace others, or are put in or taken out, a few times."""
    for _ in range(draw(st.integers(0, 3))):
        at = int(draw(st.floats(0, 1)) * len(data))  # a workbook's length differs by its time
        gone = draw(st.integers(0, 8))
        data = data[:at] + draw(st.binary(max_size=8)) + data[at + gone :]
    return data


def read(layout, path):
    """Read a file; return None where the kit refuses it in its own words."""
    options = {"mapping": MAPPING} if layout == "table" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return read_judgments(layout, path, **options)
        except PosbiasError as error:
            in_words(error)
            return None


@lasting
@given(data=st.data())
def test_rows_in_are_rows_out_and_rows_set_aside(data):
    """Whatever stands in the rows: each is kept, or set aside with a problem and a cure."""
    layout = data.draw(st.sampled_from(sorted(ROWS)))
    name, row = ROWS[layout]
    rows = data.draw(spoilt(row))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(rows) if name.endswith(".json") else "\n".join(map(json.dumps, rows))
        path.write_text(text, encoding="utf-8")
        reading = read(layout, path)
    if reading is not None:
        (file,) = reading.files.itertuples()
        assert file.rows == len(rows) == file.kept + file.set_aside
        assert (reading.set_aside[["problem", "cure"]] != "").all(axis=None)
        assert len(reading.set_aside) == file.set_aside


@lasting
@given(data=st.data())
def test_damaged_files_end_in_words(data):
    """Bytes replaced, put in or taken out: read as far as it goes, or refused in words."""
    layout = data.draw(st.sampled_from(sorted(ROWS)))
    name, row = ROWS[layout]
    key = next(iter(row))
    whole = "\n".join(json.dumps({**row, key: n}) for n in range(3)).encode()
    if name.endswith(".json"):
        whole = json.dumps([row]).encode()
    ending = data.draw(st.sampled_from([*[Path(name).suffix] * 3, ".jsonl.gz", ".csv", ".tsv",
                                        ".xlsx", ".parquet"]))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name).with_suffix(ending)
        path.parent.mkdir(parents=True, exist_ok=True)
        if layout == "table" and ending in (".csv", ".xlsx", ".parquet"):
            frame = pd.DataFrame([{**row, key: str(n)} for n in range(3)])
            if ending == ".csv":
                frame.to_csv(path, index=False)
            elif ending == ".xlsx":
                frame.to_excel(path, index=False)
            else:
                frame.to_parquet(path)
            whole = path.read_bytes()
        path.write_bytes(damage(data.draw, whole))
        reading = read(layout, path)
        try:
            detect_layout(path)
        except PosbiasError as error:
            in_words(error)
    if reading is not None:
        sums = reading.files[["rows", "kept", "set_aside"]].sum()
        assert sums["rows"] == sums["kept"] + sums["set_aside"]


@lasting
@given(data=st.data())
def test_own_tables_and_benchmarks_end_in_words(data):
    """A damaged table of the kit's own, and a damaged benchmark, are refused in words."""
    kind = data.draw(st.sampled_from(["verdicts", "result", "fastchat", "paper"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.csv")
        if kind in ("verdicts", "result"):
            whole = b'"judge","pc"\n"a",0.5\n"b",\n'
            if kind == "verdicts":
                head = "benchmark,experiment,task,question,turn,cluster,arm,comparison,slots,order"
                head += ",shown,candidate,reference,judge,repeat,status,reason,choice,winner,margin"
                row = 'B,,t,q,,q,,"[""q"",""a"",""b""]",2,AB,"[""a"",""b""]",a,b,j,1,ok,,1,a,'
                whole = f"{head}\n{row}\n".encode()
            path.write_bytes(damage(data.draw, whole))
        else:
            rows = [{"question_id": 81, "category": "math", "turns": ["?"]}]
            lines = "\n".join(map(json.dumps, data.draw(spoilt(rows[0])))).encode()
            Path(folder, "question.jsonl").write_bytes(damage(data.draw, lines))
            Path(folder, "model_answer").mkdir()
            answer = {"question_id": 81, "model_id": "m", "choices": [{"turns": ["4"]}]}
            lines = "\n".join(map(json.dumps, data.draw(spoilt(answer)))).encode()
            Path(folder, "model_answer", "m.jsonl").write_bytes(damage(data.draw, lines))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                if kind == "verdicts":
                    read_verdicts("verdicts", path)
                elif kind == "result":
                    read_csv(path)
                else:
                    read_benchmark(kind, folder)
        except PosbiasError as error:
            in_words(error)
