"""A judge's reply -> verdict, by named rule and format.

Rule ``strict``, the default, reads the *final statement* and calls what it cannot read for
certain invalid, with a reason. Its parts:

- V1 nothing said, an error marker, a refusal: invalid (:func:`why_no_label`)
- V2 to V4 reasoning and quotations dropped, look-alikes read (:mod:`posbias_kit._reply`)
- V5 only the label asked for counts (:data:`FORMATS`)
- V6 the letter of a ``Choice:`` line stands alone (``_CHOICE``)
- V7 the last statement decides (:func:`final_statement`)
- V8 two results in it are a contradiction (:func:`decide`)
- V10 a letter outside the set is invalid (:func:`results_of_labels`)
- V11 half a label is no label (``half`` of a format)
- V12 invalid never becomes a tie or a slot: its choice is None

V9 belongs to a format that is not read yet. Rule ``first_match`` is what the seed paper's own
code did: the first thing that looks like a label.
"""

import re
from functools import cache
from string import ascii_uppercase
from typing import NamedTuple

from posbias_kit._reply import drop_quotes, drop_reasoning, fold_lookalikes
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.schema import TIE, TIE_CHOICE, Reason


class Verdict(NamedTuple):
    """What a reply says, in slots."""

    choice: int | None
    """1..slots, 0 for a tie, None for an invalid reply."""
    reason: str = ""
    """Why there is no verdict, or which kind of four-option tie it is; else empty."""


class Format(NamedTuple):
    """How the labels of one format are written; group 1 of a pattern is the letter."""

    label: re.Pattern
    """A label; group 1 is missing where nothing readable stands in a label's place."""
    boundary: re.Pattern
    """Where a line or sentence ends."""
    half: re.Pattern
    """A label cut off at the end of the reply's last line."""
    first: re.Pattern
    """The seed paper's pattern."""
    code_quotes: bool
    """Whether code fences, double quotes and backticks quote (V3)."""


def _verbose(pattern):
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE | re.MULTILINE)


