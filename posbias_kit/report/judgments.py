"""A run's judgments from outside: the bill beforehand, exports of the log, and a check of it."""

import json
import math
from contextlib import chdir
from types import SimpleNamespace

import pandas as pd

from posbias_kit.data import prepare_study
from posbias_kit.errors import ReadError, RunError
from posbias_kit.judging import LiveJudge, estimate_calls, judge_presentations, make_judges
from posbias_kit.judging.attempt_row import read_reply
from posbias_kit.judging.log_table import iterate_log, read_log
from posbias_kit.report.files import digest_text, replacing
from posbias_kit.report.folder import Run, project_root
from posbias_kit.report.forecast_judges import check_decision
from posbias_kit.report.tree import load_study, read_tree
from posbias_kit.schema import VERDICT_KEY, Status

LOG = "judgments.sqlite"
"""The judgment log's name in a run folder."""


def plan_study(params, settings=()):
    """Say what judging a study will take, without any call.

    Parameters
    ----------
    params : str, Path, Study or dict
    settings : iterable of str
        Overrides, ``section.key=value``.

    Returns
    -------
    study : dict
    bill : DataFrame
        As :func:`posbias_kit.judging.estimate_calls`; empty where no live judge is named.
    """
    study = read_tree(params, settings)
    section = study["judging"]
    with chdir(project_root()):
        if section is None:
            return study, pd.DataFrame()
        judges = make_judges(section["judges"], study["seed"], section["arms"])
        if not any(isinstance(judge, LiveJudge) for judge in judges):
            return study, pd.DataFrame()
        tables = prepare_study(**study["data_preparation"], seed=study["seed"])
        check_decision(study["decision"], tables.presentations)
        log = project_root() / "outputs" / study["run_name"] / LOG
        return study, estimate_calls(
            judges, tables.presentations, tables.answers, tables.questions, log,
            section["ask_invalid_again"],
        )  # fmt: skip


def needs_consent(study, bill):
    """Say why a run wants to be confirmed, or return an empty text.

    Parameters
    ----------
    study : dict
    bill : DataFrame
        From :func:`plan_study`.

    Returns
    -------
    str
    """
    if bill.empty or not bill["open"].sum():
        return ""
    allowed = study["judging"]["caps"]["confirm_above"]
    unknown = bill.loc[bill["money"].isna(), "judge"].tolist()
    if unknown:
        return f"what {', '.join(unknown)} will cost is not known: no price table"
    total = bill["money"].sum()
    currency = " ".join(sorted(set(bill["currency"]) - {""}))
    return f"this may cost up to {total:.2f} {currency}" if total > allowed else ""


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


def describe_bill(bill, caps=None):
    """Return the bill as lines of text, with their sum, and the caps that are below it.

    Parameters
    ----------
    bill : DataFrame
        From :func:`plan_study`.
    caps : dict, optional
        As the key `judging.caps` of a study.

    Returns
    -------
    str
    """
    if bill.empty:
        return "No live judge: nothing is asked, nothing is paid."
    lines = [_line(row) for row in bill.itertuples()]
    if len(bill) > 1:
        total = _sum(bill)
        money = "not known" if math.isnan(total) else f"{total:.2f}"
        lines.append(f"all: {bill['open'].sum():,} calls to make, money at most {money}")
    lines.append("Prompt tokens are characters / 4; replies are counted at their limit.")
    return "\n".join([*lines, *_caps_below(bill, caps or {})])


def _caps_below(bill, caps):
    """Name the caps that end judging before all is asked, as far as is known beforehand."""
    tokens = bill["input_tokens"].sum() + bill["output_tokens"].sum()
    for name, most in (("calls", bill["open"].sum()), ("tokens", tokens), ("money", _sum(bill))):
        if caps.get(name) is not None and caps[name] < most:
            most = f"{most:,.2f}" if name == "money" else f"{most:,}"
            yield (
                f"judging.caps.{name} {caps[name]:,} is below the {most} that this may take: "
                "judging ends there, with what is left told, and goes on when the cap is raised"
            )


def _sum(bill):
    return bill["money"].sum(min_count=len(bill))


def _line(row):
    money = "cost not known (no price table)"
    if not math.isnan(row.money):
        money = f"at most {row.money:.2f} {row.currency}".rstrip()
    if not math.isnan(row.batch_factor):
        money += f" (in batches: prices times {row.batch_factor:g})"
    sent = f"{row.out:,} on their way in batches, " if row.out else ""
    name = f"{row.judge}, arm {row.arm}" if row.arm else row.judge
    return (
        f"{name}: {row.comparisons:,} comparisons, {row.calls:,} calls, "
        f"{row.answered:,} answered already, {sent}{row.open:,} to make: "
        f"about {row.input_tokens:,} tokens in, at most {row.output_tokens:,} out, {money}"
    )
