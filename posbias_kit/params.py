"""The study file: what may stand in it, its defaults, and how it is read.

One YAML file describes one study. Its sections are named after the notebooks; the keys of a
section are exactly the parameters that the notebook declares, plus those of the shared keys
(`run_name`, `seed`, `level`, `draws`, `families`) that it uses. Unknown keys are refused.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from posbias_kit.errors import ParamsError
from posbias_kit.schema import Convention, Design

Share = Annotated[float, Field(ge=0, le=1)]
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class DataPreparation(_Section):
    """Questions and answers in; comparisons, orders and repeats planned; or judgments read."""

    format: Literal["starter", "fastchat", "paper"] = "starter"
    """Where the study comes from: the starter benchmark, a FastChat folder, the paper's files."""
    path: str | None = None
    """Folder that holds the files of `format`; none for the starter benchmark."""
    benchmark: str = "Starter"
    """Name in the tables; for `paper` also which part to read: MTBench or DevBench."""
    tasks: list[str] | None = None
    """Keep these tasks; none keeps all."""
    questions_per_task: Annotated[int, Field(ge=1)] | None = None
    """Sample so many questions of each task; none keeps all."""
    candidates: list[str] | None = None
    """Keep these candidates; none keeps all."""
    candidate_count: Annotated[int, Field(ge=2)] | None = None
    """Sample so many candidates (the reference is always kept); none keeps all."""
    design: Literal[tuple(map(str, Design))] = "all_pairs"
    """Compare each candidate against a reference, all pairs, or sampled sets."""
    reference: str | None = None
    """The reference candidate of design `reference`."""
    set_size: Annotated[int, Field(ge=3, le=8)] = 3
    """Candidates shown together in design `sets`."""
    sets_per_question: Annotated[int, Field(ge=1)] = 1
    """Sampled sets for each question in design `sets`."""
    repeats: Annotated[int, Field(ge=1)] = 3
    """Independent calls of each presentation."""
    rule: Literal["strict", "first_match"] = "strict"
    """How recorded replies are parsed; first_match is what the paper's code did."""

    @model_validator(mode="after")
    def _check(self):
        if self.format != "starter" and self.path is None:
            raise ValueError(f"format {self.format!r} needs `path`")
        if self.format == "paper" and self.benchmark not in ("MTBench", "DevBench"):
            raise ValueError(f"benchmark {self.benchmark!r} is not MTBench or DevBench")
        if self.design == "reference" and self.format != "paper" and self.reference is None:
            raise ValueError("design 'reference' needs `reference`")
        return self


class _Bias(_Section):
    slot_effect: float | list[float] = 0.0
    """Log-odds for the first slot over another; or one value a slot."""
    ties: Annotated[float, Field(ge=0)] = 0.0
    """Weight of TIE: 1 makes it as likely as either slot when nothing else differs."""
    discernment: float = 1.0
    """Multiplies the latent qualities: 0 sees no quality at all."""
    length_taste: float = 0.0
    """Log-odds for one unit of log answer length (characters)."""
    repeat_noise: Share = 1.0
    """Share of calls decided afresh; the rest repeat the presentation's settled verdict."""
    invalid_rate: Share = 0.0
    """Share of calls that bring a reply without a verdict."""
    failure_rate: Share = 0.0
    """Share of calls that bring no reply."""


class TaskBias(_Bias):
    """What differs for one task; keys left out are the judge's own."""


class PlantedParams(_Bias):
    """A simulated judge with known bias."""

    name: str
    """Name in the tables."""
    kind: Literal["planted"]
    """Which kind of judge this is."""
    quality: dict[str, float] | None = None
    """Latent quality of each candidate in log-odds; none takes the starter benchmark's."""
    by_task: dict[str, TaskBias] = {}
    """Settings that differ for a task."""


class RecordedParams(_Section):
    """A judge whose verdicts were recorded before."""

    name: str
    """Name of the judge in the recorded table."""
    kind: Literal["recorded"]
    """Which kind of judge this is."""
    path: str
    """The recorded verdict table (Parquet)."""


JudgeParams = Annotated[PlantedParams | RecordedParams, Field(discriminator="kind")]


class Judging(_Section):
    """Who judges."""

    judges: Annotated[list[JudgeParams], Field(min_length=1)]
    """The judges; names must differ."""

    @model_validator(mode="after")
    def _check(self):
        names = [judge.name for judge in self.judges]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"judge names stand twice: {', '.join(twice)}")
        return self


class Metrics(_Section):
    """Stability, consistency, fairness."""

    conventions: list[Literal[tuple(map(str, Convention))]] = ["paper", "tie", "decisive", "half"]
    """Conventions for half flips, side by side in the tables; figures show the first."""
    rs_threshold: Share = 0.85
    """Repetition stability below this makes position metrics hard to read; drawn as a line."""


class QualityGap(_Section):
    """Does position bias shrink as the quality gap grows?"""

    experiment: str | None = None
    """Which experiment's verdicts to fit; none takes the only one."""
    gap_sources: list[Literal["own", "other_judges"]] = ["own", "other_judges"]
    """Where the answer-quality gap comes from."""
    predictors: list[str] = [
        "judge",
        "candidate",
        "task",
        "quality_gap",
        "log_task_input_length",
        "log_task_output_length",
    ]
    """Terms of the full stepwise model; a term is a column of `units` or an R-style formula term."""
    start: Literal["full", "null"] = "full"
    """Where the stepwise search starts."""
    criterion: Literal["aic", "bic"] = "aic"
    """What a step must lower."""


