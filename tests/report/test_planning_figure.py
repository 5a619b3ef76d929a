"""The planning figure draws what its table says."""

import pytest

from posbias_kit.analysis.components import variance_components
from posbias_kit.analysis.planning import planning_table
from posbias_kit.report.figures.planning import plot_planning
from tests.verdict_tables import pairs, stack


@pytest.fixture
def table():
    pilot = stack(
        *(pairs(["FS", "FF", "FS", "SS"] * 3, judge=judge, repeat=1) for judge in "ab"),
        *(pairs(["FS", "FF", "FF", "SF"] * 3, judge=judge, repeat=2) for judge in "ab"),
    )
    return planning_table(variance_components(pilot), [20, 80, 320], [1], [1, 3])


def test_a_panel_a_judge_and_a_line_a_design(table):
    """Two judges, one number of comparisons, two of repeats."""
    grid = plot_planning(table, target=0.1)

    assert len(grid.axes.flat) == 2
    drawn = [line for line in grid.axes.flat[0].lines if len(line.get_xdata()) == 3]
    assert len(drawn) == 2
    wanted = table[(table["judge"] == "a") & (table["repeats"] == 1)]["half_width_high"]
    assert drawn[0].get_ydata().tolist() == pytest.approx(wanted.tolist())


def test_words_name_the_cheapest_design(table):
    """The alt text gives the range and, for each judge, what reaches the target."""
    text = plot_planning(table, "half_width", target=0.1).figure.get_label()
    enough = table[(table["half_width"] <= 0.1) & (table["judge"] == "a")]
    cheapest = enough.sort_values("calls").iloc[0]

    assert "Expected half-width of position consistency" in text
    assert f"a: {cheapest['questions']} questions x 1 comparisons" in text
    assert "b: no design for 0.001" in plot_planning(table, target=0.001).figure.get_label()


def test_nothing_to_draw_is_said(table):
    """A pilot that answers nothing gives an empty figure with words."""
    table[["half_width", "half_width_high", "mde", "mde_high"]] = float("nan")

    assert plot_planning(table).figure.get_label() == "No design has an answer."
