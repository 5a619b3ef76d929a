"""How many series an order lacks: said beside every number that half series could touch."""

from posbias_kit.analysis.series import SERIES_COLUMNS, build_series, spread_candidates

_NEEDED = ["slots", "comparison", "candidate"]


def count_incomplete(verdicts, keys):
    """Count the series of each group that an order lacks.

    They are those of `incomplete` in :func:`posbias_kit.analysis.position_bias`: asked, but
    without a verdict in every order. Series of identical answers are none of them.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    keys : list of str
        Grouping columns, as from :func:`posbias_kit.analysis.series.group_verdicts`.

    Returns
    -------
    Series of int
        `incomplete`, by the group; 0 where nothing is lacking.

    Examples
    --------
    >>> import pandas as pd
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": ["q", "q", "r"],
    ...     "status": "ok", "repeat": 1, "shown": [("a", "b"), ("b", "a"), ("a", "b")],
    ...     "choice": pd.array([1, 2, 1], dtype="Int64")}))
    >>> count_incomplete(verdicts, ["judge"]).to_dict()
    {'j': 1}
    """
    columns = [name for name in SERIES_COLUMNS if name in {*keys, *_NEEDED}]
    series = spread_candidates(build_series(verdicts, columns), keys)
    lacking = series.groupby(keys, observed=True)["incomplete"].sum()
    return lacking.astype("Int64")
