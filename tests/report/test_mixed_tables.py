"""Figures and the summary of tables that hold several benchmarks, arms or slot sizes."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis, report
from posbias_kit.data import build_verdicts
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


def _twice(mix, column):
    """The mix in the plain arm and in arm x; two judges where arms are what varies."""
    if column == "arm":
        return stack(pairs(ONE), pairs(TWO, arm="x"), pairs(TWO, judge="k"), pairs(ONE, judge="k",
                     arm="x"))  # fmt: skip
    return stack(mix, mix.assign(arm="x"))


def _legend(ax):
    (legend,) = ax.figure.legends
    return sorted(text.get_text() for text in legend.get_texts())


@MIXED
def test_arms_are_drawn_apart(mix):
    """Each of what varies has its colour and, in a row, one mark: nothing lies on another."""
    differences = analysis.arm_differences(_twice(MIXES[mix], mix), flips=99)
    axes = report.plot_arms(differences, ["", "x"])

    assert _legend(axes[0]) == (["j", "k"] if mix == "arm" else LABELS[mix])
    assert all(len(line.lines[0].get_ydata()) <= 1 for ax in axes for line in ax.containers)
    assert axes[0].figure.get_supxlabel() == "arm minus plain arm"


def test_the_farthest_difference_is_named_by_metric():
    """FS FF FT against FS FS TT: pc +2/3, pf +2/3, first -1/4, ties +1/6; beta has none."""
    both = stack(pairs(["FS", "FF", "FT"]), pairs(["FS", "FS", "TT"], arm="a"))
    axes = report.plot_arms(analysis.arm_differences(both, flips=99))

    assert (
        axes[0]
        .figure.get_label()
        .endswith(
            "Farthest: consistency of j in arm a, +0.67; fairness of j in arm a, +0.67; "
            "share of slot 1 of j in arm a, -0.25; share of ties of j in arm a, +0.17."
        )
    )


def test_sizes_of_several_benchmarks_have_their_own_lines():
    """B goes from two to three answers in turns, C in all orders: two lines, two of guessing."""
    orders = ["abc", "acb", "bac", "bca", "cab", "cba"]
    every = pd.DataFrame({"question": "q", "order": orders, "shown": [*map(tuple, orders)]})
    every["choice"] = pd.array([1] * 6, dtype="Int64")
    about = {"benchmark": "C", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    verdicts = stack(MIXES["slots"], pairs(TWO).assign(benchmark="C"),
                     build_verdicts(every.assign(**about)))  # fmt: skip
    axes = report.plot_scalability(analysis.scalability(verdicts))
    dashed = {line.get_label(): line.get_ydata() for line in axes[0].lines
              if line.get_linestyle() == "--"}  # fmt: skip

    assert _legend(axes[0])[2:] == ["j · B", "j · C"]
    assert all(len(line.lines[0].get_xdata()) == 2 for ax in axes for line in ax.containers)
    assert dashed["guessing, j · B"] == pytest.approx([1 / 2, 1 / 9])
    assert dashed["guessing, j · C"] == pytest.approx([1 / 2, 1 / 3**5])


def test_one_line_of_guessing_where_orders_are_the_same():
    verdicts = stack(MIXES["slots"], MIXES["slots"].assign(judge="k"))
    axes = report.plot_scalability(analysis.scalability(verdicts))

    assert _legend(axes[0]) == ["guessing", "j", "k"]


def test_sizes_in_different_benchmarks_do_not_scale():
    """Pairs in B and sets in C are no growing lists of one benchmark."""
    verdicts = stack(pairs(ONE), sets(["132", "111"]).assign(benchmark="C"))
    axes = report.plot_scalability(analysis.scalability(verdicts))

    assert axes.figure.get_label() == "One set size: nothing to scale."


def test_a_named_arm_in_place_of_the_plain_one_is_named():
    """Arms x and y only: figures show x and say so, and differences are from x."""
    verdicts = MIXES["arm"]
    shown = report.plain_arm(analysis.position_bias(verdicts, draws=0))
    axes = report.plot_arms(analysis.arm_differences(verdicts, flips=99), ["x", "y"])

    assert _rows(report.plot_consistency(shown)) == ["j · x"]
    assert axes[0].figure.get_supxlabel() == "arm minus arm x"


def test_what_does_not_vary_is_not_named():
    """One benchmark, experiment, arm and size: the judge alone."""
    bias = analysis.position_bias(pairs(ONE), draws=0)

    assert style.label_judges(bias).tolist() == ["j"]
