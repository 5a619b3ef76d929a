"""What a study will show and how narrow its numbers will be, before anybody is asked."""

from contextlib import chdir

import pandas as pd

from posbias_kit.analysis.planning import expected_half_width
from posbias_kit.data import prepare_study
from posbias_kit.judging import make_judges, plan_arm, plan_singles
from posbias_kit.report.folder import project_root

PILOTS = {
    "steady": {"s2_q": 0.005, "s2_c": 0.055, "s2_r": 0.06},
    "unsteady": {"s2_q": 0.023, "s2_c": 0.1, "s2_r": 0.1},
}
"""Variances of consistency between questions, comparisons and repeats that plans are made with.

Rounded from the paper's MTBench files: of the steadiest judges there (gpt-4-0613, consistency .87)
and the least steady ones (gpt-3.5-turbo-1106, .70; gemini-pro, .65). A pilot of one's own tells
better: chapter 03.
"""


def forecast_study(study):
    """Count what each arm of a study shows and asks.

    Parameters
    ----------
    study : dict
        The whole study.

    Returns
    -------
    DataFrame
        One row an arm and number of slots: arm, slots, judges, clusters, comparisons, orders,
        repeats (the most), series (of one judge), equal (comparisons of equal repeats that would
        tell as much), calls (of one judge; an answer that is scored alone counts with the
        smallest size that shows it), alone (whether answers are scored alone). Empty where
        judgments are read.
    """
    section = study["judging"]
    if section is None:
        return pd.DataFrame(columns=_COLUMNS)
    with chdir(project_root()):
        judges = make_judges(section["judges"], study["seed"], section["arms"])
        plan = prepare_study(**study["data_preparation"], seed=study["seed"]).presentations
    rows = []
    for arm in {judge.arm.name: judge.arm for judge in judges}.values():
        asked = plan_arm(plan, arm)
        asked = asked[~asked["identical"]]
        many = sum(judge.arm.name == arm.name for judge in judges)
        rows += [(arm.name, many, *row, arm.scale is not None) for row in _sizes(asked, arm)]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = ["arm", "judges", "slots", "clusters", "comparisons", "orders", "repeats", "series",
            "equal", "calls", "alone"]  # fmt: skip


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
    table = forecast_study(study)
    if table.empty:
        return "Judgments are read: nothing is planned."
    several = table["slots"].nunique() > 1 or table["slots"].max() > 2
    lines = [_line(row, several) for row in table.itertuples()]
    each = table["calls"].mul(table["judges"]).sum()
    lines.append(f"all arms and judges: {each:,} calls")
    if stop := study["judging"]["stop"]:
        lines.append(
            f"the rule {stop['rule']!r} stops a judge earlier, once the consistency of these "
            f"comparisons is known to {stop['half_width']:g}"
        )
    plain = table[table["arm"] == ""]
    lines += [_width(row, study["level"], several) for row in plain.itertuples()]
    return "\n".join(lines)


def _line(row, several):
    size = f", sets of {row.slots}" if several else ""
    how = f" x {_many(row.orders, 'order')}" if not row.alone else " of answers scored alone"
    most = "up to " if row.series < row.comparisons * row.repeats else ""
    return (
        f"arm {row.arm or 'plain'}{size}: {row.comparisons:,} comparisons{how} x "
        f"{most}{_many(row.repeats, 'repeat')}, {row.calls:,} calls a judge, "
        f"{_many(row.judges, 'judge')}"
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
