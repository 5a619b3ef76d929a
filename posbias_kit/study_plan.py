"""What is kept of a benchmark, and which comparisons are shown."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from posbias_kit.schema import Design
from posbias_kit.section import Section, Share


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


Size = Annotated[int, Field(ge=2, le=8)]
ORDERS = ("both", "all", "balanced_half")
"""In which orders a comparison is shown: both (a set in p turns), all p!, or one, balanced."""
_ALL_ORDERS = 3
"""Largest set of which all p! orders may be shown."""


class Plan(Section):
    """Which comparisons are shown, and how often."""

    design: Literal[tuple(map(str, Design))] = "all_pairs"
    """Compare each candidate against a reference, all pairs, or sampled sets."""
    reference: str | None = None
    """The reference candidate of design `reference`."""
    set_size: Size | Annotated[list[Size], Field(min_length=1)] = 3
    """Candidates shown together in design `sets`; several sizes show how a judge scales."""
    sets_per_question: Annotated[int, Field(ge=1)] = 1
    """Sampled sets for each question (and size) in design `sets`."""
    quality: dict[str, float] | None = None
    """Known quality of candidates, to stratify sets by; none: the starter's, or random."""
    orders: Literal[ORDERS] = "both"
    """Both orders (p turns of a set), all p! of sets of 3, or one order each, balanced."""
    repeats: Annotated[int, Field(ge=1)] = 3
    """Independent calls of each presentation."""
    repeated_share: Share = 1.0
    """Share of the comparisons, of each task in proportion, that are repeated; others: once."""

    @model_validator(mode="after")
    def _check(self):
        if self.design == Design.REFERENCE and self.reference is None:
            raise ValueError("design 'reference' needs `reference`, the name of a candidate")
        sizes = [self.set_size] if isinstance(self.set_size, int) else self.set_size
        if self.orders == "all" and (self.design != Design.SETS or max(sizes) > _ALL_ORDERS):
            raise ValueError("orders 'all' are for design 'sets' with set_size 3: larger sets have "
                             "24 orders and more")  # fmt: skip
        if len(set(sizes)) < len(sizes):
            raise ValueError(f"set_size {sizes} names a size twice")
        return self
