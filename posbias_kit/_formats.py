"""The formats of a reply: how their labels are written, and what each label means.

Parts V5, V6, V10 and V11 of the rules in :mod:`posbias_kit.parsing`.

A name with a suffix is a format with other labels: ``mtbench_brackets:words`` is ``[[FIRST]]``,
``letters:numbers`` a reply that is ``1`` and nothing else. With ``:reversed`` the first answer
shown bears the last label, so that slot and label can be told apart.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from string import ascii_uppercase
from typing import NamedTuple

from posbias_kit.errors import check_choice
from posbias_kit.schema import TIE, TIE_CHOICE, Reason


class Verdict(NamedTuple):
    """What a reply says, in slots."""

    choice: int | None
    """1..slots, 0 for a tie, None for an invalid reply."""
    reason: str = ""
    """Why there is no verdict, or which kind of four-option tie it is; else empty."""


class Format(NamedTuple):
    """How the labels of one format are written, and what they mean; group 1 is the label."""

    label: re.Pattern
    """A label; group 1 is missing where nothing readable stands in a label's place."""
    boundary: re.Pattern
    """Where a line or sentence ends."""
    half: re.Pattern
    """A label cut off at the end of the reply's last line."""
    loose: re.Pattern
    """What a careless parser takes for a label; for ``first_label`` and ``last_label``."""
    results: Callable
    """(slots, options) -> the verdict of each label."""
    paper: re.Pattern | None = None
    """The seed paper's pattern, where its code read this format."""
    code_quotes: bool = False
    """Whether code fences, double quotes and backticks quote (V3)."""
    alone: bool = False
    """Whether the label has to be the whole reply."""


