"""A prompt template, and the prompt that it gives for one presentation."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Formatter, ascii_uppercase

from pydantic import BaseModel

from posbias_kit.errors import ParamsError
from posbias_kit.judging.protect import find_delimiters, make_guard
from posbias_kit.parsing import label_words

TEXTS = ("question", "answers", "reference", "guidance")
"""Placeholders of a user message where a text of the benchmark goes."""
NUMBERED_TEXT = re.compile(r"(?:question|ref_answer)_\d+|answer_[a-z](?:_\d+)?")
"""FastChat's names: a turn of the question or of its reference, an answer or a turn of it."""
WORDS = ("count", "labels", "tie")
"""Placeholders of any message: how many answers, what names them, what names a tie."""

_COUNTS = dict(enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine"], 2))


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


class _Part(BaseModel, extra="forbid", frozen=True):
    pass


class Shot(_Part):
    """A worked example: a question with answers, and the reply to give."""

    question: str
    answers: tuple[str, ...]
    reply: str


class Lists(_Part):
    """The messages where three or more answers are shown."""

    system: str = ""
    user: str


class Template(_Part):
    """A prompt template; :func:`posbias_kit.judging.prompts.load_template` reads one."""

    name: str
    version: int
    format: str
    options: int = 3
    system: str = ""
    user: str
    answer: str = "[Answer {letter}]\n{text}"
    turn: str = "[Turn {number}]\n{text}"
    lists: Lists | None = None
    shots: tuple[Shot, ...] = ()

    @cached_property
    def digest(self):
        """SHA-256 of the template's content as canonical JSON."""
        return _digest(self.model_dump())

    @cached_property
    def _guard(self):
        parts = [self.user, self.answer, self.turn, *([self.lists.user] if self.lists else [])]
        return make_guard(find_delimiters(parts, is_text))

    def render(self, question, answers: Sequence[Sequence[str]]) -> Prompt:
        """Fill the template for one presentation.

        Parameters
        ----------
        question : namedtuple or Series
            A row of :data:`posbias_kit.schema.QUESTIONS`.
        answers : list of list of str
            The answers in the order shown, each as its turns.

        Returns
        -------
        Prompt

        Raises
        ------
        ParamsError
            The template cannot show that many answers, or names a text that is not there.

        Examples
        --------
        >>> from collections import namedtuple
        >>> from posbias_kit.judging.prompts import load_template
        >>> row = namedtuple("Row", "turns reference_answer guidance")
        >>> question = row('["What is 2 + 2?"]', None, None)
        >>> prompt = load_template("zeroshot-letters").render(question, [["4"], ["5"]])
        >>> print(prompt.messages[-1][1])
        [Question]
        What is 2 + 2?
        <BLANKLINE>
        [Answer A]
        4
        <BLANKLINE>
        [Answer B]
        5
        <BLANKLINE>
        Which answer is better?
        >>> prompt.labels
        ('A', 'B', 'C')
        """
        slots = len(answers)
        if slots > 2 and self.lists is None:
            raise self._error(
                f"{slots} answers, but the template is for pairs",
                cure="use a template that has `lists`, or plan pairs",
            )
        form = self if slots == 2 else self.lists
        words = self._words(slots)
        messages = [("system", self._fill(form.system, words))] if form.system else []
        for shot in self._shots(slots):
            texts = self._texts([shot.question], [[answer] for answer in shot.answers])
            messages += [("user", self._fill(form.user, words | texts)), ("assistant", shot.reply)]
        reference, guidance = _given(question.reference_answer), _given(question.guidance)
        texts = self._texts(json.loads(question.turns), answers, json.loads(reference or "[]"))
        texts["guidance"] = guidance and self._guard(guidance)
        messages.append(("user", self._fill(form.user, words | texts)))
        return Prompt(
            messages=tuple(messages),
            template=f"{self.name}@{self.version}",
            digest=_digest(messages),
            format=self.format,
            slots=slots,
            options=self.options,
            labels=label_words(self.format, slots, self.options),
        )

    def _words(self, slots):
        labels = label_words(self.format, slots, self.options)
        return {
            "count": _COUNTS.get(slots, str(slots)),
            "labels": f"{', '.join(labels[: slots - 1])} or {labels[slots - 1]}",
            "tie": labels[slots] if len(labels) > slots else None,
        }

    def _shots(self, slots):
        """Return the shots with as many answers as are shown, or the nearest fewer in a list."""
        counts = {len(shot.answers) for shot in self.shots} & set(range(3, slots + 1))
        size = max(counts, default=0) if slots > 2 else 2
        return [shot for shot in self.shots if len(shot.answers) == size]

    def _texts(self, turns, answers, reference=()):
        """Return the value of each placeholder, protected; None where there is no text."""
        turns, reference = [*map(self._guard, turns)], [*map(self._guard, reference)]
        answers = [[*map(self._guard, answer)] for answer in answers]
        texts = {"question": self._join(turns), "reference": self._join(reference)}
        texts |= {f"question_{i}": turn for i, turn in enumerate(turns, 1)}
        texts |= {f"ref_answer_{i}": turn for i, turn in enumerate(reference, 1)}
        numbered = self.format == "json_choice" and len(answers) > 2
        blocks = []
        for letter, answer in zip(ascii_uppercase, answers, strict=False):
            name, text = f"answer_{letter.lower()}", self._join(answer)
            texts |= {name: text} | {f"{name}_{i}": turn for i, turn in enumerate(answer, 1)}
            shown = str(len(blocks) + 1) if numbered else letter
            blocks.append(self._fill(self.answer, {"letter": shown, "text": text}))
        return texts | {"answers": "\n\n".join(blocks), "guidance": None}

    def _join(self, turns):
        """Return the one turn as it is, or several, each under its heading."""
        if len(turns) < 2:
            return turns[0] if turns else None
        headed = ({"number": str(i), "text": turn} for i, turn in enumerate(turns, 1))
        return "\n\n".join(self._fill(self.turn, values) for values in headed)

    def _fill(self, text, values):
        """Fill the placeholders, and leave out each paragraph that names a text not given."""
        kept = []
        for paragraph in text.split("\n\n"):
            pieces = [*Formatter().parse(paragraph)]
            names = [name for _, name, _, _ in pieces if name is not None]
            if missing := [name for name in names if name not in values]:
                raise self._error(
                    f"no text for {{{missing[0]}}}",
                    allowed=", ".join(f"{{{name}}}" for name in values),
                    cure="judge questions that have it, or use a template without it",
                )
            if all(values[name] is not None for name in names):
                kept.append("".join(literal + values.get(name, "") for literal, name, *_ in pieces))
        return "\n\n".join(kept)

    def _error(self, problem, **parts):
        return ParamsError(problem, place=f"template {self.name!r}", **parts)


def is_text(placeholder):
    """Whether a text of the benchmark goes where this placeholder stands."""
    return placeholder in (*TEXTS, "text") or bool(NUMBERED_TEXT.fullmatch(placeholder))


def _given(value):
    """Return a text, or None where there is none; a table may hold None, NaN or nothing."""
    return value if isinstance(value, str) and value else None


def _digest(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
