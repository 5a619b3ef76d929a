"""Figures of noise and of slot wins: what is drawn, alt texts, and labels that stay apart."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from verdict_tables import pairs, repeated, sets, stack

from posbias_kit.analysis.noise import inconsistency_split
from posbias_kit.analysis.slots import slot_wins
from posbias_kit.report import style
from posbias_kit.report.figures.noise import plot_noise, plot_slot_wins

ORDERS = ["FFF FFF", "FFS SSS", "FSS FSS", "FFF SSS"]


@pytest.fixture(autouse=True)
def _figures():
    style.apply()
    yield
    plt.close("all")


def _judges(count, orders=ORDERS):
    return [f"a-judge-with-a-long-name-{index:02}" for index in range(count)], [
        repeated(orders[index % 2 :], judge=f"a-judge-with-a-long-name-{index:02}")
        for index in range(count)
    ]


def _assert_apart(texts, figure):
    """No two of the texts overlap, and none leaves the figure."""
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    overlap = [one.overlaps(two) for index, one in enumerate(boxes) for two in boxes[:index]]

    assert len(boxes) > 1
    assert not any(overlap)
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)


@pytest.mark.parametrize("count", [3, 15])
def test_noise_labels_stay_apart(count):
    """Names, shares and legend of 3 and of 15 judges do not overlap."""
    ax = plot_noise(inconsistency_split(stack(*_judges(count)[1]), permutations=0))

    _assert_apart([*ax.get_yticklabels(), *ax.texts, *ax.get_legend().get_texts()], ax.figure)


def test_noise_bars_add_up():
    """Position and noise of a judge end at its disagreement across orders; shares are written."""
    split = inconsistency_split(repeated(ORDERS), permutations=0)
    ax = plot_noise(split)
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    row = split.iloc[0]

    assert ends == pytest.approx([row["excess"], row["across"]])
    assert [text.get_text() for text in ax.texts] == [f"{row['share']:.0%}"]
    assert "Position's share runs from" in ax.figure.get_label()


def test_negative_excess_stands_left_of_zero():
    """Noise is drawn from 0 in full, the negative excess to the left of it."""
    ax = plot_noise(inconsistency_split(repeated(["FS FS"] * 3), permutations=0))
    excess, noise = ax.patches

    assert excess.get_width() == pytest.approx(-0.5)
    assert (noise.get_x(), noise.get_width()) == pytest.approx((0, 1))
    assert ax.get_xlim()[0] < -0.5


def test_no_repeats_are_said_in_the_figure():
    """Without repeats there is no bar, but a sentence that is also the alt text."""
    ax = plot_noise(inconsistency_split(pairs(["FS", "FF"])))

    assert len(ax.patches) == 0
    assert ax.figure.get_label() == "No repeats: noise and position cannot be told apart."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FFF ---", "No comparison has two verdicts in every order: noise and position"),
        ("EE EE", "Identical answers only."),
    ],
)
def test_what_else_keeps_the_split_away_is_said(text, words):
    """Repeats in one order only are not called no repeats."""
    assert plot_noise(inconsistency_split(repeated([text]))).figure.get_label().startswith(words)


def test_never_inconsistent_has_a_dash():
    """A judge without a share is drawn with a dash."""
    ax = plot_noise(inconsistency_split(repeated(["FFF SSS"] * 3), permutations=0))

    assert [text.get_text() for text in ax.texts] == ["–"]
    assert "No judge is ever inconsistent." in ax.figure.get_label()


@pytest.mark.parametrize("count", [3, 15])
def test_slot_titles_stay_apart(count):
    """One panel a judge; the titles of 3 and of 15 panels do not overlap."""
    tables = [sets(["111", "132", "213"], judge=name) for name in _judges(count)[0]]
    axes = plot_slot_wins(slot_wins(stack(*tables), permutations=0))
    shown = [ax for ax in axes.flat if ax.get_visible()]

    assert len(shown) == count
    titles = [title for ax in shown for title in (ax.title, ax._left_title)]
    _assert_apart(titles, axes[0, 0].figure)


def test_slot_bars_are_shares_and_unbalanced_orders_get_dots():
    """Bars show the shares; a dot a slot stands where winners alone would put it."""
    table = slot_wins(sets(["131", "11-"]), permutations=0)
    ax = plot_slot_wins(table)[0, 0]
    dots = [line for line in ax.lines if line.get_marker() == "o"]

    assert [bar.get_height() for bar in ax.patches] == pytest.approx(table["share"].tolist())
    assert dots[0].get_ydata().tolist() == pytest.approx(table["expected_shown"].tolist())
    assert ax.figure.get_label().startswith("Share of wins by slot, one panel a judge.")


def test_pairs_and_sets_have_their_own_panels():
    """A judge of pairs and of triples has two panels, named by the number of slots."""
    table = slot_wins(stack(pairs(["FF", "FS"]), sets(["111"])), permutations=0)
    axes = plot_slot_wins(table)

    assert [ax.get_title(loc="left") for ax in axes.flat] == ["j · 2 slots", "j · 3 slots"]


def test_nothing_decided_can_be_drawn():
    """A judge that only ties leaves an empty panel and says so."""
    table = slot_wins(pairs(["TT"]), permutations=0)
    axes = plot_slot_wins(table)

    assert np.isfinite(axes[0, 0].get_ylim()).all()
    assert [text.get_text() for text in axes[0, 0].texts] == ["–", "–"]
    assert len(axes[0, 0].patches) == 0
    assert axes[0, 0].figure.get_label().endswith("No excess can be told.")
