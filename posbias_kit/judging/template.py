"""A prompt template, and the prompt that it gives for one presentation."""

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cached_property
from string import Formatter, ascii_uppercase

from posbias_kit.errors import ParamsError
from posbias_kit.judging.protect import find_delimiters, make_guard
from posbias_kit.judging.template_parts import Lists, Modes, Part, Prompt, Shot
from posbias_kit.parsing import REVERSED, label_words

TEXTS = ("question", "answers", "reference", "guidance")
"""Placeholders of a user message where a text of the benchmark goes."""
NUMBERED_TEXT = re.compile(r"(?:question|ref_answer)_\d+|answer_[a-z](?:_\d+)?")
"""FastChat's names: a turn of the question or of its reference, an answer or a turn of it."""
WORDS = ("count", "labels", "tie", "neither", "one", "two", "scale")
"""Placeholders of any message: how many answers, what names them, what names a tie (of four
options both), the first two names, the highest score."""

_COUNTS = dict(enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine"], 2))


class Template(Part):
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
    modes: Modes | None = None
    scale: int | None = None

    @cached_property
    def digest(self):
        """SHA-256 of the template's content as canonical JSON."""
        return _digest(self.model_dump(exclude={n for n in _LATER if getattr(self, n) is None}))

    @cached_property
    def _guard(self):
        parts = [self.user, self.answer, self.turn, *([self.lists.user] if self.lists else [])]
        longest = 7 if ":" in self.format else 3
        return make_guard(find_delimiters(parts, is_text), longest)

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
        self._check_slots(slots)
        form = self if slots <= 2 else self.lists
        words = self._words(slots)
        messages = [("system", self._fill(form.system, words))] if form.system else []
        for shot in self._shots(slots):
            texts = self._texts([shot.question], [[answer] for answer in shot.answers])
            messages += [("user", self._fill(form.user, words | texts)), ("assistant", shot.reply)]
        reference, guidance = _given(question.reference_answer), _given(question.guidance)
        texts = self._texts(json.loads(question.turns), answers, json.loads(reference or "[]"))
        texts["guidance"] = guidance and self._guard(guidance)
        messages.append(("user", self._fill(form.user, words | texts)))
        self._check_sendable(messages)
        return Prompt(
            messages=tuple(messages),
            template=f"{self.name}@{self.version}",
            digest=_digest(messages),
            format=self.format,
            slots=self.scale or slots,
            options=self.options,
            labels=label_words(self.format, self.scale or slots, self.options),
        )

    def _check_sendable(self, messages):
        try:
            "".join(text for _, text in messages).encode()
        except UnicodeEncodeError as error:
            half = error.object[error.start].encode("unicode-escape").decode()
            raise self._error(
                f"a text holds half of a surrogate pair, {half}: it cannot be sent",
                cure="mend the question or answer, or leave it out",
            ) from None

    def _check_slots(self, slots):
        if (slots == 1) != (self.scale is not None):
            raise self._error(
                f"{slots} answers at a time, but the template is for "
                f"{'one' if self.scale else 'two or more'}",
                cure="take a template with {scale} for arms with `scale`, and only for these",
            )
        if slots > 2 and self.lists is None:
            raise self._error(
                f"{slots} answers, but the template is for pairs",
                cure="use a template that has `lists`, or plan pairs",
            )

    def _words(self, slots):
        """Return the value of each word; names of slots as if they were not reversed."""
        count = self.scale or slots
        labels = label_words(self.format, count, self.options)
        names, ties = labels[:count], [*labels[count:], None, None]
        names = names[::-1] if self.format.endswith(REVERSED) else names
        return {
            "count": _COUNTS.get(slots, str(slots)),
            "labels": f"{', '.join(names[:-1])} or {names[-1]}",
            "tie": ties[0],
            "neither": ties[1],
            "one": names[0],
            "two": names[1],
            "scale": str(self.scale),
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
        blocks, names = [], self._names(len(answers))
        for letter, answer in zip(ascii_uppercase, answers, strict=False):
            name, text = f"answer_{letter.lower()}", self._join(answer)
            texts |= {name: text} | {f"{name}_{i}": turn for i, turn in enumerate(answer, 1)}
            shown = names[len(blocks)]
            blocks.append(self._fill(self.answer, {"letter": shown, "text": text}))
        return texts | {"answers": "\n\n".join(blocks), "guidance": None}

    def _names(self, slots):
        """Return what each slot is called, the first shown first."""
        if ":" in self.format and not self.scale:
            return label_words(self.format, slots, self.options)
        numbered = self.format == "json_choice" and slots > 2
        return [str(n) for n in range(1, slots + 1)] if numbered else ascii_uppercase

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


_LATER = ("modes", "scale")
"""Keys that came with a later version: left out of a digest where they are not used."""


def is_text(placeholder):
    """Whether a text of the benchmark goes where this placeholder stands."""
    return placeholder in (*TEXTS, "text") or bool(NUMBERED_TEXT.fullmatch(placeholder))


def _given(value):
    """Return a text, or None where there is none; a table may hold None, NaN or nothing."""
    return value if isinstance(value, str) and value else None


def _digest(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
