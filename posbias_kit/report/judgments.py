"""A run's judgments from outside: exports of the log, and a check of it."""

import json
from contextlib import chdir
from types import SimpleNamespace

from posbias_kit.errors import ReadError, RunError
from posbias_kit.judging import judge_presentations, make_judges
from posbias_kit.judging.attempt_row import read_reply
from posbias_kit.judging.log_table import iterate_log, read_log
from posbias_kit.report.files import digest_text, replacing
from posbias_kit.report.folder import LOG, Run, project_root
from posbias_kit.report.tree import load_study
from posbias_kit.schema import VERDICT_KEY, Status


def export_judgments(run_name, format="jsonl", output=None):
    """Write the log of a run as JSON lines or Parquet, and return the path.

    Parameters
    ----------
    run_name : str
    format : {"jsonl", "parquet"}
    output : Path, optional
        By default ``judgments.<format>`` in the run folder.
    """
    folder = Run(run_name).folder
    path = output or folder / f"judgments.{format}"
    rows = iterate_log(folder / LOG)
    with replacing(path) as temporary:
        if format == "parquet":
            read_log(folder / LOG).to_parquet(temporary, index=False)
        else:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return path


def verify_judgments(run_name):
    """Rebuild a run's verdict table from its log, and compare.

    Parameters
    ----------
    run_name : str

    Returns
    -------
    dict
        verdicts (count), digest (of both tables), reread (replies that today's parser reads as
        something else than the log says).

    Raises
    ------
    RunError
        The tables differ.
    """
    from posbias_kit.analysis import stopping_rule  # a second that `run` need not pay

    run = Run(run_name)
    study = load_study(run)
    if study["judging"] is None:
        raise ReadError("nobody was asked in this run", place=run_name, cure="name another run")
    stored = run.load("verdicts")
    with chdir(project_root()):
        section = study["judging"]
        judges = make_judges(section["judges"], study["seed"], section["arms"])
        tables = (run.load(name) for name in ("presentations", "answers", "questions"))
        stop = stopping_rule(study["judging"]["stop"], study["level"], study["seed"])
        rebuilt = judge_presentations(judges, *tables, run.folder / LOG, stop=stop, ask=False)
    digests = [_digest(stored), _digest(rebuilt)]
    if digests[0] != digests[1]:
        raise RunError(
            f"the verdict table is not what the log says: {_difference(stored, rebuilt)} "
            f"(digests {digests[0][:12]} and {digests[1][:12]})",
            place=f"{run_name}/verdicts.parquet",
            cure=f"run the study again with --from judging; the log {LOG} is the record",
        )
    named = study["judging"]["judges"]
    first = {judge["name"]: judge.get("verdict_first", False) for judge in named}
    log = run.folder / LOG
    reread = sum(_reads_otherwise(row, first) for row in iterate_log(log)) if log.is_file() else 0
    return {"verdicts": len(stored), "digest": digests[0], "reread": reread}


def _digest(verdicts):
    return digest_text(verdicts.sort_values(VERDICT_KEY).to_csv(index=False))


def _difference(one, other):
    both = one.merge(other, on=VERDICT_KEY, how="outer", suffixes=("", "_log"), indicator=True)
    there = both[both["_merge"] == "both"]
    same = there["status"].eq(there["status_log"]) & (
        there["choice"].fillna(-1) == there["choice_log"].fillna(-1)
    )
    counts = both["_merge"].value_counts()
    return (f"{counts['left_only']} verdicts only in the table, {counts['right_only']} only in "
            f"the log, {(~same).sum()} of both differ")  # fmt: skip


def _reads_otherwise(row, verdict_first):
    if row["status"] == Status.FAILED:
        return False
    row = SimpleNamespace(**row)
    verdict = read_reply(row, row, verdict_first.get(row.judge, False))
    return verdict.choice != row.choice or (verdict.choice is None and verdict.reason != row.reason)
