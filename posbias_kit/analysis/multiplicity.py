"""Corrections for many tests in one table."""

import gc


def adjust_p(table, by, within=("benchmark", "experiment")):
    """Add the p-values corrected for how many stand in the table.

    Over judges the chance of any false finding is held (Holm). Over judges x tasks there are
    many tests, and the share of false findings is held instead (Benjamini-Hochberg).

    *Source: S. Holm (1979), A simple sequentially rejective multiple test procedure,
    Scandinavian Journal of Statistics 6(2). Y. Benjamini and Y. Hochberg (1995), Controlling
    the false discovery rate, Journal of the Royal Statistical Society B 57(1).*

    Parameters
    ----------
    table : DataFrame
        Holds p and the columns of `within`.
    by : sequence of str
        What the table was grouped by; `task` among them asks for Benjamini-Hochberg.
    within : sequence of str
        A family of tests is a group of these columns.

    Returns
    -------
    DataFrame
        `table` with p_holm or p_bh after p; a missing p is no test.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"family": [1, 1, 2], "p": [0.01, 0.04, 0.04]})
    >>> adjust_p(table, ["judge"], ["family"])["p_holm"].tolist()
    [0.02, 0.04, 0.04]
    """
    from statsmodels.stats.multitest import multipletests  # heavy: only when called

    name, method = ("p_bh", "fdr_bh") if "task" in by else ("p_holm", "holm")
    adjusted = table["p"].astype(float)
    gc.freeze()  # multipletests collects garbage at each call: a second where much is in memory
    try:
        for _, values in adjusted.dropna().groupby([table[key] for key in within], observed=True):
            adjusted.loc[values.index] = multipletests(values, method=method)[1]
    finally:
        gc.unfreeze()
    table = table.copy()
    table.insert(table.columns.get_loc("p") + 1, name, adjusted)
    return table
