"""The study behind a run, as a dict of plain values: read, overridden, checked."""

from pathlib import Path

from posbias_kit import params as study_files
from posbias_kit.errors import ReadError
from posbias_kit.judge_kinds import PlantedParams
from posbias_kit.report.files import read_params
from posbias_kit.report.stages import STAGES
from posbias_kit.section import STORED
from posbias_kit.study import Study


def load_study(run):
    """Return the study of a finished run, checked; what cannot act in it is forgotten.

    Raises
    ------
    ReadError
        Nothing has run under this name.
    """
    study = read_params(run.folder)
    if study is None:
        place = str(run.folder / "params.yaml")
        raise ReadError("no such run", place=place, cure="run the study first")
    return _plain(study_files.check_study(study, str(run.folder / "params.yaml"), STORED))


def read_tree(params, settings=(), overrides=None):
    """Read a study, apply overrides, and return it as a checked dict of plain values.

    Parameters
    ----------
    params : str, Path, Study or dict
    settings : iterable of str
    overrides : dict, optional

    Returns
    -------
    dict

    Examples
    --------
    >>> study = {"run_name": "a", "data_preparation": {}, "judging": {"judges": [
    ...     {"name": "fair", "kind": "planted", "by_task": {"math": {"ties": 0.3}}}]}}
    >>> tree = read_tree(study, ["draws=10"], {"summary": {"convention": "tie"}})
    >>> tree["draws"], tree["summary"]["convention"], tree["judging"]["judges"][0]["by_task"]
    (10, 'tie', {'math': {'ties': 0.3}})
    """
    place = "study"
    if isinstance(params, str | Path):
        place = str(params)
        params = study_files.read_study(params, settings)
        settings = ()
    tree = _plain(params) if isinstance(params, Study) else _copy(params)
    for setting in settings:
        study_files.apply_setting(tree, setting)
    sections = {stage.name for stage in STAGES}
    for key, value in (overrides or {}).items():
        into = tree.get(key)
        merge = key in sections and isinstance(value, dict) and isinstance(into, dict)
        tree[key] = {**into, **value} if merge else value
    return _plain(study_files.check_study(tree, place))


def _copy(tree):
    """Copy the dicts of a study, so that settings leave the caller's alone."""
    return {key: _copy(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _plain(study):
    """Turn a study into a dict; keys a task or arm leaves out stay out: the judge's own hold."""
    tree = study.model_dump()
    if study.judging:
        for judge, told in zip(study.judging.judges, tree["judging"]["judges"], strict=True):
            if isinstance(judge, PlantedParams):
                for key in ("by_task", "by_arm"):
                    told[key] = {
                        name: bias.model_dump(exclude_unset=True)
                        for name, bias in getattr(judge, key).items()
                    }
    return tree
