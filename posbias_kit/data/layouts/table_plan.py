"""What a mapping says about one file: checked against its columns, and with its name read."""

import re
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from posbias_kit.data.layouts.cells import table_rows
from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.params import parse_section
from posbias_kit.table_mapping import TableMapping

_LOOKED_AT = 1000  # rows of a file, in one of which a column has to occur


class Plan(NamedTuple):
    """How the rows of one file are read."""

    mapping: TableMapping
    words: dict
    """Spelling of a label -> place from 1, 0 for a tie, None for no verdict."""
    exchange: dict
    """Spelling in the order's column -> whether the pair is shown exchanged."""
    exchanged: bool
    """Whether all pairs of the file are."""
    told: dict
    """What the file's name tells: first, second, judge, task, turn, repeat."""


def make_plan(source):
    """Return the plan for a file.

    Parameters
    ----------
    source : posbias_kit.data.layouts.records.Source
        With the option `mapping`, a TableMapping or its keys as a dict.

    Returns
    -------
    Plan

    Raises
    ------
    ParamsError
        There is no mapping, it is wrong, or it names a column that the file does not have.
    ReadError
        The file's name does not fit the mapping's pattern.
    """
    mapping = source.options.get("mapping")
    if not isinstance(mapping, dict | TableMapping):
        raise ParamsError(
            f"format 'table' needs a mapping, not {mapping!r:.60}",
            place="mapping",
            allowed=", ".join(TableMapping.model_fields),
            cure="say which columns hold the question, the candidates, the judge and the verdict",
        )
    if isinstance(mapping, dict):
        mapping = parse_section(TableMapping, mapping, "mapping")
    _check_columns(mapping, source)
    order = mapping.order
    return Plan(
        mapping,
        mapping.labels.words(),
        order.words() if order else {},
        bool(order and order.files and PurePosixPath(source.name).match(order.files)),
        _told_by_name(mapping, source.name),
    )


def _check_columns(mapping, source):
    looked = [row for _, row in islice(table_rows(source.file), _LOOKED_AT)]
    rows = [row.values for row in looked if not isinstance(row, ReadError)]
    found = dict.fromkeys(column for values in rows for column in values)
    lost = [(key, column) for key, column in mapping.columns() if column not in found]
    if rows and lost:
        raise ParamsError(
            "; ".join(f"no column {column!r}, which `{key}` names" for key, column in lost),
            place=f"{source.name}, mapping",
            allowed=", ".join(found),
            cure="correct the mapping, or leave this file out",
        )


def _told_by_name(mapping, name):
    if mapping.file_name is None:
        return {}
    match = re.search(mapping.file_name, name)
    if match is None:
        raise ReadError(
            "the name of the file does not fit the mapping's `file_name`",
            place=name,
            allowed=mapping.file_name,
            cure="change the pattern, or leave this file out",
        )
    return {group: text for group, text in match.groupdict().items() if text}
