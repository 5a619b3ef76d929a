"""Words for numbers that are missing, put beside those that a table has already."""

import numpy as np


def add_note(notes, more):
    """Put `more` after each note, or in its place where there is none.

    Examples
    --------
    >>> add_note(["no repeats", ""], ["no p", "no p"])
    ['no repeats; no p', 'no p']
    """
    return ["; ".join(filter(None, pair)) for pair in zip(notes, more, strict=True)]


def note_draws(table, draws, what):
    """Say beside the tests of a table that nothing was drawn, where p is missing for it.

    Parameters
    ----------
    table : DataFrame
        Holds p and note.
    draws : int
    what : str
        Name of the parameter.

    Returns
    -------
    DataFrame
    """
    if draws:
        return table
    idle = table["p"].isna() & (table["note"] == "")
    return table.assign(note=table["note"].mask(idle, f"no {what}: no p"))


def note_effect(table, reach):
    """Say where a detectable effect lies beyond the metric's range, and why one is missing.

    Parameters
    ----------
    table : DataFrame
        Holds mde and note.
    reach : float
        Largest value that the metric, or the difference, can take.

    Returns
    -------
    DataFrame
    """
    beyond = table["mde"] > reach + 1e-12
    unknown = table["mde"].isna() & (table["note"] == "")
    more = np.select(
        [beyond, unknown],
        [
            f"mde beyond {reach}: not even the largest effect would be found with probability .8",
            "no mde: no error between clusters that it could rest on",
        ],
        "",
    )
    return table.assign(note=add_note(table["note"], more))
