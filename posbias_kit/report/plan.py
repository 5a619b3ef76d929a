"""Which stages of a run must run, and which can be taken from an earlier one."""

import json
from dataclasses import dataclass, field

import pandas as pd

from posbias_kit.errors import ParamsError
from posbias_kit.judge_kinds import LIVE
from posbias_kit.judging import plan_arm
from posbias_kit.params import parse_section
from posbias_kit.report.files import digest, digest_text
from posbias_kit.report.notebook_parameters import stage_parameters
from posbias_kit.report.provenance import changed_file, digest_package
from posbias_kit.report.stages import STAGES, Stage, active_stages, check_stage
from posbias_kit.schema import Status
from posbias_kit.study_arms import PLAIN, Arm

_DONE = ("run", "reused")
_ROOMS = {"data_preparation": ("data",), "judging": ("data", "judging")}
"""Rooms of the package that a stage's tables depend on, beside the ground floor; else all."""
_LIVE = {kind.model_fields["kind"].annotation.__args__[0] for kind in LIVE}


@dataclass
class Job:
    """What is to be done for one stage, and in the end what was."""

    stage: Stage
    parameters: dict
    parts: dict
    """What the fingerprint is made of."""
    fingerprint: str
    why: str = ""
    """Why an earlier result cannot stand; empty where it can."""
    runs: bool = True
    record: dict = field(default_factory=dict)
    """The stage's entry in the manifest."""


def plan_run(study, root, folder, earlier, inputs, start_from=None, only=None, fresh=False):
    """Decide for each stage whether it runs.

    Every parameter of every notebook is checked here, before the first kernel starts.

    Parameters
    ----------
    study : dict
        The whole study.
    root, folder : Path
        The project, and the run's folder.
    earlier : dict
        Manifest of the earlier run in `folder`; empty without one.
    inputs : dict
        From :func:`posbias_kit.report.provenance.digest_inputs`.
    start_from, only : str or None
        Run this stage and what follows, or this one alone.
    fresh : bool
        Run everything again.

    Returns
    -------
    list of Job

    Raises
    ------
    ParamsError
        A stage or parameter is unknown, or an earlier result that is needed cannot stand.
    """
    stages = active_stages({stage.name for stage in STAGES if study[stage.name] is None})
    _check_choice(stages, start_from, only, fresh)
    known = {record["name"]: record for record in earlier.get("stages", [])}
    jobs = _make_jobs(stages, study, root, inputs, known, only)
    for job in jobs:
        job.why = _why_not(job, known.get(job.stage.name, {}), folder)
        if not job.why and job.stage.name == "judging":
            job.why = _what_is_open(job.parameters, folder)
    if only:
        _choose_one(jobs, known, folder, only)
    else:
        _choose_all(jobs, start_from, fresh)
    for job in jobs:
        job.record = _record(job, known.get(job.stage.name, {}), only)
    return jobs


def _check_choice(stages, start_from, only, fresh):
    if start_from:
        check_stage(start_from, stages, "--from")
    if only:
        check_stage(only, stages, "--only")
    if sum(map(bool, (start_from, only, fresh))) > 1:
        raise ParamsError(
            "more than one of --from, --only and --fresh", place="posbias run", cure="choose one"
        )


def _make_jobs(stages, study, root, inputs, known, only):
    notebooks = root / "notebooks"
    parameters = {stage.name: stage_parameters(stage, study, notebooks) for stage in stages}
    jobs, fingerprints = [], {}
    for stage in stages:
        parts = {
            "notebook": digest(notebooks / stage.notebook),
            "parameters": _digest_deciding(parameters[stage.name]),
            "package": digest_package(_ROOMS.get(stage.name)),
            "inputs": inputs.get(stage.name, {}),
            "needs": {name: fingerprints[name] for name in stage.needs},
        }
        fingerprint = digest_text(json.dumps(parts, sort_keys=True))
        # A stage run alone reads what lies there, made by whatever made it.
        stands = only and stage.name != only and known.get(stage.name, {}).get("fingerprint")
        fingerprints[stage.name] = stands or fingerprint
        jobs.append(Job(stage, parameters[stage.name], parts, fingerprint))
    return jobs


