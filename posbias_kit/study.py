"""The study: what may stand in its file, as models with their defaults.

One YAML file describes one study. Its sections are named after the notebooks; the keys of a
section are exactly the parameters that the notebook declares, plus those of the
:data:`SHARED` keys that it uses. Unknown keys are refused.
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from posbias_kit._section import Section, Share
from posbias_kit.schema import Design
from posbias_kit.study_analysis import Disagreement, Metrics, OrderEffect, QualityGap, Summary

SHARED = ("run_name", "seed", "level", "draws", "families", "rs_threshold")
"""Keys of a study that any notebook may declare."""

Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


def _default(section, key):
    return type(section).model_fields[key].get_default(call_default_factory=True)


class Sample(Section):
    """What to keep of the benchmark; what is left out keeps all."""

    tasks: list[str] | None = None
    """Keep these tasks."""
    questions_per_task: Annotated[int, Field(ge=1)] | None = None
    """Sample so many questions of each task."""
    candidates: list[str] | None = None
    """Keep these candidates."""
    candidate_count: Annotated[int, Field(ge=2)] | None = None
    """Sample so many candidates; the reference is always kept."""


class Plan(Section):
    """Which comparisons are shown, and how often."""

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

    @model_validator(mode="after")
    def _check(self):
        if self.design == Design.REFERENCE and self.reference is None:
            raise ValueError("design 'reference' needs `reference`, the name of a candidate")
        return self


class DataPreparation(Section):
    """Questions and answers in; comparisons, orders and repeats planned; or judgments read."""

    format: Literal["starter", "fastchat", "paper"] = "starter"
    """Where the study comes from: the starter benchmark, a FastChat folder, the paper's files."""
    path: str | None = None
    """Folder that holds the files of `format`; none for the starter benchmark."""
    benchmark: str = "Starter"
    """Name in the tables; for `paper` also which part to read: MTBench or DevBench."""
    sample: Sample = Sample()
    """What to keep of the benchmark; not for recorded judgments."""
    plan: Plan = Plan()
    """Which comparisons are shown, and how often; not for recorded judgments."""
    cluster_by: str | None = None
    """Regular expression whose match in a question's id names its cluster, a project say."""
    rule: Literal["strict", "first_match"] = "strict"
    """How recorded replies are parsed; first_match is what the paper's code did."""

    @model_validator(mode="after")
    def _check(self):
        if (self.format == "starter") != (self.path is None):
            needs = "takes no" if self.path else "needs"
            raise ValueError(f"format {self.format!r} {needs} `path`")
        read = self.format == "paper"
        idle = self.model_fields_set & ({"sample", "plan"} if read else {"rule"})
        if idle and any(getattr(self, key) != _default(self, key) for key in idle):
            what = "reads judgments" if read else "plans them anew"
            raise ValueError(f"{', '.join(sorted(idle))}: no use where {self.format!r} {what}")
        if self.format == "paper" and self.benchmark not in ("MTBench", "DevBench"):
            raise ValueError(f"benchmark {self.benchmark!r} is not MTBench or DevBench")
        return self


class _Bias(Section):
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


class RecordedParams(Section):
    """A judge whose verdicts were recorded before."""

    name: str
    """Name of the judge in the recorded table."""
    kind: Literal["recorded"]
    """Which kind of judge this is."""
    path: str
    """The recorded verdict table (Parquet)."""


JudgeParams = Annotated[PlantedParams | RecordedParams, Field(discriminator="kind")]


class Judging(Section):
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


class Study(Section):
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
    rs_threshold: Share = 0.85
    """Repetition stability below this makes position metrics hard to read."""
    data_preparation: DataPreparation
    judging: Judging | None = None
    """Left out where `data_preparation` reads judgments: then nobody is asked."""
    metrics: Metrics = Metrics()
    quality_gap: QualityGap = QualityGap()
    disagreement: Disagreement = Disagreement()
    order_effect: OrderEffect = OrderEffect()
    summary: Summary = Summary()

    @model_validator(mode="after")
    def _check(self):
        reads = self.data_preparation.format == "paper"
        if reads and self.judging is not None:
            raise ValueError("`judging` has no place where data_preparation reads judgments")
        if not reads and self.judging is None:
            raise ValueError("`judging` is missing: name the judges")
        if self.summary.convention not in self.metrics.conventions:
            raise ValueError(f"summary.convention {self.summary.convention!r} is not computed: "
                             "add it to metrics.conventions")  # fmt: skip
        judges = {judge.name for judge in self.judging.judges} if self.judging else None
        baseline = self.metrics.baseline
        if judges is not None and baseline is not None and baseline not in judges:
            raise ValueError(f"metrics.baseline is {baseline!r}, judges are {sorted(judges)}")
        named = {judge for members in self.families.values() for judge in members}
        if judges is not None and named - judges:
            raise ValueError(f"families name {sorted(named - judges)}, judges are {sorted(judges)}")
        return self
