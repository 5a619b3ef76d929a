"""A day of judging in miniature: is anything lost or doubled, and does the memory stay flat?

    python -m benchmarks.long_run [--calls 200000] [--share 0.05] [--flying 64]

A server in a process of its own answers at once; a share of the prompts meets a fault of every
sort: limits, errors, replies cut short or never sent, empty ones, refusals. Prints the memory of
the first and last tenth of the calls, what was lost and double, and the calls a second. Exits with
an error where a call is lost or double, or the memory grows by more than 5%.
"""

import argparse
import statistics
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from benchmarks.runner import memory, serve
from posbias_kit.judging.log_table import iterate_log
from posbias_kit.judging.progress import Progress

LIMITS = {"first_wait": 0.01, "timeout": 2.0, "failures_in_a_row": 1000}
GROWTH = 0.05
"""The memory of the last tenth may be so much above that of the first."""


def watch(every):
    """Note the memory after every so many replies; return the notes and what undoes it."""
    show, notes, count = Progress.show, [], [0]

    def watched(self, tally, spent):
        count[0] += 1
        if count[0] % every == 0:
            notes.append(memory())
        show(self, tally, spent)

    Progress.show = watched
    return notes, lambda: setattr(Progress, "show", show)


def tally(log, calls):
    """Return how many calls have no attempt, two replies, or no reply after all attempts."""
    seen, replies, kinds = set(), Counter(), Counter()
    for row in iterate_log(log):
        seen.add(row["call"])
        replies[row["call"]] += row["status"] != "failed"
        kinds[row["reason"] or "ok"] += 1
    lost = calls - len(seen)
    return lost, sum(count > 1 for count in replies.values()), kinds


def main():
    from live_studies import judge, live, tables  # which benchmarks.runner makes importable

    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=200_000)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--flying", type=int, default=64)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process, url = serve(folder, 0.0, given.share)
        study = tables(given.calls // 2)
        notes, undo = watch(max(given.calls // 1000, 1))
        began = time.monotonic()
        limits = LIMITS | {"concurrency": given.flying}
        verdicts = judge(live(url, limits=limits), study, folder / "run")
        seconds = time.monotonic() - began
        undo()
        process.kill()
        lost, double, kinds = tally(folder / "run" / "judgments.sqlite", given.calls)
    tenth = max(len(notes) // 10, 1)
    first, last = statistics.median(notes[:tenth]), statistics.median(notes[-tenth:])
    print(f"{'calls':>10}{'attempts':>10}{'lost':>6}{'double':>8}{'calls/s':>9}"
          f"{'first tenth':>13}{'last tenth':>12}{'growth':>8}")  # fmt: skip
    print(f"{given.calls:10,}{kinds.total():10,}{lost:6}{double:8}{given.calls / seconds:9.0f}"
          f"{first:9.0f} MiB{last:8.0f} MiB{last / first - 1:8.1%}")  # fmt: skip
    print(", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common()))
    assert len(verdicts) == given.calls
    assert (lost, double) == (0, 0), "a call is lost or double"
    assert last <= (1 + GROWTH) * first, "memory grows with the calls"


if __name__ == "__main__":
    main()
