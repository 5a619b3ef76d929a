"""The notebooks of a study, cell by cell in this process: no kernel, so that it costs little."""

from notebook_files import code_cells, read, tagged

from posbias_kit.report.notebook_parameters import declared_parameters
from posbias_kit.report.stages import STAGES


def run_notebooks(study, notebooks):
    """Execute the code cells of each stage with the parameters the chain would give."""
    values = study.model_dump(mode="python", exclude_unset=False)
    for stage in STAGES:
        if values[stage.name] is None:
            continue
        path = notebooks / stage.notebook
        given = {**values, **values[stage.name]}
        names = {name: given[name] for name in declared_parameters(path)}
        notebook = read(path)
        (parameters,) = tagged(notebook, "parameters")
        for cell in code_cells(notebook):
            if cell is not parameters:
                exec(compile(cell.source, f"{stage.notebook}: {cell.id}", "exec"), names)  # noqa: S102
