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
    file: int = 0
    """Number of the file that it stands in."""
    made: int = 0
    """Hash of when the call was made and what was said; 0 where it is not known."""


def settle(entries):
    """Say which rows repeat others without being repeats of the same call.

    - An entry that bears key, time and reply of an earlier one *stands twice*; so does one that
      bears the same key and the same repeat.
    - An entry with the key of another one but another prompt is a *false repeat*: the answers
      were made anew. The first prompt with a verdict stays, or the first where there is none.
    - An entry without a verdict beside exactly one with a verdict, in the same file, was *retried*
      (*in part*, where its row holds another verdict). Beside several it is one of several true
      repeats, and stays; so does one whose row holds another verdict, unless the retry stands
      below it.

    A row is set aside whole; one that holds the last verdict of any of its keys in a file, or its
    last entry, is never taken for a retry.

    Parameters
    ----------
    entries : list of Entry

    Returns
    -------
    dict of int to (str, int)
        Row -> (why: "twice", "false repeat", "retried" or "retried in part", the row that it
        repeats).

    Examples
    --------
    >>> failed, told = Entry(0, ("q",), 0, False, 0), Entry(1, ("q",), 0, True, 0)
    >>> settle([failed, told])
    {0: ('retried', 1)}
    """
    groups = _repeated(entries)
    aside = {}
    for members in groups:
        _find_copies(members, aside)
    for members in groups:
        _find_false_repeats(members, aside)
    _find_retried(entries, aside)
    for members in groups:
        _find_twice(members, aside)
    return aside


def tell_copies(entries):
    """Return the entries of tables, whose `made` is the whole row, with `made` where it may count.

    Equal rows are copies within a file, and between files where one holds nothing but rows of
    the other. Where two rows of one key have verdicts and differ, calls were repeated without a
    number: then equal rows are repeats as well.

    >>> rows = [Entry(n, ("q",), 0, True, 0, 0, made) for n, made in enumerate("aab")]
    >>> [bool(entry.made) for entry in tell_copies(rows[:2])]
    [True, True]
    >>> [bool(entry.made) for entry in tell_copies(rows)]
    [False, False, False]
    """
    made, rows, home = defaultdict(set), defaultdict(set), {}
    for entry in entries:
        rows[entry.file].add(entry.made)
        if entry.told:
            made[entry.key].add(entry.made)
    if any(len(calls) > 1 for calls in made.values()):
        return [entry._replace(made=0) for entry in entries]
    for file, held in rows.items():
        home[file] = next((home[other] for other in home if held <= rows[other]), file)
    return [e._replace(made=e.made and hash((e.made, home[e.file]))) for e in entries]


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


def _find_copies(members, aside):
    first = {}
    for entry in members:
        if entry.made and first.setdefault(entry.made, entry.row) != entry.row:
            aside.setdefault(entry.row, ("twice", first[entry.made]))


def _find_false_repeats(members, aside):
    shown = [entry for entry in members if entry.prompt and entry.row not in aside]
    first = next((entry for entry in shown if entry.told), shown[0] if shown else None)
    for entry in shown:
        if entry.prompt != first.prompt:
            aside.setdefault(entry.row, ("false repeat", first.row))


def _find_retried(entries, aside):
    """Set aside the rows whose call was made again, as far as others hold all that they hold."""
    groups = defaultdict(list)  # of one file, one key and one repeat
    holds = defaultdict(set)  # row -> (group, whether with a verdict)
    for entry in entries:
        if entry.row not in aside:
            name = entry.file, entry.key, entry.repeat
            groups[name].append(entry)
            holds[entry.row] |= {(name, False), (name, entry.told)}
    left = Counter(held for row in holds.values() for held in row)
    telling = {entry.row for members in groups.values() for entry in members if entry.told}
    for row, other in sorted(_spare(groups.values(), telling).items()):
        if all(left[held] > 1 for held in holds[row]):
            left.subtract(holds[row])
            aside[row] = "retried in part" if row in telling else "retried", other


def _spare(groups, telling):
    """Return row -> the row with the verdict that it lacks."""
    spare = {}
    for members in groups:
        told = [entry.row for entry in members if entry.told]
        for entry in members if len(told) == 1 else ():
            if not entry.told and (entry.row not in telling or entry.row < told[0]):
                spare[entry.row] = told[0]
    return spare


def _find_twice(members, aside):
    left = [entry for entry in members if entry.row not in aside]
    if left and left[0].repeat:
        for entry in left[1:]:
            aside.setdefault(entry.row, ("twice", left[0].row))
