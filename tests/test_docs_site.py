"""The documents build as a site: no warning, nothing loaded from outside."""

import re
import shutil

from bs4 import BeautifulSoup
from notebook_files import ROOT
from PIL import Image
from sphinx.cmd.build import main

from posbias_kit import report

GALLERY = re.findall(r"\]\(_gallery/(\w+)\.png\)", (ROOT / "docs/gallery.md").read_text("utf-8"))


def test_gallery_page_shows_every_figure_at_both_sizes():
    """No plot function is left out."""
    names = [name for name in report.__all__ if name.startswith("plot_")]

    assert sorted(GALLERY) == sorted(f"{name}_{judges}" for name in names for judges in (3, 15))


def test_site_builds_without_a_warning_and_loads_nothing(tmp_path):
    """Every page is there, and scripts, styles and pictures come with it."""
    docs, site = tmp_path / "docs", tmp_path / "site"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("_build", "_gallery"))
    (docs / "_gallery").mkdir()
    for name in GALLERY:  # the pictures themselves are drawn and looked at in test_gallery
        Image.new("RGB", (1, 1)).save(docs / "_gallery" / f"{name}.png")

    status = main(["-q", "-W", "--keep-going", "-b", "html", str(docs), str(site)])

    assert status == 0
    for page in docs.rglob("*.md"):
        html = site / page.relative_to(docs).with_suffix(".html")
        soup = BeautifulSoup(html.read_text("utf-8"), "html.parser")
        loaded = [tag["src"] for tag in soup.find_all(src=True)]
        loaded += [tag["href"] for tag in soup.select("link[rel=stylesheet], link[rel=icon]")]
        assert [path for path in loaded if re.match(r"(https?:)?//", path)] == []
