"""The HTML pages: offline, accessible, and model texts shown as text."""

import re

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from conftest import HOSTILE
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from posbias_kit.report.captions import find_saved
from posbias_kit.report.html import clean_html, limits_html, notebook_title, page_html


def soup_of(*cells, **metadata):
    """Return the parsed page of a notebook."""
    return BeautifulSoup(
        page_html(new_notebook(cells=list(cells), metadata=metadata), "r"), "html.parser"
    )


def code(source="1", data=None, tags=(), **about):
    """Return a code cell with one output."""
    outputs = [new_output("display_data", data=data, metadata=about)] if data else []
    return new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})


@pytest.fixture(params=["page", "index"])
def soup(request):
    """Return each kind of page, parsed."""
    return BeautifulSoup(request.getfixturevalue(request.param), "html.parser")


def test_nothing_is_loaded(soup):
    """No script, style, font, frame or image comes from elsewhere."""
    assert soup.find_all(["script", "link", "iframe", "object", "embed", "base"]) == []
    assert [tag for tag in soup.find_all(src=True) if not tag["src"].startswith("data:")] == []
    styles = "".join(tag.get_text() for tag in soup.find_all("style"))
    assert not re.search(r"@import|url\(", styles)


def test_nothing_from_the_data_runs(soup):
    """The hostile text stands there as text, and later parts are intact."""
    attributes = {name for tag in soup.find_all(True) for name in tag.attrs}

    assert not [name for name in attributes if name.startswith("on")]
    assert HOSTILE in soup.get_text()
    assert "alert(3)" not in "".join(out.get_text() for out in soup.select(".jp-OutputArea"))
    assert "Little of data_preparation." in soup.get_text()
    assert soup.find("main").find_parent("body")


def test_page_says_what_it_is(soup):
    """Language, encoding, title and viewport are given, and one heading leads."""
    assert soup.html["lang"] == "en"
    assert soup.find("meta", charset=True)
    assert "width=device-width" in soup.find("meta", attrs={"name": "viewport"})["content"]
    assert soup.title.get_text() in ("tiny", "Title of data_preparation")
    assert len(soup.find_all("h1")) == 1


def test_images_have_their_alt_text(soup):
    """The alt text of a figure is what the plot function said."""
    assert [image["alt"] for image in soup.find_all("img")] == ['A line that rises: "é" <b>']


def test_tables_are_accessible(soup):
    """Header cells have a direction, none is empty, and wide tables scroll in their own box."""
    heads = soup.find_all("th")

    assert heads
    assert [cell for cell in heads if cell.get("scope") not in ("col", "row")] == []
    assert [cell for cell in heads if not cell.get_text(strip=True)] == []
    assert {table.parent["class"][0] for table in soup.find_all("table")} == {"scroll"}


def test_page_leads_back(page):
    """Each page links to the first one."""
    assert BeautifulSoup(page, "html.parser").nav.a["href"] == "index.html"


def test_code_is_folded_and_parameters_stand_at_the_foot(page):
    """Code is behind a summary; the parameters in force close the page, the defaults are gone."""
    soup = BeautifulSoup(page, "html.parser")
    folded, last = soup.select("details.code"), soup.main.find_all(recursive=False)[-1]

    assert {detail.summary.get_text() for detail in folded} == {"code"}
    assert not any(detail.has_attr("open") for detail in folded)
    assert len(soup.select(".parameters")) == 1
    assert last.select_one(".parameters .note").get_text() == "parameters in force"
    assert 'path = "data"' in last.get_text()


def test_contents_lead_to_the_headings():
    """A page of several sections lists them, and every link has its place."""
    soup = soup_of(new_markdown_cell("# T\n\n## Is it `x`?\n\na\n\n## 2nd part\n\nb"))

    links = soup.select("nav.contents a")

    assert [link.get_text() for link in links] == ["Is it x?", "2nd part"]
    assert [soup.find(id=link["href"][1:]).get_text() for link in links] == [
        "Is it x?", "2nd part",
    ]  # fmt: skip


