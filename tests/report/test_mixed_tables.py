"""Figures and the summary of tables that hold several benchmarks, arms or slot sizes."""

import matplotlib.pyplot as plt
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis, report
from posbias_kit.report import style

ONE, TWO = ["FS", "FF", "FS", "SS", "FS"], ["FF", "FF", "SS", "FS", "SF"]
MIXES = {
    "benchmark": stack(pairs(ONE), pairs(TWO).assign(benchmark="C")),
    "experiment": stack(pairs(ONE, experiment=""), pairs(TWO, experiment="e")),
    "arm": stack(pairs(ONE, arm="x"), pairs(TWO, arm="y")),
    "slots": stack(pairs(ONE), sets(["132", "111", "132", "222", "211"])),
}
LABELS = {
    "benchmark": ["j · B", "j · C"],
    "experiment": ["j · e", "j · –"],
    "arm": ["j · x", "j · y"],
    "slots": ["j · 2 slots", "j · 3 slots"],
}
MIXED = pytest.mark.parametrize("mix", MIXES)


@pytest.fixture(autouse=True)
def _style():
    style.apply()
    yield
    plt.close("all")


def _rows(ax):
    return sorted(label.get_text() for label in ax.get_yticklabels())


def _titles(axes):
    titles = (ax.get_title(loc="left") or ax.get_title() for ax in axes if ax.axison)
    return sorted(filter(None, titles))


@MIXED
def test_rows_have_their_own_names(mix):
    """Consistency, tasks and order effect: a row for each of what varies."""
    verdicts = MIXES[mix]
    by_task = analysis.position_bias(verdicts, by=["judge", "task"], draws=0)
    effect = analysis.order_effect(verdicts, pooled=False)

    assert _rows(report.plot_consistency(analysis.position_bias(verdicts))) == LABELS[mix]
    assert _rows(report.plot_tasks(by_task)) == LABELS[mix]
    assert _rows(report.plot_order_effect(effect)) == LABELS[mix]


@MIXED
def test_panels_have_their_own_names(mix):
    """Rank change, planning, slot wins and quality gap: a panel for each of what varies."""
    verdicts = MIXES[mix]
    rates = analysis.adjusted_win_rates(verdicts, draws=0)
    plans = analysis.planning_table(analysis.variance_components(verdicts), comparisons=[1])
    wins = analysis.slot_wins(verdicts, permutations=0)
    units = analysis.build_units(verdicts)
    gap = report.plot_quality_gap(units, analysis.quality_gap_fits(units))

    assert _titles(report.plot_rank_change(rates).figure.axes) == LABELS[mix]
    assert _titles(report.plot_planning(plans, "half_width").axes.flat) == LABELS[mix]
    assert _titles(report.plot_slot_wins(wins).flat) == LABELS[mix]
    assert sorted(gap.row_names) == LABELS[mix]


def test_rank_change_starts_from_an_order_of_the_panel():
    """Sets have no order AB: their panel starts from their own first order."""
    rates = analysis.adjusted_win_rates(MIXES["slots"], draws=0)
    text = report.plot_rank_change(rates).figure.get_label()

    assert "order AB only and order r0 only against order-averaged" in text


def test_units_of_pairs_and_sets_stand_apart():
    """Each has its own chance level; the judge's pairs and sets are different units."""
    units = analysis.build_units(MIXES["slots"])

    assert units["slots"].tolist() == [2, 3, 3, 3]
    assert units["chance"].tolist() == pytest.approx([1 / 2, 1 / 3, 1 / 3, 1 / 3])


@MIXED
def test_summary_keeps_them_apart(mix):
    """Two rows, each with its own numbers."""
    verdicts = MIXES[mix]
    table = report.summarise_judges(
        analysis.position_bias(verdicts, draws=0),
        analysis.repetition_stability(verdicts, draws=0),
        analysis.verdict_counts(verdicts),
    )

    assert table[mix].nunique() == len(table) == 2
    assert table["asked"].tolist() == [10, 15 if mix == "slots" else 10]


def test_what_does_not_vary_is_not_named():
    """One benchmark, experiment, arm and size: the judge alone."""
    bias = analysis.position_bias(pairs(ONE), draws=0)

    assert style.label_judges(bias).tolist() == ["j"]
