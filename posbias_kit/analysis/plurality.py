"""What most say: one winner with more votes than any other."""

SAME_TEXTS = ["benchmark", "turn", "comparison"]
"""A comparison of the same texts, in whichever experiment and arm it was judged."""


def strict_plurality(votes, key):
    """Return the winner with the most votes of each group.

    Parameters
    ----------
    votes : DataFrame
        One row a vote: the key and `winner`.
    key : list of str

    Returns
    -------
    DataFrame
        One row a group: the key, winner (missing where two have the most votes), votes, share
        (of the most voted).

    Examples
    --------
    >>> import pandas as pd
    >>> votes = pd.DataFrame({"c": ["x", "x", "x", "y", "y"], "winner": ["a", "a", "b", "a", "b"]})
    >>> strict_plurality(votes, ["c"]).fillna("").values.tolist()
    [['x', 'a', 3, 0.6666666666666666], ['y', '', 2, 0.5]]
    """
    counts = votes.groupby([*key, "winner"], observed=True).size().rename("count").reset_index()
    groups = counts.groupby(key, observed=True)["count"]
    most, total = groups.transform("max"), groups.transform("sum")
    top = counts[counts["count"] == most].assign(votes=total, share=counts["count"] / total)
    alone = ~top.duplicated(key, keep=False)
    table = top.assign(winner=top["winner"].where(alone)).drop_duplicates(key)
    return table.drop(columns="count").reset_index(drop=True)
