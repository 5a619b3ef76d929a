"""What is kept of a benchmark, and which comparisons are shown."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from posbias_kit.schema import Design
from posbias_kit.section import Section, Share, is_stored


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
_SIZE = 3
"""Size of a set where none is given."""
_ACTS_IN = {
    "reference": Design.REFERENCE,
    "set_size": Design.SETS,
    "sets_per_question": Design.SETS,
    "quality": Design.SETS,
}
"""Keys of a plan that act in one design only."""


class Plan(Section):
    """Which comparisons are shown, and how often."""

    design: Literal[tuple(map(str, Design))] = "all_pairs"
    """Compare each candidate against a reference, all pairs, or sampled sets."""
    reference: str | None = None
    """The reference candidate of design `reference`."""
    set_size: Size | Annotated[list[Size], Field(min_length=1)] | None = None
    """Candidates shown together, only design `sets`; a list of sizes, or none for 3."""
    sets_per_question: Annotated[int, Field(ge=1)] | None = None
    """Sampled sets for each question (and size), only design `sets`; none for 1."""
    quality: dict[str, float] | None = None
    """Known quality of candidates, to stratify `sets` by; none: the starter's, or random."""
    orders: Literal[ORDERS] = "both"
    """Both orders (p turns of a set), all p! of sets of 3, or one order each, balanced."""
    repeats: Annotated[int, Field(ge=1)] = 3
    """Independent calls of each presentation."""
    repeated_share: Share = 1.0
    """Share of the comparisons, of each task in proportion, that are repeated; others: once."""

    @model_validator(mode="before")
    @classmethod
    def _forget_idle(cls, told, info):
        """Run folders of earlier versions name keys that cannot act; finished, they stand."""
        if isinstance(told, dict) and is_stored(info):
            design = told.get("design", cls.model_fields["design"].default)
            idle = {key for key, acts in _ACTS_IN.items() if design != acts}
            idle |= {"repeated_share"} if told.get("repeats") == 1 else set()
            told = {key: value for key, value in told.items() if key not in idle}
        return told

    @model_validator(mode="after")
    def _check(self):
        if self.design == Design.REFERENCE and self.reference is None:
            raise ValueError("design 'reference' needs `reference`, the name of a candidate")
        for key, design in _ACTS_IN.items():
            if getattr(self, key) is not None and self.design != design:
                raise ValueError(
                    f"{key} {getattr(self, key)!r} cannot act in design {str(self.design)!r}, only "
                    f"in design {str(design)!r}: set `design: {design}`, or leave `{key}` out"
                )
        sizes = self.sizes
        if self.orders == "all" and (self.design != Design.SETS or max(sizes) != _ALL_ORDERS):
            raise ValueError("orders 'all' are for design 'sets' with set_size 3: pairs have no "
                             "more than both, and larger sets have 24 orders and more")  # fmt: skip
        if len(set(sizes)) < len(sizes):
            raise ValueError(f"set_size {sizes} names a size twice")
        if self.repeated_share < 1 and self.repeats == 1:
            raise ValueError(f"repeated_share {self.repeated_share:g} cannot act with repeats 1: "
                             "set `repeats` to 2 or more, or leave it out")  # fmt: skip
        return self

    @property
    def sizes(self):
        """Sizes of the sets, as a list."""
        given = self.set_size or _SIZE
        return [given] if isinstance(given, int) else given

    @property
    def sets(self):
        """Sets of each size that are sampled for a question."""
        return self.sets_per_question or 1
