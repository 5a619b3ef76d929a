"""The first page of a run leads to everything."""

import pytest
from bs4 import BeautifulSoup

from posbias_kit.report.stages import active_stages


@pytest.fixture
def soup(index):
    """Return the first page, parsed."""
    return BeautifulSoup(index, "html.parser")


def test_every_result_is_listed_in_the_order_of_writing(soup, finished):
    """Findings first; each table and figure is linked under its chapter, in every format."""
    links = [link["href"] for link in soup.select("section a")]
    folder = finished / "outputs" / "tiny"

    assert links == [
        "08_summary.html",
        "01_data_preparation.html",
        "tables/zebra.csv",
        "tables/zebra.tex",
        "tables/zebra.md",
        "tables/aardvark.csv",
        "tables/aardvark.tex",
        "tables/aardvark.md",
        "tables/summary.csv",
        "tables/summary.tex",
        "tables/summary.md",
        "figures/order_effect.png",
        "figures/order_effect.svg",
        "figures/order_effect.pdf",
        "03_metrics.html",
        "tables/verdict_counts.csv",
        "04_quality_gap.html",
        "05_disagreement.html",
        "06_order_effect.html",
        "07_review.html",
    ]
    assert [link["href"] for link in soup("a") if not (folder / link["href"]).is_file()] == []


def test_results_are_named_with_their_size(soup):
    """A table says its rows; a figure its title."""
    said = [" ".join(entry.get_text().split()) for entry in soup.select(".chapter li")]

    assert said == [
        "zebra, 1 row · CSV · LaTeX · Markdown",
        "aardvark, 20 rows · CSV · LaTeX · Markdown",
        "summary, 1 row · CSV · LaTeX · Markdown",
        "A line · PNG · SVG · PDF",
        "verdict_counts, 1 row · CSV",
    ]


def test_limits_of_every_chapter_are_shown(soup):
    """What a notebook says under Limits stands in its chapter."""
    limits = [part.get_text(" ", strip=True) for part in soup.select(".limits")]

    names = [stage.name for stage in active_stages({"judging"})]
    assert limits == [f"limits Little of {name} ." for name in (names[-1], *names[:-1])]


def test_missing_verdicts_are_said_first(soup):
    """Counts of what is missing stand above everything else."""
    first = soup.select_one(".warning")

    assert first.get_text() == "Presentations without a verdict of 10 asked: 3 invalid"
    assert first.find_next("h2").get_text() == "Which judge is most consistent?"


def test_provenance_is_given(soup):
    """Versions, seed, digests and times are at the foot."""
    text = soup.get_text(" ")

    for part in ("papermill 2", "20240607", "replies.tsv", "metrics: time and fingerprint"):
        assert part in text
