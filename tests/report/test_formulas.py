"""Formulas of a page's text, and the links between chapters."""

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_files import NOTEBOOKS, read

from posbias_kit.report.formulas import formula_html
from posbias_kit.report.html import page_html
from posbias_kit.report.neighbours import link_chapters
from posbias_kit.report.provenance import changed_file, read_manifest
from posbias_kit.report.stages import active_stages

WITH_METRICS = [path for path in NOTEBOOKS if path.stem[:2] not in ("01", "08")]


def soup_of(*cells):
    """Return the parsed page of a notebook."""
    return BeautifulSoup(page_html(new_notebook(cells=list(cells)), "r"), "html.parser")


def test_formulas_become_mathml():
    """In a line and in a block of its own; an underscore is no emphasis, a < no tag."""
    text = "# T\n\nAs $a_1 < b_1$ and $c_2$ say:\n\n$$\\frac{n_1}{n}$$\n\nwith $n$ words."
    soup = soup_of(new_markdown_cell(text))

    kinds = [(math["display"], math["alttext"]) for math in soup("math")]
    assert kinds == [
        ("inline", "a_1 < b_1"), ("inline", "c_2"), ("block", r"\frac{n_1}{n}"), ("inline", "n"),
    ]  # fmt: skip
    assert soup.math.get_text() == "a1<b1"
    assert len(soup("mfrac")) == 1
    assert soup.select_one("div.formula")["tabindex"] == "0"
    assert "$" not in soup.main.get_text()


def test_dollars_elsewhere_stay():
    """Code, outputs and escaped signs are no formulas, here as in JupyterLab."""
    output = new_output("display_data", data={"text/markdown": "it costs $5 and $6"})
    soup = soup_of(
        new_markdown_cell("# T\n\nIn `$HOME` for \\$5 and \\$6, or $7."),
        new_code_cell("1", outputs=[output]),
    )

    assert not soup("math")
    assert "for $5 and $6, or $7" in soup.main.get_text()
    assert "it costs $5 and $6" in soup.main.get_text()


@pytest.mark.parametrize("latex", [r"\frac{", r"\text{<script>alert(1)</script>}"])
def test_a_formula_brings_no_tag_along(latex):
    """What is no formula is shown as it was written; text inside one stays text."""
    soup = BeautifulSoup(formula_html(latex), "html.parser")

    assert not soup("script")
    assert soup.get_text() in (r"\frac{", "<script>alert(1)</script>")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_formula_of_the_notebooks_is_shown(path):
    """No formula is left as source."""
    texts = [cell for cell in read(path).cells if cell.cell_type == "markdown"]
    soup = soup_of(*texts)

    assert "$" not in soup.main.get_text()
    assert not [code for code in soup("code") if "\\" in code.get_text()]


@pytest.mark.parametrize("path", WITH_METRICS, ids=lambda path: path.stem)
def test_chapters_state_their_formulas(path):
    """Each chapter that shows a metric has its formula under the heading that shows it."""
    soup = soup_of(*[cell for cell in read(path).cells if cell.cell_type == "markdown"])

    assert soup.select("div.formula math[display=block]")
    assert [math for math in soup.select("div.formula") if not math.find_previous("h2")] == []


def test_chapters_lead_to_their_neighbours(finished):
    """At head and foot, by title; the first has none before it, the last none after it."""
    folder = finished / "outputs" / "tiny"
    stages = active_stages({"judging"})
    pages = [f"{stage.stem}.html" for stage in stages]
    for place, page in enumerate(pages):
        soup = BeautifulSoup((folder / page).read_text(encoding="utf-8"), "html.parser")
        expected = [
            (way, pages[other], f"Title of {stages[other].name}")
            for way, other in (("prev", place - 1), ("next", place + 1))
            if 0 <= other < len(pages)
        ]
        for span in soup.select("nav > span.chapters"):
            found = [(link["rel"][0], link["href"], link.get_text()) for link in span("a")]
            assert found == expected
        assert len(soup.select("nav > span.chapters")) == 2


def test_links_follow_what_is_there(project):
    """A page that is gone is not linked; the manifest knows the pages as they are."""
    folder = project / "outputs" / "tiny"
    manifest = read_manifest(folder)
    (folder / "04_quality_gap.html").unlink()

    link_chapters(folder, manifest)

    soup = BeautifulSoup((folder / "03_metrics.html").read_text(encoding="utf-8"), "html.parser")
    assert soup.select_one("[rel=next]")["href"] == "05_disagreement.html"
    metrics = next(record for record in manifest["stages"] if record["name"] == "metrics")
    assert changed_file(folder, metrics["files"]) is None


def test_text_leads_to_earlier_chapters():
    """A chapter that the text names is linked where its page is there."""
    text = "# T\n\nSee chapter 03, and chapter 09."
    notebook = new_notebook(cells=[new_markdown_cell(text)])

    soup = BeautifulSoup(page_html(notebook, "r", (), {"03": "03_metrics.html"}), "html.parser")

    links = [(link["href"], link.get_text()) for link in soup.main("a")]
    assert links == [("03_metrics.html", "chapter 03")]
