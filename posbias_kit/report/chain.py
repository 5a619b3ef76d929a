"""Run a study: its notebooks in order, their pages, the manifest and the index."""

import logging
import sys
import time

import yaml
from tqdm import tqdm

from posbias_kit.cluster import Compute, workers
from posbias_kit.errors import PosbiasError
from posbias_kit.hold import hold_folder
from posbias_kit.report.files import write_text
from posbias_kit.report.folder import project_root
from posbias_kit.report.kernels import Kernels
from posbias_kit.report.neighbours import link_chapters
from posbias_kit.report.notebooks import execute_stage
from posbias_kit.report.plan import plan_run
from posbias_kit.report.provenance import (
    describe_versions,
    digest_inputs,
    now,
    read_manifest,
    snapshot,
    write_manifest,
    written_since,
)
from posbias_kit.report.stages import STAGES
from posbias_kit.report.tree import read_tree

_LOG = logging.getLogger("posbias_kit")
_STALE = (".ipynb", ".html", ".csv", ".tex", ".md", ".png", ".svg", ".pdf", ".parquet", ".xlsx")


def run_study(
    params,
    *,
    settings=(),
    start_from=None,
    only=None,
    fresh=False,
    progress=None,
    timeout=None,
    **overrides,
):
    """Run a study end to end, reusing what an earlier run has left unchanged.

    Notebooks and outputs/ are looked for in the nearest folder, going up from the working
    folder, that holds ``notebooks/01_data_preparation.ipynb``.

    Parameters
    ----------
    params : str, Path, Study or dict
        The study's YAML file, or the study itself.
    settings : iterable of str
        Overrides in text form, ``section.key=value``.
    start_from : str, optional
        Run this stage and all that follow; those before it must stand from an earlier run.
    only : str, optional
        Run this stage alone; what it reads must be there.
    fresh : bool
        Run every stage again.
    progress : bool, optional
        Show a progress bar; by default only on a terminal.
    timeout : int, optional
        Seconds one cell may run; by default none for judging, 1800 elsewhere.
    **overrides
        Shared keys, or sections as dicts whose keys replace those of the study.

    Returns
    -------
    Path
        The run's folder; ``index.html`` in it leads to everything.

    Raises
    ------
    ParamsError, ReadError
        The study, a notebook's parameters or an input file is wrong; nothing has run.
    StageError
        A notebook stopped before its end; later ones have not run.
    RunError
        The folder is another process's, or cannot be written, or no scheduler answers.

    Examples
    --------
    >>> run_study("params/demo.yaml", summary={"convention": "tie"}, draws=200)  # doctest: +SKIP
    PosixPath('outputs/demo')
    """
    study = read_tree(params, settings, overrides)
    folder = (root := project_root()) / "outputs" / study["run_name"]
    inputs = digest_inputs(study, root)
    earlier = read_manifest(folder)
    jobs = plan_run(study, root, folder, earlier, inputs, start_from, only, fresh)
    manifest = _new_manifest(study, root, inputs, jobs)
    if any(job.runs and job.stage.name == "judging" for job in jobs):
        _check_candidates(study)
    if any(job.runs for job in jobs):
        with workers(Compute(**study["compute"])):  # a scheduler that does not answer is found now
            pass
    with hold_folder(folder):
        _clear(folder, jobs, earlier)
        as_yaml = yaml.safe_dump(study, sort_keys=False, allow_unicode=True)
        write_text(folder / "params.yaml", as_yaml)
        _run_jobs(jobs, root, folder, manifest, progress, timeout)
    return folder


def _check_candidates(study):
    """Refuse, before anybody is asked, a decision between candidates that are never shown."""
    if study["decision"]["candidates"]:
        from posbias_kit.report.forecast import check_candidates  # with all that plans need

        check_candidates(study)


def _new_manifest(study, root, inputs, jobs):
    skipped = [
        {"name": stage.name, "notebook": stage.notebook, "status": "skipped", "files": {}}
        | {"reason": "the study has no such section: data_preparation reads judgments"}
        for stage in STAGES
        if study[stage.name] is None
    ]
    order = [stage.name for stage in STAGES]
    records = [job.record for job in jobs] + skipped
    return {
        "run_name": study["run_name"],
        "status": "running",
        "failure": None,
        "seed": study["seed"],
        "started": now(),
        "ended": None,
        **describe_versions(root),
        "inputs": inputs,
        "stages": sorted(records, key=lambda record: order.index(record["name"])),
    }


def _clear(folder, jobs, earlier):
    """Take away what the stages about to run left before: nobody shall take it for new.

    What is not a report or a table, such as a log of judgments, stays.
    """
    known = {record["name"]: record.get("files", {}) for record in earlier.get("stages", [])}
    for job in jobs:
        if job.runs:
            stem = job.stage.stem
            names = [name for name in known.get(job.stage.name, {}) if name.endswith(_STALE)]
            names += [
                f"{stem}{end}" for end in (".ipynb", ".html", ".partial.ipynb", ".failed.ipynb")
            ]
            for name in [*names, "index.html"]:
                (folder / name).unlink(missing_ok=True)


def _run_jobs(jobs, root, folder, manifest, progress, timeout):
    hidden = None if progress is None else not progress
    kernels, open_ = Kernels(root), [job for job in jobs if job.runs]
    write_manifest(folder, manifest)
    try:
        if open_:
            kernels.prepare()
        _renew_index(folder, manifest)  # should the process be killed, it tells what there is
        with tqdm(jobs, file=sys.stderr, disable=hidden, unit="stage", leave=False) as bar:
            for job in bar:
                bar.set_description(job.stage.name)
                _run_job(job, root, folder, timeout, kernels, ahead=job in open_[:-1])
                write_manifest(folder, manifest)
        manifest["status"] = "ok"
    except BaseException as error:
        said = str(error) if isinstance(error, PosbiasError) else type(error).__name__
        manifest.update(status="failed", failure=said)
        raise
    finally:
        kernels.close()
        manifest["ended"] = now()
        link_chapters(folder, manifest)
        write_manifest(folder, manifest)
        _renew_index(folder, manifest)


def _renew_index(folder, manifest):
    from posbias_kit.report.index import write_index  # two seconds: the kernel starts meanwhile

    write_index(folder, manifest)


def _run_job(job, root, folder, timeout, kernels, ahead):
    record = job.record
    if not job.runs:
        _LOG.info("%s: %s", job.stage.name, record["status"])
        return
    before, began = snapshot(folder), time.monotonic()
    try:
        execute_stage(job.stage, job.parameters, root, folder, timeout, kernels, ahead)
        record.update(status="run", reason=job.why, fingerprint=job.fingerprint, parts=job.parts)
    except BaseException as error:
        problem = getattr(error, "problem", type(error).__name__)
        record.update(status="failed", reason=problem)
        raise
    finally:
        record.update(seconds=round(time.monotonic() - began, 3), ended=now())
        record["files"] = written_since(folder, before)
        _LOG.info("%s: %s, %.1f s", job.stage.name, record["status"], record["seconds"])
