"""Rows and model matrices as R's `lm` makes them, over formulaic."""

import numpy as np
import pandas as pd
from formulaic import SimpleFormula
from formulaic.errors import FormulaicError
from pandas.api import types

from posbias_kit.analysis._formula import column_label, label, margins_within, variables
from posbias_kit.errors import ParamsError, TableError

ALIAS_TOLERANCE = 1e-7  # the `tol` of R's lm.fit
FACTOR_KINDS = types.is_bool_dtype, types.is_object_dtype, types.is_string_dtype


def complete_rows(frame, response, terms):
    """Return the rows of `frame` with a value in every variable used, numbers or factors.

    Text, categories and booleans become factors; levels of text sort without regard to case,
    as in R outside its C locale; categories keep their order.
    """
    used = sorted({name for term in [*response, *terms] for name in variables(term, frame)})
    twice = [name for name in used if list(frame.columns).count(name) > 1]
    if twice:
        raise TableError(
            "the table has several columns of this name",
            place=", ".join(twice),
            cure="rename or drop one of them",
        )
    rows = frame[used][frame[used].notna().all(axis=1)].reset_index(drop=True)
    if rows.empty:
        raise TableError(
            "no row has a value in every column of the formula",
            place=", ".join(used),
            cure="leave out a column that is always missing",
        )
    answer = {name for term in response for name in variables(term, frame)}
    return pd.DataFrame({name: _column(rows[name], name in answer) for name in used})


def single_levels(data):
    """Name the factors that have one level, with that level."""
    factors = data.select_dtypes("category")
    return {name: factors[name].iloc[0] for name in factors if factors[name].nunique() == 1}


def independent_columns(matrix):
    """Index the columns that are no combination of columns before them, with a basis of them.

    The others are *aliased*: R's `lm` gives them no coefficient. As in its pivoting, a column
    is aliased when what is left of it after projection is below 1e-7 of its length. The basis
    is orthonormal and spans all columns.
    """
    kept, basis = [], np.empty_like(matrix, order="F")
    for index, column in enumerate(matrix.T):
        rest = residual(column, basis[:, : len(kept)])
        size = np.linalg.norm(rest)
        if len(kept) < len(matrix) and size > ALIAS_TOLERANCE * np.linalg.norm(column):
            basis[:, len(kept)] = rest / size
            kept.append(index)
    return kept, basis[:, : len(kept)]


def residual(column, basis):
    """Return what an orthonormal basis leaves of a column."""
    for _ in range(2):  # the second pass takes out the rounding of the first
        column = column - basis @ (basis.T @ column)
    return column


class Design:
    """Model matrices over one set of rows.

    R codes the factor v of a term T by contrasts if T without v is part of an earlier term
    (or is the intercept), else by all its levels. formulaic does the same when it sees T
    after these margins only, so a term's columns are made there, once for each set of them.
    """

    def __init__(self, data):
        self.data = data
        self._blocks = {}

    def matrix(self, terms, coded_in=None):
        """Return the model matrix of `terms` with an intercept, and R's names of its columns.

        With `coded_in` the columns are those the terms have in that larger model.
        """
        context = coded_in or terms
        blocks = [
            self._block(term, context[:place])
            for place, term in enumerate(context)
            if term in terms
        ]
        columns = [np.ones((len(self.data), 1)), *(values for values, _ in blocks)]
        return np.hstack(columns), ["(Intercept)", *(name for _, names in blocks for name in names)]

    def response(self, terms):
        """Return the response as numbers."""
        values = self._evaluate(terms)[0] if len(terms) == 1 else None
        if values is None or values.shape[1] != 1 or _is_factor(self.data, terms[0]):
            raise TableError(
                f"the response {' + '.join(map(label, terms))!r} is not one column of numbers",
                place="formula",
                allowed="one numeric column, or a function of it",
                cure="put the outcome left of `~`",
            )
        return values[:, 0]

    def _block(self, term, earlier):
        margins = margins_within(term, earlier)
        key = label(term), *map(label, margins)
        if key not in self._blocks:
            values, names = self._evaluate([*margins, term])
            self._blocks[key] = values, [column_label(term, name) for name in names]
        return self._blocks[key]

    def _evaluate(self, terms):
        """Return the columns of the last term, and formulaic's names of them."""
        formula = SimpleFormula(terms, _ordering="none")
        try:
            with np.errstate(all="ignore"):  # what is not finite is refused below
                made = formula.get_model_matrix(self.data, output="numpy", na_action="ignore")
        except (FormulaicError, TypeError, ValueError) as error:
            raise ParamsError(
                f"cannot compute {label(terms[-1])!r} from the table",
                place="formula",
                cure="use numbers where the term does arithmetic",
            ) from error
        names = made.model_spec.structure[-1].columns
        values = np.asarray(made, dtype=float)[:, made.shape[1] - len(names) :]
        if not np.isfinite(values).all():
            raise TableError(
                f"{label(terms[-1])!r} has a value that is no finite number",
                place="formula",
                cure="take out infinite values, and zeros under a logarithm",
            )
        return values, names


def _is_factor(data, term):
    return any(isinstance(data[name].dtype, pd.CategoricalDtype) for name in variables(term, data))


def _collation(level):
    """Sort key of a text level: case decides last, small letters first."""
    return level.casefold(), level.swapcase()


def _column(values, is_response):
    """Give one column the type that R's `lm` would see."""
    values = values.infer_objects()
    if types.is_numeric_dtype(values) and (is_response or not types.is_bool_dtype(values)):
        return values.astype(float)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.remove_unused_categories()
        return values.cat.rename_categories([str(level) for level in values.cat.categories])
    if any(is_kind(values) for is_kind in FACTOR_KINDS):
        text = values.astype(str)
        return pd.Series(pd.Categorical(text, sorted(text.unique(), key=_collation)))
    raise TableError(
        f"type {values.dtype} is neither a number nor a factor",
        place=f"column {values.name!r}",
        allowed="numbers, text, categories, booleans",
        cure="convert it, for instance to a number of days",
    )
