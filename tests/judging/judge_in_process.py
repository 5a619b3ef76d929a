"""Judge a study of so many pairs in this process: ``judge_in_process.py URL FOLDER PAIRS``."""

import json
import signal
import sys
import warnings
from pathlib import Path

from live_studies import judge, live, tables

# A job in the background starts with the interrupt ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


def main():
    """Judge, and write the verdict table; further settings of the judge as JSON."""
    url, folder, pairs, *more = sys.argv[1:]
    warnings.simplefilter("ignore")
    settings = json.loads(more[0]) if more else {}
    limits = {"concurrency": 64, "first_wait": 0.01} | settings.pop("limits", {})
    verdicts = judge(live(url, limits=limits, **settings), tables(int(pairs)), Path(folder))
    verdicts.to_parquet(Path(folder) / "verdicts.parquet")


if __name__ == "__main__":
    main()