def verbose(pattern):
    """Compile a pattern with comments, any case, line by line."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE | re.MULTILINE)


_BRACKETS = verbose(
    # A label of the other format with brackets is unreadable here, yet it is what was said last.
    rf"\[[ \t]*\[[ \t]*({TIE}|[A-Z](?:[ \t]*[<>=]{{1,9}}[ \t]*[A-Z])?)[ \t]*\][ \t]*\]"
)
_SENTENCE_END = re.compile(
    r"\n(?![ \t]*(?:or|and|than)\b)"  # a line that begins so goes on with its sentence
    r"|(?<=[。！？])"
    r"|(?<=[.!?])(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!^\d\.)(?<!^\d\d\.)[\"')]*+[ \t]+",
    re.MULTILINE,
)
_CHOICE_WORD = (
    r"^[ \t#+•·–—-]*+(?:\(?\d{1,2}[.)][ \t]*+)?(?:(?:my|final)[ \t]++){0,2}choice[ \t]*+:[ \t]*+"
)
_CHOICE = verbose(
    rf"""{_CHOICE_WORD}
    (?:({TIE}|[A-Z])
      (?=[ \t]*+(?:$|[.,;:!?()\[\]{{}}。，、；…–—-]))(?!['’-]\w)     # stands alone; and not:
      (?!(?:[^\w\n]*+\b(?:or|and|vs|{TIE}|[A-Z])\b)++[^\w\n]*+$)    # "A, B" or "A, B and C"
      (?![^\w\n.!?]*+(?:or|vs)\b)                                   # "A, or if you like B"
      (?![^\w\n.!?]*+(?:[A-HJ-Z]|{TIE})\b[ \t]*+(?:[,;/|&]|and\b))  # "A, B, both are fine"
      (?!.*\bchoice[ \t]*+:)                                        # "A. Choice: B"
    )?"""
)

_NEVER = re.compile(r"(?!)")


def _letters(slots, options):
    """V5, V10: what each letter means; one that is missing here is invalid."""
    results = {letter: Verdict(slot) for slot, letter in enumerate(ascii_uppercase[:slots], 1)}
    return results | _ties(slots, options, ("C",), ("C", "D"))


def _words(slots, options):
    """V9: what each value of `choice` means; numbers in a list."""
    names = ("FIRST", "SECOND") if slots == 2 else [str(slot) for slot in range(1, slots + 1)]
    results = {name: Verdict(slot) for slot, name in enumerate(names, 1)}
    return results | _ties(slots, options, (TIE,), ("BOTH_GOOD", "NEITHER"))


def _ties(slots, options, one, two):
    if options == 2:
        return {}
    if slots > 2 or options == 3:
        return {TIE if slots > 2 else one[0]: Verdict(TIE_CHOICE)}
    reasons = (Reason.BOTH_GOOD, Reason.NEITHER)
    return {label: Verdict(TIE_CHOICE, why) for label, why in zip(two, reasons, strict=True)}


def _preferences(slots, options):
    """V5: the five labels and their mirror forms; how strong the preference is does not count."""
    check_choice(slots, (2,), "slots of format arena_hard")
    check_choice(options, (2, 3), "options of format arena_hard")
    first, second = ("A>B", "A>>B", "B<A", "B<<A"), ("B>A", "B>>A", "A<B", "A<<B")
    results = {first[0]: Verdict(1), second[0]: Verdict(2)}
    results |= dict.fromkeys(("A=B", "B=A") if options == 3 else (), Verdict(TIE_CHOICE))
    return results | dict.fromkeys(first, Verdict(1)) | dict.fromkeys(second, Verdict(2))


FORMATS = {
    "mtbench_brackets": Format(
        label=_BRACKETS,
        boundary=_SENTENCE_END,
        half=re.compile(r"\[[ \t]*\[[^\[\]]{0,4}\]?\Z|\[\Z"),
        loose=re.compile(rf"\[\[({TIE}|[A-Z])\]\]"),
        results=_letters,
        paper=re.compile(r"\[\[([A-D])\]\]"),
        code_quotes=True,
    ),
    "devbench_choice": Format(
        label=_CHOICE,
        boundary=re.compile("\n"),
        half=verbose(rf"{_CHOICE_WORD}\Z"),
        loose=re.compile(rf"Choice:[ \t]*+({TIE}|[A-Z])"),
        results=_letters,
        paper=re.compile("Choice: ([A-D])"),
    ),
    "json_choice": Format(
        label=_NEVER,  # its labels are values of JSON objects: posbias_kit._json_choice
        boundary=_NEVER,
        half=_NEVER,
        loose=re.compile(r"""["']choice["']\s*+:\s*+["']?(\w+)""", re.IGNORECASE),
        results=_words,
    ),
    "arena_hard": Format(
        label=_BRACKETS,
        boundary=_SENTENCE_END,
        half=re.compile(r"\[[ \t]*\[[^\[\]]{0,9}\]?\Z|\[\Z"),
        loose=re.compile(r"\[\[([A-Z][<>=]{1,3}[A-Z])\]\]"),
        results=_preferences,
        code_quotes=True,
    ),
    "letters": Format(
        label=verbose(rf"""^[ \t"']*+({TIE}|[A-Z])[ \t"'.]*+$"""),
        boundary=re.compile("\n"),
        half=_NEVER,
        loose=re.compile(rf"\b({TIE}|[A-Z])\b"),
        results=_letters,
        alone=True,
    ),
}


LABEL_SETS = {
    "letters": tuple(ascii_uppercase),
    "words": ("FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH", "EIGHTH"),
    "numbers": tuple(str(number) for number in range(1, 101)),
}
"""Names of the slots; letters are those of the formats without a suffix."""
REVERSED = "reversed"
_BASES = ("mtbench_brackets", "letters")
_NAMES = rf"{TIE}|BOTH_GOOD|NEITHER|{'|'.join(LABEL_SETS['words'])}|\d{{1,3}}|[A-Z]"


@cache
def find_format(name):
    """Return the format of a name, suffixes included.

    >>> find_format("mtbench_brackets:words").label.search("So it is [[second]].")[1]
    'second'
    """
    base, *suffix = name.split(":") if isinstance(name, str) else [name]
    labels = next((part for part in suffix if part != REVERSED), "letters")
    known = base in _BASES and labels in LABEL_SETS and name == name_format(base, labels, suffix)
    if not known or not suffix:
        return FORMATS[check_choice(name, FORMATS, "format")]
    results = partial(_named, labels, REVERSED in suffix)
    if labels == "letters":
        return FORMATS[base]._replace(results=results)
    if base == "letters":
        label, loose = rf"""^[ \t"']*+({_NAMES})[ \t"'.]*+$""", rf"\b({_NAMES})\b"
    else:
        label, loose = rf"\[[ \t]*\[[ \t]*({_NAMES})[ \t]*\][ \t]*\]", rf"\[\[({_NAMES})\]\]"
    half = _NEVER if base == "letters" else re.compile(r"\[[ \t]*\[[^\[\]]{0,10}\]?\Z|\[\Z")
    told = {"label": verbose(label), "half": half, "loose": re.compile(loose), "paper": None}
    return FORMATS[base]._replace(results=results, **told)


def name_format(base, labels="letters", suffix=()):
    """Return the name of a format with these labels.

    >>> name_format("letters", "words", ["reversed"]), name_format("letters")
    ('letters:words:reversed', 'letters')
    """
    named = [base] + ([labels] if labels != "letters" else [])
    return ":".join([*named, REVERSED] if REVERSED in suffix else named)


def _named(labels, turned, slots, options):
    """What each label means where the slots have these names, the last one first if `turned`."""
    if labels == "letters":
        names, ties = ascii_uppercase[:slots], _ties(slots, options, ("C",), ("C", "D"))
    else:
        check_choice(slots, range(2, len(LABEL_SETS[labels]) + 1), f"slots named by {labels}")
        names = LABEL_SETS[labels][:slots]
        ties = _ties(slots, options, (TIE,), ("BOTH_GOOD", "NEITHER"))
    names = names[::-1] if turned else names
    return {name: Verdict(slot) for slot, name in enumerate(names, 1)} | ties


@cache
def results_of_labels(format, slots, options):
    """Return the verdict of each label of a format; a label that is missing is invalid."""
    most = 101 if str(format).endswith(":numbers") else 27
    check_choice(slots, range(2, most), "slots")
    check_choice(options, (2, 3, 4), "options")
    return find_format(format).results(slots, options)


def label_words(format, slots, options):
    """Return what a judge may choose from: the slots in order, then ties; brackets left out.

    >>> label_words("json_choice", 2, 3), label_words("letters", 3, 3)
    (('FIRST', 'SECOND', 'TIE'), ('A', 'B', 'C', 'TIE'))
    """
    ties = min(options - 2, 1 if slots > 2 else 2)
    return tuple(results_of_labels(format, slots, options))[: slots + ties]
