"""The sheet of a reviewer as CSV, spreadsheet and page."""

import hashlib
import json

import pandas as pd
from markupsafe import Markup

from posbias_kit.report.cells import write_xlsx
from posbias_kit.report.files import write_text
from posbias_kit.report.html import fill_template
from posbias_kit.report.worksheet import write_safe_csv
from posbias_kit.review_schema import INSUFFICIENT, WORDS
from posbias_kit.schema import TIE

ENTRY = ("sheet", "reviewer", "item", "decision", "explanation")
"""Columns that a filled sheet must have; the page saves just these."""

_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026",
                          "\u2028": "\\u2028", "\u2029": "\\u2029"})  # fmt: skip


def write_sheets(items, reviewer, folder, decided=None):
    """Write one reviewer's sheet in three forms, each of which can be filled and imported.

    Parameters
    ----------
    items : list of dict
        From :func:`posbias_kit.report.blind.blind_items`.
    reviewer : str
    folder : Path
    decided : dict, optional
        item -> (decision, explanation), of what this reviewer decided before.

    Returns
    -------
    list of Path
    """
    frame = sheet_frame(items, reviewer, decided or {})
    paths = [folder / f"review_{reviewer}{ending}" for ending in (".csv", ".xlsx", ".html")]
    write_safe_csv(frame, paths[0])
    wide = [name for name in frame if name in _LONG or name.removeprefix("answer_").isdigit()]
    choices = {"decision": [[*(name for name, _ in item["answers"]), *WORDS] for item in items]}
    write_xlsx(frame, paths[1], "review", choices, wide)
    write_text(paths[2], sheet_page(items, reviewer, frame))
    return paths


_LONG = ("request", "rubric", "reference", "explanation")


def sheet_frame(items, reviewer, decided):
    """Return a sheet as a table: one row an item, in the reviewer's order."""
    sheet = hashlib.sha256(json.dumps(items, ensure_ascii=False).encode()).hexdigest()[:12]
    rows = []
    for item in items:
        decision, explanation = decided.get(item["item"], ("", ""))
        row = {"sheet": sheet, "reviewer": reviewer, "item": item["item"]}
        row |= {name: item[name] for name in ("request", "rubric", "reference")}
        for place, (name, text) in enumerate(item["answers"], start=1):
            row |= {f"answer_{place}_id": name, f"answer_{place}": text}
        rows.append(row | {"decision": decision, "explanation": explanation})
    frame = pd.DataFrame(rows).fillna("")
    last = ["decision", "explanation"]
    return frame[[*(name for name in frame if name not in last), *last]]


def sheet_page(items, reviewer, frame):
    """Return the page on which a sheet is filled with the keyboard.

    Every text goes into the page as data and from there onto it as text; a policy in the page
    lets no script run but the page's own, and nothing be loaded.
    """
    told = frame.set_index("item")[["decision", "explanation"]]
    state = [frame["sheet"].iloc[0], reviewer, *told.to_numpy().ravel()]
    shelf = hashlib.sha256(json.dumps(state, ensure_ascii=False).encode()).hexdigest()[:12]
    data = {
        "sheet": frame["sheet"].iloc[0],
        "reviewer": reviewer,
        "shelf": shelf,
        "tie": TIE,
        "insufficient": INSUFFICIENT,
        "columns": ENTRY,
        "items": [item | dict(told.loc[item["item"]]) for item in items],
    }
    return fill_template(
        "review.html.j2",
        "review.js",
        reviewer=reviewer,
        data=Markup(json.dumps(data, ensure_ascii=False).translate(_ESCAPED)),  # noqa: S704
    )
