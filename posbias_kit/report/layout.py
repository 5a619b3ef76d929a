"""What makes a page of an executed notebook easy to walk: contents, captions, references."""

import re

from bs4 import BeautifulSoup, NavigableString

from posbias_kit.report.formulas import show_formulas

LONG = 40
"""Characters of a cell from which on it may wrap."""
_CHAPTER = re.compile(r"chapter (\d\d)")


def tidy(html):
    """Return HTML with named header cells, and tables that scroll in a box of their own."""
    soup = BeautifulSoup(html, features="html.parser")
    _tidy_tables(soup)
    return str(soup)


def lay_out(html, saved, chapters=None):
    """Finish the page of a notebook.

    Parameters
    ----------
    html : str
    saved : dict of str to list of Saved
        Id of a cell -> the tables and figures that it saved.
    chapters : dict of str to str, optional
        Number of another chapter, as the text names it -> its page.

    Returns
    -------
    str
    """
    soup = BeautifulSoup(html, features="html.parser")
    _tidy_tables(soup)
    for element in soup.select("[tabindex].jp-Cell-inputWrapper, [tabindex].jp-OutputArea-output"):
        del element["tabindex"]
    for block in soup.select("pre"):
        block["tabindex"] = "0"
    show_formulas(soup)
    _name_chapters(soup, chapters or {})
    _refer(soup, [item for found in saved.values() for item in found])
    for cell, found in saved.items():
        _caption(soup, soup.find(id=f"cell-id={cell}"), found)
    _move_parameters(soup)
    _list_contents(soup)
    return str(soup)


def _tidy_tables(soup):
    for cell in soup.select("th"):
        if not cell.get_text(strip=True):
            cell.name = "td"
        elif not cell.has_attr("scope"):
            cell["scope"] = "col" if cell.find_parent("thead") else "row"
    for cell in soup.select("td"):
        if len(cell.get_text()) > LONG:
            cell["class"] = "long"
    for table in soup.select("table"):
        table.wrap(soup.new_tag("div", attrs={"class": "scroll", "tabindex": "0"}))


def _refer(soup, saved):
    """Let the text link to a table or figure where it names one, and say its number."""
    named = {item.name: item for item in sorted(saved, key=lambda item: item.kind == "table")}
    first = soup.select_one(".jp-MarkdownCell")  # what the notebook writes, listed by name
    for code in soup.select(".jp-MarkdownCell p code, .jp-MarkdownCell li code"):
        item = named.get(code.get_text())
        if item is None or code.find_parent("a"):
            continue
        link = code.wrap(soup.new_tag("a", href=f"#{item.anchor}"))
        if first not in code.parents:
            link.append(f" ({item.label})")


def _name_chapters(soup, chapters):
    """Let the text link to another chapter where it says its number."""
    for text in soup.select_one("main").find_all(string=_CHAPTER):
        if text.find_parent(class_="jp-MarkdownCell") and not text.find_parent(["a", "code"]):
            text.replace_with(*_with_links(soup, text, chapters))


def _with_links(soup, text, chapters):
    end = 0
    for found in _CHAPTER.finditer(text):
        if found[1] in chapters:
            link = soup.new_tag("a", href=chapters[found[1]])
            link.string = found[0]
            yield from (NavigableString(text[end : found.start()]), link)
            end = found.end()
    yield NavigableString(text[end:])


def _caption(soup, cell, found):
    """Put number, name and files of what a cell saved under its outputs."""
    for item in found:
        line = soup.new_tag("p", attrs={"class": "caption", "id": item.anchor})
        strong = soup.new_tag("strong")
        strong.string = item.label
        line.extend([strong, f" {item.name.replace('_', ' ')}"])
        for name, file in item.files.items():
            link = soup.new_tag("a", href=file, attrs={"aria-label": f"{item.label} as {name}"})
            link.string = name
            line.extend([" · ", link])
        cell.append(line)


def _move_parameters(soup):
    """Show the parameters in force at the foot; the defaults only where nothing replaced them."""
    blocks = soup.select(".parameters")
    if not blocks:
        return
    cells = [block.find_parent(class_="jp-Cell") for block in blocks]
    section = soup.new_tag("section", attrs={"id": "parameters", "aria-label": "parameters"})
    for cell in cells:
        cell.extract()
    section.append(cells[-1])
    soup.main.append(section)


def _list_contents(soup):
    """List the second headings in a block that stays in sight on a wide screen."""
    headings = soup.main.select("h2")
    if len(headings) < 2:
        return
    links = soup.new_tag("ol")
    for heading in headings:
        words = " ".join(heading.get_text().split())
        heading["id"] = re.sub(r"\W+", "-", words.lower()).strip("-")
        link = soup.new_tag("a", href=f"#{heading['id']}")
        link.string = words
        entry = soup.new_tag("li")
        entry.append(link)
        links.append(entry)
    block = soup.new_tag("nav", attrs={"class": "contents", "aria-label": "contents"})
    block.append(links)
    soup.main.insert_before(block)
