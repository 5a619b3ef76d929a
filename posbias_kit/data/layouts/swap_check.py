"""Does a second game show the answers of the first one exchanged?"""

import re

from posbias_kit.errors import ReadError

_MARK = r"[\[<|]*The {} of Assistant {}['’]s (?:Answer|Conversation with User)[\]>|]*"
_BLOCK = re.compile(
    _MARK.format("Start", "(?P<who>[AB])") + "(?P<text>.*?)" + _MARK.format("End", "(?P=who)"),
    re.DOTALL,
)
_SPEAKER = re.compile(r"^### Assistant [AB]:", re.MULTILINE)  # in a conversation of two turns


def shown_texts(prompt):
    """Return the two answers that a prompt of FastChat's or Arena-Hard's make shows.

    Returns
    -------
    (str, str) or None
        Text of assistant A and of assistant B; None where the prompt marks none.

    Examples
    --------
    >>> block = "[The Start of Assistant {0}'s Answer]{1}[The End of Assistant {0}'s Answer]"
    >>> shown_texts("Hm? " + block.format("A", "Yes.") + block.format("B", "No."))
    ('Yes.', 'No.')
    """
    found = {
        match["who"]: _SPEAKER.sub("### Assistant:", match["text"]).strip()
        for match in _BLOCK.finditer(prompt or "")
    }
    return (found["A"], found["B"]) if len(found) == 2 else None


def check_swap(first, second):
    """Raise ReadError where two prompts do not show the same two answers in exchanged places."""
    one, other = shown_texts(first), shown_texts(second)
    if one is not None and other is not None and one != other[::-1]:
        raise ReadError(
            "the second game does not show the answers of the first one exchanged",
            allowed="the same two answers, in exchanged places",
            cure="judge this pair again; its two verdicts are about different answers",
        )