SAVING = [
    new_markdown_cell("# T\n\nWrites `rates` and `other`."),
    new_code_cell('run.save(first, "rates")'),
    new_markdown_cell("As `rates` shows; `gap` is drawn."),
    new_code_cell('x = run.save(a, "b")\nrun.save_figure(plot(x), "gap")'),
    new_code_cell("%magic is no Python"),
]


def test_tables_and_figures_are_numbered_and_named():
    """Captions follow the cells, with links to the files; the text links to them by number."""
    notebook = new_notebook(cells=SAVING)
    saved = find_saved(notebook, 3)
    soup = BeautifulSoup(page_html(notebook, "r", saved), "html.parser")

    assert [line.get_text() for line in soup.select(".caption")] == [
        "Table 3.1 rates · CSV · LaTeX · Markdown", "Table 3.2 b · CSV · LaTeX · Markdown",
        "Figure 3.1 gap · PNG · SVG · PDF",
    ]  # fmt: skip
    assert [link["href"] for link in soup.select(".caption a")][2:5] == [
        "tables/rates.md", "tables/b.csv", "tables/b.tex",
    ]  # fmt: skip
    links = [(link["href"], link.get_text()) for link in soup.select("p:not(.caption) > a")]
    assert links == [
        ("#table-rates", "rates"),  # the list of what is written needs no numbers
        ("#table-rates", "rates (Table 3.1)"),
        ("#figure-gap", "gap (Figure 3.1)"),
    ]
    assert all(soup.find(id=href[1:]) for href, _ in links)


def test_hidden_input_shows_only_its_output():
    """A cell tagged hide-input keeps its output and loses its code."""
    text = soup_of(code("secret_set_up()", {"text/plain": "shown"}, ["hide-input"])).get_text()

    assert "shown" in text
    assert "secret_set_up" not in text


@pytest.mark.parametrize("kind", ["image/png", "image/svg+xml"])
def test_alt_text_of_an_output(kind):
    """PNG and SVG outputs take the alt text from their metadata."""
    about = {kind: {"alt": 'a "b"'}}
    data = "iVBORw0KGgo=" if kind == "image/png" else "<svg onload='alert(1)'/>"

    image = soup_of(code(data={kind: data}, **about)).img

    assert image["alt"] == 'a "b"'
    assert image["src"].startswith(f"data:{kind};base64,")


@pytest.mark.parametrize("kind", ["text/html", "text/markdown", "text/latex", "text/vnd.mermaid"])
def test_hostile_output_is_inert(kind):
    """Whatever way a text reaches the page, nothing of it runs and the page goes on."""
    soup = soup_of(code(data={kind: HOSTILE}), new_markdown_cell("after"))

    assert soup.find_all(["script", "img"]) == []
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in soup.get_text()
    assert soup.find(string="after").find_parent(["b", "pre"]) is None


def test_plain_table_survives_cleaning():
    """A table of pandas keeps its cells and loses its style sheet."""
    html = pd.DataFrame({"a": ["<i>"]})._repr_html_()

    text = BeautifulSoup(clean_html(html), "html.parser").get_text(" ", strip=True)

    assert text == "a 0 <i>"


@pytest.mark.parametrize(
    ("sources", "title", "limits"),
    [
        (["# One\n\ntext", "## Limits\n\nFew.\n\n## Next\n\nNo."], "One", "<p>Few.</p>"),
        (["# One", "## Limits", "Few."], "One", "<p>Few.</p>"),
        (["text"], "Untitled", ""),
    ],
    ids=["one cell", "two cells", "none"],
)
def test_title_and_limits_are_found(sources, title, limits):
    """The limits are what stands under that heading, up to the next one."""
    notebook = new_notebook(cells=[new_markdown_cell(source) for source in sources])

    assert notebook_title(notebook) == title
    assert limits_html(notebook).strip() == limits
