"""How seconds and memory grow with the table, and a table beyond memory by partitions.

    python -m benchmarks.size [MILLIONS ...]

By default 1, 3, 10, 30 and 100 million verdicts: position bias, repetition stability and verdict
counts from a folder of Parquet files of half a million verdicts or so, each question in one, with
2,000 bootstrap draws. A table is written partition by partition and is gone after its turn. Each
size has a process of its own; memory is the peak of that process, imports included. Printed is the
growth exponent of seconds: the slope of log seconds on log verdicts, 1 is linear.
"""

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.metrics import alone
from benchmarks.rows import Row, as_table
from benchmarks.tables import synthetic_verdicts

MILLIONS = (1, 3, 10, 30, 100)
ROWS = 500_000
"""Verdicts in a partition, or so."""
_NAMED = ["question", "cluster", "comparison"]


def write(rows, folder):
    """Write so many verdicts: the questions of each partition bear its number."""
    for number in range(max(rows // ROWS, 1)):
        table = synthetic_verdicts(min(rows, ROWS), seed=number)
        table[_NAMED] = table[_NAMED] + f"-{number}"
        table.to_parquet(Path(folder) / f"part-{number:05}.parquet", index=False)


def measure_folder(folder):
    """Return verdicts, seconds and GB of the three tables."""
    from posbias_kit.analysis import partition_tables

    began = time.perf_counter()
    tables = partition_tables(folder)
    seconds = time.perf_counter() - began
    counts = tables.verdict_counts
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return int(counts["asked"].sum()), seconds, memory


def sizes(millions=MILLIONS):
    """Return one row a size: verdicts, seconds, gb."""
    found = []
    for size in millions:
        with tempfile.TemporaryDirectory() as folder:
            rows = int(size * 1e6)
            free = shutil.disk_usage(folder).free
            assert free > rows * 40, f"{free / 1e9:.0f} GB are too little for {rows:,} verdicts"
            alone(write, rows, folder)
            found.append(alone(measure_folder, folder))
        print("{:,} verdicts: {:.1f} s, {:.2f} GB".format(*found[-1]), file=sys.stderr, flush=True)
    return pd.DataFrame(found, columns=["verdicts", "seconds", "gb"])


def exponent(table):
    """Return the slope of log seconds on log verdicts."""
    return float(np.polyfit(np.log(table["verdicts"]), np.log(table["seconds"]), 1)[0])


def draw(table, path):
    """Draw seconds and memory against verdicts."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from posbias_kit.report import style

    style.apply()
    figure, axes = plt.subplots(1, 2, figsize=(style.WIDTH, 2.8))
    fitted = np.polyfit(np.log(table["verdicts"]), np.log(table["seconds"]), 1)
    for ax, name, label in zip(axes, ("seconds", "gb"), ("Seconds", "Memory, GB"), strict=True):
        ax.plot(table["verdicts"] / 1e6, table[name], "o", color=style.ACCENT)
        ax.set(xscale="log", xlabel="Verdicts, millions", title=label)
        ax.set_xticks(table["verdicts"] / 1e6, [f"{size / 1e6:.3g}" for size in table["verdicts"]])
        ax.minorticks_off()
    axes[0].plot(table["verdicts"] / 1e6, np.exp(np.polyval(fitted, np.log(table["verdicts"]))),
                 color=style.QUIET, zorder=0)  # fmt: skip
    axes[0].set(yscale="log")
    axes[0].annotate(f"exponent {fitted[0]:.2f}", (0.06, 0.85), xycoords="axes fraction")
    axes[1].axhline(6, color=style.QUIET, linestyle="--")
    axes[1].annotate("allowed", (0.06, 6.1), xycoords=("axes fraction", "data"))
    axes[1].set_ylim(0, 7)
    figure.savefig(path)
    plt.close(figure)


def rows(table):
    """Return the rows of the table of benchmarks."""
    last = table.iloc[-1]
    name = f"{last['verdicts'] / 1e6:.0f} million verdicts by partitions"
    return [
        Row(f"{name}, memory", last["gb"], "GB", most=6.0),
        Row(f"{name}, time", last["seconds"], "s",
            beside=f"{last['seconds'] / last['verdicts'] * 1e6:.2f} s a million"),
        Row("growth exponent of seconds", exponent(table), most=1.1,
            beside=f"over {len(table)} sizes from {table['verdicts'].iloc[0] / 1e6:.0f} million"),
    ]  # fmt: skip


def main(millions):
    table = sizes(millions or MILLIONS)
    print(table.round(2).to_string(index=False))
    print(as_table(rows(table)))


if __name__ == "__main__":
    main([float(size) for size in sys.argv[1:]])
