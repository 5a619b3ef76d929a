"""Verdict tables beyond memory: a folder of Parquet files, each question in one of them."""

from contextlib import ExitStack
from numbers import Integral
from pathlib import Path

import numpy as np
import pandas as pd
import pandera.pandas as pa

from posbias_kit._schema_errors import table_error
from posbias_kit.errors import ParamsError, ReadError, TableError
from posbias_kit.schema import VERDICTS

_UNREAD = ["shown", "reason", "margin"]
"""Columns that no sum needs."""
_KEPT = pa.DataFrameSchema(
    VERDICTS.remove_columns(_UNREAD).columns, checks=VERDICTS.checks, name="partition"
)
_ROWS = 2**20
"""Rows read at a time, where a file is cut."""


def partition_verdicts(verdicts, folder, partitions=64):
    """Cut a verdict table by question into a folder of Parquet files.

    A question goes into file k of n if the hash of its id leaves the remainder k when divided by
    n; its verdicts stay in their order. A file is read and cut some rows at a time, so that it
    may be larger than memory.

    Parameters
    ----------
    verdicts : DataFrame, str or Path
        The verdict table, or a Parquet file or folder of such files that hold it.
    folder : str or Path
        To be made; it appears when all is written.
    partitions : int
        How many files at most. A question with all its verdicts must fit into memory with the
        others of its file: take one for each million verdicts or so.

    Returns
    -------
    list of Path
        The files, without those that no question fell to.

    Raises
    ------
    ParamsError
        `folder` is there already, or `partitions` is not a whole number from 1 on.
    ReadError
        A file is missing or not readable.
    TableError
        A table has no column `question`, or a file has other columns than the first.

    Examples
    --------
    >>> import tempfile
    >>> verdicts = pd.DataFrame({"question": ["q1", "q2", "q1"], "choice": [1, 2, 0]})
    >>> with tempfile.TemporaryDirectory() as name:
    ...     files = partition_verdicts(verdicts, Path(name, "cut"), partitions=8)
    ...     [pd.read_parquet(file)["choice"].tolist() for file in files]
    [[1, 0], [2]]
    """
    from pyarrow import parquet

    folder = Path(folder)
    begun = folder.with_name(f"{folder.name}.part")
    _check_target(folder, begun, partitions)
    begun.mkdir(parents=True)
    writers = {}
    with ExitStack() as stack:
        for table in _tables(verdicts):
            for number, rows in _cut(table, partitions):
                if number not in writers:
                    path = begun / f"part-{number:05}.parquet"
                    writers[number] = stack.enter_context(parquet.ParquetWriter(path, rows.schema))
                writers[number].write_table(rows)
    begun.replace(folder)
    return find_partitions(folder)


def _check_target(folder, begun, partitions):
    if not isinstance(partitions, Integral) or partitions < 1:
        raise ParamsError(
            f"partitions {partitions!r} is not allowed", place="partition_verdicts",
            allowed="a whole number, 1 or more", cure="mend `partitions`",
        )  # fmt: skip
    for path in (folder, begun):
        if path.exists():
            raise ParamsError(
                "is there already", place=str(path), allowed="a folder to be made",
                cure="name another one, or remove this one first",
            )  # fmt: skip


def _tables(verdicts):
    """Yield the table in pieces, as Arrow tables of the same schema."""
    import pyarrow
    from pyarrow import parquet

    if isinstance(verdicts, pd.DataFrame):
        yield pyarrow.Table.from_pandas(verdicts, preserve_index=False)
        return
    schema = None
    for path in find_partitions(verdicts):
        try:
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(_ROWS):
                    table = pyarrow.Table.from_batches([batch])
                    schema = schema or table.schema
                    yield table.select(schema.names).cast(schema)
        except KeyError as error:
            raise TableError(
                f"columns differ from those of the first file: {error}", place=str(path),
                allowed=", ".join(schema.names), cure="write all files with the same columns",
            ) from None  # fmt: skip
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(path, error) from None


def _cut(table, partitions):
    """Yield (number, rows) of each partition that has rows in a table."""
    if "question" not in table.column_names:
        raise TableError(
            "missing column 'question'", place="verdicts", cure="give a verdict table",
            allowed="the columns of a verdict table",
        )  # fmt: skip
    questions = table.column("question").to_pandas().astype(object)
    number = pd.util.hash_array(questions.to_numpy()) % np.uint64(partitions)
    order = np.argsort(number, kind="stable")
    found, starts = np.unique(number[order], return_index=True)
    for one, rows in zip(found, np.split(order, starts[1:]), strict=True):
        yield int(one), table.take(rows)


def find_partitions(path):
    """Return the Parquet files of a folder, in order of their names, or the one file given.

    Raises
    ------
    ReadError
        There is no such file or folder, or no Parquet file in it.
    """
    path = Path(path)
    if path.is_file():
        return [path]
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else []
    files = [file for file in files if file.is_file() and not file.name.startswith((".", "_"))]
    if not files:
        raise ReadError(
            "no Parquet file here" if path.is_dir() else "no such file or folder",
            place=str(path),
            allowed="a folder of Parquet files, or one such file",
            cure="check the path, or write the folder by partition_verdicts",
        )
    return files


def read_partition(path):
    """Read one partition, without the columns that no sum needs.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    DataFrame
        The verdict table, types and values checked, without shown, reason and margin. That a key
        stands once is checked where the verdicts are counted.

    Raises
    ------
    ReadError
        The file is not readable.
    TableError
        It breaks the schema.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            there = [name for name in _KEPT.columns if name in file.schema_arrow.names]
            table = file.read(there).to_pandas()
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    try:
        return _KEPT.validate(table, lazy=True)
    except pa.errors.SchemaErrors as error:
        raise table_error(error, _KEPT, str(path)) from None


def _unreadable(path, error):
    return ReadError(
        f"not readable as a Parquet file: {error}", place=str(path),
        cure="save or copy the file again",
    )  # fmt: skip