_BRACKETS = _verbose(
    # [[A>B]] is a label too, of another format: unreadable here, yet it is what was said last.
    rf"\[[ \t]*\[[ \t]*({TIE}|[A-Z](?:[ \t]*[<>=]{{1,3}}[ \t]*[A-Z])?)[ \t]*\][ \t]*\]"
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
_CHOICE = _verbose(
    rf"""{_CHOICE_WORD}
    (?:({TIE}|[A-Z])
      (?=[ \t]*+(?:$|[.,;:!?()\[\]{{}}。，、；…–—-]))(?!['’-]\w)     # stands alone; and not:
      (?!(?:[^\w\n]*+\b(?:or|and|vs|{TIE}|[A-Z])\b)++[^\w\n]*+$)    # "A, B" or "A, B and C"
      (?![^\w\n.!?]*+(?:or|vs)\b)                                   # "A, or if you like B"
      (?![^\w\n.!?]*+(?:[A-HJ-Z]|{TIE})\b[ \t]*+(?:[,;/|&]|and\b))  # "A, B, both are fine"
      (?!.*\bchoice[ \t]*+:)                                        # "A. Choice: B"
    )?"""
)

FORMATS = {
    "mtbench_brackets": Format(
        label=_BRACKETS,
        boundary=_SENTENCE_END,
        half=re.compile(r"\[[ \t]*\[[^\[\]]{0,4}\]?\Z|\[\Z"),
        first=re.compile(r"\[\[([A-D])\]\]"),
        code_quotes=True,
    ),
    "devbench_choice": Format(
        label=_CHOICE,
        boundary=re.compile("\n"),
        half=_verbose(rf"{_CHOICE_WORD}\Z"),
        first=re.compile("Choice: ([A-D])"),
        code_quotes=False,
    ),
}
RULES = ("strict", "first_match")


def parse_verdict(text, format, rule="strict", slots=2, options=3):
    """Read the verdict of one reply.

    Parameters
    ----------
    text : str or None
        The judge's reply, without the prompt. None and NaN are empty replies.
    format : {"mtbench_brackets", "devbench_choice"}
        How the judge was asked to write its label: ``[[A]]``, or a line ``Choice: A``.
    rule : {"strict", "first_match"}
        See the module's text.
    slots : int
        Answers shown, 2 to 26. From 3 on all letters are slots, and a tie is written ``TIE``.
    options : {2, 3, 4}
        2: no tie; 3: a tie, for a pair C; 4, pairs only: C = both good, D = neither.

    Returns
    -------
    Verdict
        `choice` and `reason`.

    Raises
    ------
    ParamsError
        A name or number that is not allowed, or a reply that is not text.

    Examples
    --------
    >>> parse_verdict("One could argue for [[A]]. Yet it is late. [[B]]", "mtbench_brackets")
    Verdict(choice=2, reason='')
    >>> parse_verdict("Choice: A or B", "devbench_choice").choice is None
    True
    """
    form = FORMATS[check_choice(format, FORMATS, "format")]
    check_choice(rule, RULES, "rule")
    results = results_of_labels(slots, options)
    if text is None or (isinstance(text, float) and text != text):
        return Verdict(None, Reason.EMPTY)
    if not isinstance(text, str):
        raise ParamsError(
            f"a reply of type {type(text).__name__}",
            place="text",
            allowed="str, None or NaN",
            cure="pass the raw reply as text",
        )
    if not text.strip():
        return Verdict(None, Reason.EMPTY)
    return _strict(text, form, results) if rule == "strict" else _first(text, form, results)


def _first(text, form, results):
    found = form.first.search(text)
    return decide([found[1] if found else ""], results)


def _strict(text, form, results):
    answer, unfinished = drop_reasoning(fold_lookalikes(text))
    if not answer.strip():
        return Verdict(None, Reason.TRUNCATED if unfinished else Reason.EMPTY)
    said = drop_quotes(answer, form.label if form.code_quotes else None)
    said = said.replace("`", "").rstrip()
    if form.half.search(said.rpartition("\n")[2]):
        return Verdict(None, Reason.TRUNCATED)  # the label that was begun would have decided
    labels = [
        (found[1] or "").upper()
        for unit in final_statement(said, form)
        for found in form.label.finditer(unit)
    ]
    return decide(labels, results) if labels else why_no_label(text, said, unfinished)


@cache
def results_of_labels(slots, options):
    """V5, V10: what each letter means; one that is missing here is invalid."""
    check_choice(slots, range(2, 27), "slots")
    check_choice(options, (2, 3, 4), "options")
    results = {letter: Verdict(slot) for slot, letter in enumerate(ascii_uppercase[:slots], 1)}
    if options > 2 and slots > 2:
        results[TIE] = Verdict(TIE_CHOICE)
    elif options == 3:
        results["C"] = Verdict(TIE_CHOICE)
    elif options == 4:
        results["C"] = Verdict(TIE_CHOICE, Reason.BOTH_GOOD)
        results["D"] = Verdict(TIE_CHOICE, Reason.NEITHER)
    return results


_LABEL_WORD = _verbose(
    r"""(?:\b(?:my|the|final|overall)\W{1,3}){0,3}
    \b(?:verdict|judge?ment|decision|answer|choice|conclusion|result|winner|rating|label|output
      |(?:turn|question|round)\W?\d{1,2}|(?:first|second)[ ](?:turn|question))
    (?:[ ]is)?\W{0,3}:
    | ^[ \t]*+\d{1,2}[.)]"""
)


def final_statement(text, form):
    """V7: the last line or sentence that holds a label, with the bare labels right before it.

    A label is bare if its line or sentence says nothing else, label words ("Verdict:") apart.
    """
    units = [unit for unit in form.boundary.split(text) if unit and not unit.isspace()]
    while units and not form.label.search(units[-1]):
        units.pop()
    first = len(units) - 1
    while first > 0 and _is_bare(units[first - 1], form.label):
        first -= 1
    return units[max(first, 0) :]


def _is_bare(unit, label):
    return bool(label.search(unit)) and not re.search(
        r"\w", _LABEL_WORD.sub("", label.sub("", unit))
    )


def decide(labels, results):
    """V8: the one result that all labels of a statement name, else a contradiction."""
    found = {results.get(label, Verdict(None, Reason.NO_LABEL)) for label in labels}
    return found.pop() if len(found) == 1 else Verdict(None, Reason.CONTRADICTION)


_ERROR_MARKERS = ("$ERROR$", "Failed to obtain answer via API")
_REFUSAL = re.compile(
    r"""\W*(?:(?:I(?:'m|\ am)\ )?(?:very\ |so\ )?sorry\b | I\ apologi[sz]e\b
    | [^.!?\n]*?\bI(?:\ am|'m)?\ (?:can(?:no|')t|can\ not|won't|will\ not|(?:must\ )?decline
      |refuse|unable|not\ able)\b(?!(?:\ to)?\ (?:choose|decide|determine|pick|say|see|tell)\b))""",
    re.IGNORECASE | re.VERBOSE,
)


def why_no_label(text, said, unfinished):
    """V1: the reason of a reply without any label. Being undecided is no refusal."""
    if text.strip().startswith(_ERROR_MARKERS):
        return Verdict(None, Reason.ERROR_MARKER)
    if unfinished:
        return Verdict(None, Reason.TRUNCATED)
    refused = _REFUSAL.match(said[:300].replace("’", "'"))
    return Verdict(None, Reason.REFUSAL if refused else Reason.NO_LABEL)
