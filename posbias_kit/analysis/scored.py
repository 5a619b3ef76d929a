"""Arms in which each answer was scored alone: no slot can act there."""


def scored_arms(arms):
    """Find the arms in which each answer was scored alone.

    Parameters
    ----------
    arms : DataFrame
        From :func:`posbias_kit.judging.describe_arms`.

    Returns
    -------
    list of str
        For :func:`drop_scored`, :func:`posbias_kit.analysis.arm_values`,
        :func:`posbias_kit.analysis.inconsistency_split` and
        :func:`posbias_kit.analysis.worksheet`; none where it is not known how the arms ask.

    Examples
    --------
    >>> import pandas as pd
    >>> scored_arms(pd.DataFrame({"arm": ["", "points"], "scale": [None, 5]}))
    ['points']
    """
    return arms.loc[arms["scale"].notna(), "arm"].tolist() if "scale" in arms else []


def drop_scored(verdicts, scored):
    """Keep the verdicts on which a slot can act.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    scored : collection of str
        From :func:`scored_arms`.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> drop_scored(pd.DataFrame({"arm": ["", "points"], "choice": [1, 2]}), ["points"])
      arm  choice
    0           1
    """
    return verdicts[~verdicts["arm"].isin(list(scored))]
