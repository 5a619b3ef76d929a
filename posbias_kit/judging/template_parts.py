"""The parts of a prompt template, and the prompt that is made from it."""

from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True)
class Prompt:
    """What a judge is sent, and how its reply is read."""

    messages: tuple[tuple[str, str], ...]
    """(role, text) each: perhaps ``system``, then ``user`` and ``assistant`` in turn."""
    template: str
    """``name@version``."""
    digest: str
    """SHA-256 of the messages as canonical JSON."""
    format: str
    """As for :func:`posbias_kit.parsing.parse_verdict`; so are slots and options."""
    slots: int
    """How many answers are shown."""
    options: int
    """2, 3 or 4."""
    labels: tuple[str, ...]
    """What the judge may choose from: the slots in order, then the tie; brackets left out."""


class Part(BaseModel, extra="forbid", frozen=True):
    """Unknown keys are refused, and nothing changes afterwards."""


class Shot(Part):
    """A worked example: a question with answers, and the reply to give."""

    question: str
    answers: tuple[str, ...]
    reply: str


class Lists(Part):
    """The messages where three or more answers are shown."""

    system: str = ""
    user: str


class Modes(Part):
    """Texts that depend on the way of asking, for {verdict} and {reasoning}."""

    verdict: dict[int, str] = {}
    """By number of options, for pairs."""
    lists: dict[int, str] = {}
    """The same where three or more answers are shown."""
    reasoning: dict[str, str] = {}
    """``before`` the verdict or ``after`` it."""
