"""The slope chart of ranks: its words, its labels, its panels."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from posbias_kit.report import style
from posbias_kit.report.figures.win_rates import plot_rank_change


@pytest.fixture(autouse=True)
def _style():
    style.apply()
    yield
    plt.close("all")


def _table(raw, adjusted, judge="j"):
    """Rows of two methods from their win rates, best first by rank."""
    tables = []
    for method, rates in (("order_AB", raw), ("order_averaged", adjusted)):
        table = pd.DataFrame({"candidate": list(rates), "win_rate": list(rates.values())})
        table["rank"] = table["win_rate"].rank(method="min", ascending=False).astype("Int64")
        tables.append(table.assign(method=method))
    return pd.concat(tables).assign(benchmark="B", experiment="", judge=judge)


def test_alt_text_says_what_changes():
    """How many ranks change, and the largest change."""
    ax = plot_rank_change(_table({"a": 0.9, "b": 0.6, "c": 0.5}, {"a": 0.5, "b": 0.6, "c": 0.7}))

    assert ax.figure.get_label() == (
        "Ranks of the candidates, order AB only against order-averaged. "
        "j: 2 of 3 ranks change, most a from 1 to 3."
    )


def test_a_tie_that_breaks_moves_nobody():
    """Two equal on the left, told apart on the right: nobody is coloured, counted or named."""
    ax = plot_rank_change(_table({"a": 0.5, "b": 0.5, "c": 0.1}, {"a": 0.6, "b": 0.7, "c": 0.1}))

    assert ax.figure.get_label().endswith("j: no rank changes.")
    assert {line.get_color() for line in ax.lines} == {style.QUIET}


def test_nothing_changes():
    """Equal rankings are said to be equal."""
    ax = plot_rank_change(_table({"a": 0.9, "b": 0.6}, {"a": 0.8, "b": 0.7}))

    assert ax.figure.get_label().endswith("j: no rank changes.")


def test_labels_do_not_overlap():
    """Thirty candidates, many with the same rate: no label covers another."""
    rng = np.random.default_rng(0)
    names = [f"a-rather-long-name-{k:02d}" for k in range(30)]
    raw, adjusted = (dict(zip(names, rng.integers(0, 10, 30) / 10, strict=True)) for _ in "12")
    table = pd.concat([_table(raw, adjusted), _table(adjusted, raw, judge="k")])
    figure = plot_rank_change(table).figure
    figure.canvas.draw()
    texts = [text.get_window_extent() for ax in figure.axes for text in ax.texts]

    assert len(texts) == 2 * 60
    assert not any(one.overlaps(other) for one, other in combinations(texts, 2))


def test_candidates_without_a_number_keep_their_rank():
    """A rank without a win rate is drawn with a dash; no rank, no line."""
    table = _table({"a": 0.9, "b": 0.6, "c": 0.1}, {"a": 0.8, "b": 0.7, "c": np.nan})
    table.loc[(table["method"] == "order_averaged") & (table["candidate"] == "a"), "win_rate"] = (
        np.nan
    )
    ax = plot_rank_change(table)
    labels = [text.get_text() for text in ax.texts]

    assert "1  –  a" in labels
    assert not any("nan" in label or "NA" in label for label in labels)
    assert len(ax.lines) == 2


def test_panel_for_each_judge():
    """Three judges in two columns: three panels with their names, the fourth place empty."""
    tables = [_table({"a": 0.9, "b": 0.6}, {"a": 0.5, "b": 0.6}, judge) for judge in "jkl"]
    figure = plot_rank_change(pd.concat(tables)).figure

    assert [ax.get_title(loc="left") for ax in figure.axes if ax.axison] == ["j", "k", "l"]
