"""Pages of the kit in a real browser, with nothing but their own files."""

from pathlib import Path
from urllib.parse import unquote, urlparse

HEIGHT = 900
"""Of the window, in pixels."""


def open_page(browser, path, width, scheme="light"):
    """Open a file in a window; what it complains of, or asks for elsewhere, is in `messages`."""
    page = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)
    page.set_default_timeout(120_000)  # a busy machine must not fail a test
    page.messages = []
    page.on("console", lambda message: page.messages.append(message.text))
    page.on("pageerror", lambda error: page.messages.append(str(error)))
    page.on("request", lambda request: _note_elsewhere(page, request.url))
    page.goto(path.as_uri())
    return page


def _note_elsewhere(page, url):
    if not url.startswith(("file:", "data:")):
        page.messages.append(url)


def broken_links(page, path):
    """Return the links of a page that lead to no file and no place of this page."""
    broken = []
    for href in page.eval_on_selector_all("a[href]", "links => links.map(a => a.href)"):
        target = urlparse(href)
        if target.scheme != "file":
            continue
        file = Path(unquote(target.path))
        inside = (
            not target.fragment
            or file != path
            or page.query_selector(f"[id='{unquote(target.fragment)}']")
        )
        if not file.exists() or not inside:
            broken.append(href)
    return broken


def serious_findings(page):
    """Return what axe calls serious or critical: (rule, the first place)."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        (rule["id"], rule["nodes"][0]["html"][:200])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]


def look_on_a_desk(folder, browser):
    """Open every page of a run, and check what each page must keep."""
    for path in sorted(folder.glob("*.html")):
        page = open_page(browser, path, 1440)
        assert page.messages == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 1440
        assert broken_links(page, path) == []
        assert serious_findings(page) == []
        page.close()


def look_on_a_phone(folder, browser):
    """Open every page of a run as narrow as a phone."""
    for path in sorted(folder.glob("*.html")):
        page = open_page(browser, path, 390)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.name
        page.close()
