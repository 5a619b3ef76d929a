"""How long the metrics of notebook 03 take on a stored table of verdicts, and how much memory.

    python -m benchmarks.metrics [VERDICTS ...]

Each size is measured in a process of its own on one core, which reads the table from Parquet as
the notebooks do, and has the environment of their kernels. Seconds are the best of three runs, or
of one run from two million verdicts on, by the clock and on the processor (the two differ where
other work shares the core); memory is the peak of the whole process so far, imports and table
included. `position_bias` gives PC, PF
and the kinds with CR2 intervals and 2,000 bootstrap draws. With several sizes the growth exponent
of each metric is printed: 1 is linear.
"""

import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.rows import Row
from benchmarks.tables import synthetic_verdicts
from posbias_kit import analysis
from posbias_kit.report.kernels import KEEP_MEMORY

CONVENTIONS = ("paper", "tie", "decisive", "half")
METRICS = {
    "position_bias": lambda table: analysis.position_bias(table),
    "  without intervals": lambda table: analysis.position_bias(table, draws=0),
    "  under 4 conventions": lambda table: analysis.position_bias(table, convention=CONVENTIONS),
    "repetition_stability": lambda table: analysis.repetition_stability(table),
    "verdict_counts": lambda table: analysis.verdict_counts(table),
}

TABLES = ["position_bias", "repetition_stability", "verdict_counts"]


def peak():
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(function, *arguments, runs=1):
    """Return the result, and the shortest wall and processor seconds of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter(), time.process_time()
        result = function(*arguments)
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return result, *np.min(times, axis=0)


def write(size, path):
    synthetic_verdicts(size).to_parquet(path, index=False)


def measure(path):
    """Return wall seconds, processor seconds and peak MB so far of each step."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = {"imports": (np.nan, np.nan, peak())}
    table, *taken = timed(pd.read_parquet, path)
    found["read the table"] = (*taken, peak())
    analysis.position_bias(table.head(1000))  # first-call costs are not what is measured
    for name, function in METRICS.items():
        _, *taken = timed(function, table, runs=3 if len(table) < 2e6 else 1)
        found[name] = (*taken, peak())
    rows = pd.DataFrame.from_dict(found, orient="index", columns=["seconds", "cpu", "peak_mb"])
    rows.loc["the three tables"] = rows.loc[TABLES].agg(
        {"seconds": "sum", "cpu": "sum", "peak_mb": "max"}
    )
    return rows


def alone(function, *arguments, environment=()):
    """Run a function in a new process, so that no other table counts in its memory."""
    with (
        patch.dict(os.environ, environment),
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
    ):
        return pool.submit(function, *arguments).result()


def measure_size(size):
    """Measure a table of so many verdicts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{size}.parquet"
        alone(write, size, path)
        return alone(measure, path, environment=KEEP_MEMORY)


def rows(size=10_000_000):
    """Return the rows of the table of benchmarks."""
    found = measure_size(size)
    whole, read = found.loc["the three tables"], found.loc["read the table"]
    told = ", ".join(f"{name} {found.loc[name, 'seconds']:.1f} s" for name in TABLES)
    return [
        Row(f"{size / 1e6:.0f} million verdicts, three tables", whole["seconds"], "s", most=20,
            beside=f"{told}; reading {read['seconds']:.1f} s"),
        Row("the same, memory", whole["peak_mb"] / 1024, "GB", most=4,
            beside=f"{read['peak_mb'] / 1024:.1f} GB when the table is read"),
    ]  # fmt: skip


def main(sizes):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    results = {}
    for size in sizes:
        results[size] = measure_size(size)
        print(f"{size:,} verdicts", results[size].round(3).to_string(), "", sep="\n", flush=True)
    few, many = min(sizes), max(sizes)
    if few < many:
        grown = results[many][["seconds", "cpu"]] / results[few][["seconds", "cpu"]]
        growth = np.log(grown.dropna()) / np.log(many / few)
        print(f"growth exponent from {few:,} to {many:,} verdicts", growth.round(2), sep="\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [150_000])