def _digest_deciding(parameters):
    """Leave out who does the work: it decides on no number."""
    told = {name: value for name, value in parameters.items() if name != "compute"}
    return digest_text(json.dumps(told, sort_keys=True))


def _why_not(job, record, folder):
    if record.get("status") == "failed":
        return "it failed"
    if record.get("status") not in _DONE:
        return "it has not run yet"
    if record["fingerprint"] != job.fingerprint:
        changed = [name for name in job.parts if job.parts[name] != record["parts"].get(name)]
        names = {"package": "the kit's code", "needs": "a stage before it"}
        return f"changed: {', '.join(names.get(name, f'its {name}') for name in changed)}"
    file = changed_file(folder, record["files"])
    return f"{file} is missing or was changed" if file else ""


def _what_is_open(parameters, folder):
    """Say what live judges are still to be asked: only a stage without failures can stand."""
    live = [judge["name"] for judge in parameters["judges"] if judge["kind"] in _LIVE]
    if not live:
        return ""
    verdicts = pd.read_parquet(folder / "verdicts.parquet", columns=["judge", "status"])
    status = verdicts.loc[verdicts["judge"].isin(live), "status"]
    planned = pd.read_parquet(folder / "presentations.parquet")
    arms = [parse_section(Arm, arm, "judging.arms") for arm in parameters["arms"]]
    left = -len(status)
    for arm in (PLAIN, *arms):
        asked = live if arm.judges is None else {*live} & {*arm.judges}
        left += int(plan_arm(planned, arm)["repeats"].sum()) * len(asked)
    if parameters["stop"]:  # leaves calls unmade, and would leave the same ones again
        left = 0
    failed = int(status.eq(Status.FAILED).sum())
    return f"{failed} calls failed and {left} were not made" if failed or left else ""


def _choose_all(jobs, start_from, fresh):
    names = [job.stage.name for job in jobs]
    first = names.index(start_from) if start_from else len(jobs)
    again = set()
    for place, job in enumerate(jobs):
        before = sorted(again & set(job.stage.needs))
        if not job.why and before:
            job.why = f"{before[0]} runs again"
        if start_from and place < first and job.why:
            raise ParamsError(
                f"stage {job.stage.name!r} cannot be taken from the earlier run: {job.why}",
                place=f"--from {start_from}",
                cure=f"run from {job.stage.name} on, or leave --from away",
            )
        job.runs = bool(job.why) or fresh or place >= first
        if job.runs:
            again.add(job.stage.name)


def _choose_one(jobs, known, folder, only):
    by_name = {job.stage.name: job for job in jobs}
    needed = list(by_name[only].stage.needs)
    for name in needed:
        record = known.get(name, {})
        ended = record.get("status") in _DONE
        lost = changed_file(folder, record["files"]) if ended else "its result"
        if lost:
            raise ParamsError(
                f"stage {name!r} has to run first: {lost} is missing or was changed",
                place=f"--only {only}",
                cure=f"run the study without --only, or --only {name} first",
            )
        needed += by_name[name].stage.needs
    for job in jobs:
        job.runs = job.stage.name == only


def _record(job, earlier, only):
    record = {"name": job.stage.name, "notebook": job.stage.notebook}
    if job.runs:
        return {**record, "status": "skipped", "reason": "not reached", "files": {}}
    if earlier.get("status") not in _DONE:
        return {**record, "status": "skipped", "reason": "not asked for", "files": {}}
    kept = {name: earlier[name] for name in ("fingerprint", "parts", "seconds", "ended", "files")}
    stale = f"{job.why}: run the whole study to bring it up to date" if job.why else ""
    return {**record, "status": "reused", "reason": stale if only else "", **kept}
