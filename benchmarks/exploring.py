"""How long a choice in an interactive cell takes, from the change to figure and table.

    python -m benchmarks.exploring PATH [CHANGES]

PATH is the folder of the seed paper's released files. Every view is shown on its MTBench
judgments, one setting is changed again and again, and the median of the changes (21 unless
stated otherwise) is printed by the clock and on the processor; the two differ where other work
shares the core. Asked for are 0.3 s for the forest plot and 0.8 s for the heat map.
"""

import os
import sys
import time

import numpy as np

os.environ.setdefault("MPLBACKEND", "Agg")

from posbias_kit import analysis, report
from posbias_kit.data import read_verdicts
from posbias_kit.report import style
from posbias_kit.report.exploring import Explorer

CONVENTIONS = ["paper", "tie"]


def explorers(verdicts):
    """Yield name, explorer, and the setting to change with its two values."""
    for name in ("consistency", "consistency by task"):
        choices = {"convention": CONVENTIONS, "figure": [name]}
        yield name, Explorer(report.view_bias, verdicts, choices=choices), "convention"
    full = analysis.choose_experiment(verdicts)
    choices = {"gap_source": ["own", "other_judges"], "response": ["pc"]}
    yield "quality gap", Explorer(report.view_gap, full, (None,), choices), "gap_source"
    choices = {"ties": [True, False]}
    panel = analysis.choose_experiment(verdicts, "repetition")
    yield "agreement", Explorer(report.view_agreement, panel, ({},), choices), "ties"
    choices = {"by": ["judge", "judge and task"]}
    yield "order effect", Explorer(report.view_order, verdicts, choices=choices), "by"


def medians(explorer, setting, changes):
    """Return the median wall and processor seconds of a change."""
    control, times = explorer.settings[setting], []
    first, second = (value for _, value in control.options)
    for number in range(changes):
        start = time.perf_counter(), time.process_time()
        control.value = first if number % 2 else second
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
        assert explorer.table is not None, explorer.figure.value
    return np.median(times, axis=0)


def main(path, changes=21):
    style.apply()
    verdicts = read_verdicts("paper", path, benchmark="MTBench")
    print(f"{len(verdicts):,} verdicts, {verdicts['judge'].nunique()} judges")
    for name, explorer, setting in explorers(verdicts):
        wall, processor = medians(explorer, setting, int(changes))
        print(f"{name:<20} {wall:6.3f} s  {processor:6.3f} s on the processor")


if __name__ == "__main__":
    main(*sys.argv[1:])
