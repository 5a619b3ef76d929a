"""From calls, as judges give them, to rows of the verdict table."""

import json

import pandas as pd


def join_calls(presentations, calls, judge):
    """Put calls beside what they were shown, as `build_verdicts` takes them.

    Parameters
    ----------
    presentations : DataFrame
    calls : DataFrame
        row (position among the presentations), repeat, status, reason, choice, maybe margin.
    judge : str

    Returns
    -------
    DataFrame
        Empty where there is no call.
    """
    if calls.empty:
        return calls
    rows = presentations.iloc[calls["row"]].reset_index(drop=True)
    answer = calls.drop(columns="row").reset_index(drop=True)
    return plain_rows(pd.concat([rows, answer], axis=1)).assign(judge=judge)


def plain_rows(rows):
    """Give back to `build_verdicts` what it derives itself, from the one thing shown."""
    shown = [tuple(json.loads(text)) for text in rows["shown"]]
    return rows.drop(columns=["identical", "repeats"]).assign(shown=shown)
