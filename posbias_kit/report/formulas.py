"""Formulas of a page's text: what stands between dollar signs becomes MathML."""

from functools import cache
from html import unescape
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from latex2mathml.converter import Converter


def mark_formulas(text):
    """Return Markdown as HTML in which each formula has a span of its own, dollar signs and all.

    Examples
    --------
    >>> mark_formulas("with $a_1 < b_1$, not `$HOME`").strip()
    '<p>with <span class="formula">$a_1 &lt; b_1$</span>, not <code>$HOME</code></p>'
    """
    markdown, renderer = _markdown()
    return markdown(renderer=renderer(escape=False, exclude_anchor_links=True)).render(text)


def show_formulas(soup):
    """Show the formulas in the Markdown cells of a page, as JupyterLab does.

    ``$..$`` stands in the line, ``$$..$$`` in a block of its own that scrolls where it is too
    wide. The outputs of cells are left as they are: texts of models hold dollars, too.

    Parameters
    ----------
    soup : BeautifulSoup
        From :func:`mark_formulas`; changed in place.
    """
    for span in soup.select(".jp-MarkdownCell span.formula"):
        source, paragraph = span.get_text(), span.parent
        display = "block" if source.startswith("$$") else "inline"
        html = formula_html(source.strip("$"), display)
        alone = paragraph.get_text() == source
        span.replace_with(BeautifulSoup(html, "html.parser").contents[0].extract())
        if display == "block" and alone:
            paragraph.name = "div"
            paragraph["class"], paragraph["tabindex"] = "scroll formula", "0"


def formula_html(latex, display="inline"):
    r"""Return a formula as MathML; its source is the text for readers that know no MathML.

    Parameters
    ----------
    latex : str
        Without dollar signs.
    display : {"inline", "block"}

    Returns
    -------
    str
        What is no formula comes back as it was written, as code.

    Examples
    --------
    >>> formula_html("a < b")[-53:]
    '<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math>'
    """
    try:
        tree = Converter(display=display).convert_to_element(latex)
    except Exception:  # its errors have no parent of their own
        tree = ElementTree.Element("code")
        tree.text = latex
        return ElementTree.tostring(tree, encoding="unicode")
    for element in tree.iter():
        element.text = unescape(element.text) if element.text else element.text
        if element.tag == "mi" and element.text in ("±", "∓"):
            element.tag = "mo"  # the converter takes them for letters, and sets them too close
    tree.set("alttext", " ".join(latex.split()))
    return ElementTree.tostring(tree, encoding="unicode")


@cache
def _markdown():
    """Return the parser and a renderer that marks formulas; nbconvert is slow to import."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def block_math(self, body):
            return f'<span class="formula">{super().block_math(body)}</span>'

        def inline_math(self, body):
            return f'<span class="formula">{super().inline_math(body)}</span>'

    return MarkdownWithMath, Renderer
