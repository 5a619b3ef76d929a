"""The seed paper's released judgments: raw replies of real judges, one judge a file."""

import warnings
from pathlib import Path

import pandas as pd

from posbias_kit.data.paper_benchmark import paper_books, read_paper_benchmark
from posbias_kit.data.paper_records import read_records
from posbias_kit.data.replies import parse_replies
from posbias_kit.data.verdicts import build_verdicts
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.schema import VERDICT_KEY, Reason, Status, validate

__all__ = ["read_paper_benchmark", "read_paper_verdicts"]

IDENTICAL = "EM"
"""Written where the two answers are the same text: nobody was asked."""

FAILED = "Failed to obtain answer via API."
"""Written where the call brought no reply."""

_ONLY_REPLIES = ["format", "options", "raw", "file", "line"]


def read_paper_verdicts(path, benchmark=None, rule="strict", reference=None, questions=None):
    """Read the paper's judgment files and parse the replies in them.

    Both orders are rows of one file; its verdicts speak of slots, nothing is mapped back. A row
    becomes a verdict whatever its reply: identical answers and failed calls keep their status.

    *Source: Slimshilin/Position-Bias-Analyzer, judgment_data.*

    Parameters
    ----------
    path : str or Path
        Folder with ``judgment_data/`` and, for the clusters, ``QA_data/``. Without the latter
        each question is its own cluster, which a warning says.
    benchmark : str, optional
        Read this one only.
    rule : {"strict", "first_match"}
        How replies are parsed; ``first_match`` is what the paper's code did.
    reference : str, optional
        Reference candidate; without it the one candidate that is in every comparison of the
        benchmark, if there is exactly one.
    questions : DataFrame, optional
        Questions of the benchmark with their clusters, where they are read already; without it
        the spreadsheets are read for them.

    Returns
    -------
    verdicts : DataFrame
        The table of :data:`posbias_kit.schema.VERDICTS`.
    replies : DataFrame
        The table of :data:`posbias_kit.schema.REPLIES`, row by row the same. ``line`` counts
        the records of the file, the header as 1: a record may span several physical lines.

    Raises
    ------
    ReadError, TableError
        Files are missing, empty or broken, a column is missing or misnamed, ids disagree, or a
        presentation stands twice.
    ParamsError
        The rule or the reference is unknown.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     folder = Path(root, "judgment_data", "data_MTBench_position_bias", "run")
    ...     folder.mkdir(parents=True)
    ...     records = {"cmp_index": ["81;x;y"], "A": ["x"], "B": ["y"], "task": ["math"]}
    ...     table = pd.DataFrame(records | {"gpt": ["I prefer [[B]]"]})
    ...     table.to_csv(folder / "record_gpt_3.tsv", sep=chr(9), index=False)
    ...     with warnings.catch_warnings(action="ignore"):
    ...         verdicts, replies = read_paper_verdicts(root)
    >>> verdicts[["question", "order", "judge", "choice", "winner"]].values.tolist()
    [['81', 'AB', 'gpt', 2, 'y']]
    """
    check_choice(rule, ("strict", "first_match"), "rule")
    path = Path(path)
    records = read_records(path, benchmark)
    records["reference"] = _references(records, reference)
    records["cluster"] = _clusters(records, path, questions)
    records = records.join(_judged(records, rule))
    records["shown"] = list(zip(records["A"], records["B"], strict=True))
    verdicts = build_verdicts(records.drop(columns=["A", "B", *_ONLY_REPLIES]), place=str(path))
    kept = verdicts[VERDICT_KEY].join(records[_ONLY_REPLIES])
    replies = validate(kept, "replies", str(path))
    assert len(verdicts) == len(replies) == len(records)  # noqa: S101  no row is lost
    return verdicts, replies


def _references(records, given):
    if given is not None:
        if not ((records["A"] == given) | (records["B"] == given)).any():
            known = sorted({*records["A"], *records["B"]})
            raise ParamsError(
                f"no comparison shows the candidate {given!r}",
                place="reference",
                allowed=", ".join(known),
                cure="use one of these",
            )
        return given
    return records["benchmark"].map(
        {name: _in_every(group) for name, group in records.groupby("benchmark")}
    )


def _in_every(group):
    shown = {group["A"].iloc[0], group["B"].iloc[0]}
    always = [c for c in shown if ((group["A"] == c) | (group["B"] == c)).all()]
    return always[0] if len(always) == 1 else ""


def _clusters(records, path, questions):
    clusters = pd.Series(index=records.index, dtype="str")
    for name, group in records.groupby("benchmark"):
        known = questions
        if known is None and paper_books(path, name, samples=True):
            known = read_paper_benchmark(path, name, samples=True).questions
        if known is not None:
            named = group["question"].map(known.set_index("question")["cluster"])
            clusters.loc[group.index] = named.astype("str")
    alone = records["question"][clusters.isna()]
    if len(alone):
        warnings.warn(
            f"{path}: {alone.nunique()} of {records['question'].nunique()} questions are not in "
            "the spreadsheets under QA_data, so each is its own cluster; questions that share "
            "answers would make intervals too narrow",
            stacklevel=3,
        )
    return clusters.fillna(records["question"])


def _judged(records, rule):
    """Return status, reason and choice of each record."""
    raw = records["raw"].str.strip()
    asked = ~raw.isin([IDENTICAL, FAILED])
    columns = [records.loc[asked, name] for name in ("raw", "format", "options")]
    parsed = parse_replies(*columns, 2, rule).reindex(records.index)
    reason = parsed["reason"].fillna("")
    status = pd.Series(Status.INVALID.value, index=records.index, dtype="str")
    status[parsed["choice"].notna()] = Status.OK.value
    status[raw == IDENTICAL] = Status.IDENTICAL.value
    status[raw == FAILED] = Status.FAILED.value
    return pd.DataFrame(
        {
            "status": status,
            "reason": reason.mask(raw == FAILED, Reason.CONNECTION.value),
            "choice": parsed["choice"],
        }
    )
