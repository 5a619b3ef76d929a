"""Rows of one key: true repeats, repeats of another prompt, and retries."""

from collections import Counter, defaultdict
from typing import NamedTuple


class Entry(NamedTuple):
    """One judgment or grade, as far as telling repeats needs it."""

    row: int
    """Number of the row that it stands in; a row may hold several."""
    key: tuple
    """What makes two entries the same question to the same judge."""
    repeat: int
    """As the source says; 0 where it does not."""
    told: bool
    """Whether there is a verdict."""
    prompt: int
    """Hash of what was shown; 0 where it is not known."""


def settle(entries):
    """Say which rows repeat others without being repeats of the same call.

    - An entry with the key of an earlier one but another prompt is a *false repeat*: the answers
      were made anew. The first prompt stays.
    - An entry without a verdict beside exactly one with a verdict was *retried*. Beside several
      it is one of several true repeats, and stays; so does one whose row holds another verdict,
      unless the retry stands below it.
    - An entry that bears the same key and the same repeat as an earlier one *stands twice*.

    A row is set aside whole; one that holds the only verdict of any of its keys, or an entry that
    stands nowhere else, is never taken for a retry.

    Parameters
    ----------
    entries : list of Entry

    Returns
    -------
    dict of int to (str, int)
        Row -> (why: "false repeat", "retried" or "twice", the row that it repeats).

    Examples
    --------
    >>> failed, told = Entry(0, ("q",), 0, False, 0), Entry(1, ("q",), 0, True, 0)
    >>> settle([failed, told])
    {0: ('retried', 1)}
    """
    groups = _repeated(entries)
    aside = {}
    for members in groups:
        _find_false_repeats(members, aside)
    kept = _rows_with_lone_entries(entries, groups) if groups else set()
    for row, other in _retried(groups, aside, kept):
        aside[row] = "retried", other
    for members in groups:
        _find_twice(members, aside)
    return aside


def number_repeats(entries):
    """Return the repeat of each entry: what the source says, else its place among its key's.

    >>> number_repeats([Entry(0, ("q",), 0, True, 0), Entry(1, ("q",), 0, True, 0)])
    [1, 2]
    """
    counts = Counter()
    numbers = []
    for entry in entries:
        counts[entry.key] += 1
        numbers.append(entry.repeat or counts[entry.key])
    return numbers


def _repeated(entries):
    """Return the groups of entries that share key and repeat, in order of the rows."""
    sizes = Counter((entry.key, entry.repeat) for entry in entries)
    groups = defaultdict(list)
    for entry in entries:
        if sizes[entry.key, entry.repeat] > 1:
            groups[entry.key, entry.repeat].append(entry)
    return list(groups.values())


def _find_false_repeats(members, aside):
    first = next((entry for entry in members if entry.prompt and entry.row not in aside), None)
    for entry in members:
        if first and entry.prompt not in (0, first.prompt):
            aside.setdefault(entry.row, ("false repeat", first.row))


def _rows_with_lone_entries(entries, groups):
    repeated = {(entry.key, entry.repeat) for members in groups for entry in members}
    return {entry.row for entry in entries if (entry.key, entry.repeat) not in repeated}


def _retried(groups, aside, kept):
    """Yield (row, row with the verdict) of rows that can go without losing any verdict."""
    spare = defaultdict(list)  # row -> for each of its entries in a group: the row that tells
    lost = set(kept)
    telling = {entry.row for members in groups for entry in members if entry.told}
    for members in groups:
        left = [entry for entry in members if entry.row not in aside]
        told = [entry.row for entry in left if entry.told]
        for entry in left:
            if not entry.told and len(told) == 1:
                if entry.row not in telling or entry.row < told[0]:
                    spare[entry.row].append(told[0])
            elif entry.told and len(told) == 1:
                lost.add(entry.row)
    for row, others in spare.items():
        if row not in lost:
            yield row, others[0]


def _find_twice(members, aside):
    left = [entry for entry in members if entry.row not in aside]
    if left and left[0].repeat:
        for entry in left[1:]:
            aside.setdefault(entry.row, ("twice", left[0].row))
