"""Write a run's judgments into one Parquet file that `recorded` judges replay.

    python -m benchmarks.recording outputs/record_local posbias_kit/data/recordings/starter.parquet

A row is a verdict, as in verdicts.parquet, with what the log keeps of its call: settings as
sent, reply and body as they came, log-probabilities, tokens, seconds, the model that answered.
"""

import sys
from pathlib import Path

import pandas as pd

from posbias_kit.judging.log_table import read_log
from posbias_kit.schema import PRESENTATION_KEY

KEPT = [
    "template", "prompt_digest", "format", "options", "sent", "raw", "body", "logprobs",
    "stop_reason", "input_tokens", "output_tokens", "latency", "model", "time",
]  # fmt: skip
KEY = ["judge", *PRESENTATION_KEY, "repeat"]


def main(folder, output):
    """Join verdicts and log, and write them."""
    verdicts = pd.read_parquet(Path(folder) / "verdicts.parquet")
    log = read_log(Path(folder) / "judgments.sqlite")
    log = log.rename(columns={"raw": "body", "text": "raw"})
    last = log[log["status"] != "failed"].drop_duplicates(KEY, keep="last")
    table = verdicts.merge(last[[*KEY, *KEPT]], on=KEY, how="left", validate="1:1")
    # Repeats of one prompt side by side compress to little more than one of them.
    table = table.sort_values(KEY, ignore_index=True)
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(output, index=False, compression="zstd", compression_level=19)
    print(f"{output}: {len(table)} verdicts, {Path(output).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
