"""Finished runs against each other, where a study reads several."""

import pandas as pd

from posbias_kit.analysis.run_differences import run_differences
from posbias_kit.report.cards import format_of


def compare_runs(run, verdicts, **settings):
    """Compare the runs that a study reads; an empty table where it reads none.

    Parameters
    ----------
    run : Run
    verdicts : DataFrame
    **settings
        As for :func:`posbias_kit.analysis.run_differences`.

    Returns
    -------
    DataFrame
    """
    if format_of(run) != "runs":
        return pd.DataFrame(columns=["benchmark", "judge", "run", "other", "other_run"])
    return run_differences(verdicts, **settings)
