"""The tables of verdicts beyond memory, from sums over questions, partition by partition."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from posbias_kit.analysis._codes import number_groups
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.position import estimate_bias
from posbias_kit.analysis.position_sums import sum_series
from posbias_kit.analysis.series import group_verdicts
from posbias_kit.analysis.stability import StabilitySums, estimate_stability, sum_presentations
from posbias_kit.analysis.verdict_counts import count_verdicts, share_counts
from posbias_kit.cluster import spread
from posbias_kit.data.partitions import find_partitions, read_partition
from posbias_kit.errors import TableError

_SPLIT = ("arm", "slots")
"""Never pooled, so that each partition is counted by them; they are told where they differ."""


class PartitionTables(NamedTuple):
    """The tables of a partitioned verdict table."""

    position_bias: pd.DataFrame
    """As :func:`posbias_kit.analysis.position_bias` returns it."""
    repetition_stability: pd.DataFrame
    """As :func:`posbias_kit.analysis.repetition_stability` returns it."""
    verdict_counts: pd.DataFrame
    """As :func:`posbias_kit.analysis.verdict_counts` returns it, by order beside the groups."""


class PartitionSums(NamedTuple):
    """What one partition adds to the tables."""

    series: pd.DataFrame
    stability: StabilitySums
    counts: pd.DataFrame
    questions: pd.DataFrame
    """benchmark and question, each once."""


def partition_tables(path, by=("judge",), convention="paper", draws=2000, level=0.95, seed=0):
    """Measure bias and stability, and count verdicts, of a table that memory does not hold.

    Every number rests on sums over clusters, and these add: each partition is read, summed and
    forgotten, and the tables are estimated once from the sums of all. They are those that
    :func:`posbias_kit.analysis.position_bias`, :func:`posbias_kit.analysis.repetition_stability`
    and :func:`posbias_kit.analysis.verdict_counts` give for the whole table in memory, because
    these take the same two steps. Memory is needed for one partition, and for one row a group
    and cluster. Within :func:`posbias_kit.cluster.workers` the partitions go to the workers,
    which must see the folder under the same path.

    Parameters
    ----------
    path : str or Path
        Folder of Parquet files, as :func:`posbias_kit.data.partition_verdicts` writes it, or one
        such file: the columns of the verdict table (shown, reason and margin are not read), and
        no question in two files.
    by : sequence of str
        Grouping columns after benchmark and experiment, of all three tables.
    convention, draws, level, seed
        As for the three functions.

    Returns
    -------
    PartitionTables

    Raises
    ------
    ReadError
        A file or folder is missing or not readable.
    TableError
        A file breaks the schema, or a question lies in two files.
    ParamsError
        As for the three functions.

    Examples
    --------
    >>> import tempfile
    >>> from posbias_kit.data import build_verdicts, partition_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": list("ppqqrr"), "repeat": 1,
    ...     "shown": [("a", "b"), ("b", "a")] * 3, "status": "ok",
    ...     "choice": pd.array([1, 2, 1, 1, 2, 1], dtype="Int64")}))
    >>> with tempfile.TemporaryDirectory() as name:
    ...     files = partition_verdicts(verdicts, Path(name, "cut"), partitions=2)
    ...     tables = partition_tables(Path(name, "cut"), draws=0)
    >>> tables.position_bias[["judge", "complete", "pc", "pf"]].round(3).values.tolist()
    [['j', 3, 0.667, -0.333]]
    """
    by = [by] if isinstance(by, str) else list(by)
    check_settings("partition_tables", draws=draws, level=level, seed=seed)
    estimate_bias(None, by, convention)  # refuses an unknown convention before hours of reading
    files = find_partitions(path)
    parts = spread(partial(sum_partition, by=by), [(file,) for file in files])
    _refuse_shared(files, [part.questions for part in parts])
    widest = max((part.counts.columns for part in parts), key=len)  # slots of the largest set
    counts = _add([part.counts for part in parts])[widest].astype("int64")
    same = [name for name in _SPLIT if name not in by and counts.index.unique(name).size < 2]
    series = _add([part.series for part in parts], same)
    clusters = _add([part.stability.clusters for part in parts], same)
    modal = _add([part.stability.spread for part in parts], same)
    keys = list(series.index.names[:-1])
    settings = {"draws": draws, "level": level, "seed": seed}
    return PartitionTables(
        estimate_bias(series if len(series) else None, keys, convention, **settings),
        estimate_stability(StabilitySums(clusters, modal), **settings),
        share_counts(_add([counts], same)),
    )


def sum_partition(path, by):
    """Read one partition and count what the tables need of it.

    Parameters
    ----------
    path : str or Path
    by : sequence of str

    Returns
    -------
    PartitionSums
    """
    try:
        verdicts = read_partition(path)
        group_verdicts(verdicts, by, keys=False)
        keys = list(dict.fromkeys(["benchmark", "experiment", *by, *_SPLIT]))
        place = ["benchmark", "question"]
        return PartitionSums(
            sum_series(verdicts, keys),
            sum_presentations(verdicts, keys),
            count_verdicts(verdicts, [*keys, "order"]),
            verdicts[place].iloc[number_groups(verdicts, place)[1]],
        )
    except TableError as error:
        if str(path) in error.place:
            raise
        raise TableError(
            error.problem, place=f"{path}, {error.place}", allowed=error.allowed, cure=error.cure
        ) from None


def _add(parts, same=()):
    """Add sums of the same groups up; levels in `same` are left out."""
    whole = pd.concat(parts).droplevel(list(same))
    return whole.groupby(level=list(whole.index.names), observed=True).sum()


def _refuse_shared(files, questions):
    """Refuse a question that lies in two partitions: its series might be torn."""
    whole = pd.concat(questions, keys=range(len(files)), names=["file"])
    twice = whole.duplicated()
    if twice.any():
        first = whole[twice].iloc[0]
        held = whole[(whole == first).all(axis=1)].index.get_level_values("file")
        names = " and ".join(Path(files[number]).name for number in held[:2])
        raise TableError(
            f"question {first['question']!r} of benchmark {first['benchmark']!r} lies in {names}; "
            f"{int(twice.sum())} questions lie in several files",
            place=str(Path(files[0]).parent),
            allowed="each question in one file",
            cure="cut the table by partition_verdicts",
        )
