"""Filled sheets in again: every row is checked, taken, or refused with its place and cure."""

import csv
from typing import NamedTuple
from zipfile import BadZipFile
from zlib import error as DamageError  # noqa: N812, the standard library's name says nothing

import pandas as pd

from posbias_kit.analysis.reviews import latest_reviews
from posbias_kit.errors import ReadError
from posbias_kit.report.cells import cell_text, plain_cell
from posbias_kit.report.review_files import ENTRY
from posbias_kit.review_schema import INSUFFICIENT, PLACE, WORDS, validate_reviews
from posbias_kit.schema import TIE

REFUSED = ["file", "row", "problem", "value", "allowed", "cure"]
_SPELT = {"INSUFFICIENT EVIDENCE": INSUFFICIENT} | {word: word for word in WORDS}
_LONGEST = 2**31 - 1
"""Characters of a field of a CSV sheet, whose texts are never cut."""
_MEND = "mend this row and import the file again; the rows that were taken stay"


class Taken(NamedTuple):
    """What an import found."""

    reviews: pd.DataFrame
    """The whole table of reviews, those of earlier imports included."""
    refused: pd.DataFrame
    """Rows that were not taken: file, row, problem, value, allowed, cure."""
    counts: dict
    """new, revised, unchanged, open (rows without decision and explanation), refused."""


def read_sheet(path):
    """Read a filled sheet, CSV or spreadsheet, as rows of text.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of (int, dict)
        Number of the row as a spreadsheet shows it, and the entry.

    Raises
    ------
    ReadError
        The file is missing, no sheet, or lacks a column.
    """
    readers = {".csv": _read_csv, ".xlsx": _read_xlsx}
    if path.suffix.lower() not in readers or not path.is_file():
        raise ReadError(
            "no such file" if not path.is_file() else f"a file that ends in {path.suffix!r}",
            place=str(path),
            allowed=", ".join(readers),
            cure="give the sheet that was filled, or what the page saved",
        )
    try:
        head, *rows = readers[path.suffix.lower()](path)
    except (ValueError, KeyError, OSError, csv.Error, BadZipFile, DamageError) as error:
        raise ReadError(f"not readable as a sheet: {error}", place=str(path)) from None
    missing = [name for name in ENTRY[1:] if name not in head]
    if missing:
        raise ReadError(
            f"no column {', '.join(map(repr, missing))}",
            place=str(path),
            allowed=", ".join(ENTRY),
            cure="keep the first line of the sheet as it was exported",
        )
    place = {name: head.index(name) for name in ENTRY if name in head}
    return [
        (number, {name: _cell(row, at) for name, at in place.items()})
        for number, row in enumerate(rows, start=2)
        if any(field.strip() for field in row)
    ]


def _cell(row, at):
    return row[at] if at < len(row) else ""


def _read_csv(path):
    limit = csv.field_size_limit(_LONGEST)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            between = _separator(file.readline())
            file.seek(0)
            rows = list(csv.reader(file, delimiter=between, strict=True))
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise ValueError("the file is empty")
    return [[plain_cell(field) for field in row] for row in rows]


def _separator(head):
    """Return what stands between the columns; a spreadsheet may have saved another than a comma."""
    return max(",;\t", key=head.count)


def _read_xlsx(path):
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True)
    sheet = book["review"] if "review" in book.sheetnames else book.worksheets[0]
    rows = [["" if value is None else str(value) for value in row]
            for row in sheet.iter_rows(values_only=True)]  # fmt: skip
    if not rows:
        raise ValueError("the sheet is empty")
    return rows


