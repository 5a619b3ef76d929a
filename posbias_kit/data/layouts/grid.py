"""Rows under a header, whether of CSV or of a sheet."""

from posbias_kit.errors import ReadError


def grid_rows(records, blank, fit, cure):
    """Turn lists of cells into rows.

    Parameters
    ----------
    records : iterator of (int, list or ReadError)
        Line and cells, none of them where a row is blank; the first that has some is the header.
    blank : bool
        Whether blank rows count, those at the end apart.
    fit : callable
        (cells, number of columns) -> cells, where a file may leave some out.
    cure : str
        What to do about a row with too many or too few.

    Yields
    ------
    line : int
    row : dict or ReadError

    Examples
    --------
    >>> records = iter([(1, ["id", "v"]), (2, []), (3, ["7", "A"])])
    >>> list(grid_rows(records, False, lambda cells, _: cells, "mend the row"))
    [(3, {'id': '7', 'v': 'A'})]
    """
    start, header = next(_filled(records, blank=False), (1, []))
    if problem := header if isinstance(header, ReadError) else _broken(header):
        yield start, problem
        return
    for line, cells in _filled(records, blank):
        if isinstance(cells, ReadError):
            yield line, cells
            continue
        cells = fit(cells, len(header))
        if len(cells) == len(header):
            yield line, dict(zip(header, cells, strict=True))
            continue
        problem = f"{len(cells)} cells, but the header has {len(header)} (line {start}: "
        yield (
            line,
            ReadError(
                f"{problem}{', '.join(map(str, header))[:60]})",
                allowed="a cell for each column",
                cure=cure,
            ),
        )


def _filled(records, blank):
    """Yield the records without those that are empty, or, with `blank`, without the last ones."""
    waiting = []
    for line, cells in records:
        if cells:
            yield from waiting
            waiting = []
            yield line, cells
        elif blank:
            waiting.append((line, cells))


def _broken(header):
    twice = sorted({str(name) for name in header if header.count(name) > 1})
    if not twice:
        return None
    return ReadError(
        f"columns stand twice in the header: {', '.join(map(repr, twice))}",
        allowed="different names",
        cure="rename the columns; no row of this file was read",
    )
