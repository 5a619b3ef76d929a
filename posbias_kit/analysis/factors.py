"""Which factors explain position bias: a stepwise search for each response."""

import pandas as pd

from posbias_kit.analysis.stepwise import stepwise_aic


def explain_bias(
    units, predictors, responses=("pc", "pf"), gap_source="own", start="full", criterion="aic"
):
    """Search, for each response, the factors that lower the information criterion.

    *Source: Shi et al., Judging the Judges (arXiv 2406.07791), section on factors; the search
    follows R's* ``step()``.

    Parameters
    ----------
    units : DataFrame
        From :func:`posbias_kit.analysis.build_units`.
    predictors : sequence of str
        Terms of the full model; `quality_gap` stands for the gap of `gap_source`.
    responses : sequence of str
        Columns of `units`.
    gap_source : {"own", "other_judges"}
    start : {"full", "null"}
    criterion : {"aic", "bic"}

    Returns
    -------
    path : DataFrame
        One row a step: benchmark, experiment, response, step, df, deviance, resid_df, resid_dev,
        aic (R's scale), n.
    terms : DataFrame
        One row a coefficient of the final model: benchmark, experiment, response, term, estimate,
        std_error, t, p, n, r_squared. The p-values are descriptive: they do not know of the search.
    notes : list of str
        What was left out, and why.
    """
    units = units.assign(quality_gap=units[f"gap_{gap_source}"])
    paths, terms, notes = [], [], []
    for (benchmark, experiment), block in units.groupby(["benchmark", "experiment"]):
        for response in responses:
            formula = f"{response} ~ {' + '.join(predictors)}"
            k = 2.0 if criterion == "aic" else "bic"
            found = stepwise_aic(block, formula, start=start, k=k)
            lead = {"benchmark": benchmark, "experiment": experiment, "response": response}
            about = {"n": found.n, "r_squared": found.r_squared}
            paths.append(_lead(found.path, lead))
            terms.append(_lead(found.coefficients, lead).assign(**about))
            notes += [f"{benchmark} {experiment} {response}: {note}" for note in found.notes]
    return pd.concat(paths, ignore_index=True), pd.concat(terms, ignore_index=True), notes


def _lead(table, columns):
    return pd.DataFrame(columns, index=table.index).join(table)
