"""What a run's arms are, for the chapters that compare them."""

import pandas as pd

from posbias_kit.errors import ReadError


def load_arms(run, verdicts):
    """Return how each arm of a run asks.

    Parameters
    ----------
    run : Run
    verdicts : DataFrame
        Its verdict table.

    Returns
    -------
    DataFrame
        The table `arms` of chapter 02 (:func:`posbias_kit.judging.describe_arms`). Where the
        verdicts were read from files, what the arms differ in is not known: then one row for
        each name, none of them reversed.
    """
    names = sorted(verdicts["arm"].unique())
    try:
        table = run.table("arms")
    except ReadError:
        table = pd.DataFrame({"arm": []})
    if {*names} <= {*table["arm"]}:
        return table
    about = "not known: read from files"
    return pd.DataFrame({"arm": names, "reversed": False, "about": about})


def plain_arm(frame, one_size=False):
    """Keep the plain arm of a table that tells arms apart.

    A figure that can show one arm shows this one. It is the arm without a name, else the first
    by name, which the figure then names.
    With `one_size` the same goes for numbers of slots: the smallest stays.

    Examples
    --------
    >>> plain_arm(pd.DataFrame({"arm": ["turned", ""], "n": [1, 2]}))["n"].tolist()
    [2]
    """
    for column in ("arm", *(["slots"] if one_size else [])):
        if column in frame and len(frame):
            frame = frame[frame[column] == frame[column].min()]
    return frame


def pick(frame, columns):
    """Choose columns to look at; arm and slots stay where the table tells them apart.

    They come behind `judge`, and the arm without a name is called plain.

    Examples
    --------
    >>> table = pd.DataFrame({"judge": "j", "arm": ["", "turned"], "n": [1, 2], "pc": [0.5, 0.6]})
    >>> pick(table, ["judge", "pc"]).values.tolist()
    [['j', 'plain', 0.5], ['j', 'turned', 0.6]]
    """
    more = [name for name in ("arm", "slots") if name in frame and name not in columns]
    at = columns.index("judge") + 1
    chosen = frame[[*columns[:at], *more, *columns[at:]]]
    return chosen.assign(arm=chosen["arm"].replace("", "plain")) if "arm" in chosen else chosen


_CHANGES = {"pc": "Consistency", "pf": "Fairness, where + is the last slot,"}


def tell_arms(differences, summary, level):
    """Say which arms differ from the plain one in consistency or fairness.

    Parameters
    ----------
    differences : DataFrame or None
        Table `arm_differences`.
    summary : DataFrame
        The plain arm's rows of table `summary`.
    level : float
        A test finds something where p after Holm is at most 1 - level.

    Returns
    -------
    list of str
        Sentences; chapter 06 has the rest.
    """
    said = []
    for metric, name in _CHANGES.items() if differences is not None else ():
        clear = (differences["metric"] == metric) & (differences["p_holm"] <= 1 - level)
        found = ", ".join(
            f"{row.judge} in {row.arm} ({row.difference:+.2f})"
            for row in differences[clear].itertuples()
        )
        said += [f"{name} differs from plain asking, Holm-corrected: {found}."] * bool(found)
    said = said or [
        "No other way of asking makes a difference that the tests find, Holm-corrected."
    ]
    plain = summary["arm"].iloc[0]
    about = f"arm {plain}" if plain else "the plain arm"
    return [
        *said,
        f"All else on this page is about {about}; chapter 06 compares the others with it.",
    ]
