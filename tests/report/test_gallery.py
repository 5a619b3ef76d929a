"""Every figure at both sizes of the gallery: nothing clipped, no label on another."""

import importlib.util
from itertools import combinations, pairwise

import pytest
from matplotlib import pyplot as plt
from notebook_files import ROOT

from posbias_kit import report
from posbias_kit.report import style
from posbias_kit.report.pictures import figure_of

_spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
gallery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gallery)

PLOTS = sorted(name for name in report.__all__ if name.startswith("plot_"))


@pytest.fixture(scope="module", params=gallery.SIZES)
def drawn(request):
    """Return plot function -> figure, drawn for one number of judges."""
    with plt.rc_context():
        style.apply()
        tables = gallery.make_tables(gallery.simulate(request.param, gallery.SIZES[request.param]))
        figures = {name: figure_of(plot) for name, plot in gallery.plots(tables)}
        for figure in figures.values():
            figure.canvas.draw()
        yield figures
        plt.close("all")


def _boxes(texts, figure):
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    return [text.get_window_extent(figure.canvas.get_renderer()) for text in shown]


def test_the_gallery_has_every_figure(drawn):
    """A plot function that is public stands in the gallery."""
    assert sorted(drawn) == PLOTS


@pytest.mark.parametrize("name", PLOTS)
def test_labels_do_not_overlap(drawn, name):
    """Tick labels of an axis do not touch; titles of a figure's panels do not either."""
    figure = drawn[name]
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            labels = [label for label in axis.get_ticklabels() if label.get_rotation() % 90 == 0]
            boxes = _boxes(labels, figure)
            assert not [1 for a, b in pairwise(boxes) if a.shrunk(0.9, 0.9).overlaps(b)]
    titles = [title for axes in figure.axes for title in (axes.title, axes._left_title)]
    boxes = _boxes(titles, figure)
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]


@pytest.mark.parametrize("name", PLOTS)
def test_panels_have_room(drawn, name):
    """No panel is squeezed away by its neighbours' labels, and the page stays readable."""
    figure = drawn[name]
    width, height = figure.get_size_inches()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    largest = max(min(box.width, box.height) for box in boxes) / figure.dpi

    assert width <= 16
    assert height <= 45
    assert figure.get_gid() == style.WORDS or largest > 0.8


@pytest.mark.parametrize("name", PLOTS)
def test_every_figure_says_what_it_shows(drawn, name):
    """The alt text is a sentence."""
    assert len(drawn[name].get_label().split()) > 3
