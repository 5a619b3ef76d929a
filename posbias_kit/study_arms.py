"""Arms of a study: other ways of asking, each compared with the plain one."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from posbias_kit.section import Count, Section, Slug

_LISTED = Annotated[list[str], Field(min_length=1)]
_ASKING = ("template", "options", "labels", "reversed", "reference", "reasoning")
_ABOUT_ALL = {"name", "judges", "repeats"}


class Arm(Section):
    """Another way of asking; what is left out is as in the plain arm."""

    name: Slug
    """Name in the column `arm`; the plain arm has none."""
    template: str | None = None
    """Another prompt template."""
    options: Literal[2, 3, 4] | None = None
    """2: no tie; 3: a tie; 4, pairs only: one tie for both good, one for neither."""
    labels: Literal["letters", "words", "numbers"] | None = None
    """What the slots are called: A, B, ...; FIRST, SECOND, ...; 1, 2, ..."""
    reversed: bool = False
    """The first answer shown bears the last label, and so on: is it the slot or the label?"""
    reference: Literal["first", "last"] | None = None
    """Where the reference answer stands: before the answers, or after them."""
    reasoning: Literal["before", "after"] | None = None
    """Whether the reasons come before the verdict, or after it."""
    identical: bool = False
    """Show the same answer in every slot: any preference is bias."""
    scale: Annotated[int, Field(ge=3, le=100)] | None = None
    """Have each answer scored alone from 1 to this, and derive the verdict: no slot can act."""
    judges: _LISTED | None = None
    """Only these judges; none takes all, recorded ones where this arm was recorded."""
    repeats: Count | None = None
    """Independent calls of each presentation; none takes the plan's."""

    @model_validator(mode="after")
    def _check(self):
        differs = {key for key, value in self if value} - _ABOUT_ALL
        if not differs:
            raise ValueError(f"arm {self.name!r} asks as the plain one: say what differs")
        if self.name == "plain":
            raise ValueError("the arm without a name is called plain: give this one another name")
        if self.scale and differs - {"scale", "template"}:
            other = ", ".join(sorted(differs - {"scale", "template"}))
            raise ValueError(f"arm {self.name!r}: `scale` shows one answer alone, so {other} "
                             "cannot act: make it an arm of its own")  # fmt: skip
        return self

    @property
    def asks_otherwise(self):
        """Whether the prompt differs, not only what is shown."""
        return any(getattr(self, key) for key in _ASKING)


PLAIN = Arm.model_construct(name="")
"""The arm that every study has: as the judge's settings and the plan say."""


def check_arms(arms, judges):
    """Raise ValueError where arms do not fit each other or the judges of the study."""
    names = [arm.name for arm in arms]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"arm names stand twice: {', '.join(twice)}")
    known = {judge.name for judge in judges}
    for arm in arms:
        if unknown := sorted({*(arm.judges or ())} - known):
            raise ValueError(f"arm {arm.name!r} names {unknown}, judges are {sorted(known)}")
    for judge in judges:
        if unknown := sorted({*getattr(judge, "by_arm", ())} - {*names}):
            raise ValueError(f"by_arm of judge {judge.name!r} names {unknown}, arms are {names}")
