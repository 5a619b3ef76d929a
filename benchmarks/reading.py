"""How long a million rows of pairs take to read, and how much memory.

    python -m benchmarks.reading [ROWS]

Writes JSON lines with winner_ab and winner_ba and a reply of about 600 characters for each, reads
them as a verdict table in a process of its own, and prints seconds and the most memory it had.
"""

import json
import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

REPLY = "Assistant A explains the steps, assistant B gives the result only. " * 9 + "[[A]]"


def write(path, rows):
    """Write rows: 2,000 questions, the pairs of 25 models, one judge after the other."""
    labels = ("A", "B", "tie", "error")
    names = [(f"model-{i}", f"model-{j}") for i in range(25) for j in range(i)]
    with path.open("w") as file:
        for number in range(rows):
            question, rest = number % 2000, number // 2000
            first, second = names[rest % len(names)]
            row = {
                "question_id": question, "model_a": first, "model_b": second,
                "judge_id": f"judge-{rest // len(names)}", "category": f"task-{question % 8}",
                "winner_ab": labels[number % 7 % 4], "winner_ba": labels[number % 5 % 4],
                "judgment_ab": REPLY, "judgment_ba": REPLY, "turn": 2, "tstamp": 1.5,
            }  # fmt: skip
            file.write(json.dumps(row) + "\n")


def measure(path, results):
    """Read the file and send (verdicts, seconds, MB)."""
    from posbias_kit.data import read_verdicts

    start = time.perf_counter()
    verdicts = read_verdicts("swap_columns", path)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results.put((len(verdicts), seconds, memory))


def main(rows=1_000_000):
    """Print the figures."""
    context = get_context("spawn")
    results = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        write(path, rows)
        size = path.stat().st_size / 1e9
        process = context.Process(target=measure, args=(path, results))
        process.start()
        verdicts, seconds, memory = results.get()
        process.join()
    print(f"{rows:,} rows, {size:.2f} GB: {verdicts:,} verdicts, {seconds:.1f} s, {memory:,.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
