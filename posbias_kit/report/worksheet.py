"""The worksheet as a page that sorts, as a spreadsheet, and as a CSV that cannot act."""

import csv

from posbias_kit.report.cells import safe_cell, write_xlsx
from posbias_kit.report.files import replacing, write_text
from posbias_kit.report.html import fill_template


def write_worksheet(run, sheet, name="worksheet"):
    """Write the worksheet of a run as ``sheets/<name>``.html, .xlsx and .csv.

    Parameters
    ----------
    run : Run
    sheet : DataFrame
        From :func:`posbias_kit.analysis.verdict_sheet`.
    name : str

    Returns
    -------
    list of str
        The files, from the run's folder.
    """
    folder = run.folder / "sheets"
    write_text(folder / f"{name}.html", sheet_html(sheet, f"Worksheet of {run.run_name}"))
    write_xlsx(sheet, folder / f"{name}.xlsx", name)
    write_safe_csv(sheet, folder / f"{name}.csv")
    return [f"sheets/{name}{ending}" for ending in (".html", ".xlsx", ".csv")]


def write_safe_csv(frame, path):
    """Write a table of texts as CSV for a spreadsheet: no cell is taken for a formula.

    Parameters
    ----------
    frame : DataFrame
    path : Path
    """
    with replacing(path) as temporary, temporary.open(
        "w", encoding="utf-8-sig", newline=""
    ) as file:  # fmt: skip
        writer = csv.writer(file)
        writer.writerow(frame.columns)
        rows = frame.astype("str").to_numpy().tolist()
        writer.writerows([safe_cell(value) for value in row] for row in rows)


def sheet_html(frame, title):
    """Return a table as a page whose rows sort by a click, or Enter, on a column's head.

    Parameters
    ----------
    frame : DataFrame
    title : str

    Returns
    -------
    str
        Needs no network; every text is escaped.
    """
    return fill_template(
        "sheet.html.j2",
        "sheet.js",
        title=title,
        columns=list(frame.columns),
        rows=frame.astype("str").to_numpy().tolist(),
    )
