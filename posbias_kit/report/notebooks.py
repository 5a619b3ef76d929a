"""Run one notebook of the chain, and render its page."""

import logging
import re
from pathlib import Path

from posbias_kit.errors import StageError
from posbias_kit.report.kernels import Kernels
from posbias_kit.report.notebook_parameters import cell_tags

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def execute_stage(stage, parameters, root, folder, timeout=None, kernels=None, ahead=False):
    """Execute a stage's notebook and render its page.

    Parameters
    ----------
    stage : Stage
    parameters : dict
        From :func:`posbias_kit.report.notebook_parameters.stage_parameters`.
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
    import nbformat  # a second and a half, in which the kernel starts already

    from posbias_kit.report.html import render_page

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
        skipped = "skip-execution" in cell_tags(cell)
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
    import nbformat

    if not Path(path).is_file():
        return None, None
    cells = [
        cell
        for cell in nbformat.read(path, as_version=4).cells
        if not {"papermill-error-cell-tag", "injected-parameters"} & {*cell_tags(cell)}
    ]
    last = (None, None)
    for number, cell in enumerate(cells, start=1):
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            return number, cell.execution_count
        if cell.metadata.get("papermill", {}).get("start_time"):
            last = (number, cell.get("execution_count"))
    return last
