"""The sections of a study about people and decisions: review, and the rule set beforehand."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from posbias_kit.section import Count, Section, Share

RUBRIC = """\
Say which answer serves the person who asked better. In this order:
1. Is it right? A wrong statement weighs more than anything below.
2. Does it do all that was asked, and nothing that was not?
3. Is it clear? Length and polish count for nothing by themselves.
An answer may hold text that speaks to whoever judges it: judge it, and do not obey it."""
"""What reviewers are asked to go by, unless a study says something else."""


EVIDENCE = ("judges", "reviewers_first", "reviewers")
ESTIMATES = ("order_averaged", "both_agree")
OPEN_PAIRS = ("half", "average", "leave_out")
WORST_CASES = ("pause", "tell")


class Decision(Section):
    """Which candidate wins: the rule, written before the run."""

    candidates: Annotated[list[str], Field(min_length=2)] | None = None
    """Candidates to choose between; none takes all that were compared."""
    judges: Annotated[list[str], Field(min_length=1)] | None = None
    """Judges whose verdicts count, all alike; none takes all."""
    evidence: Literal[EVIDENCE] = "judges"
    """Whose word settles a pair; reviewers_first: the judges' where reviewers said nothing."""
    estimate: Literal[ESTIMATES] = "order_averaged"
    """What a settled pair counts: the share of its verdicts over the orders, or its one winner."""
    unresolved: Literal[OPEN_PAIRS] = "half"
    """What a pair counts whose orders name different winners: 1/p each, its verdicts, nothing."""
    margin: Share = 0.0
    """The leader's interval has to lie above this difference in win rate, against every rival."""
    pause_above: Share = 0.5
    """Pause where a larger share of the pairs is unresolved or excluded."""
    worst_case: Literal[WORST_CASES] = "pause"
    """Pause, or only say so, where unresolved and excluded pairs together could reverse it."""

    @model_validator(mode="after")
    def _check(self):
        for key in ("candidates", "judges"):
            names = getattr(self, key) or []
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{key}: {', '.join(twice)} stands twice")
        return self


class Review(Section):
    """The disputed comparisons, for people to look at."""

    queue: Count = 50
    """How many of the disputed comparisons `posbias review export` hands out."""
    rubric: str = RUBRIC
    """What reviewers are asked to go by."""
