"""Executed notebooks as HTML pages that open offline, with model texts shown as text."""

import re
from functools import cache
from pathlib import Path

from posbias_kit.report.files import write_text

TEMPLATE = Path(__file__).parent / "template"

_TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "div", "span", "pre", "blockquote"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot"),
    *("tr", "th", "td", "a", "abbr", "b", "code", "del", "em", "i", "kbd", "small", "strong"),
    *("sub", "sup"),
}
_ATTRIBUTES = {
    "*": ["class", "id", "title"],
    "a": ["href"],
    "ol": ["start"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan", "scope"],
}
_STYLE = re.compile(r"<style[^>]*>.*?</style>", re.S)


def render_page(notebook, target, run_name):
    """Write an executed notebook as one HTML file.

    Parameters
    ----------
    notebook : NotebookNode
        Its metadata `title` becomes the page's title, else its first heading.
    target : Path
    run_name : str
        Shown beside the link back to the index.
    """
    write_text(target, page_html(notebook, run_name))


def page_html(notebook, run_name):
    """Return an executed notebook as the text of an HTML page that needs no network.

    HTML and Markdown outputs are cleaned: tags outside a list of plain ones are shown as text,
    and nothing that runs stays. Code is folded, except for the parameters; cells tagged
    `hide-input` show their outputs only. An image's `alt` is taken from its output's metadata.

    Parameters
    ----------
    notebook : NotebookNode
    run_name : str

    Returns
    -------
    str
    """
    resources = {"metadata": {"name": notebook_title(notebook)}, "run_name": run_name}
    html, _ = _exporter().from_notebook_node(notebook, resources)
    return _tidy(html)


def notebook_title(notebook):
    """Return a notebook's title: its metadata `title`, else its first heading.

    Examples
    --------
    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> notebook_title(new_notebook(cells=[new_markdown_cell("# How stable?")]))
    'How stable?'
    """
    if notebook.metadata.get("title"):
        return notebook.metadata["title"]
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    headings = re.findall(r"^#+ +(.+)$", "\n".join(texts), re.M)
    return headings[0].strip() if headings else "Untitled"


def clean_html(html):
    """Keep plain tags, show every other one as text, and drop style sheets.

    Examples
    --------
    >>> clean_html("<b>x</b><script>alert(1)</script><img src=x onerror=alert(2)></div>")
    '<b>x</b>&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;'
    """
    import bleach  # nbconvert's own sanitizer

    return bleach.clean(_STYLE.sub("", str(html)), tags=_TAGS, attributes=_ATTRIBUTES)


def markdown_html(text):
    """Return Markdown as clean HTML."""
    from nbconvert.filters import markdown2html

    return clean_html(markdown2html(text))


def table_html(frame):
    """Return a table as accessible HTML in a box that scrolls on a narrow screen.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    str
        Texts are escaped, numbers have three decimals, gaps are dashes.
    """
    html = frame.to_html(index=False, border=0, na_rep="–", float_format="{:.3f}".format)
    return _tidy(html)


def limits_html(notebook):
    """Return what stands under a notebook's heading `## Limits`, as HTML; empty without one.

    Parameters
    ----------
    notebook : NotebookNode

    Returns
    -------
    str
    """
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    found = re.search(r"^## +Limits\b[^\n]*$(.*?)(?=^#{1,2} |\Z)", "\n\n".join(texts), re.M | re.S)
    return markdown_html(found[1].strip()) if found else ""


@cache
def _exporter():
    from nbconvert.exporters import HTMLExporter
    from traitlets.config import Config

    return HTMLExporter(
        config=Config(CSSHTMLHeaderPreprocessor={"style": "default"}),
        extra_template_basedirs=[str(TEMPLATE.parent)],
        template_name=TEMPLATE.name,
        filters={"clean_html": clean_html},
        sanitize_html=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
        mathjax_url="",
        require_js_url="",
        jquery_url="",
        language_code="en",
    )


def _tidy(html):
    """Name the direction of header cells, empty none of them, and let wide tables scroll."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, features="html.parser")
    for cell in soup.select("th"):
        if not cell.get_text(strip=True):
            cell.name = "td"
        elif not cell.has_attr("scope"):
            cell["scope"] = "col" if cell.find_parent("thead") else "row"
    for table in soup.select("table"):
        table.wrap(soup.new_tag("div", attrs={"class": "scroll", "tabindex": "0"}))
    for element in soup.select("[tabindex].jp-Cell-inputWrapper, [tabindex].jp-OutputArea-output"):
        del element["tabindex"]
    for block in soup.select("pre"):
        block["tabindex"] = "0"
    return str(soup)
