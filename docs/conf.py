"""How `make docs` builds the site: Markdown pages and the docstrings, nothing from the network."""

import os
import sys
from pathlib import Path

from posbias_kit import __version__

project = "posbias-kit"
author = "The posbias-kit authors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository

html_theme = "furo"
html_title = "posbias-kit"
html_copy_source = False
html_show_sourcelink = False

autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
myst_heading_anchors = 3
nitpicky = False


def setup(app):
    """Draw the gallery where it is not drawn yet."""
    folder = Path(__file__).parent / "_gallery"
    if not folder.is_dir():
        os.environ.setdefault("MPLBACKEND", "Agg")
        sys.path.insert(0, str(folder.parent))
        import gallery

        gallery.draw(folder)
