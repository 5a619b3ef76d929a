"""Small verdict tables from letters, for tests."""

import pandas as pd

from posbias_kit.data import build_verdicts

LETTERS = {"F": ("ok", "", 1), "S": ("ok", "", 2), "T": ("ok", "", 0)}
LETTERS |= {"I": ("invalid", "no_label", None), "X": ("failed", "timeout", None)}
LETTERS |= {"E": ("identical", "", None), "-": None}


def pairs(codes, *, judge="j", reference="b", questions=None, repeat=1, **columns):
    """Make one comparison of candidates a and b for each code such as ``"FS"``.

    The first letter is the verdict in order AB (a shown first), the second in BA: F first slot,
    S second, T tie, I invalid, X failed, E identical, - the row is not there.
    """
    rows = []
    for number, code in enumerate(codes):
        question = questions[number] if questions else f"q{number}"
        for letter, shown in zip(code, (("a", "b"), ("b", "a")), strict=True):
            if LETTERS[letter] is not None:
                status, reason, choice = LETTERS[letter]
                rows.append((question, shown, status, reason, choice))
    table = pd.DataFrame(rows, columns=["question", "shown", "status", "reason", "choice"])
    table["choice"] = table["choice"].astype("Int64")
    about = {"benchmark": "B", "task": "t", "judge": judge, "reference": reference}
    return build_verdicts(table.assign(**about | columns, repeat=repeat))


def repeated(texts, **columns):
    """Make one comparison for each text such as ``"FFS SSS"``: verdicts in AB, then in BA."""
    halves = [text.split() for text in texts]
    longest = max(len(half) for pair in halves for half in pair)
    codes = [
        ["".join(half.ljust(longest, "-")[r] for half in pair) for pair in halves]
        for r in range(longest)
    ]
    return stack(*(pairs(code, repeat=r + 1, **columns) for r, code in enumerate(codes)))


def sets(texts, *, candidates=("a", "b", "c"), **columns):
    """Make one comparison for each text: the slot chosen in each cyclic order.

    0 is a tie; - says that the row is not there.
    """
    shown = [candidates[order:] + candidates[:order] for order in range(len(candidates))]
    rows = [
        (f"q{number}", f"r{order}", shown[order], int(slot))
        for number, text in enumerate(texts)
        for order, slot in enumerate(text)
        if slot != "-"
    ]
    table = pd.DataFrame(rows, columns=["question", "order", "shown", "choice"])
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    return build_verdicts(table.assign(**about | columns))


def stack(*tables):
    """Put verdict tables under each other."""
    return pd.concat(tables, ignore_index=True)
