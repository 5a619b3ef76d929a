"""Which layout do files have?"""

import fnmatch
from itertools import islice

import pandas as pd

from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.layouts.cells import table_rows
from posbias_kit.data.layouts.files import find_files, flat_paths
from posbias_kit.data.layouts.records import Layout, Source, lacking
from posbias_kit.errors import ReadError
from posbias_kit.schema import VERDICTS


def detect_layout(*paths, rows=20):
    """Say for each layout what the files lack to be of it.

    Parameters
    ----------
    *paths : str or Path
    rows : int
        How many rows of each file are looked at.

    Returns
    -------
    DataFrame
        One row a layout, and one each for ``verdicts`` and ``paper``, the best first: layout,
        title, files (that its file names fit), rows (looked at), fitting (rows that have all it
        needs), lacks (what the others lack).

    Raises
    ------
    ParamsError
        No path is given.
    ReadError
        There is no such file or folder.
    """
    for path in flat_paths(paths):
        if not path.exists():
            raise ReadError("no such file or folder", place=str(path), cure="check the path")
    table = []
    for layout in (*LAYOUTS.values(), _OWN, _PAPER):
        try:
            files = find_files(layout, paths)
        except ReadError as error:
            table.append((layout.name, layout.title, 0, 0, 0, error.problem))
            continue
        told = [_lacks(layout, file, name, rows) for file, name in files]
        looked, fitting = sum(len(t) for t in told), sum(not lack for t in told for lack in t)
        lacks = sorted({word for t in told for lack in t for word in lack}) or ["a row"][looked:]
        table.append((layout.name, layout.title, len(files), looked, fitting, ", ".join(lacks)))
    columns = ["layout", "title", "files", "rows", "fitting", "lacks"]
    frame = pd.DataFrame(table, columns=columns)
    return frame.sort_values("fitting", ascending=False, kind="stable", ignore_index=True)


def looks_like(paths, but):
    """Return the name of the layout that most rows fit, `but` apart; "" where none fits."""
    table = detect_layout(*paths)
    fits = table[(table["fitting"] > 0) & (table["layout"] != but)]
    return "" if fits.empty else str(fits["layout"].iloc[0])


def _lacks(layout, file, name, rows):
    source = Source(file, name, {})
    found = [row for _, row in islice(layout.rows(source), rows)]
    named = any(fnmatch.fnmatch(file.name, pattern) for pattern in layout.files)
    if not named and all(isinstance(row, ReadError) for row in found):
        return [[f"a file called {' or '.join(layout.files)}"]] * len(found)
    return [
        [row.problem.partition(":")[0]]
        if isinstance(row, ReadError)
        else layout.recognise(row, source)
        for row in found
    ]


def _own_columns(row, source):
    return [column for column in VERDICTS.columns if column not in row.values]


def _record_columns(row, source):
    return lacking(row.values, "cmp_index", "A", "B")


def _tables(source):
    return table_rows(source.file)


_OWN = Layout(
    name="verdicts",
    title="a table of verdicts that the kit has written",
    undoes="",
    read=None,
    recognise=_own_columns,
    files=("*.parquet", "*.csv"),
    rows=_tables,
)
_PAPER = Layout(
    name="paper",
    title="the seed paper's folder with record_{judge}_{options}.tsv",
    undoes="",
    read=None,
    recognise=_record_columns,
    files=("record_*.tsv",),
    rows=_tables,
)
