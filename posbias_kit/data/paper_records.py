"""The records of the seed paper's judgment files, checked but not yet judged."""

import re
from pathlib import Path

import pandas as pd

from posbias_kit.errors import ReadError, TableError

_FOLDER = re.compile(r"data_(?P<benchmark>.+)_(?P<part>position_bias|repetition)")
_FILE = re.compile(r"record_(?P<judge>.+)_(?P<options>\d+)\.tsv")
_REPEAT = re.compile(r"Repetition(\d+)-")
_EXPERIMENT = {"position_bias": "full", "repetition": "repetition"}
_FORMAT = {"3": "mtbench_brackets", "2": "devbench_choice"}
_NEEDED = ["cmp_index", "A", "B", "task"]


def read_records(path, benchmark=None):
    """Read every judgment file under ``judgment_data/``.

    Parameters
    ----------
    path : str or Path
        Folder with ``judgment_data/``.
    benchmark : str, optional
        Read this one only.

    Returns
    -------
    DataFrame
        benchmark, experiment, task, question, A, B, judge, format, raw, file : str
        repeat, options, line : int; the line counts the records of the file, header as 1

    Raises
    ------
    ReadError, TableError
        See :func:`posbias_kit.data.paper.read_paper_verdicts`.
    """
    path = Path(path)
    parts = [_read_record(*found, path) for found in _find(path, benchmark)]
    records = pd.concat(parts, ignore_index=True)
    assert len(records) == sum(map(len, parts))  # noqa: S101  no row is lost
    _refuse_duplicates(records)
    return records


def _find(path, benchmark):
    """Return (folder match, file match, file) of each record file, in order of their names."""
    root = path / "judgment_data"
    if not root.is_dir():
        raise ReadError(
            "no folder 'judgment_data' here" if path.is_dir() else "no such folder",
            place=str(path),
            cure="give the folder that holds judgment_data/ and QA_data/",
        )
    folders = [_FOLDER.fullmatch(folder.name) for folder in sorted(root.iterdir())]
    known = sorted({match["benchmark"] for match in folders if match})
    if benchmark is not None and benchmark not in known:
        raise ReadError(
            f"no judgments of benchmark {benchmark!r}",
            place=str(root),
            allowed=", ".join(known) or "folders data_<benchmark>_position_bias or _repetition",
            cure="check the name and the folder",
        )
    found = [
        (match, _file_name(file), file)
        for match in folders
        if match and benchmark in (None, match["benchmark"])
        for file in sorted((root / match[0]).glob("*/record_*.tsv"))
    ]
    if not found:
        raise ReadError(
            "no judgment files found",
            place=str(root),
            allowed="data_<benchmark>_position_bias/<run>/record_<judge>_<options>.tsv",
            cure="check that the folder is complete",
        )
    return found


def _file_name(file):
    match = _FILE.fullmatch(file.name)
    if match is None or match["options"] not in _FORMAT:
        raise ReadError(
            f"file name {file.name!r} does not tell the judge and 2 or 3 options",
            place=str(file),
            allowed="record_<judge>_2.tsv or record_<judge>_3.tsv",
            cure="rename or remove the file",
        )
    return match


def _read_record(folder, name, file, path):
    frame = _read_tsv(file)
    missing = [column for column in _NEEDED if column not in frame]
    if missing:
        raise TableError(
            f"missing column {', '.join(map(repr, missing))}",
            place=str(file),
            allowed=f"{', '.join(_NEEDED)}, and last the judge's name",
            cure=f"mend the header; found {', '.join(map(repr, list(frame)[:8]))}",
        )
    judge = frame.columns[-1]
    if judge != name["judge"]:
        raise TableError(
            f"the last column is {judge!r}, but the file is named for judge {name['judge']!r}",
            place=str(file),
            allowed="the same judge in both",
            cure="rename the column or the file",
        )
    repeat = _REPEAT.match(file.parent.name)
    return pd.DataFrame(
        {
            "benchmark": folder["benchmark"],
            "experiment": _EXPERIMENT[folder["part"]],
            "task": frame["task"],
            "question": _questions(frame, file),
            "A": frame["A"],
            "B": frame["B"],
            "judge": judge,
            "repeat": int(repeat[1]) if repeat else 1,
            "format": _FORMAT[name["options"]],
            "options": int(name["options"]),
            "raw": frame[judge],
            "file": file.relative_to(path).as_posix(),
            "line": range(2, len(frame) + 2),
        }
    )


def _read_tsv(file):
    try:
        frame = pd.read_csv(
            file, sep="\t", dtype=str, keep_default_na=False, encoding="utf-8-sig", engine="c"
        )
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ReadError(
            f"not readable as tab-separated text: {error}",
            place=str(file),
            allowed="a header and one record a judgment, quotes doubled inside quotes",
            cure="copy the released file again",
        ) from None
    if frame.empty:
        raise ReadError("the file is empty", place=str(file), cure="copy the released file again")
    return frame


def _questions(frame, file):
    """Take the question off the front of cmp_index; the ids themselves may hold ';'."""
    questions = []
    for row in frame[_NEEDED].itertuples():
        ending = f";{row.A};{row.B}"
        if not row.cmp_index.endswith(ending) or row.cmp_index == ending:
            raise TableError(
                f"cmp_index {row.cmp_index!r} is not question;A;B of A {row.A!r} and B {row.B!r}",
                place=f"{file}, record {row.Index + 2}",
                allowed="<question>;<shown first>;<shown second>",
                cure="mend or set aside the record",
            )
        questions.append(row.cmp_index.removesuffix(ending))
    return questions


def _refuse_duplicates(records):
    key = ["benchmark", "experiment", "judge", "question", "A", "B", "repeat"]
    twice = records[records.duplicated(key, keep=False)]
    if twice.empty:
        return
    same = twice[(twice[key] == twice[key].iloc[0]).all(axis=1)]
    row = same.iloc[0]
    raise TableError(
        f"judge {row['judge']!r} judged question {row['question']!r} showing {row['A']!r} first, "
        f"{row['B']!r} second, {len(same)} times in repeat {row['repeat']} "
        f"({len(twice)} such rows in all)",
        place="; ".join(f"{file}, record {line}" for file, line in same[["file", "line"]].values),
        allowed="one record for each judge, order and repeat",
        cure="remove the duplicate, or put repeats into folders Repetition1-..., Repetition2-...",
    )
