"""The import of filled sheets: any file is read or refused, and every row is accounted for."""

import csv
import io
import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from lasting import in_words, lasting

from posbias_kit.errors import ReadError
from posbias_kit.report.blind import KEY
from posbias_kit.report.cells import write_xlsx
from posbias_kit.report.review_files import ENTRY
from posbias_kit.report.review_import import read_sheet, take_reviews
from posbias_kit.report.review_store import read_reviews

PLACED = {"benchmark": "B", "experiment": "", "arm": "", "turn": "", "question": "q"}
PLACED |= {"digest": "d"}
ITEMS = [("anna", "bcdf"), ("anna", "ghjk"), ("ben", "bcdf")]
KEYS = pd.DataFrame(
    [{**PLACED, "reviewer": who, "item": item, "comparison": item, "candidate": name,
      "answer": name * 4} for who, item in ITEMS for name in "xz"]
)[KEY]  # fmt: skip
ANSWERS = pd.DataFrame([{"benchmark": "B", "question": "q", "candidate": name, "digest": "d"}
                        for name in "xz"])  # fmt: skip
words = st.text(max_size=8)
rows = st.fixed_dictionaries(
    {
        "sheet": st.just("s") | words,
        "reviewer": st.sampled_from(["anna", "anna", "ben", "ANNA", ""]) | words,
        "item": st.sampled_from(["bcdf", "ghjk", "bcdf ", ""]) | words,
        "decision": st.sampled_from(["xxxx", "ZZZZ", "tie", "TIE", "insufficient", ""]) | words,
        "explanation": st.sampled_from(["because", "=1+1", "", "a\r\nb"]) | words,
    }
)


def write(path, told):
    """Write a sheet as CSV or spreadsheet."""
    if path.suffix == ".xlsx":
        write_xlsx(pd.DataFrame(told, columns=list(ENTRY)), path, "review")
        return
    text = io.StringIO()
    table = csv.DictWriter(text, ENTRY)
    table.writeheader()
    table.writerows(told)
    path.write_bytes(text.getvalue().encode("utf-8", "surrogatepass"))


@lasting
@given(told=st.lists(rows, max_size=6), again=st.lists(rows, max_size=3))
def test_every_row_is_taken_refused_or_open(told, again):
    """New, revised, unchanged, open and refused add up to the rows, in each of two imports."""
    reviews = read_reviews(Path("nowhere"))
    for entries in (told, again):
        sheet = [*enumerate(entries, start=2)]
        taken = take_reviews([("a.csv", sheet)], KEYS, ANSWERS, reviews)
        assert sum(taken.counts.values()) == len(entries)
        assert len(taken.refused) == taken.counts["refused"]
        assert len(taken.reviews) - len(reviews) == taken.counts["new"] + taken.counts["revised"]
        reviews = taken.reviews


@lasting
@given(data=st.data())
def test_any_file_is_read_as_a_sheet_or_refused_in_words(data):
    """Bytes replaced, put in and taken out: rows of text, or a ReadError."""
    told = data.draw(st.lists(rows, min_size=1, max_size=3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, data.draw(st.sampled_from(["a.csv", "a.csv", "a.xlsx"])))
        try:
            write(path, told)
        except ValueError:  # a half of a surrogate pair is no cell
            return
        whole = path.read_bytes()
        for _ in range(data.draw(st.integers(0, 3))):
            at = int(
                data.draw(st.floats(0, 1)) * len(whole)
            )  # a workbook's length differs by its time
            gone = data.draw(st.integers(0, 9))
            whole = whole[:at] + data.draw(st.binary(max_size=9)) + whole[at + gone :]
        path.write_bytes(whole)
        try:
            sheet = read_sheet(path)
        except ReadError as error:
            in_words(error)
            return
    taken = take_reviews([("a.csv", sheet)], KEYS, ANSWERS, read_reviews(Path("nowhere")))
    assert sum(taken.counts.values()) == len(sheet)
