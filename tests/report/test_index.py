"""The first page of a run leads to everything."""

import pytest
from bs4 import BeautifulSoup
from conftest import HOSTILE

from posbias_kit.report.stages import active_stages


@pytest.fixture
def soup(index):
    """Return the first page, parsed."""
    return BeautifulSoup(index, "html.parser")


def test_every_result_is_listed_in_the_order_of_writing(soup, finished):
    """Findings first; each table and figure is linked under its chapter."""
    links = [link["href"] for link in soup.select("section a")]
    folder = finished / "outputs" / "tiny"

    assert links == [
        "08_summary.html",
        "01_data_preparation.html",
        "tables/zebra.csv",
        "tables/aardvark.csv",
        "figures/line.png",
        "03_metrics.html",
        "tables/verdict_counts.csv",
        "04_quality_gap.html",
        "05_disagreement.html",
        "06_order_effect.html",
    ]
    assert [link["href"] for link in soup("a") if not (folder / link["href"]).is_file()] == []


def test_tables_are_shown_in_part(soup):
    """A preview has twelve rows at most, and the number of rows is said."""
    said = [note.get_text() for note in soup.select("section .note")]

    assert "tables/aardvark.csv · 20 rows, the first 12 shown" in said
    assert "tables/zebra.csv · 1 row" in said
    assert [len(table("tr")) - 1 for table in soup.select("section table")] == [1, 12, 1]
    assert HOSTILE in soup.get_text()


def test_figures_are_embedded_with_their_words(soup):
    """A figure is in the page, with its alt text and its title."""
    assert soup.figure.img["src"].startswith("data:image/png;base64,")
    assert soup.figure.figcaption.get_text().startswith("A line · ")


def test_limits_of_every_chapter_are_shown(soup):
    """What a notebook says under Limits stands in its chapter."""
    limits = [part.get_text(" ", strip=True) for part in soup.select(".limits")]

    names = [stage.name for stage in active_stages({"judging"})]
    assert limits == [f"Limits Little of {name} ." for name in (names[-1], *names[:-1])]


def test_missing_verdicts_are_said_first(soup):
    """Counts of what is missing stand above everything else."""
    first = soup.select_one(".warning")

    assert first.get_text() == "Presentations without a verdict of 10 asked: 3 invalid"
    assert first.find_next("h2").get_text() == "What was asked"


def test_provenance_is_given(soup):
    """Versions, seed, digests and times are at the foot."""
    text = soup.get_text(" ")

    for part in ("papermill 2", "20240607", "replies.tsv", "metrics: time and fingerprint"):
        assert part in text
