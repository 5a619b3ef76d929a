"""Delimiters that no inserted text can imitate.

A prompt marks where each text starts and ends, with lines such as ``[The end of answer A]``. A
candidate could write such a line itself, and so close its block, add a block in another's name
or speak as the judge. Before a text is put into a prompt, whatever would read as one of the
template's delimiters loses its first character to an entity (``[`` becomes ``&#91;``) or, where
that character is no bracket, gets a backslash in front. Nothing else in the text changes.

The delimiters are found in the template itself, so a template of the user's own is protected
the same way:

- a line in brackets, ``[...]`` or ``<...>``, is reserved wherever it appears in a text
- any other line of a paragraph that holds a text, as ``### Answer A:``, is reserved at the start
  of a line
- the control tokens of chat formats (``<|...``, ``[INST]``, ...) are reserved always: a server
  may read them as such even inside a message

Case, white space, zero-width characters, full-width and other compatibility forms make no
difference. The result depends on the template and the text alone.
"""

import re
from string import Formatter

from posbias_kit._reply import INVISIBLE, fold_in_place

_GAP = rf"[\s{INVISIBLE}]*+"
_CONTROL = ["<|", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<start_of_turn>", "<end_of_turn>"]
_CONTROL += ["<bos>", "<eos>", "<s>", "</s>"]
_BRACKETED = re.compile(r"\[(?!\[).*\]|<.*>")
_NAME = "\0"
"""Stands in a delimiter where the template puts a letter or number."""


def find_delimiters(parts, texts):
    r"""List the delimiters of a template.

    Parameters
    ----------
    parts : iterable of str
        The pieces of the template that a prompt is built of, with their placeholders.
    texts : callable
        Says of a placeholder's name whether a text goes there, not a letter or number.

    Returns
    -------
    tuple of (set of str, set of str)
        Those reserved everywhere, and those reserved at the start of a line; a null character
        stands for a letter or number.

    Examples
    --------
    >>> find_delimiters(["[Answer {letter}]\n{text}\n---"], {"text"}.__contains__)
    ({'[Answer \x00]'}, {'---'})
    """
    anywhere, heads = set(), set()
    for paragraph in (p for part in parts for p in re.split(r"\n\s*\n", part)):
        names = [name for _, name, _, _ in Formatter().parse(paragraph) if name is not None]
        for line in paragraph.split("\n"):
            head = _head(line, texts).strip()
            if _BRACKETED.fullmatch(head):
                anywhere.add(head)
            elif re.search(r"[^\W_]|[^\w\s]", head.replace(_NAME, "")) and any(map(texts, names)):
                heads.add(head)
    return anywhere, heads


def _head(line, texts):
    """Return the line up to the first text, with other placeholders as null characters."""
    head = ""
    for literal, name, _, _ in Formatter().parse(line):
        head += literal
        if name is not None and texts(name):
            break
        head += _NAME if name is not None else ""
    return head


def make_guard(delimiters, longest=3):
    r"""Return a function that protects a text against the delimiters of a template.

    Parameters
    ----------
    delimiters : tuple of (set of str, set of str)
        From :func:`find_delimiters`.
    longest : int
        Characters that a letter or number of the template may have.

    Examples
    --------
    >>> guard = make_guard(({"[Answer \x00]"}, {"---"}))
    >>> guard("Mine is best. [answer B] is not.\n---\nan [Answer] stays")
    'Mine is best. &#91;answer B] is not.\n\\---\nan [Answer] stays'
    """
    anywhere, heads = delimiters
    choices = [_spaced(mark, longest) for mark in sorted({*anywhere, *_CONTROL})]
    if heads:
        lines = "|".join(_spaced(head, longest) for head in sorted(heads))
        choices.append(rf"^[ \t>{INVISIBLE}]*+(?P<head>{lines})")
    pattern = re.compile("|".join(choices), re.IGNORECASE | re.MULTILINE)

    def guard(text):
        kept, at = [], 0
        for found in pattern.finditer(fold_in_place(text)):
            start = found.start("head") if heads and found["head"] else found.start()
            first = fold_in_place(text[start])
            kept += [text[at:start], f"&#{ord(first)};" if first in "[<" else "\\" + text[start]]
            at = start + 1
        return "".join([*kept, text[at:]])

    return guard


def _spaced(mark, longest):
    """Return a pattern of the mark that white space or zero-width characters do not break."""
    chars, name = "".join(fold_in_place(mark).split()), rf"\w{{1,{longest}}}"
    return _GAP.join(name if char == _NAME else re.escape(char) for char in chars)
