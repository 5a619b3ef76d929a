"""Several studies by one command: one after another here, or as tasks of a Dask cluster."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from posbias_kit.cluster import Compute, connect
from posbias_kit.errors import ParamsError, PosbiasError, RunError
from posbias_kit.report import chain
from posbias_kit.report.tree import read_tree

_ON_ITS_WORKER = "compute={backend: local}"
"""A study that is a task itself makes no tasks: it would wait for the worker that it holds."""


class Outcome(NamedTuple):
    """What became of one study."""

    params: Path
    folder: Path | None
    """The run's folder, None where it failed."""
    problem: Exception | None


def run_studies(params, *, settings=(), **choice):
    """Run several studies; the failure of one stops no other.

    Studies with ``compute.backend: dask`` are tasks of their scheduler, each run by one worker as
    on one machine; the others run here, one after another.

    Parameters
    ----------
    params : iterable of Path
        Study files. All are checked before the first one runs.
    settings : iterable of str
        Overrides of each of them, ``section.key=value``.
    **choice
        start_from, only and fresh, as for :func:`posbias_kit.report.run_study`.

    Yields
    ------
    Outcome
        As the studies end.

    Raises
    ------
    ParamsError
        A study is wrong, or two of them have the same run_name; nothing has run.
    RunError
        No scheduler answers; nothing has run.
    """
    studies = [(path, read_tree(path, settings)) for path in map(Path, params)]
    _check_names(studies)
    there = {path: Compute(**study["compute"]) for path, study in studies}
    with ExitStack() as stack:
        tasks = _submit(stack, there, settings, choice)
        for path, compute in there.items():
            if compute.backend == "local":
                yield _outcome(
                    path, lambda path=path: chain.run_study(path, settings=settings, **choice)
                )
        for client, paths in tasks.items():
            from distributed import as_completed

            for future in as_completed(paths, loop=client.loop):
                yield _outcome(paths[future], lambda future=future: Path(future.result()))


def _check_names(studies):
    names = [study["run_name"] for _, study in studies]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParamsError(
            f"several studies are to run under one run_name: {', '.join(twice)}",
            place=", ".join(str(path) for path, _ in studies),
            cure="give each study a run_name of its own: it names its folder under outputs/",
        )


def _submit(stack, there, settings, choice):
    """Hand each study that names a scheduler to it; return client -> {future: path}."""
    clients, tasks = {}, {}
    for path, compute in there.items():
        if compute.backend == "local":
            continue
        if compute.scheduler not in clients:
            clients[compute.scheduler] = stack.enter_context(connect(compute))
        client = clients[compute.scheduler]
        told = str(Path.cwd()), str(path), [*settings, _ON_ITS_WORKER], choice
        tasks.setdefault(client, {})[client.submit(_run_there, *told, pure=False)] = path
    return tasks


def _run_there(here, path, settings, choice):
    """Run a study on a worker, in the folder in which the command was given."""
    if not Path(here).is_dir():
        from distributed import get_worker

        raise RunError(
            f"no such folder on worker {get_worker().address}",
            place=here,
            cure="give the project's folder to all workers under one path: a shared file system",
        )
    os.chdir(here)
    return str(chain.run_study(path, settings=settings, progress=False, **choice))


def _outcome(path, run):
    try:
        return Outcome(path, run(), None)
    except Exception as error:
        return Outcome(path, None, error)


def describe_failure(outcome):
    """Say in words why a study failed.

    Examples
    --------
    >>> describe_failure(Outcome(Path("a.yaml"), None, ValueError("no such thing")))
    'a.yaml: ValueError: no such thing'
    """
    error = outcome.problem
    told = str(error) if isinstance(error, PosbiasError) else f"{type(error).__name__}: {error}"
    return f"{outcome.params}: {told}"
