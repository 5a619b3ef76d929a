"""What a study will show and how narrow its numbers will be, before anybody is asked."""

from contextlib import chdir
from typing import NamedTuple

import pandas as pd

from posbias_kit.analysis import stopping_rule
from posbias_kit.analysis.planning import expected_half_width
from posbias_kit.data import prepare_study
from posbias_kit.judging import LiveJudge, make_judges, plan_singles
from posbias_kit.judging.views import see_arms
from posbias_kit.report.folder import project_root
from posbias_kit.report.forecast_judges import (
    check_decision,
    describe_judges,
    idle_arms,
    tell_judges,
)

PILOTS = {
    "steady": {"s2_q": 0.005, "s2_c": 0.055, "s2_r": 0.06},
    "unsteady": {"s2_q": 0.023, "s2_c": 0.1, "s2_r": 0.1},
}
"""Variances of consistency between questions, comparisons and repeats that plans are made with.

Rounded from the paper's MTBench files: of the steadiest judges there (gpt-4-0613, consistency .87)
and the least steady ones (gpt-3.5-turbo-1106, .70; gemini-pro, .65). A pilot of one's own tells
better: chapter 03.
"""


class Forecast(NamedTuple):
    """What a study will show and ask."""

    arms: pd.DataFrame
    """One row an arm and number of slots; see :func:`forecast_study`."""
    judges: pd.DataFrame
    """One row a judge: judge, kind, verdicts (that it will give), planned (that a whole one
    would), unknown_tasks (names in `by_task` that are no task)."""
    said: str
    """How sets were sampled and orders kept, and what does not exist as often as asked for."""
    idle: list
    """Arms that change nothing or are asked of nobody, in words."""


def check_candidates(study):
    """Refuse a decision between candidates that the plan never shows.

    Parameters
    ----------
    study : dict
        The whole study, whose judges are asked.

    Raises
    ------
    ParamsError
    """
    check_decision(study["decision"], _prepare(study).presentations)


def forecast_study(study):
    """Count what each arm of a study shows and asks.

    Parameters
    ----------
    study : dict
        The whole study.

    Returns
    -------
    Forecast
        Its table of arms has: arm, slots, judges, live (judges that are asked; the others are
        simulated or replayed), clusters, comparisons, orders, repeats (the most), series (of one
        judge), equal (comparisons of equal repeats that would tell as much), calls (of one judge
        that is asked; an answer that is scored alone counts with the smallest size that shows
        it), alone (whether answers are scored alone). Empty where judgments are read.

    Raises
    ------
    ParamsError, ReadError
        A judge cannot judge this plan: planned calls were not recorded, or a simulated judge
        knows no quality of a candidate; or the decision is between candidates it never shows.
    """
    section = study["judging"]
    if section is None:
        return Forecast(pd.DataFrame(columns=_COLUMNS), pd.DataFrame(), "", [])
    with chdir(project_root()):
        judges = make_judges(section["judges"], study["seed"], section["arms"])
    told = _prepare(study)
    check_decision(study["decision"], told.presentations)
    views = see_arms(judges, told.presentations, told.answers)
    rows = []
    for arm in {judge.arm.name: judge.arm for judge in judges}.values():
        asked = [judge for judge in judges if judge.arm.name == arm.name]
        live = sum(isinstance(judge, LiveJudge) for judge in asked)
        about = (arm.name, len(asked), live)
        sizes = _sizes(views[arm.name].asked, arm)
        rows += [(*about, *row, arm.scale is not None) for row in sizes]
    arms = pd.DataFrame(rows, columns=_COLUMNS)
    idle = idle_arms(judges, section["arms"])
    return Forecast(arms, tell_judges(judges, views), told.sampling, idle)


def _prepare(study):
    with chdir(project_root()):
        return prepare_study(**study["data_preparation"], seed=study["seed"])


_COLUMNS = ["arm", "judges", "live", "slots", "clusters", "comparisons", "orders", "repeats",
            "series", "equal", "calls", "alone"]  # fmt: skip


