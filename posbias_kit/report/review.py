"""Hand the disputed comparisons of a run to reviewers, and take their decisions back."""

import json

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from posbias_kit.analysis.mentions import model_mentions
from posbias_kit.analysis.plurality import SAME_TEXTS
from posbias_kit.analysis.reviews import latest_reviews
from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.report.blind import KEY, blind_items
from posbias_kit.report.files import read_csv, replacing, write_csv
from posbias_kit.report.folder import Run
from posbias_kit.report.review_files import write_sheets
from posbias_kit.report.review_import import REFUSED, read_sheet, take_reviews
from posbias_kit.report.review_store import FOLDER, read_key, read_reviews, read_secret
from posbias_kit.report.tree import load_study
from posbias_kit.review_schema import PLACE
from posbias_kit.section import Slug


def export_review(run_name, output, reviewers, limit=None):
    """Write a blinded sheet for each reviewer: CSV, spreadsheet and page.

    Exporting again gives the same ids and the same order; what a reviewer has decided already
    stands in the new sheet.

    Parameters
    ----------
    run_name : str
        A finished run.
    output : Path
        Folder of the sheets.
    reviewers : list of str
    limit : int, optional
        Comparisons to hand out; none takes `review.queue` of the study.

    Returns
    -------
    dict
        files (list of Path), items (number of each sheet), disputed (in the queue),
        naming_a_model (answers of the sheets whose text names a model).
    """
    run = Run(run_name)
    study = load_study(run)
    queue = _queue(run)
    tables = {name: run.load(name) for name in ("questions", "answers", "verdicts")}
    _check_reviewers(reviewers, tables)
    section = study["review"]
    chosen = _once(queue).head(limit or section["queue"])
    earlier, secret = latest_reviews(read_reviews(run.folder)), read_secret(run.folder)
    files, keys = [], [read_key(run.folder)]
    for reviewer in reviewers:
        items, key = blind_items(
            chosen, tables["questions"], tables["answers"], section["rubric"], reviewer,
            study["seed"], secret,
        )  # fmt: skip
        decided = _decided(earlier[earlier["reviewer"] == reviewer], key)
        files += write_sheets(items, reviewer, output, decided)
        keys.append(key)
    whole = pd.concat(keys, ignore_index=True).drop_duplicates([*KEY[:2], "candidate"], keep="last")
    with replacing(run.folder / FOLDER / "key.parquet") as temporary:
        whole.to_parquet(temporary, index=False)
    named = {"naming_a_model": _count_naming(chosen, tables)}
    return {"files": files, "items": len(chosen), "disputed": len(queue), **named}


def import_review(run_name, paths):
    """Take filled sheets into a run.

    Parameters
    ----------
    run_name : str
    paths : list of Path

    Returns
    -------
    Taken
        The refused rows also stand in ``review/refused.csv`` of the run; a file that cannot be
        read at all is one of them, as row 0, and keeps none of the others out.
    """
    folder = Run(run_name).folder
    key = read_key(folder)
    if key.empty:
        raise ReadError(
            "nothing was exported from this run", place=run_name,
            cure="`posbias review export` first: the key to the sheets lies in the run",
        )  # fmt: skip
    sheets, unreadable = _read_sheets(paths)
    taken = take_reviews(sheets, key, Run(run_name).load("answers"), read_reviews(folder))
    refused = pd.concat([unreadable, taken.refused], ignore_index=True)
    taken = taken._replace(refused=refused, counts=taken.counts | {"refused": len(refused)})
    with replacing(folder / FOLDER / "reviews.parquet") as temporary:
        taken.reviews.to_parquet(temporary, index=False)
    write_csv(taken.refused.astype("str"), folder / FOLDER / "refused.csv")
    return taken


def _read_sheets(paths):
    """Return the sheets that can be read, and the files that cannot, as rows refused."""
    sheets, refused = [], []
    for path in paths:
        try:
            sheets.append((path.name, read_sheet(path)))
        except ReadError as error:
            told = {name: getattr(error, name) for name in ("problem", "allowed", "cure")}
            refused.append({"file": path.name, "row": 0, "value": "", **told})
    return sheets, pd.DataFrame(refused, columns=REFUSED)


def describe_import(taken):
    """Return what an import took and refused, as lines of text."""
    counts = taken.counts
    lines = [f"{counts['new']} new decisions, {counts['revised']} revised, "
             f"{counts['unchanged']} as before, {counts['open']} rows still open, "
             f"{counts['refused']} refused"]  # fmt: skip
    for row in taken.refused.itertuples():
        where = f"{row.file}, row {row.row}" if row.row else f"{row.file}, the whole file"
        value = f": {row.value!r}" if row.row else ""
        told = [f"{where}: {row.problem}{value}"]
        told += [f"{name}: {text}" for name in ("allowed", "cure") if (text := getattr(row, name))]
        lines.append("\n  ".join(told))
    return "\n".join(lines)


def _queue(run):
    path = run.folder / "tables" / "review_queue.csv"
    if not path.is_file():
        raise ReadError(
            "the run has no review queue", place=str(path), cure="run 07_review.ipynb first"
        )
    queue = read_csv(path)
    if queue.empty:
        raise ParamsError("no comparison is disputed", place=run.run_name, cure="nothing to do")
    return queue.astype(dict.fromkeys(PLACE, "str")).fillna(dict.fromkeys(PLACE, ""))


def _once(queue):
    """Keep each comparison once, at its best rank and of its first arm: its texts are the same."""
    first = queue.sort_values(["experiment", "arm"], kind="stable").drop_duplicates(SAME_TEXTS)
    return queue.drop_duplicates(SAME_TEXTS)[SAME_TEXTS].merge(first, "left", on=SAME_TEXTS)


def _count_naming(chosen, tables):
    """Count the answers that name a model, each once in however many comparisons it stands."""
    found = model_mentions(tables["answers"], _names(tables))
    naming = zip(found["benchmark"], found["question"], found["candidate"], strict=True)
    shown = {(row.benchmark, row.question, name)
             for row in chosen.itertuples() for name in json.loads(row.candidates)}  # fmt: skip
    return len(shown & set(naming))


def _names(tables):
    return sorted({*tables["answers"]["candidate"], *tables["verdicts"]["judge"]})


def _check_reviewers(reviewers, tables):
    """Refuse names that cannot stand in a file's name, stand twice, or are no reviewer's."""
    for name in reviewers:
        try:
            TypeAdapter(Slug).validate_python(name, strict=True)
        except ValidationError:
            raise ParamsError(
                f"{name!r} cannot stand in the name of a file", place="--reviewers",
                allowed="letters, digits, dot, dash and underscore, at most 64",
                cure="take another name",
            ) from None  # fmt: skip
        twice = reviewers.count(name) > 1
        if twice or name in _names(tables):
            raise ParamsError(
                f"{name!r} {'stands twice' if twice else 'is a candidate or judge of this run'}",
                place="--reviewers",
                cure="give each reviewer a name of its own",
            )


def _decided(reviews, key):
    """Return item -> (decision as it stands in a sheet, explanation)."""
    answers = key.set_index([*PLACE, "candidate"])["answer"].to_dict()
    items = key.drop_duplicates(PLACE).set_index(PLACE)["item"].to_dict()
    told = {}
    for row in reviews.itertuples():
        place = tuple(getattr(row, name) for name in PLACE)
        if place in items:
            decision = answers.get((*place, row.decision), row.decision)
            told[items[place]] = (decision, row.explanation)
    return told
