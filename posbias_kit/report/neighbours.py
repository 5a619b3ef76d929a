"""Links between the chapters of a run: to the one before and the one after, by title."""

import re

from posbias_kit.report.files import digest, write_text

_PLACE = re.compile(r'(<span class="chapters">).*?(</span>)', re.S)
_TITLE = re.compile(r"<title>(.*?)</title>", re.S)


def link_chapters(folder, manifest):
    """Link each chapter's page to those before and after it, at its head and foot.

    This waits for the end of a run: only then is it known which pages there are, and no link
    leads to a chapter that failed or was left out.

    Parameters
    ----------
    folder : Path
        The run's folder.
    manifest : dict
        Its stages name the order; digests of pages that change are brought up to date.
    """
    stages = [(record, folder / _page(record)) for record in manifest["stages"]]
    stages = [(record, path) for record, path in stages if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for _, path in stages]
    targets = [
        (path.name, _TITLE.search(text)[1]) for (_, path), text in zip(stages, texts, strict=True)
    ]
    for place, (record, path) in enumerate(stages):
        before, after = targets[max(place - 1, 0) : place], targets[place + 1 : place + 2]
        links = "".join(
            [_link("prev", *target) for target in before]
            + [_link("next", *target) for target in after]
        )
        linked = _fill(texts[place], links)
        if linked != texts[place]:
            write_text(path, linked)
            record["files"][path.name] = digest(path)


def _page(record):
    return record["notebook"].removesuffix(".ipynb") + ".html"


def _link(way, page, title):
    """Return a link; the title is taken from a page and so is escaped already."""
    return f'<a rel="{way}" href="{page}">{title}</a>'


def _fill(text, links):
    return _PLACE.sub(lambda found: f"{found[1]}{links}{found[2]}", text)
