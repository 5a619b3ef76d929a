"""Numbers and captions of what a notebook saves: Table 3.1, Figure 3.2, each with its files."""

import ast
from typing import NamedTuple

FORMATS = ("png", "svg", "pdf")
"""Files of each figure."""
TABLE_FORMATS = {"csv": "CSV", "tex": "LaTeX", "md": "Markdown"}
"""Files of each table, and what they are called; long ones have the first only."""
_KINDS = {"save": "table", "save_figure": "figure"}


class Saved(NamedTuple):
    """A table or figure that a cell saves."""

    kind: str
    """table or figure"""
    name: str
    number: str
    """Chapter and place among its kind: 3.2."""
    files: dict[str, str]
    """Format -> file, below the run's folder."""

    @property
    def label(self):
        """What the text calls it, Table 3.2 for example."""
        return f"{self.kind.title()} {self.number}"

    @property
    def anchor(self):
        """Id of its place in the page."""
        return f"{self.kind}-{self.name}"


def find_saved(notebook, chapter, folder=None):
    """Say what each cell of a notebook saves.

    Parameters
    ----------
    notebook : NotebookNode
    chapter : int or str
        First part of the numbers.
    folder : Path, optional
        The run's folder: what is not there is left out, for a cell may save under a condition.

    Returns
    -------
    list of list of Saved
        For each cell, in the order of the source.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> cell = new_code_cell('run.save(table, "stability")')
    >>> [[saved.label for saved in cell] for cell in find_saved(new_notebook(cells=[cell]), 3)]
    [['Table 3.1']]
    """
    counts = dict.fromkeys(_KINDS.values(), 0)
    found = []
    for cell in notebook.cells:
        here = []
        for kind, name in _calls(cell.source) if cell.cell_type == "code" else ():
            counts[kind] += 1
            files = files_of(kind, name, folder)
            if files:
                here.append(Saved(kind, name, f"{chapter}.{counts[kind]}", files))
        found.append(here)
    return found


def files_of(kind, name, folder=None):
    """Return format -> file of a table or figure; with a folder, of those that it holds.

    Examples
    --------
    >>> files_of("table", "units")["LaTeX"]
    'tables/units.tex'
    """
    formats = TABLE_FORMATS if kind == "table" else {end: end.upper() for end in FORMATS}
    files = {told: f"{kind}s/{name}.{end}" for end, told in formats.items()}
    return {
        told: file for told, file in files.items() if folder is None or (folder / file).is_file()
    }


def _calls(source):
    """Yield (kind, name) of each ``run.save(.., "name")`` with a literal name."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a cell of magics, or one that failed
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls.sort(key=lambda node: (node.end_lineno, node.end_col_offset))
    for node in calls:
        kind = _KINDS.get(getattr(node.func, "attr", None))
        name = node.args[1] if kind and len(node.args) > 1 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield kind, name.value
