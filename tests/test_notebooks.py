"""The rules that every notebook keeps."""

import ast
import re

import nbformat
import pytest
from notebook_files import NOTEBOOKS, code_cells, comment_lines, read, saved_files, tagged

LONGEST_CELL, LONGEST_PARAMETERS = 12, 20
CELL_TAGS = {"parameters", "hide-input"}
BANNED = {
    "magic or shell line": re.compile(r"^\s*[%!]", re.M),
    "rcParams": re.compile(r"\brcParams\b"),
    "install": re.compile(r"\b(pip|conda)\s+install\b"),
    "change of folder": re.compile(r"\bchdir\("),
    "absolute path": re.compile(r"""["'](/|~|[A-Za-z]:[\\/])"""),
}

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_is_valid(path):
    """The file follows nbformat's schema."""
    nbformat.validate(read(path))


def test_holds_no_outputs(path):
    """No cell holds an output or an execution count."""
    cells = code_cells(read(path))

    assert [c.id for c in cells if c.outputs or c.execution_count is not None] == []


def test_metadata_is_on_the_whitelist(path):
    """The metadata is a title, kernel python3 and language; a cell has known tags at most."""
    notebook = read(path)

    assert set(notebook.metadata) == {"kernelspec", "language_info", "title"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert notebook.metadata.title.strip()
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.kernelspec.language == "python"
    assert [c.id for c in notebook.cells if not set(c.metadata) <= {"tags"}] == []
    assert {t for c in notebook.cells for t in c.metadata.get("tags", [])} <= CELL_TAGS


def test_opens_with_title_reads_writes_source(path):
    """The first cell is a title with what is read, what is written, and the source."""
    first = read(path).cells[0]

    assert first.cell_type == "markdown"
    assert re.match(r"# \S", first.source)
    missing = [w for w in ("Reads", "Writes", "Source") if not re.search(rf"\b{w}\b", first.source)]
    assert missing == []


def test_states_its_limits(path):
    """A markdown cell is headed Limits."""
    cells = [c for c in read(path).cells if c.cell_type == "markdown"]

    assert [c.id for c in cells if re.search(r"^## Limits\b", c.source, re.M)]


def test_parameters_are_typed_literals_with_comments(path):
    """One cell is tagged `parameters`; each line of it is `name: type = literal  # meaning`."""
    (cell,) = tagged(read(path), "parameters")
    comments = comment_lines(cell.source)
    statements = ast.parse(cell.source).body

    assert cell.cell_type == "code"
    assert [ast.unparse(s) for s in statements if not isinstance(s, ast.AnnAssign)] == []
    for statement in statements:
        ast.literal_eval(statement.value)
    assert [s.target.id for s in statements if s.end_lineno not in comments] == []


def test_code_cells_are_short(path):
    """A code cell has at most 12 lines, the parameters at most 20."""
    lines = {cell.id: len(cell.source.splitlines()) for cell in code_cells(read(path))}
    limit = {cell.id: LONGEST_PARAMETERS for cell in code_cells(read(path)) if _tagged(cell)}

    assert [name for name, count in lines.items() if count > limit.get(name, LONGEST_CELL)] == []


def _tagged(cell):
    return "parameters" in cell.metadata.get("tags", [])


@pytest.mark.parametrize("what", BANNED)
def test_code_holds_nothing_banned(path, what):
    """No magic, style setting, installation, change of folder or absolute path."""
    cells = code_cells(read(path))

    assert [c.id for c in cells if BANNED[what].search(c.source)] == []


def test_defines_nothing(path):
    """Functions and classes live in the package."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    nodes = [n for c in code_cells(read(path)) for n in ast.walk(ast.parse(c.source))]

    assert [ast.unparse(n) for n in nodes if isinstance(n, kinds)] == []


def test_saves_each_table_once(path):
    """A table is saved under one name, once."""
    names = saved_files(read(path))

    assert len(names) == len(set(names))
