"""Every guarantee that the documents state is held by a test that exists."""

import re

import pytest
from notebook_files import ROOT

PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
ITEMS = re.findall(r"^- (.*?)(?=^- |^#|^\S|\Z)", PAGE, re.M | re.S)
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.partition("\n")[0][:60])
def test_each_guarantee_names_a_test(item):
    assert re.search(r"`tests/[\w/]+\.py::test_\w+`", item)


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_named_test_exists(path, name):
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text("utf-8"), re.M)


def test_every_test_of_a_reported_fault_is_named():
    files = (ROOT / "tests" / "cases").glob("test_reported_*.py")
    texts = [file.read_text("utf-8") for file in files]
    there = {name for text in texts for name in re.findall(r"^def (test_b\d\d_\w+)\(", text, re.M)}

    assert there - {name for _, name in NAMED} == set()
