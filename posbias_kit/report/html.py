"""Executed notebooks as HTML pages that open offline, with model texts shown as text."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from posbias_kit.report.captions import find_saved
from posbias_kit.report.files import write_text
from posbias_kit.report.formulas import mark_formulas
from posbias_kit.report.layout import lay_out
from posbias_kit.report.stages import STAGES

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


def fill_template(name, script="", **told):
    """Fill one of the kit's page templates.

    Every text is escaped unless it is marked as safe. A template finds the style sheet as
    `style`; one with a script, the kit's own, finds it as `script`, with its SHA-256 as `digest`
    for a policy that lets no other run.

    Parameters
    ----------
    name, script : str
        Files of the template folder.
    **told
        What stands in the template.

    Returns
    -------
    str
    """
    environment = Environment(loader=FileSystemLoader(TEMPLATE), autoescape=True)
    told["style"] = Markup(_own_text("style.css"))  # noqa: S704
    if script:
        text = _own_text(script)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
        told |= {"script": Markup(text), "digest": digest}  # noqa: S704
    return environment.get_template(name).render(**told)


def _own_text(name):
    return (TEMPLATE / name).read_text(encoding="utf-8")


def render_page(notebook, target, run_name):
    """Write an executed notebook as one HTML file.

    Parameters
    ----------
    notebook : NotebookNode
        Its metadata `title` becomes the page's title, else its first heading.
    target : Path
        Named after the notebook; the tables and figures that it saved lie beside.
    run_name : str
        Shown beside the link back to the index.
    """
    saved = find_saved(notebook, target.stem.partition("_")[0].lstrip("0"), target.parent)
    write_text(target, page_html(notebook, run_name, saved, _earlier(target)))


def _earlier(target):
    """Return the pages of the chapters before one, by their numbers."""
    pages = [f"{stage.stem}.html" for stage in STAGES if stage.stem < target.stem]
    return {page[:2]: page for page in pages if (target.parent / page).is_file()}


def page_html(notebook, run_name, saved=(), chapters=None):
    """Return an executed notebook as the text of an HTML page that needs no network.

    HTML and Markdown outputs are cleaned: tags outside a list of plain ones are shown as text,
    and nothing that runs stays. Code is folded; cells tagged `hide-input` show their outputs
    only. The headings are listed beside the text, formulas of the text are MathML, tables and
    figures have numbers, captions and links to their files, and the parameters in force stand at
    the foot. An image's `alt` is taken from its output's metadata.

    Parameters
    ----------
    notebook : NotebookNode
    run_name : str
    saved : list of list of Saved, optional
        What each cell saved, see :func:`posbias_kit.report.captions.find_saved`.
    chapters : dict of str to str, optional
        Number of another chapter -> its page, for the text to link to.

    Returns
    -------
    str
    """
    resources = {"metadata": {"name": notebook_title(notebook)}, "run_name": run_name}
    html, _ = _exporter().from_notebook_node(notebook, resources)
    cells = {cell.id: found for cell, found in zip(notebook.cells, saved, strict=False) if found}
    return lay_out(html, cells, chapters)


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
        filters={"clean_html": clean_html, "markdown2html": mark_formulas},
        sanitize_html=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
        mathjax_url="",
        require_js_url="",
        jquery_url="",
        language_code="en",
    )
