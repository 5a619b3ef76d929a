"""A server on loopback that answers so many requests a second and refuses what is beyond.

    python -m benchmarks.limited_server PORT_FILE REQUESTS

A bucket holds one second's worth and fills evenly; a request that finds it empty gets status 429
and the time to wait.
"""

import sys
import threading
import time
from pathlib import Path

from benchmarks.runner import TESTS

sys.path.insert(0, str(TESTS))

from fault_server import FaultServer, Meeting, verdict


class Bucket:
    """Holds at most `rate` requests, and gets as many a second."""

    def __init__(self, rate):
        self.rate, self.held, self.seen = rate, float(rate), time.monotonic()

    def take(self):
        """Take one out, if there is one."""
        now = time.monotonic()
        self.held = min(self.rate, self.held + (now - self.seen) * self.rate)
        self.seen = now
        self.held -= (there := self.held >= 1)
        return there


def limited(rate):
    """Return a script that refuses what finds the bucket empty."""
    bucket = Bucket(rate)

    def script(key, attempt, body):
        if bucket.take():
            return Meeting(text=verdict(key))
        return Meeting("http_429", options={"retry_after": str(1 / rate)})

    return script


def main(port_file, rate):
    """Serve until the process is ended."""
    with FaultServer(limited(int(rate))) as server:
        written = Path(port_file).with_suffix(".part")
        written.write_text(str(server.port), encoding="utf-8")
        written.replace(port_file)
        threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
