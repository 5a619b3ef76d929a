"""The documents say what is there, and all of it."""

import re
from pathlib import Path

import pytest
from notebook_files import NOTEBOOKS, ROOT, read, saved_files, stage

import posbias_kit
from posbias_kit import errors
from posbias_kit.__main__ import cli
from posbias_kit.report.studies import study_keys, study_schema
from posbias_kit.study import Study

README = (ROOT / "README.md").read_text(encoding="utf-8")
ERRORS = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "notebooks/README.md", "params/README.md"]
PAGES += [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").glob("*.md"))]
TARGETS = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.M))


def _code(text):
    """Return the fenced blocks and code spans of a page."""
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.S))


def _result_rows():
    """Return README's result table as [(notebook, section, {files})]."""
    lines = README.partition("| result |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[re.findall(r"`([\w.]+)`", cell) for cell in line.split("|")[2:5]] for line in lines]
    return [(n, section, set(files)) for (n,), (section,), files in rows]


def test_readme_names_every_command():
    """README names the commands that `posbias` has, and no other."""
    assert set(re.findall(r"\bposbias ([a-z]+)\b", _code(README))) == set(cli.commands)


def test_readme_names_every_make_target():
    """README names the documented targets, and no other."""
    assert set(re.findall(r"\bmake ([a-z]+)\b", _code(README))) == TARGETS


@pytest.mark.parametrize("page", PAGES)
def test_page_names_only_real_commands(page):
    """No page names a target or command that does not exist."""
    code = _code((ROOT / page).read_text("utf-8"))
    assert set(re.findall(r"\bmake ([a-z]+)\b", code)) <= TARGETS
    assert set(re.findall(r"\bposbias ([a-z]+)\b", code)) <= set(cli.commands)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """Every relative link of a page leads to a file."""
    path = ROOT / page
    links = re.findall(r"\]\(([^)#\s]+)", path.read_text("utf-8"))
    local = [link for link in links if not re.match(r"[a-z]+:|_gallery/", link)]

    assert [link for link in local if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_readme_lists_the_tables_of_the_notebook(path):
    """Each table that a notebook saves is in README's row for that notebook."""
    rows = [files for notebook, _, files in _result_rows() if notebook == path.stem]

    assert set(saved_files(read(path))) - set().union(*rows) == set()
    assert path.stem in README


def test_readme_lists_only_what_notebooks_save():
    """Each file in README's result table is saved by a notebook."""
    saved = {name for path in NOTEBOOKS for name in saved_files(read(path))}
    listed = {name for _, _, files in _result_rows() for name in files}

    assert listed - saved == set()


def test_readme_names_real_notebooks_and_sections():
    """The result table's notebooks exist, and the section beside each is its own."""
    rows = {(notebook, section) for notebook, section, _ in _result_rows()}
    own = {(path.stem, stage(path)) for path in NOTEBOOKS}

    assert rows - own == set()
    assert {section for _, section in rows} <= set(Study.model_fields)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_page_lists_what_is_written(path):
    """notebooks/README.md has a row for the notebook that names each table it saves."""
    page = (ROOT / "notebooks" / "README.md").read_text("utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{path.name}`")]

    names = [name.removesuffix(".csv") for name in saved_files(read(path))]
    assert [name for name in names if f"`{name}`" not in row] == []


def test_readme_counts_the_library():
    """The number of lines in README's picture is right within 10%."""
    stated = int(re.search(r"about ([\d,]+) lines", README)[1].replace(",", ""))
    files = Path(posbias_kit.__file__).parent.rglob("*.py")
    counted = sum(len(path.read_text("utf-8").splitlines()) for path in files)

    assert stated == pytest.approx(counted, rel=0.1)


def test_every_error_is_described():
    """docs/errors.md has a section for each class of the tree, with an example."""
    classes = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", ERRORS, re.M | re.S))

    assert list(sections) == classes
    assert [name for name, text in sections.items() if "```" not in text] == []


def test_params_page_is_made_from_the_models():
    """params/README.md and params/study.schema.json are what `posbias schema` prints."""
    folder = ROOT / "params"

    assert study_keys() in (folder / "README.md").read_text("utf-8")
    assert study_schema() == (folder / "study.schema.json").read_text("utf-8")
