"""The test's side of the nursery: start a process, kill it at a random instant, count."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

KILLS = int(os.environ.get("POSBIAS_KILLS", "20"))
"""How many kills in all; `make crash` asks for 200."""
SHARES = {"judging run": 0.4, "log write": 0.3, "notebook stage": 0.1, "export": 0.2}


@dataclass
class Row:
    """What one kind of job showed."""

    kills: int = 0
    lost: int = 0
    double: int = 0
    asked_again: list = field(default_factory=lambda: [0])
    """Calls asked again after each kill."""


def kills_of(kind):
    """Return how many kills a kind of job gets, at least one."""
    return max(round(KILLS * SHARES[kind]), 1)


def table(rows):
    """Return the rows as the text of a table."""
    head = f"{'killed in a':16}{'kills':>7}{'lost':>7}{'double':>8}{'re-asked':>10}{'at most':>9}"
    lines = [
        f"{kind:16}{row.kills:7}{row.lost:7}{row.double:8}"
        f"{sum(row.asked_again):10}{max(row.asked_again):9}"
        for kind, row in rows.items()
    ]
    return "\n".join(["", head, *lines])


class Instants:
    """Random instants of a job's run; their span follows how long the job really takes.

    Parameters
    ----------
    chance : random.Random
    seconds : float
        The span to begin with.
    """

    def __init__(self, chance, seconds):
        self.chance, self.seconds = chance, seconds

    def draw(self):
        """Return how long to wait, in seconds."""
        return self.chance.uniform(0, self.seconds)

    def adapt(self, hit):
        """Shorten the span where the job had ended before, lengthen it where it had not."""
        self.seconds *= 1.15 if hit else 0.6


class Nursery:
    """A process that forks one child a job; `with Nursery() as nursery`."""

    def __enter__(self):
        tests = Path(__file__).parents[1]
        environment = os.environ | {"PYTHONPATH": str(tests.parent)}
        environment.pop("MPLBACKEND", None)
        self._process = subprocess.Popen(
            [sys.executable, str(tests / "crash" / "doomed.py")], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def start(self, *job):
        """Start a job and return its process id."""
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def finish(self, *job):
        """Run a job to its end, and return how long that took in seconds."""
        began = time.monotonic()
        self.start(*job)
        assert int(self._process.stdout.readline()) == 0
        return time.monotonic() - began

    def kill(self, instants, *job):
        """Kill a job and all that it has started at an instant; return whether it still ran."""
        number = self.start(*job)
        timer = threading.Timer(instants.draw(), _kill, [number])
        timer.start()
        code = int(self._process.stdout.readline())
        timer.cancel()
        timer.join()
        assert code in (0, -signal.SIGKILL), f"the job ended with {code}"
        instants.adapt(hit=code != 0)
        return code != 0


def _kill(number):
    try:
        doomed = psutil.Process(number)
        family = [doomed, *doomed.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for process in family:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
