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
    return build_verdicts(table.assign(**about, repeat=repeat, **columns))


def stack(*tables):
    """Put verdict tables under each other."""
    return pd.concat(tables, ignore_index=True)
