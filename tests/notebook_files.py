"""How the tests read notebooks: their cells, parameters and saved tables."""

import ast
import io
import tokenize
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path):
    """Return the notebook as nbformat 4 reads it."""
    return nbformat.read(path, as_version=4)


def stage(path):
    """Return the notebook's name without its number.

    >>> stage(Path("notebooks/03_metrics.ipynb"))
    'metrics'
    """
    return path.stem.partition("_")[2]


def code_cells(notebook):
    """Return the code cells in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook, tag):
    """Return the cells that carry the tag."""
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def parameters(notebook):
    """Return {name: default} of the cell tagged `parameters`."""
    (cell,) = tagged(notebook, "parameters")
    return {node.target.id: ast.literal_eval(node.value) for node in ast.parse(cell.source).body}


def saved_files(notebook):
    """Return the files that `run.save` and `run.store` write, in order."""
    endings = {"run.save": ".csv", "run.store": ".parquet"}
    names = []
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in endings:
                ending = endings[ast.unparse(node.func)]
                names.append(ast.literal_eval(node.args[1]) + ending)
    return names


def comment_lines(source):
    """Return {line number: comment} of Python source.

    >>> comment_lines("a: int = 1  # one")
    {1: '# one'}
    """
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}