def _sizes(asked, arm):
    """Yield what one judge is shown of each number of slots."""
    before = 0
    for slots, block in asked.groupby("slots"):
        calls = block
        if arm.scale:  # an answer is scored once, whatever sizes show it
            calls = plan_singles(asked[asked["slots"] <= slots])
        total = int(calls["repeats"].sum())
        each = block.groupby("comparison")["repeats"].agg(["size", "max"])
        series = int(each["max"].sum())
        equal = series**2 / int((each["max"] ** 2).sum())
        yield (int(slots), block["cluster"].nunique(), len(each), int(each["size"].max()),
               int(each["max"].max()), series, equal, total - before)  # fmt: skip
        before = total if arm.scale else 0


def describe_forecast(study):
    """Return the forecast as lines of text, with expected half-widths.

    Parameters
    ----------
    study : dict
        The whole study.

    Returns
    -------
    str
    """
    table, judges, said, idle = forecast_study(study)
    if study["judging"] is None:
        return "Judgments are read: nothing is planned."
    if table.empty:
        return "All answers that would be compared are the same text: nobody is asked."
    several = table["slots"].nunique() > 1 or table["slots"].max() > 2
    lines = [*describe_judges(judges), *(_line(row, several) for row in table.itertuples())]
    lines += idle
    if said:
        lines.append(f"plan: {said}")
    each = table["calls"].mul(table["live"]).sum()
    lines.append(
        f"all arms and live judges: {each:,} calls" if each else "all arms and judges: no call"
    )
    lines += _stops(study["judging"]["stop"], table)
    plain = table[table["arm"] == ""]
    lines += [_width(row, study["level"], several) for row in plain.itertuples()]
    if len(plain) and (judges["verdicts"] < judges["planned"]).any():
        lines.append("where only a part of the verdicts is recorded, the interval is wider")
    return "\n".join(lines)


def _stops(stop, table):
    if not stop:
        return []
    said = (
        f"the rule {stop['rule']!r} stops a judge earlier, once the consistency of these "
        f"comparisons is known to {stop['half_width']:g}"
    )
    batch = stopping_rule(stop).batch
    fewest = table.groupby("slots")["comparisons"].min()  # each size is looked at by itself
    for size, count in fewest[fewest <= batch].items():
        of = f" of sets of {size}" if len(fewest) > 1 else ""
        said += (
            f"; but `judging.stop.batch` {batch} is not below the {count:,} comparisons{of}, "
            "so all are asked before the first look: take a smaller batch"
        )
    return [said]


def _line(row, several):
    size = f", sets of {row.slots}" if several else ""
    how = f" x {_many(row.orders, 'order')}" if not row.alone else " of answers scored alone"
    most = "up to " if row.series < row.comparisons * row.repeats else ""
    what = "calls" if row.live == row.judges else "scores" if row.alone else "verdicts"
    live = f", {row.live} of them asked live" if 0 < row.live < row.judges else ""
    return (
        f"arm {row.arm or 'plain'}{size}: {row.comparisons:,} comparisons{how} x "
        f"{most}{_many(row.repeats, 'repeat')}, {row.calls:,} {what} a judge, "
        f"{_many(row.judges, 'judge')}{live}"
    )


def _width(row, level, several):
    size = f", sets of {row.slots}" if several else ""
    lead = f"expected half-width of consistency ({level:g}, plain arm{size})"
    if row.orders < row.slots:
        return f"{lead}: none, for each comparison is shown in one order; win rates can be averaged"
    if row.clusters < 2:
        return f"{lead}: none, with one question"
    # A comparison counts in PC with its repeats, so unequal ones tell less than they are many.
    many, repeats = row.equal / row.clusters, row.series / row.equal
    steady, unsteady = (
        float(expected_half_width(parts, row.clusters, many, repeats, level))
        for parts in PILOTS.values()
    )
    return (
        f"{lead}: {steady:.3f} for a steady judge, {unsteady:.3f} for an unsteady one "
        f"({row.clusters} questions; as pairs of the paper's judges)"
    )


def _many(count, noun):
    return f"{count:,} {noun}" + ("s" if count != 1 else "")
