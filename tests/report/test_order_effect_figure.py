"""The order-effect figure: both scales, and words where there is no number."""

import matplotlib.pyplot as plt
import pytest
from verdict_tables import pairs, stack

from posbias_kit.analysis.order_effect import order_effect
from posbias_kit.report.figures.order_effect import plot_order_effect


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def table():
    """A judge with an estimate, and one whose flips all go to the second slot."""
    return order_effect(
        stack(pairs(["FF"] * 6 + ["SS"] * 2), pairs(["SS"] * 4 + ["FS"] * 4, judge="one way"))
    )


def test_rows_scales_and_words(table):
    """Two rows, probabilities above, and the note in place of a point."""
    ax = plot_order_effect(table)
    ax.figure.canvas.draw()

    assert [label.get_text() for label in ax.get_yticklabels()] == ["one way", "j"]
    assert [text.get_text() for text in ax.texts] == [
        "not estimable: all flips to the second slot (4)"
    ]
    upper = ax.child_axes[0]
    assert "0.5" in [label.get_text() for label in upper.get_xticklabels()]
    assert ax.get_xlim()[0] == -ax.get_xlim()[1]


def test_alt_text_says_numbers_and_gaps(table):
    """The text gives beta and P(first) of the judge that has them, the note of the other."""
    text = plot_order_effect(table).figure.get_label()

    assert "j 0.55 (P first 0.63)" in text
    assert "one way: not estimable: all flips to the second slot (4)" in text


def test_tasks_and_nothing_at_all():
    """By task the label names it; a table without any estimate still draws."""
    by_task = order_effect(pairs(["FF", "FF"]), by=["judge", "task"], pooled=False)

    ax = plot_order_effect(by_task)

    assert [label.get_text() for label in ax.get_yticklabels()] == ["j · t"]
    assert "not estimable" in ax.figure.get_label()
