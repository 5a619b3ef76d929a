"""Tables as people read them: an estimate and its interval in one cell, gaps as dashes."""

import re

import pandas as pd

ROWS = 40
"""Rows of a table that a page shows; its file has all."""
GAP = "–"
_BRACKETS = {"_low": "[{}, {}]", "_min": "({} to {})"}
_P = re.compile(r"p(_\w+)?")


def present(frame):
    """Return a table with every value as the text that a page shows.

    - ``x``, ``x_low`` and ``x_high`` become one column ``x`` with the interval in brackets, or
      ``x interval`` where there is no estimate beside it; the bounds ``x_min`` and ``x_max``
      likewise, in round ones;
    - numbers have three decimals, whole ones none, and p-values below .001 say so;
    - gaps are dashes, and a column of texts that are all empty is left out;
    - the arm without a name is called plain.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    DataFrame
        Texts, with the index of `frame`.

    Examples
    --------
    >>> frame = pd.DataFrame({"judge": ["a"], "pc": [0.5], "pc_low": [0.41], "pc_high": [0.59]})
    >>> present(frame.assign(p=1e-5, n=12.0, note="")).to_dict("records")
    [{'judge': 'a', 'pc': '0.500 [0.410, 0.590]', 'p': '< .001', 'n': '12'}]
    """
    frame = frame.loc[:, [not _is_blank(values) for _, values in frame.items()]]
    texts = {}
    for name, values in frame.items():
        stem, ends = _range_of(str(name), frame)
        if stem is None:
            texts.setdefault(name, _texts(name, values))
        elif name == ends[0]:
            span = _span(frame[ends[0]], frame[ends[1]], _BRACKETS[ends[0][-4:]])
            if stem in frame:
                span = (_texts(stem, frame[stem]) + " " + span).str.strip()
            texts[stem if stem in frame else f"{stem} interval"] = span
    return pd.DataFrame(texts, index=frame.index, columns=list(texts), dtype="str")


def table_html(frame, rows=None):
    """Return a table as HTML: presented, escaped, and cut to its first rows with a word on it.

    The index is left out unless it has a name or holds labels.

    Parameters
    ----------
    frame : DataFrame
    rows : int, optional
        How many rows to show; by default all.
    """
    if frame.empty:
        return '<p class="note">No rows.</p>'
    if frame.columns.has_duplicates or frame.columns.nlevels > 1:
        return frame.to_html(border=0, na_rep=GAP)
    labelled = frame.index.name is not None or not pd.api.types.is_integer_dtype(frame.index)
    head = present(frame.head(rows) if rows else frame)
    html = head.to_html(index=labelled, border=0)
    if len(head) < len(frame):
        html += f'<p class="note">The first {len(head)} of {len(frame):,} rows.</p>'
    return html


def show_tables_presented():
    """Let the running notebook show every table as :func:`table_html` does."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        html = shell.display_formatter.formatters["text/html"]
        html.for_type(pd.DataFrame, lambda frame: table_html(frame, ROWS))


def _is_blank(values):
    """Whether a column of texts says nothing; one of numbers says what could not be estimated."""
    return pd.api.types.is_string_dtype(values) and len(values) > 0 and not values.any()


def _range_of(name, frame):
    """Return x and the names of both ends, for x_low where x_high is there too, and so on."""
    for low, high in (("_low", "_high"), ("_min", "_max")):
        stem = name.removesuffix(low if name.endswith(low) else high)
        ends = (f"{stem}{low}", f"{stem}{high}")
        there = stem != name and all(end in frame for end in ends)
        if there and all(pd.api.types.is_numeric_dtype(frame[end]) for end in ends):
            return stem, ends
    return None, ()


def _texts(name, values):
    if name == "arm":
        values = values.replace("", "plain")
    if _P.fullmatch(str(name)) and pd.api.types.is_float_dtype(values):
        return values.map(_p).astype("str")
    digits = _digits(values)
    return values.map(lambda value: _text(value, digits)).astype("str")


def _digits(values):
    numbers = values.dropna() if pd.api.types.is_float_dtype(values) else values.head(0)
    return 0 if (numbers == numbers.round()).all() else 3


def _text(value, digits):
    if isinstance(value, list | tuple | dict):
        return str(value)
    if pd.isna(value):
        return GAP
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _p(value):
    if pd.isna(value):
        return GAP
    return "< .001" if value < 0.001 else f"{value:.3f}"


def _span(low, high, form):
    ends = zip(low, high, strict=True)
    digits = 3 if any(_digits(side) for side in (low, high)) else 0
    told = [
        form.format(f"{a:.{digits}f}", f"{b:.{digits}f}") if pd.notna(a) and pd.notna(b) else ""
        for a, b in ends
    ]
    return pd.Series(told, index=low.index, dtype="str")
