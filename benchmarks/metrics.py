"""How long the metrics of notebook 03 take on a stored table of verdicts, and how much memory.

    python -m benchmarks.metrics [VERDICTS ...]

Each size is measured in a process of its own on one core, which reads the table from Parquet as
the notebooks do. Seconds are the best of three runs, or of one run from two million verdicts on;
memory is the peak of the whole process, imports and table included. `position_bias` gives PC, PF
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

import numpy as np
import pandas as pd

from benchmarks.tables import synthetic_verdicts
from posbias_kit import analysis

CONVENTIONS = ("paper", "tie", "decisive", "half")
METRICS = {
    "position_bias": lambda table: analysis.position_bias(table),
    "  without intervals": lambda table: analysis.position_bias(table, draws=0),
    "  under 4 conventions": lambda table: analysis.position_bias(table, convention=CONVENTIONS),
    "repetition_stability": lambda table: analysis.repetition_stability(table),
    "verdict_counts": lambda table: analysis.verdict_counts(table),
}


def peak():
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds(function, *arguments, runs=1):
    """Return the shortest wall time of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def write(size, path):
    synthetic_verdicts(size).to_parquet(path, index=False)


def measure(path):
    """Return (metric, seconds, peak MB so far) of each step, in a fresh process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = [("imports", np.nan, peak())]
    start = time.perf_counter()
    table = pd.read_parquet(path)
    found.append(("read the table", time.perf_counter() - start, peak()))
    analysis.position_bias(table.head(1000))  # first-call costs are not what is measured
    for name, function in METRICS.items():
        taken = seconds(function, table, runs=3 if len(table) < 2e6 else 1)
        found.append((name, taken, peak()))
    total = sum(taken for name, taken, _ in found[2:] if not name.startswith(" "))
    return [*found, ("the three tables", total, peak())]


def alone(function, *arguments):
    """Run a function in a new process, so that no other table counts in its memory."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def main(sizes):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.parquet"
            alone(write, size, path)
            results[size] = alone(measure, path)
            print(f"{size:,} verdicts\n{'':24}{'seconds':>9}{'peak MB':>9}")
            for name, taken, memory in results[size]:
                print(f"{name:24}{taken:9.3f}{memory:9.0f}")
    if len(sizes) > 1:
        print(f"\ngrowth exponent from {min(sizes):,} to {max(sizes):,} verdicts")
        times = pd.DataFrame({s: {n: t for n, t, _ in rows} for s, rows in results.items()})
        growth = np.log(times[max(sizes)] / times[min(sizes)]) / np.log(max(sizes) / min(sizes))
        print(growth.dropna().round(2).to_string())


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [150_000])
