"""The page of benchmarks says what was kept, and whether a target was met."""

import json

from notebook_files import ROOT

from benchmarks.__main__ import PARTS, page
from benchmarks.rows import Row, as_table

DOCS = ROOT / "docs"


def test_page_is_made_from_what_was_kept():
    """docs/benchmarks.md has the numbers of docs/benchmarks.json, every part among them."""
    kept = json.loads((DOCS / "benchmarks.json").read_text("utf-8"))

    assert set(kept["parts"]) == set(PARTS)
    assert page(kept) == (DOCS / "benchmarks.md").read_text("utf-8")


def test_no_place_is_named():
    """The machine is described without paths, and what was measured, too."""
    text = (DOCS / "benchmarks.json").read_text("utf-8")

    assert not any(word in text for word in ("/home", "/root", "/tmp", "/work", "localhost"))  # noqa: S108


def test_targets_are_told_and_kept():
    """A share must not be less, a memory not more, than its target; without one there is none."""
    rows = [
        Row("speed", 0.969, "share", least=0.97),
        Row("memory", 3.46, "GB", most=4.0),
        Row("time", 1234.0, "s"),
    ]

    assert [row.met for row in rows] == ["no", "yes", ""]
    assert as_table(rows).splitlines()[2:] == [
        "| speed | 96.9% | at least 97.0% | no |  |",
        "| memory | 3.5 GB | at most 4 GB | yes |  |",
        "| time | 1,234 s |  |  |  |",
    ]
