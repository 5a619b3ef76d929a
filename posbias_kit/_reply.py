"""What the judge itself says in a reply: look-alikes read, reasoning and quotations dropped.

The rules V2 to V4 of :mod:`posbias_kit.parsing`. Every pattern runs in linear time, whatever
the reply; possessive quantifiers (``*+``) and classes that stop at the opening character see
to that.
"""

import re
import unicodedata
from collections import Counter

_INVISIBLE = [0xAD, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF]
_LOOKALIKES = (
    {0xFF21 + i: 0x41 + i for i in range(26)}  # full-width capitals
    | {0xFF41 + i: 0x61 + i for i in range(26)}
    | str.maketrans("［］【】〖〗：＜＞＝＂“”„‟", '[][][]:<>="""""')
    | str.maketrans("\u00a0\u3000\r\u0085\u2028\u2029", "  \n\n\n\n")
    | dict.fromkeys(_INVISIBLE)
)
_WRAPPER = re.compile(r"\\(?:boxed|text)[ \t]*+\{([^{}]*+)\}")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_++|(?<!_)_++(?!\w)")  # not the one inside <answer_a>


def fold_lookalikes(text):
    r"""V4: read look-alikes, drop zero-width characters, emphasis, `$`, \boxed{} and \text{}.

    It runs before V2 and V3, because a tag or a quotation mark can be a look-alike too.
    """
    text = text.replace("\r\n", "\n").replace("$", "")
    if "\r" in text or not text.isascii():
        text = text.translate(_LOOKALIKES)
    for _ in range(3 if "\\" in text else 0):  # wrappers stand in each other: inside out
        text = _WRAPPER.sub(r"\1", text)
    return _EMPHASIS.sub("", text) if "*" in text or "_" in text else text


INVISIBLE = "\u200b"
"""What stands for any zero-width character in :func:`fold_in_place`."""
_IN_PLACE = {old: new or INVISIBLE for old, new in _LOOKALIKES.items()}


def fold_in_place(text):
    """Read look-alikes as V4 does, and other compatibility forms, without moving a character.

    >>> fold_in_place("［Ａ\u200d］") == "[A\u200b]"
    True
    """
    if text.isascii() and "\r" not in text:
        return text
    plain = text.translate(_IN_PLACE)
    folded = ((char, unicodedata.normalize("NFKC", char)) for char in plain)
    return "".join(new if len(new) == 1 else old for old, new in folded)


_REASONING = re.compile(
    r"<\s?(/?)\s?(thinking|think|thought|reasoning|reflection|scratchpad)\b[^<>]*>", re.IGNORECASE
)


def drop_reasoning(text):
    """V2: drop what stands in reasoning tags; say whether one was never closed.

    A closing tag without its opening tag drops all before it (the chat template held the
    opening tag), an opening tag without its closing tag all after it.
    """
    kept, inside, count, at = [], [], Counter(), 0
    for tag in _REASONING.finditer(text):
        if not inside:
            kept.append(text[at : tag.start()])
        at, name = tag.end(), tag[2].lower()
        if not tag[1]:
            inside.append(name)
            count[name] += 1
        elif count[name]:  # closes what was opened within it and never closed, too
            closed = ""
            while closed != name:
                closed = inside.pop()
                count[closed] -= 1
        else:
            kept.clear()
    if not inside:
        kept.append(text[at:])
    return "\n".join(kept), bool(inside)


_CANDIDATE = re.compile(
    r"\[the (start|end) of [^\[\]\n]*\]"
    r"|<(/?)\s?((?:answer|assistant|candidate|completion|model|output|reply|response)"
    r"[ _-]?(?:[a-h]|\d{1,2}))(?![^\W_])[^<>]*>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)")
_SPAN = re.compile(r'"[^"\n]*"|`+[^`\n]*`+')


def drop_quotes(text, own=None):
    """V3: drop what is quoted from a candidate or from the prompt.

    A quotation needs both its ends: a tag or fence that is only mentioned hides nothing.

    Parameters
    ----------
    text : str
    own : re.Pattern, optional
        The label. Given, code fences and spans in double quotes or backticks on one line are
        quotations too, unless they hold nothing but labels.
    """
    lines = _drop_candidates(text).split("\n")
    lines = [line for line in lines if not line.lstrip().startswith(">")]
    if own is None:
        return "\n".join(lines)
    text = "\n".join(_drop_fences(lines, own))
    # An empty span stays, lest what stood around it grows together into a label.
    return _SPAN.sub(lambda span: span[0] if only_labels(span[0], own) else '""', text)


def only_labels(text, label):
    """Whether the text holds no word beside its labels."""
    return not re.search(r"\w", label.sub("", text))


def _drop_candidates(text):
    """Drop from each mark that opens a candidate's text to the next mark that closes it."""
    closing, spans = {}, []
    for mark in reversed(list(_CANDIDATE.finditer(text))):
        edge, slash, name = mark.groups("")
        if slash or edge.lower() == "end":
            closing[name.lower()] = mark.end()
        elif name.lower() in closing:
            spans.append((mark.start(), closing[name.lower()]))
    kept, at = [], 0
    for start, end in reversed(spans):
        if start >= at:
            kept.append(text[at:start])
        at = max(at, end)
    return "\n".join([*kept, text[at:]])


def _drop_fences(lines, own):
    kept, block, opening = [], [], ""
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if not opening and not fence:
            kept.append(line)
        elif not opening:
            opening, block = fence[1], [line]
        elif fence and fence[1].startswith(opening) and not fence[2].strip():
            kept += block[1:] if only_labels("\n".join(block[1:]), own) else []
            opening, block = "", []
        else:
            block.append(line)
    return kept + block
