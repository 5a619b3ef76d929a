"""Run one notebook of the chain, with exactly the parameters it declares."""

import ast
import logging
import re
from pathlib import Path

import nbformat

from posbias_kit.errors import ParamsError, ReadError, StageError
from posbias_kit.report.html import render_page
from posbias_kit.report.kernels import Kernels
from posbias_kit.study import SHARED

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def declared_parameters(path):
    """List the names that the notebook's cell tagged `parameters` assigns.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of str

    Raises
    ------
    ReadError
        There is no such notebook.
    ParamsError
        Not exactly one cell has the tag, or it is not Python.
    """
    if not path.is_file():
        raise ReadError("no such notebook", place=str(path), cure="run inside the project")
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(cells) != 1:
        raise ParamsError(
            f"{len(cells) or 'no'} cells are tagged 'parameters'",
            place=path.name,
            allowed="exactly one",
            cure="tag the cell that assigns the parameters, and no other",
        )
    try:
        statements = ast.parse(cells[0].source).body
    except SyntaxError as error:
        raise ParamsError(
            f"the parameters cell is not Python: {error.msg}", place=path.name
        ) from None
    targets = []
    for node in statements:
        targets += getattr(node, "targets", [getattr(node, "target", None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def stage_parameters(stage, study, notebooks):
    """Return what a stage's notebook is given: its section, and the shared keys it declares.

    Parameters
    ----------
    stage : Stage
    study : dict
        The whole study.
    notebooks : Path
        Folder that holds the notebook.

    Returns
    -------
    dict

    Raises
    ------
    ParamsError
        The notebook declares other names than the section has, or a value would not arrive as
        it is.
    """
    declared = declared_parameters(notebooks / stage.notebook)
    section = study[stage.name]
    lacking = [name for name in ("run_name", *section) if name not in declared]
    unknown = [name for name in declared if name not in section and name not in SHARED]
    if lacking or unknown:
        said = [f"does not declare {', '.join(lacking)}"] if lacking else []
        said += [f"declares {', '.join(unknown)}, which the study does not have"] if unknown else []
        raise ParamsError(
            f"the parameters cell {' and '.join(said)}",
            place=stage.notebook,
            allowed=f"run_name and the keys of section {stage.name!r} ({', '.join(section)}), and "
            f"of the shared keys those it uses ({', '.join(SHARED)}); "
            f"the notebook declares {', '.join(declared)}",
            cure="let the notebook and posbias_kit.study name the same keys",
        )
    parameters = {name: section[name] if name in section else study[name] for name in declared}
    for name, value in parameters.items():
        check_plain(value, f"{stage.name}.{name}")
    return parameters


def check_plain(value, place):
    """Refuse a value that would not reach a notebook as it is.

    Examples
    --------
    >>> check_plain({"k": [1, None, 0.5, "text", True]}, "metrics.k")
    >>> check_plain((1, 2), "metrics.k")
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: metrics.k: (1, 2) has type tuple
      allowed: text, whole and decimal numbers, true and false, none, lists, dicts with text keys
    """
    if type(value) is list:
        for item in value:
            check_plain(item, place)
    elif type(value) is dict and all(type(key) is str for key in value):
        for key, item in value.items():
            check_plain(item, f"{place}.{key}")
    elif value is not None and type(value) not in (str, int, float, bool):
        raise ParamsError(
            f"{value!r} has type {type(value).__name__}",
            place=place,
            allowed="text, whole and decimal numbers, true and false, none, lists, dicts with "
            "text keys",
        )


def execute_stage(stage, parameters, root, folder, timeout=None, kernels=None, ahead=False):
    """Execute a stage's notebook and render its page.

    Parameters
    ----------
    stage : Stage
    parameters : dict
        From :func:`stage_parameters`.
    root : Path
        The project; notebooks run in it.
    folder : Path
        The run's folder. While the notebook runs, its copy there ends in ``.partial.ipynb``.
    timeout : int or None
        Seconds one cell may run; None takes the stage's own limit.
    kernels : posbias_kit.report.kernels.Kernels, optional
        Where the kernel is taken from.
    ahead : bool
        Another notebook follows: its kernel starts meanwhile.

    Raises
    ------
    StageError
        The notebook stopped before its end. Its copy then ends in ``.failed.ipynb``.
    """
    partial = folder / f"{stage.stem}.partial.ipynb"
    failed = folder / f"{stage.stem}.failed.ipynb"
    source = root / "notebooks" / stage.notebook
    try:
        with (kernels or Kernels(root)).take(ahead) as kernel:
            _execute(source, partial, parameters, root, timeout or stage.timeout, kernel)
        notebook = nbformat.read(partial, as_version=4)
        _check_ran_to_end(notebook)
        notebook.metadata.papermill.update(input_path=stage.notebook, output_path=stage.notebook)
        nbformat.write(notebook, partial)  # without the paths of this machine
        render_page(notebook, folder / f"{stage.stem}.html", folder.name)
    except BaseException as error:
        if partial.is_file():
            partial.replace(failed)
        if isinstance(error, Exception):
            raise _stage_error(stage, error, failed, root) from error
        raise
    partial.replace(folder / f"{stage.stem}.ipynb")


def _execute(source, target, parameters, root, timeout, kernel):
    import papermill  # two seconds that only a run should pay

    # It cannot read a line with two equals signs, and calls what stands there unknown.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    papermill.execute_notebook(
        _literal(source),
        _literal(target),
        parameters,
        kernel_name="python3",  # this environment's, whatever the notebook was saved with
        language="python",
        progress_bar=False,
        cwd=root,
        km=kernel,
        start_timeout=300,  # it may still be importing
        execution_timeout=timeout,
    )


def _literal(path):
    """Double the braces of a path: papermill reads paths as format strings."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _check_ran_to_end(notebook):
    """Notice sys.exit(0), after which papermill reports success with cells left out."""
    for cell in notebook.cells:
        skipped = "skip-execution" in cell.metadata.get("tags", [])
        silent = cell.cell_type == "code" and cell.source.strip() and not skipped
        if silent and cell.execution_count is None:
            raise RuntimeError("the kernel was asked to exit before the last cell")


def _stage_error(stage, error, failed, root):
    number, count = _guilty_cell(failed)
    if hasattr(error, "ename"):
        reason = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
    elif type(error).__name__ == "DeadKernelError":
        reason = "DeadKernelError: the kernel died (out of memory, or its process was ended)"
    else:
        reason = f"{type(error).__name__}: {error}"
    reason = _COLOUR.sub("", reason).strip()
    reason = reason if len(reason) <= 600 else f"{reason[:600]} ..."
    where = f"cell {number} (In [{count or ' '}]) " if number else ""
    shown = failed.relative_to(root) if failed.is_relative_to(root) else failed
    return StageError(
        f"{where}stopped with {reason}",
        place=stage.notebook,
        cure=f"see the partial notebook {shown.as_posix()}, mend the cause, and go on with "
        f"--from {stage.name}",
    )


def _guilty_cell(path):
    """Return number (in the notebook as it lies in notebooks/) and count of the cell to blame.

    A cell that raised holds its error; where the kernel died, it is the last one that started.
    """
    if not Path(path).is_file():
        return None, None
    cells = [
        cell
        for cell in nbformat.read(path, as_version=4).cells
        if not {"papermill-error-cell-tag", "injected-parameters"}
        & set(cell.metadata.get("tags", []))
    ]
    last = (None, None)
    for number, cell in enumerate(cells, start=1):
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            return number, cell.execution_count
        if cell.metadata.get("papermill", {}).get("start_time"):
            last = (number, cell.get("execution_count"))
    return last
