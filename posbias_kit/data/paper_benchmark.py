"""The seed paper's questions and answers, from the spreadsheets that its authors released."""

import zipfile
from pathlib import Path

import pandas as pd

from posbias_kit.data.benchmark import build_benchmark
from posbias_kit.errors import ReadError, TableError, check_choice

BENCHMARKS = ("MTBench", "DevBench")


def read_paper_benchmark(path, benchmark, samples=False):
    """Read questions and answers from the paper's spreadsheets.

    Both released layouts are told by their columns: two turns (``question_1``, ``question_2``,
    ``answer_1-{candidate}``, ...) or one (``question``, ``answer-{candidate}``). ``index`` is the
    question's id, ``evaluating_guidance`` the guidance. A candidate without any text for a
    question has no answer there; where only one of its turns is blank, that turn is empty text.

    *Source: Slimshilin/Position-Bias-Analyzer, QA_data.*

    Parameters
    ----------
    path : str or Path
        Folder with ``QA_data/full_data/{benchmark}/``, or one ``.xlsx`` file.
    benchmark : {"MTBench", "DevBench"}
    samples : bool
        Add the questions that are only in the repetition samples, under
        ``QA_data/repetition_sampled_data/{benchmark}/``. Clusters are named over all that is read.

    Returns
    -------
    Benchmark

    Raises
    ------
    ReadError
        A file is missing, not readable or empty.
    TableError
        A column is missing, or a question stands twice.

    Examples
    --------
    >>> import tempfile
    >>> rows = {"question": ["Why?"], "index": ["007"], "task": ["uml"], "answer-x": ["NA"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pd.DataFrame(rows).to_excel(Path(folder, "a.xlsx"), index=False)
    ...     benchmark = read_paper_benchmark(Path(folder, "a.xlsx"), "DevBench")
    >>> benchmark.answers[["question", "candidate", "turns"]].values.tolist()
    [['007', 'x', '["NA"]']]
    """
    check_choice(benchmark, BENCHMARKS, "benchmark")
    path = Path(path)
    books = [path] if path.suffix == ".xlsx" else paper_books(path, benchmark, samples)
    if not books:
        raise ReadError(
            "no spreadsheet found",
            place=str(path / "QA_data" / "full_data" / benchmark),
            allowed="an .xlsx file",
            cure="give the folder that holds QA_data/, or the path of the .xlsx itself",
        )
    questions, answers = zip(*map(_read_workbook, books), strict=True)
    questions = _keep_first(questions, ["question"])
    answers = _keep_first(answers, ["question", "candidate"])
    return build_benchmark(benchmark, questions, answers, place=str(path))


def paper_books(path, benchmark, samples=False):
    """List the spreadsheets of a benchmark: the full data, then the repetition samples."""
    parts = ("full_data", "repetition_sampled_data") if samples else ("full_data",)
    found = [
        book
        for part in parts
        for book in sorted((Path(path) / "QA_data" / part / benchmark).glob("*.xlsx"))
    ]
    return [book for book in found if not book.name.startswith("~$")]  # an editor's lock file


def _keep_first(books, key):
    """Join books; a sample repeats rows of the full data, and the first book with a key counts.

    A key that stands twice in one book stays twice, for the schema to refuse.
    """
    frame = pd.concat(
        [rows.assign(book=number) for number, rows in enumerate(books)], ignore_index=True
    )
    first = frame.groupby(key)["book"].transform("min")
    return frame[frame["book"] == first].drop(columns="book")


def _read_workbook(path):
    frame = _read_sheet(path)
    turns = ["_1", "_2"] if "question_1" in frame else [""]
    candidates = [name.partition("-")[2] for name in frame if name.startswith(f"answer{turns[0]}-")]
    if not candidates:
        raise _missing(f"answer{turns[0]}-<candidate>", path, frame)
    questions = pd.DataFrame({"question": _column(frame, "index", path)})
    questions["task"] = _column(frame, "task", path)
    questions["turns"] = _texts(frame, [f"question{turn}" for turn in turns], path)
    names = [f"reference_answer{turn}" for turn in turns]
    if set(names) <= set(frame):
        questions["reference_answer"] = _texts(frame, names, path)
    if "evaluating_guidance" in frame:
        guidance = frame["evaluating_guidance"]
        questions["guidance"] = guidance.where(guidance != "", None)
    answers = [
        pd.DataFrame(
            {
                "question": questions["question"],
                "candidate": candidate,
                "turns": _texts(frame, [f"answer{turn}-{candidate}" for turn in turns], path),
            }
        )
        for candidate in candidates
    ]
    answers = pd.concat(answers, ignore_index=True)
    answers = answers[answers["turns"].notna()]
    _refuse_blank(questions, path)
    return questions, answers


def _read_sheet(path):
    if not path.is_file():
        raise ReadError("no such file", place=str(path), cure="check the path")
    try:
        # "NA" and "None" are names and texts here; a blank cell reads as "".
        frame = pd.read_excel(path, dtype=str, keep_default_na=False, engine="openpyxl")
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise ReadError(
            f"not readable as a spreadsheet: {error}", place=str(path), allowed="an .xlsx file"
        ) from None
    if frame.empty:
        raise ReadError("the spreadsheet has no rows", place=str(path))
    return frame


def _column(frame, name, path):
    if name not in frame:
        raise _missing(name, path, frame)
    return frame[name]


def _texts(frame, names, path):
    """Collect one list a row from the columns; missing where all of them are blank."""
    columns = [_column(frame, name, path) for name in names]
    lists = [list(row) if any(row) else None for row in zip(*columns, strict=True)]
    return pd.Series(lists, index=frame.index, dtype=object)


def _refuse_blank(questions, path):
    for column, name in (("question", "index"), ("task", "task"), ("turns", "question")):
        blank = questions[column].isna() | (questions[column].astype(str) == "")
        if blank.any():
            row = int(blank.to_numpy().argmax()) + 2  # the header is row 1
            raise TableError(
                f"{name} is blank in row {row}", place=str(path), cure="fill or remove the row"
            )


def _missing(name, path, frame):
    return TableError(
        f"missing column {name!r}",
        place=str(path),
        allowed="index, task, question and answer-<candidate>; or question_1, question_2, "
        "answer_1-<candidate> and answer_2-<candidate>",
        cure=f"rename your column; found {', '.join(map(repr, list(frame)[:8]))}",
    )