def take_reviews(sheets, key, answers, earlier):
    """Check every row of filled sheets, and add what can be taken to the earlier reviews.

    Nothing is overwritten: a decision that differs from the reviewer's last one on the same
    comparison is kept as the next version. A row without decision and explanation is open. An item
    may stand in several of the files, as long as all of them say the same of it; else all its
    entries are refused.

    Parameters
    ----------
    sheets : list of (str, list)
        Name of a file, and its rows from :func:`read_sheet`.
    key : DataFrame
        The run's key, columns :data:`posbias_kit.report.blind.KEY`.
    answers : DataFrame
        The run's answers, which must be the texts that were shown.
    earlier : DataFrame
        The table of reviews so far.

    Returns
    -------
    Taken
    """
    items = dict(iter(key.groupby(["reviewer", "item"], observed=True)))
    texts = answers.set_index(["benchmark", "question", "candidate"])["digest"].to_dict()
    last = _last(earlier)
    counts = {"new": 0, "revised": 0, "unchanged": 0, "open": 0, "refused": 0}
    entries, refused = [], []
    for file, sheet in sheets:
        for number, entry in sheet:
            told = {name: text.strip() for name, text in entry.items()}
            if not told["decision"] and not told["explanation"]:
                counts["open"] += 1
                continue
            wrong = _refuse(told, items, texts)
            if wrong:
                refused.append({"file": file, "row": number, **wrong})
                continue
            row = _review(told, items[told["reviewer"], told["item"]], file, number)
            entries.append(((*(row[name] for name in PLACE), row["reviewer"]), told["item"], row))
    entries, twice = _split_differing(entries)
    refused += twice
    rows = []
    for place, _, row in entries:
        before = last.get(place)
        same = before and _says(row, *before[1:])
        counts["unchanged" if same else "revised" if before else "new"] += 1
        if not same:
            row["version"] = before[0] + 1 if before else 1
            last[place] = (row["version"], row["decision"], row["explanation"])
            rows.append(row)
    counts["refused"] = len(refused)
    new = pd.DataFrame(rows, columns=list(earlier.columns))
    whole = pd.concat([earlier, new], ignore_index=True) if rows else earlier
    return Taken(validate_reviews(whole), pd.DataFrame(refused, columns=REFUSED), counts)


def _last(reviews):
    """Last version of each reviewer's word: (place, reviewer) -> (version, decision, why)."""
    told = latest_reviews(reviews)
    columns = [*PLACE, "reviewer", "version", "decision", "explanation"]
    return {
        tuple(row[: len(PLACE) + 1]): (int(row[-3]), row[-2], row[-1])
        for row in told[columns].itertuples(index=False, name=None)
    }


def _review(told, block, file, number):
    """Return the row of an entry that was accepted; only here an id becomes a candidate."""
    about = block.iloc[0]
    answer = block.loc[block["answer"] == told["decision"].lower(), "candidate"]
    decision = answer.iloc[0] if len(answer) else _SPELT[told["decision"].upper()]
    return {
        **{name: about[name] for name in PLACE},
        "question": about["question"],
        "reviewer": told["reviewer"],
        "version": 1,
        "decision": decision,
        "explanation": told["explanation"],
        "file": file,
        "row": number,
    }


def _says(row, decision, explanation):
    """Whether an entry is the one before, be it as a spreadsheet's cell holds it."""
    forms = (explanation, cell_text(explanation).strip())
    return row["decision"] == decision and row["explanation"] in forms


def _split_differing(entries):
    """Take out all entries of an item that do not say the same: none of them is believed."""
    first, places, differing = {}, {}, set()
    for place, _, row in entries:
        places.setdefault(place, []).append(f"{row['file']}, row {row['row']}")
        before = first.setdefault(place, row)
        if not _says(row, before["decision"], before["explanation"]):
            differing.add(place)
    refused = [
        {"file": row["file"], "row": row["row"]}
        | _wrong(f"the item stands in {' and in '.join(places[place])}, and differs", item,
                 "one entry an item", "delete all but one of them and import again")
        for place, item, row in entries if place in differing
    ]  # fmt: skip
    return [entry for entry in entries if entry[0] not in differing], refused


def _refuse(told, items, texts):
    """Say what is wrong with an entry, or return None."""
    reviewers = sorted({reviewer for reviewer, _ in items})
    if told["reviewer"] not in reviewers:
        return _wrong("unknown reviewer", told["reviewer"], ", ".join(reviewers))
    block = items.get((told["reviewer"], told["item"]))
    if block is None:
        return _wrong("no item of this reviewer", told["item"], "an id of the exported sheet")
    allowed = [*block["answer"], TIE, INSUFFICIENT]
    decision = told["decision"]
    if not decision:
        return _wrong("an explanation without a decision", "", ", ".join(allowed))
    if decision.lower() not in set(block["answer"]) and decision.upper() not in _SPELT:
        return _wrong("the decision is no answer of this item", decision, ", ".join(allowed))
    if not told["explanation"]:
        return _wrong("no explanation of the decision", "", "a sentence that says why")
    for row in block.itertuples():
        if texts.get((row.benchmark, row.question, row.candidate)) != row.digest:
            return _wrong("the answer is not the text that was shown", row.answer,
                          "the answers of the run when the sheet was exported",
                          "export the sheet again and review the new text")  # fmt: skip
    return None


def _wrong(problem, value, allowed, cure=_MEND):
    return {"problem": problem, "value": value, "allowed": allowed, "cure": cure}
