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

    They come behind `judge`.

    Examples
    --------
    >>> table = pd.DataFrame({"judge": "j", "arm": ["one", "two"], "n": [1, 2], "pc": [0.5, 0.6]})
    >>> pick(table, ["judge", "pc"]).values.tolist()
    [['j', 'one', 0.5], ['j', 'two', 0.6]]
    """
    more = [name for name in ("arm", "slots") if name in frame and name not in columns]
    at = columns.index("judge") + 1
    return frame[[*columns[:at], *more, *columns[at:]]]


def front_rows(summary):
    """Keep the plain arm of the table `summary` for the first page, where all judges have it.

    Judges whose arms are different ones, as judgments that were read may have, stay as they are.
    """
    plain = plain_arm(summary)
    who = [name for name in ("benchmark", "experiment", "judge", "slots") if name in summary]
    whole = len(plain[who].drop_duplicates()) == len(summary[who].drop_duplicates())
    return plain if whole else summary


_CHANGES = {
    "pc": "consistency",
    "pf": "fairness (+ is the last slot)",
    "first": "the share of the first slot",  # where fairness of pairs is not defined
}


def tell_arms(differences, plain, level):
    """Say which arms differ from the plain one in consistency, or fairness (sets: first slot).

    Parameters
    ----------
    differences : DataFrame
        Rows of table `arm_differences`, of one benchmark, experiment and number of slots.
    plain : str
        Name of the plain arm.
    level : float
        A test finds something where p after Holm is at most 1 - level.

    Returns
    -------
    list of str
        Sentences.

    Examples
    --------
    >>> told = pd.DataFrame({"judge": "j", "arm": ["words", "turned"], "metric": "pc",
    ...     "difference": [0.1, -0.3], "p_holm": [0.4, 0.01]})
    >>> tell_arms(told, "", 0.95)
    ['Than with plain asking, consistency is other for j in turned (-0.30), Holm-corrected.']
    """
    some = len(differences) > 0
    lean = "pf" if some and differences["metric"].eq("pf").any() else "first"
    told = differences[differences["metric"].isin(["pc", lean])] if some else differences
    if told.empty or told["p_holm"].isna().all():
        return ["It cannot be told: nothing to compare in consistency or fairness, see chapter 06."]
    said = []
    for metric in ("pc", lean):
        clear = (told["metric"] == metric) & (told["p_holm"] <= 1 - level)
        found = ", ".join(f"{row.judge} in {row.arm} ({row.difference:+.2f})"
                          for row in told[clear].itertuples())  # fmt: skip
        start = f"Than in arm {plain}" if plain else "Than with plain asking"
        said += [f"{start}, {_CHANGES[metric]} is other for {found}, Holm-corrected."] * bool(found)
    either = f"consistency or {_CHANGES[lean].split(' (')[0]}"
    return said or [f"No difference in {either} is shown, Holm-corrected."]
