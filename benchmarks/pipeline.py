"""What the pipeline adds to the work: the demo run against plain functions and kernel starts.

    python -m benchmarks.pipeline [STUDY.yaml]

Three commands, each a process of its own, in fresh copies of the project: `posbias run`; the code
cells of the same notebooks, one after the other in one process without kernels, pages and
displays; `posbias run` once more with nothing changed. Then kernels are started and stopped, as
many as there are notebooks. Target: the run takes at most 1.5 times as long as the plain process
and the kernel starts together.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.rows import Row, as_table

ROOT = Path(__file__).parents[1]
STUDY = "params/demo.yaml"


def _project(folder):
    """Copy what a run needs."""
    for name in ("notebooks", "params"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def _timed(command, folder):
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "MPLBACKEND": "Agg"}
    began = time.perf_counter()
    subprocess.run([sys.executable, *command], cwd=folder, env=environment,  # noqa: S603
                   check=True, capture_output=True)  # fmt: skip
    return time.perf_counter() - began


def kernel_start():
    """Return the seconds that a kernel takes to start and to stop."""
    from jupyter_client.manager import start_new_kernel

    began = time.perf_counter()
    manager, client = start_new_kernel(kernel_name="python3")
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    return time.perf_counter() - began


def run_plain(study):
    """Run the code of a study's notebooks in this process."""
    import nbformat

    from posbias_kit.report.notebook_parameters import stage_parameters
    from posbias_kit.report.stages import STAGES
    from posbias_kit.report.tree import read_tree

    told, notebooks = read_tree(study), Path("notebooks")
    for stage in STAGES:
        if told[stage.name] is None:
            continue
        names = {"__name__": "__main__"}
        parameters = stage_parameters(stage, told, notebooks)
        for cell in nbformat.read(notebooks / stage.notebook, as_version=4).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, stage.notebook, "exec"), names)  # noqa: S102, our own
            if "parameters" in cell.metadata.get("tags", []):
                names.update(parameters)


def measure(study=STUDY):
    """Return the rows of the table of benchmarks."""
    run = ["-m", "posbias_kit", "run", study]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        folder = _project(Path(one))
        whole = _timed(run, folder)
        again = _timed(run, folder)
        plain = _timed(["-m", "benchmarks.pipeline", "--plain", study], _project(Path(other)))
        count = len(list((folder / "outputs").glob("*/*.html"))) - 1  # without the index
    start = statistics.median(kernel_start() for _ in range(3))
    least = plain + count * start
    told = (
        f"run {whole:.1f} s; plain functions {plain:.1f} s, {count} kernels {count * start:.1f} s"
    )
    return [
        Row("the demo, of plain functions and kernel starts", whole / least, "times", most=1.5,
            beside=told),
        Row("the demo again, nothing changed", again, "s", beside=f"{again / whole:.0%} of it"),
    ]  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plain"]:
        run_plain(sys.argv[2])
    else:
        print(as_table(measure(*sys.argv[1:])))
