"""What a mapping says about one file: checked against its columns, and with its name read."""

import fnmatch
import re
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import yaml

from posbias_kit._yaml import load_yaml
from posbias_kit.data.layouts.cells import How, table_rows
from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.params import parse_section
from posbias_kit.table_mapping import TableMapping, Words

_LOOKED_AT = 1000  # rows of a file, in one of which a column has to occur


class Plan(NamedTuple):
    """How the rows of one file are read."""

    mapping: TableMapping
    words: Words
    """Labels: place from 1, 0 for a tie, None for no verdict."""
    exchange: Words
    """Values of the order's column: whether the pair is shown exchanged."""
    exchanged: bool
    """Whether all pairs of the file are."""
    told: dict
    """What the file's name tells: first, second, judge, task, turn, repeat."""
    renamed: set
    """The keys of `rename` that occurred."""


def make_plan(source):
    """Return the plan for a file.

    Parameters
    ----------
    source : posbias_kit.data.layouts.records.Source
        With the option `mapping`, a TableMapping, its keys as a dict, or a YAML file with them.

    Returns
    -------
    Plan

    Raises
    ------
    ParamsError
        There is no mapping, it is wrong, or it names a column that the file does not have.
    ReadError
        The file's name does not fit the mapping's pattern, or does not tell what it is to tell.
    """
    mapping, place = source.options.get("mapping"), "mapping"
    if isinstance(mapping, str | Path):
        place = str(mapping)
        mapping = load_mapping(mapping)
    if not isinstance(mapping, dict | TableMapping):
        raise ParamsError(
            f"format 'table' needs a mapping, not {mapping!r:.60}",
            place=place,
            allowed=", ".join(TableMapping.model_fields),
            cure="say which columns hold the question, the candidates, the judge and the verdict",
        )
    if isinstance(mapping, dict):
        mapping = _parse(mapping, place)
    _check_columns(mapping, source)
    order = mapping.order
    return Plan(
        mapping,
        mapping.labels.words(),
        order.words() if order else {},
        bool(order and order.files and _fits(source, order.files)),
        _told_by_name(mapping, source.name),
        set(),
    )


def how_to_read(mapping):
    """Return how the rows of a file are read."""
    separator = "\t" if mapping.separator == "tab" else mapping.separator
    return How(mapping.question is None, mapping.sheet, separator)


def load_mapping(path):
    """Return what stands in a mapping's YAML file, as yet unchecked."""
    try:
        return load_yaml(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ReadError(
            f"not readable as YAML: {error}", place=str(path), cure="check the mapping's file"
        ) from None


def _parse(mapping, place):
    try:
        return parse_section(TableMapping, mapping, place)
    except ParamsError as error:
        told = error.problem.removeprefix("study: ")  # it is no study
        raise ParamsError(told, place=place, allowed=error.allowed, cure=error.cure) from None


def check_files(sources, rows):
    """Check that files go together: orders and names are found, and rows have partners.

    Parameters
    ----------
    sources : list of posbias_kit.data.layouts.records.Source
        With what a plan was added to.
    rows : list of int
        How many rows each of them has.

    Raises
    ------
    ParamsError
        No file fits the pattern of those that show their pairs exchanged, or a name that is to
        be spelt otherwise stands nowhere.
    ReadError
        Rows are known by their number, and the files have different numbers of them.
    """
    names = [source.name for source in sources]
    plans = [source.options["plan"] for source in sources]
    mapping = plans[0].mapping
    pattern = mapping.order and mapping.order.files
    if pattern and not any(plan.exchanged for plan in plans):
        raise ParamsError(
            f"no file fits {pattern!r}",
            place="mapping, order.files",
            allowed=", ".join(names),
            cure="write a pattern that fits the files whose pairs are exchanged",
        )
    unused = sorted(set(mapping.rename).difference(*(plan.renamed for plan in plans)))
    if unused:
        raise ParamsError(
            f"no candidate or judge is called {', '.join(map(repr, unused))}",
            place="mapping, rename",
            cure="correct the spelling, or remove the key",
        )
    if mapping.question is None and len(set(rows)) > 1:
        told = (f"{name} {count}" for name, count in zip(names, rows, strict=True))
        raise ReadError(
            f"rows are known by their number, but the files differ in it: {', '.join(told)}",
            place="mapping, question",
            allowed="a column that tells the question, or files with the same number of rows",
            cure="name the column of the question, or give the files one by one",
        )


def _fits(source, pattern):
    """Whether a name fits, folders included, or the end of the path: a file may be given alone."""
    path = PurePosixPath(source.file.absolute().as_posix())
    return fnmatch.fnmatchcase(source.name, pattern) or path.match(pattern)


def _check_columns(mapping, source):
    looked = [row for _, row in islice(table_rows(source.file, how_to_read(mapping)), _LOOKED_AT)]
    rows = [row.values for row in looked if not isinstance(row, ReadError)]
    found = dict.fromkeys(column for values in rows for column in values)
    lost = [(key, column) for key, column in mapping.columns() if column not in found]
    if rows and lost:
        raise ParamsError(
            "; ".join(f"no column {column!r}, which `{key}` names" for key, column in lost),
            place=f"{source.name}, mapping",
            allowed=", ".join(name if name == name.strip() else repr(name) for name in found),
            cure=_cure_columns(found, mapping),
        )


def _cure_columns(found, mapping):
    if not found:
        return "name the columns that hold the verdicts: its rows have none"
    (name, *more) = found
    other = max(";\t|", key=name.count)
    if mapping.separator is None and not more and other in name:
        word = "tab" if other == "\t" else f"'{other}'"
        return f"say in the mapping that cells are separated otherwise: `separator: {word}`"
    return "correct the mapping, or leave this file out"


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
    told = {group: text for group, text in match.groupdict().items() if text}
    lost = [group for group in ("judge", "repeat") if group in {*mapping.groups()} - told.keys()]
    if lost:
        raise ReadError(
            f"the name of the file does not tell the {lost[0]}",
            place=name,
            allowed=mapping.file_name,
            cure="change the pattern so that it tells it of every file, or leave this file out",
        )
    return told
