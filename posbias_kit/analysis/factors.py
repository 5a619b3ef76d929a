"""Which factors explain position bias: a stepwise search for each response."""

import pandas as pd

from posbias_kit.analysis.quality_gap import fit_keys
from posbias_kit.analysis.stepwise import stepwise_aic
from posbias_kit.errors import TableError, check_choice


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
    gap_source : {"own", "other_judges", "scores"}
    start : {"full", "null"}
    criterion : {"aic", "bic"}

    Returns
    -------
    path : DataFrame
        One row a step: benchmark, experiment (arm and slots, where there are several), response,
        step, df, deviance, resid_df, resid_dev,
        aic (R's scale), n.
    terms : DataFrame
        One row a coefficient of the final model: benchmark, experiment (arm and slots, where there
        are several), response, term, estimate,
        std_error, t, p, n, r_squared. The p-values are descriptive: they do not know of the search.
    notes : list of str
        What was left out, and why; also a response for which no search is possible.
    """
    check_choice(criterion, ("aic", "bic"), "criterion")
    check_choice(f"gap_{gap_source}", [name for name in units if name.startswith("gap_")], "source")
    units = units.assign(quality_gap=units[f"gap_{gap_source}"])
    paths, terms, notes = [], [], []
    keys = [key for key in fit_keys(units) if key != "judge"]
    for place, block in units.groupby(keys):
        told = [name for name in predictors if name not in block or block[name].notna().any()]
        idle = [name for name in predictors if name not in told]
        if idle:
            where = " ".join(filter(None, map(str, place)))
            notes.append(f"{where}: {', '.join(idle)} left out: no unit has a value")
        for response in responses:
            formula = f"{response} ~ {' + '.join(told) or '1'}"
            where = " ".join(filter(None, (*map(str, place), response)))
            try:
                k = 2.0 if criterion == "aic" else "bic"
                found = stepwise_aic(block, formula, start=start, k=k)
            except TableError as error:  # a constant response, or more coefficients than units
                notes.append(f"{where}: not estimable: {error.problem}")
                continue
            lead = {**dict(zip(keys, place, strict=True)), "response": response}
            about = {"n": found.n, "r_squared": found.r_squared}
            paths.append(_lead(found.path, lead))
            terms.append(_lead(found.coefficients, lead).assign(**about))
            notes += [f"{where}: {note}" for note in found.notes]
            if found.dropped:
                notes.append(f"{where}: {found.dropped} units lack a value and were left out")
    keys = [*keys, "response"]
    return _concat(paths, [*keys, *_PATH]), _concat(terms, [*keys, *_TERMS]), notes


_PATH = ["step", "df", "deviance", "resid_df", "resid_dev", "aic", "n"]
_TERMS = ["term", "estimate", "std_error", "t", "p", "n", "r_squared"]


def _lead(table, columns):
    return pd.DataFrame(columns, index=table.index).join(table)


def _concat(tables, columns):
    if not tables:
        return pd.DataFrame(columns=columns)
    return pd.concat(tables, ignore_index=True)[columns]
