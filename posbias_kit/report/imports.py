"""Published judgments into files, and what was found, as text for a terminal."""

import warnings

from posbias_kit import data
from posbias_kit.data.layouts.table_plan import load_mapping
from posbias_kit.errors import ParamsError
from posbias_kit.report.files import replacing

SHOWN = 20
"""How many of the rows that were set aside, and of the judges, are listed."""


def read_to_file(format, paths, output, options=(), mapping=None, **given):
    """Read published judgments, write the verdict table, and say what was found.

    Parameters
    ----------
    format : str
    paths : sequence of str
    output : Path
        Ends in .parquet, .csv or .jsonl.
    options : sequence of str
        ``key=value``, options of the reader.
    mapping : Path, optional
        YAML file with the mapping of format ``table``.
    **given
        Further options of the reader.

    Returns
    -------
    str

    Raises
    ------
    ParamsError, ReadError, TableError
        As :func:`posbias_kit.data.read_verdicts`; no output is named; an option is no
        ``key=value``.
    """
    if output is None:
        raise ParamsError("no output file", place="posbias read", cure="name one with -o")
    for text in options:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParamsError(f"{text!r} is no key=value", place="--option", cure="write key=value")
        given[key] = value
    if mapping is not None:
        given["mapping"] = load_mapping(mapping)
    if format in data.LAYOUTS:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            reading = data.read_judgments(format, *paths, **given)
        verdicts, account = reading.verdicts, _account(reading)
    else:
        verdicts, account = data.read_verdicts(format, *paths, **given), []
    with replacing(output) as temporary:
        left_out = data.write_verdicts(verdicts, temporary, output.suffix)
    lines = [f"{output}: {len(verdicts) - left_out} verdicts", *account]
    if left_out:
        lines.append(f"  left out: {left_out} whose series lacks one of its two orders")
    read = f" of the {len(verdicts)} read" if left_out else ""
    lines += [f"  {name}{read}: {_counts(verdicts[name])}" for name in ("judge", "status")]
    return "\n".join(lines)


def _counts(values):
    counts = values.value_counts()
    told = [f"{key} {count}" for key, count in counts.head(SHOWN).sort_index().items()]
    more = len(counts) - SHOWN
    return ", ".join([*told, f"and {more} more"] if more > 0 else told)


def _account(reading):
    rows = reading.files[["rows", "kept", "set_aside"]].sum()
    yield (
        f"  {len(reading.files)} files, {rows['rows']} rows: {rows['kept']} kept, "
        f"{rows['set_aside']} set aside"
    )
    for row in reading.set_aside.head(SHOWN).itertuples():
        allowed = f"; allowed: {row.allowed}" if row.allowed else ""
        yield f"    {row.file}, line {row.line}: {row.problem}{allowed}; cure: {row.cure}"
    if len(reading.set_aside) > SHOWN:
        yield f"    ... and {len(reading.set_aside) - SHOWN} more"
    yield f"  order: {reading.undoes}"
    if len(reading.scores) or len(reading.labels):
        yield f"  beside them: {len(reading.scores)} grades, {len(reading.labels)} labels"


def detect_text(paths):
    """Say which layout files have, or what they lack for each.

    Parameters
    ----------
    paths : sequence of str

    Returns
    -------
    str
    """
    table = data.detect_layout(*paths)
    lines = []
    for row in table.itertuples():
        if row.fitting:
            what = f"fits {row.fitting} of {row.rows} rows looked at: {row.title}"
        else:
            what = f"no: {row.lacks}" if row.lacks else "no"
        lines.append(f"{row.layout:15}{what}")
    return "\n".join(lines)
