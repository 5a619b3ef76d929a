"""How long the metrics of notebook 03 take on a table of verdicts, and how much memory.

    python -m benchmarks.metrics [VERDICTS ...]

One line a size: seconds (the best of three) and the growth of the process' peak memory while
the metrics run. `position_bias` includes CR2 intervals and 2,000 bootstrap draws.
"""

import resource
import sys
import time

from benchmarks.tables import synthetic_verdicts
from posbias_kit import analysis

METRICS = {
    "position_bias": lambda table: analysis.position_bias(table),
    "without intervals": lambda table: analysis.position_bias(table, draws=0),
    "repetition_stability": lambda table: analysis.repetition_stability(table),
    "verdict_counts": lambda table: analysis.verdict_counts(table),
}


def peak():
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def best_of_three(function, table):
    """Return the shortest of three runs in seconds."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        function(table)
        times.append(time.perf_counter() - start)
    return min(times)


def main(sizes):
    print(f"{'verdicts':>12} {'metric':<22} {'seconds':>8} {'MB added':>9}")
    for size in sizes:
        table = synthetic_verdicts(size)
        analysis.position_bias(table.head(1000))  # imports and caches are not what is measured
        before, total = peak(), 0.0
        for name, function in METRICS.items():
            seconds = best_of_three(function, table)
            total += seconds if name != "without intervals" else 0
            print(f"{len(table):>12,} {name:<22} {seconds:>8.3f} {peak() - before:>9.0f}")
        print(f"{len(table):>12,} {'all tables':<22} {total:>8.3f} {peak() - before:>9.0f}")
        print(f"{'':>12} whole process {peak():,.0f} MB")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [150_000])