class Disagreement(_Section):
    """Where do judges agree, and which instances are hard?"""

    experiment: str | None = None
    """Which experiment's verdicts the figures show; none takes the one with most judges."""
    hardest: Annotated[int, Field(ge=1)] = 10
    """How many of the hardest and easiest instances to list."""
    splits: Annotated[int, Field(ge=1)] = 200
    """Random splits of the judges for majority reliability."""


class Summary(_Section):
    """The findings on one page."""

    convention: Literal[tuple(map(str, Convention))] = "paper"
    """Convention of the headline numbers."""
    experiment: str | None = None
    """Experiment of the headline numbers; none shows all."""


class Study(_Section):
    """One study: shared keys, then one section for each notebook."""

    run_name: Slug
    """Folder under outputs/."""
    seed: int = 20240607
    """Seed of everything random."""
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Level of every interval, two-sided."""
    draws: Annotated[int, Field(ge=0)] = 2000
    """Bootstrap draws over clusters; 0 gives point estimates without intervals."""
    families: dict[str, list[str]] = {}
    """Declared judge families: name -> judges."""
    data_preparation: DataPreparation
    judging: Judging | None = None
    """Left out where `data_preparation` reads judgments: then nobody is asked."""
    metrics: Metrics = Metrics()
    quality_gap: QualityGap = QualityGap()
    disagreement: Disagreement = Disagreement()
    summary: Summary = Summary()

    @model_validator(mode="after")
    def _check(self):
        reads = self.data_preparation.format == "paper"
        if reads and self.judging is not None:
            raise ValueError("`judging` has no place where data_preparation reads judgments")
        if not reads and self.judging is None:
            raise ValueError("`judging` is missing: name the judges")
        return self


_SECRET = re.compile(r"(api|access|secret|private)[_-]?(key|token)|passw|secret|^token$", re.I)
_KEY_SHAPED = re.compile(r"\b(sk|pk|rk|ghp|hf|xox[bap])[-_][A-Za-z0-9_-]{6,}|\bAIza[\w-]{20,}")


def read_study(path, settings=()):
    """Read, override and validate a study file.

    Parameters
    ----------
    path : str or Path
        The YAML file.
    settings : iterable of str
        Overrides, ``section.key=value`` each, the value in YAML.

    Returns
    -------
    Study

    Raises
    ------
    ParamsError
        The file is missing or no YAML mapping, a key is unknown, a value has the wrong type
        or range, or something looks like a secret.
    """
    path = Path(path)
    if not path.is_file():
        raise ParamsError(
            "no such study file", place=str(path), cure="check the path, or `posbias init NAME`"
        )
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ParamsError(f"not readable as YAML: {error}", place=str(path)) from None
    if not isinstance(tree, dict):
        raise ParamsError("not a mapping of keys to values", place=str(path))
    for setting in settings:
        _apply(tree, setting)
    return check_study(tree, place=str(path))


def check_study(tree, place="study"):
    """Validate a study given as a nested dict; see :func:`read_study`."""
    _refuse_secrets(tree, place)
    try:
        return Study.model_validate(tree)
    except ValidationError as error:
        raise ParamsError(_explain(error), place=place, cure="see params/README.md") from None


def _apply(tree, setting):
    key, found, text = setting.partition("=")
    *sections, name = key.strip().split(".")
    if not found or not name:
        raise ParamsError(
            f"cannot read {setting!r}",
            place="--set",
            allowed="section.key=value, the value in YAML",
        )
    for section in sections:
        tree = tree.setdefault(section, {})
        if not isinstance(tree, dict):
            raise ParamsError(f"{section!r} in {setting!r} is not a section", place="--set")
    try:
        tree[name] = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ParamsError(f"value of {key!r} is not YAML: {error}", place="--set") from None


def _refuse_secrets(tree, place, path=""):
    """Refuse names and values that look like credentials, without repeating the value."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        where = f"{path}.{key}" if path else str(key)
        by_name = isinstance(key, str) and _SECRET.search(key)
        by_value = isinstance(value, str) and _KEY_SHAPED.search(value)
        if by_name or by_value:
            raise ParamsError(
                f"key {where!r} looks like a secret",
                place=place,
                cure="keep credentials in environment variables, never in a study",
            )
        if isinstance(value, dict | list):
            _refuse_secrets(value, place, where)


def _explain(error):
    lines = []
    for item in error.errors():
        where = ".".join(map(str, item["loc"])) or "study"
        if item["type"] == "extra_forbidden":
            lines.append(f"unknown key {where!r}{_known(item['loc'])}")
        elif item["type"] == "missing":
            lines.append(f"key {where!r} is missing")
        elif item["type"] == "value_error":
            lines.append(f"{where}: {item['ctx']['error']}")
        else:
            lines.append(f"{where} = {item['input']!r}: {item['msg']}")
    return "; ".join(lines)


def _known(location):
    """Name the keys that the section of a misspelt key knows."""
    model = Study
    for part in location[:-1]:
        field = model.model_fields.get(part) if isinstance(part, str) else None
        kinds = [field.annotation, *getattr(field.annotation, "__args__", ())] if field else []
        model = next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)
        if model is None:
            return ""
    return f" (known: {', '.join(model.model_fields)})"
