"""Formulas as R reads them: their terms, the order of these and their spelling."""

import ast
import builtins
import re

from formulaic import Formula
from formulaic.errors import FormulaicError
from formulaic.parser.types import Factor, Term
from formulaic.transforms import TRANSFORMS

from posbias_kit.errors import ParamsError

INTERCEPT = Formula("1")[0]
_QUOTED = re.compile(r"(`[^`]*`)")


def read_formula(text, columns, place):
    """Read a formula into (response terms, right-hand terms in R's order).

    `^` may be written as in R; column names that are no plain names stand in backticks.
    """
    _refuse_bare_names(text, columns, place)
    try:
        formula = Formula(_outside_backticks(text, "^", "**"), _ordering="none")
        left = list(getattr(formula, "lhs", []))
        right = list(getattr(formula, "rhs", formula))
        unknown = {name for term in left + right for name in _names(term, columns)} - set(columns)
    except (FormulaicError, SyntaxError, AttributeError, TypeError) as error:
        raise ParamsError(
            f"cannot read the formula {text!r}",
            place=place,
            allowed="R's formula language, such as 'y ~ a + b + a:b + I(a^2)'",
            cure="correct it; put column names that are no plain names in backticks",
        ) from error
    if unknown:
        raise ParamsError(
            f"no column or function {', '.join(map(repr, sorted(unknown)))}",
            place=place,
            allowed=f"the columns {', '.join(map(str, columns))}",
            cure="correct the name, or put a name that is no plain name in backticks",
        )
    if INTERCEPT not in right:
        raise ParamsError(
            f"{text!r} takes the intercept out", place=place, cure="leave out `0 +` or `- 1`"
        )
    return left, in_r_order([term for term in right if term != INTERCEPT])


def in_r_order(terms):
    """Order terms by degree, and the factors inside one by their first appearance.

    R writes `family:gap` in a model that names `family` before `gap`.
    """
    seen = list(dict.fromkeys(factor.expr for term in terms for factor in term.factors))
    terms = [Term(sorted(term.factors, key=lambda f: seen.index(f.expr))) for term in terms]
    return sorted(terms, key=lambda term: term.degree)


def rewritten(terms):
    """Order terms as R's `update()` writes the formula: by degree before anything is named."""
    return in_r_order(sorted(terms, key=lambda term: term.degree))


def label(term):
    """Spell a term as R does: `I(gap^2)`, `gap:family`, backticks where R needs them."""
    return ":".join(_factor_label(factor) for factor in term.factors)


def inside(term, other):
    """Tell whether `term` is a margin of the interaction `other`."""
    return set(term.factors) < set(other.factors)


def margins_within(term, earlier):
    """Return the margins of `term` (it without one factor) that lie within an earlier term."""
    margins = [Term(f for f in term.factors if f is not left_out) for left_out in term.factors]
    if term.degree == 1:
        return [INTERCEPT]
    return [m for m in margins if any(m == other or inside(m, other) for other in earlier)]


def variables(term, columns):
    """Name the columns that a term reads."""
    return [name for name in _names(term, columns) if name in columns]


def column_label(term, name):
    """Turn formulaic's `family[T.beta]` into R's `familybeta`."""
    pattern = ":".join(rf"{re.escape(f.expr)}(?:\[(?:T\.)?(.*)\])?" for f in term.factors)
    levels = re.fullmatch(pattern, name, re.DOTALL).groups(default="")
    return ":".join(_factor_label(f) + level for f, level in zip(term.factors, levels, strict=True))


def _refuse_bare_names(text, columns, place):
    """Refuse `len-gap` outside backticks where it is a column: it would read as arithmetic."""
    bare = _QUOTED.sub(" ", text)
    for name in map(str, columns):
        odd = re.search(r"[^\w.]", name) and re.search(r"[^\W\d]", name)
        if odd and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", bare):
            raise ParamsError(
                f"the column {name!r} is no plain name and would be read as arithmetic",
                place=place,
                cure=f"write `{name}` in backticks",
            )


def _outside_backticks(text, old, new):
    parts = _QUOTED.split(text)
    return "".join(p if p.startswith("`") else p.replace(old, new) for p in parts)


def _names(term, columns):
    """Name what a term refers to; functions of formulaic and Python are no columns."""
    names = []
    for factor in term.factors:
        if factor.eval_method is Factor.EvalMethod.LOOKUP:
            names.append(factor.expr)
        elif factor.eval_method is Factor.EvalMethod.PYTHON:
            names += [part.strip("`") for part in _QUOTED.findall(factor.expr)]
            tree = ast.parse(_QUOTED.sub("0", factor.expr), mode="eval")
            found = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
            names += [name for name in found if name in columns or not _is_function(name)]
    return names


def _is_function(name):
    return name in TRANSFORMS or hasattr(builtins, name)


def _factor_label(factor):
    if factor.eval_method is Factor.EvalMethod.LOOKUP:
        plain = factor.expr.replace(".", "_").isidentifier()
        return factor.expr if plain else f"`{factor.expr}`"
    return _outside_backticks(_outside_backticks(factor.expr, " ** ", "^"), " / ", "/")
