"""Tables to paste into a paper or an issue: LaTeX and Markdown beside the CSV."""

import re
import unicodedata

import pandas as pd

from posbias_kit.report.files import write_text
from posbias_kit.report.tables import present

LONGEST = 500
"""Rows of a table from which on there is only the CSV: nobody prints more."""

_HEAD = "% \\usepackage[T1]{fontenc} \\usepackage{booktabs}\n"
_COMMANDS = {sign: f"\\{sign}" for sign in "{}$&#%_"} | {
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
    "−": "$-$", "≤": "$\\leq$", "≥": "$\\geq$", "≠": "$\\neq$", "≈": "$\\approx$",
    "→": "$\\rightarrow$", "←": "$\\leftarrow$", "∞": "$\\infty$",
    "β": "$\\beta$", "θ": "$\\theta$", "κ": "$\\kappa$", "σ": "$\\sigma$", "τ": "$\\tau$",
}  # fmt: skip
_PRINTED = set("–—‘’“”„…•†‡‰ıŁłŒœĐđ")
_MINUS = re.compile(r"(?<![\w.-])-(?=\.?\d)")
_ACTS = re.compile(r"[\\`*_<>|~$&]|(?<=\])\(")


def write_exports(frame, folder, name):
    """Write a saved table as ``<name>.tex`` and ``<name>.md``; take old ones away else.

    Tables without rows, or of more than :data:`LONGEST`, have their CSV only.

    Parameters
    ----------
    frame : DataFrame
    folder : Path
    name : str
    """
    fits = 0 < len(frame) <= LONGEST and frame.columns.is_unique
    for ending, text in (("tex", latex_table), ("md", markdown_table)):
        path = folder / f"{name}.{ending}"
        if fits:
            write_text(path, text(frame))
        else:
            path.unlink(missing_ok=True)


def latex_table(frame):
    r"""Return a table as LaTeX: a ``tabular`` with the rules of booktabs.

    Cells are as on the page, an estimate with its interval in one; see
    :func:`posbias_kit.report.tables.present`. Every sign that acts is escaped. One that
    pdfLaTeX does not know by itself stands as its code point: ``[U+4F60]``.

    Parameters
    ----------
    frame : DataFrame
        Its index is left out.

    Returns
    -------
    str

    Examples
    --------
    >>> print(latex_table(pd.DataFrame({"judge": ["a_1"], "pf": [-0.25]})))
    % \usepackage[T1]{fontenc} \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    judge & pf \\
    \midrule
    a\_1 & $-$0.250 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    told = present(frame)
    sides = "".join(_side(frame, name) for name in told.columns)
    head, *rows = [" & ".join(map(_latex, row)) + " \\\\" for row in _lines(told)]
    lines = [f"\\begin{{tabular}}{{{sides}}}", "\\toprule", head, "\\midrule", *rows]
    return _HEAD + "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def markdown_table(frame):
    r"""Return a table as Markdown of the usual kind, its cells as on the page and escaped.

    Parameters
    ----------
    frame : DataFrame
        Its index is left out.

    Returns
    -------
    str

    Examples
    --------
    >>> print(markdown_table(pd.DataFrame({"judge": ["a|b"], "pf": [-0.25]})))
    | judge | pf |
    | :-- | --: |
    | a\|b | -0.250 |
    <BLANKLINE>
    """
    told = present(frame)
    sides = [":--" if _side(frame, name) == "l" else "--:" for name in told.columns]
    head, *rows = [[_ACTS.sub(r"\\\g<0>", _one_line(cell)) for cell in row] for row in _lines(told)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, sides, *rows))


def _lines(told):
    return [list(told.columns), *told.to_numpy().tolist()]


def _side(frame, name):
    """Say to which side a column is set: numbers with nothing beside them to the right."""
    alone = name in frame and pd.api.types.is_numeric_dtype(frame[name])
    return "r" if alone and f"{name}_low" not in frame else "l"


def _one_line(cell):
    return " ".join(str(cell).split())


def _latex(cell):
    """Escape a cell; a bracket or star at its start would belong to the row's end before it."""
    text = _MINUS.sub("−", _one_line(cell)).replace("--", "-\0-")
    text = "".join(map(_sign, text)).replace("\0", "{}")
    return f"{{{text[0]}}}{text[1:]}" if text[:1] in ("[", "*") else text


def _sign(sign):
    if sign in _COMMANDS:
        return _COMMANDS[sign]
    latin = ord(sign) < 0x180 and len(unicodedata.normalize("NFD", sign)) > 1
    known = sign == "\0" or " " <= sign <= "~" or "¡" <= sign <= "ÿ" or latin
    return sign if known or sign in _PRINTED else f"[U+{ord(sign):04X}]"
