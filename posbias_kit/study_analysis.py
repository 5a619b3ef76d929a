"""The sections of a study that are analysed by: metrics, quality gap, order effect, agreement."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from posbias_kit.schema import Convention
from posbias_kit.section import Count, Section, Slug


def _differ(values):
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{', '.join(map(repr, twice))} stands twice: name each once")
    return values


_SOME = Field(min_length=1)
_ONCE = AfterValidator(_differ)
Counts = Annotated[list[Count], _SOME]


class Planning(Section):
    """Sizes of a next study to look at, with this one as its pilot."""

    questions: Counts = [20, 40, 80, 160]
    """Numbers of questions (clusters)."""
    comparisons: Counts = [1, 5, 10, 30]
    """Numbers of comparisons for each question."""
    repeats: Counts = [1, 3]
    """Numbers of independent calls of each presentation."""
    assurance: Annotated[float, Field(gt=0.5, lt=1)] = 0.9
    """One-sided level of the upper bound, for a pilot is uncertain itself."""


class Metrics(Section):
    """Stability, consistency, fairness; noise or position; what differs; what comes next."""

    conventions: Annotated[list[Literal[tuple(map(str, Convention))]], _SOME, _ONCE] = [
        "paper",
        "tie",
        "decisive",
        "half",
    ]
    """For half flips, side by side in tables; figures, bounds, tests and plans take the first."""
    permutations: Annotated[int, Field(ge=0)] = 1000
    """Permutations of the tests of noise and of slot wins; 0 gives no p."""
    flips: Count = 9999
    """Random sign patterns of the tests of direction, judges and tasks."""
    baseline: str | None = None
    """Judge that all others are compared with; none compares all pairs."""
    two_way: bool = False
    """Whether to claim for new candidates too: intervals by question and by candidate."""
    planning: Planning = Planning()
    """Sizes of a next study to look at, with this one as its pilot."""
    target: Annotated[float, Field(gt=0, lt=1)] = 0.03
    """Half-width of consistency's interval that the next study shall reach."""


class QualityGap(Section):
    """Does position bias shrink as the quality gap grows?"""

    experiment: str | None = None
    """Which experiment's verdicts to fit; none takes the one with most verdicts."""
    gap_sources: Annotated[list[Literal["own", "other_judges", "scores"]], _SOME, _ONCE] = [
        "own",
        "other_judges",
    ]
    """Where the answer-quality gap comes from; the stepwise search takes the first."""
    responses: Annotated[list[Literal["pc", "pf", "pf_paper"]], _SOME, _ONCE] = ["pc", "pf"]
    """What is explained; pf_paper divides by all asked pairs, as the paper does."""
    predictors: list[str] = [
        "judge",
        "candidate",
        "task",
        "quality_gap",
        "log_task_input_length",
        "log_task_output_length",
    ]
    """Terms of the full stepwise model: columns of `units` or R-style formula terms."""
    start: Literal["full", "null"] = "full"
    """Where the stepwise search starts."""
    criterion: Literal["aic", "bic"] = "aic"
    """What a step must lower."""


class OrderEffect(Section):
    """How strong is the pull of a slot, free of answer quality?"""

    features: list[Literal["log_length", "headings", "list_items", "bold", "code_blocks"]] = [
        "log_length",
        "headings",
        "list_items",
        "bold",
        "code_blocks",
    ]
    """Differences of the answers that the pooled model holds constant."""
    length_ratio: Annotated[float, Field(gt=1)] = 1.25
    """Answers count as equally long while the longer is at most so many times the shorter."""
    baseline: str | None = None
    """Judge that all others are compared with; none compares all pairs."""


class Disagreement(Section):
    """Where do judges agree, and which instances are hard?"""

    experiment: str | None = None
    """Which experiment's verdicts to compare; none takes the one with most verdicts."""
    hardest: Count = 10
    """How many of the hardest and easiest instances to list."""
    splits: Count = 200
    """Random splits of the judges for majority reliability."""


class Summary(Section):
    """The findings on one page."""

    convention: Literal[tuple(map(str, Convention))] = "paper"
    """Convention of the headline numbers."""
    experiment: str | None = None
    """Experiment of the headline numbers; none shows all."""
    pilot: Slug | None = None
    """Run of a rubric pilot (format `pilot`) that the judges' prompts should have passed."""
