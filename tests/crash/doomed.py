"""A nursery of processes that are to be killed: ``doomed.py``, one job a line on its input.

It imports everything once and forks for each job, so that a kill costs a fraction of a second. For
a line ``["judge", URL, FOLDER, PAIRS]`` it prints the new process's id, and how the process ended
as soon as it has.
"""

import asyncio
import json
import os
import sys
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "judging")]

import live_studies  # noqa: E402
import openai  # noqa: E402, F401, what a first call would wait for
import papermill  # noqa: E402, F401
from log_rows import attempt_row  # noqa: E402

from posbias_kit.judging.log import JudgmentLog  # noqa: E402
from posbias_kit.report import run_study  # noqa: E402
from posbias_kit.report.judgments import export_judgments  # noqa: E402

PAIRS = 30
TABLES = {}
"""Studies made beforehand, by their number of pairs."""
LIMITS = {"concurrency": 8, "first_wait": 0.01, "timeout": 30.0}


def judge(url, folder, pairs):
    """Judge a study, and note each attempt that the log has acknowledged."""
    add = JudgmentLog.add

    async def noted(self, row):
        await add(self, row)
        _note(folder, f"{row['call']} {row['attempt']}")

    JudgmentLog.add = noted
    told = live_studies.live(url, limits=LIMITS)
    study = TABLES.get(pairs) or live_studies.tables(pairs)
    verdicts = live_studies.judge(told, study, Path(folder))
    verdicts.to_parquet(Path(folder) / "verdicts.parquet")


def write_log(folder, count):
    """Write the rows that the log lacks, a few at a time, and note those acknowledged."""

    async def add(log, number):
        await log.add(attempt_row(f"c{number}"))
        _note(folder, f"c{number} 1")

    async def write(log):
        there = log.states()
        for start in range(0, count, 5):
            wanted = [n for n in range(start, start + 5) if f"c{n}" not in there]
            await asyncio.gather(*(add(log, number) for number in wanted))

    with JudgmentLog(Path(folder) / "judgments.sqlite") as log:
        asyncio.run(write(log))


def run_stage(folder, study):
    """Run the first stage of a study in a project folder."""
    os.chdir(folder)
    run_study(study, only="data_preparation", progress=False)


def export(folder, kind):
    """Export the log of the run called `run`."""
    os.chdir(folder)
    export_judgments("run", kind)


def _note(folder, text):
    # One write to a file opened for appending is whole once it returns, whoever is killed then.
    file = os.open(Path(folder) / "acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{text}\n".encode())
    os.close(file)


JOBS = {"judge": judge, "log": write_log, "stage": run_stage, "export": export}


def main():
    """Fork for each line of the input."""
    warnings.simplefilter("ignore")
    TABLES[PAIRS] = live_studies.tables(PAIRS)
    for line in sys.stdin:
        name, *given = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                JOBS[name](*given)
                os._exit(0)
            except BaseException as error:
                sys.stderr.write(f"{name}: {error!r}\n")
                os._exit(1)
        print(child, flush=True)  # noqa: T201
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
