"""Tables of every kind, for the tests of the reader with a mapping."""

import csv
import gzip
import io
from pathlib import Path

import pandas as pd
from layout_writers import write

from posbias_kit.data.judgments import read_judgments

TEXT = ("csv", "tsv")
KINDS = (*TEXT, "jsonl", "json", "xlsx", "parquet")
LABELS = {"first": ["left"], "second": ["right"], "tie": ["tie"], "invalid": ["error"]}
BASE = {"question": "q", "candidates": ["a", "b"], "judge": "j", "verdict": "v", "labels": LABELS}


def write_table(path, rows, gz=False, mark=False, returns=False):
    """Write rows as the kind that the path ends in; gz, mark and returns are for CSV and TSV."""
    kind = Path(path).suffix[1:]
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in ("json", "jsonl"):
        return write(path, rows, array=kind == "json", gz=gz, mark=mark, returns=returns)
    if kind == "xlsx":
        pd.DataFrame(rows, dtype=object).to_excel(path, index=False)
        return path
    if kind == "parquet":
        pd.DataFrame(rows).to_parquet(path)
        return path
    text = io.StringIO()
    end = "\r\n" if returns else "\n"
    # The csv module leaves a lone carriage return without quotes.
    returned = any("\r" in str(cell) for row in rows for cell in row.values())
    table = csv.DictWriter(text, list(rows[0]), delimiter="\t" if kind == "tsv" else ",",
                           quoting=csv.QUOTE_ALL if returned else csv.QUOTE_MINIMAL,
                           lineterminator=end)  # fmt: skip
    table.writeheader()
    table.writerows(rows)
    data = ("\ufeff" * mark + text.getvalue()).encode()
    path = Path(f"{path}.gz") if gz else path
    path.write_bytes(gzip.compress(data, 1) if gz else data)
    return path


def vote(v="left", a="x", b="y", q="1", j="gpt", **more):
    return {"q": q, "a": a, "b": b, "j": j, "v": v} | more


def without(*keys, **more):
    return {key: value for key, value in BASE.items() if key not in keys} | more


def read_table(folder, *rows, mapping=None, name="votes.csv", **more):
    path = write_table(folder / name, rows)
    return read_judgments("table", path, mapping=mapping or BASE | more)
