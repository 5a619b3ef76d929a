"""The bill of a study beforehand: what judging will take, and whether to ask before."""

import math
from contextlib import chdir

import pandas as pd

from posbias_kit.data import prepare_study
from posbias_kit.judging import LiveJudge, estimate_calls, make_judges
from posbias_kit.judging.bill import count_used
from posbias_kit.judging.log_table import Totals
from posbias_kit.report.folder import LOG, project_root
from posbias_kit.report.forecast_judges import check_decision
from posbias_kit.report.tree import read_tree


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
        return study, estimate_calls(
            judges, tables.presentations, tables.answers, tables.questions, _log(study),
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


def describe_bill(bill, study=None):
    """Return the bill as lines of text, with their sum, and the caps that are below it.

    Parameters
    ----------
    bill : DataFrame
        From :func:`plan_study`.
    study : dict, optional
        The whole study: what its run has used up before counts, too.

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
    return "\n".join([*lines, *(_caps_below(bill, study) if study else ())])


def _caps_below(bill, study):
    """Name the caps that end judging before all is asked, as far as is known beforehand."""
    before = count_used(_log(study))
    tokens = bill["input_tokens"].sum() + bill["output_tokens"].sum()
    for name, used, more in zip(
        Totals._fields, before, (bill["open"].sum(), tokens, _sum(bill)), strict=True
    ):
        cap = study["judging"]["caps"][name]
        if more and cap is not None and cap < used + more:
            digits = ",.2f" if name == "money" else ","
            earlier = f", after {used:{digits}} before" if used else ""
            yield (
                f"judging.caps.{name} {cap:,} is below what this may take, {more:{digits}}"
                f"{earlier}: judging ends there, with what is left told, and goes on when the "
                "cap is raised"
            )


def _log(study):
    return project_root() / "outputs" / study["run_name"] / LOG


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
