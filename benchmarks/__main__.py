"""Every benchmark with a target, as one table.

    python -m benchmarks [--only judging,memory,size,pipeline,cluster] [--write]

Each part runs in a process of its own, one after the other; where there is something to compare
with, both sides are measured in the same run. The table goes to the terminal and, as JSON, into
outputs/benchmarks.json; with --write also into docs/benchmarks.json, docs/benchmarks.md and
docs/benchmarks_size.svg. A part that is not asked for keeps its rows there. The whole takes about
25 minutes on 2 cores, 3 GB of disk for a moment, and 4 GB of memory. The process exits with an
error where a target is missed.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import pandas as pd

from benchmarks import metrics, pipeline, runner, sharing, size
from benchmarks.metrics import alone
from benchmarks.rows import Row, as_table, describe_machine

ROOT = Path(__file__).parents[1]
PARTS = {
    "judging": "Asking judges",
    "memory": "Analysis in memory",
    "size": "Analysis beyond memory",
    "pipeline": "Notebooks and pages",
    "cluster": "Past one process",
}


def measure(part):
    """Return what a part's rows and, for sizes, its points are, as JSON keeps them."""
    return {"load": round(os.getloadavg()[0], 1), **_measure(part)}


def _measure(part):
    if part == "size":
        table = size.sizes()
        points = table.to_dict("records")
        return {"rows": [row.told() for row in size.rows(table)], "points": points}
    function = {
        "judging": runner.measure,
        "memory": metrics.rows,
        "pipeline": pipeline.measure,
        "cluster": sharing.measure,
    }
    inner = function[part] if part == "memory" else lambda: alone(function[part])
    return {"rows": [row.told() for row in inner()]}


def page(found):
    """Return the page of the documents that tells what was found."""
    head = (ROOT / "benchmarks" / "page.md").read_text("utf-8")
    machine = found["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    told = (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB of memory, "
        f"{machine['system']}, Python {machine['python']}; {versions}."
    )
    parts = [
        f"## {title}\n\n{as_table(_rows(found, part))}\n{_load(found['parts'][part])}"
        for part, title in PARTS.items()
        if part in found["parts"]
    ]
    return head.replace("{machine}", told).replace("{tables}", "\n".join(parts))


def _load(part):
    return f"\nLoad of the machine when it began: {part['load']}.\n" if "load" in part else ""


def _rows(found, part):
    told = found["parts"][part]["rows"]
    return [Row(**{name: row[name] for name in Row.__dataclass_fields__}) for row in told]


def keep(found, write):
    """Write JSON into outputs/, and where asked for JSON, page and figure into docs/."""
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (ROOT / "outputs" / "benchmarks.json").write_text(text, encoding="utf-8")
    if not write:
        return
    docs = ROOT / "docs"
    (docs / "benchmarks.json").write_text(text, encoding="utf-8")
    (docs / "benchmarks.md").write_text(page(found), encoding="utf-8")
    if "size" in found["parts"]:
        points = pd.DataFrame(found["parts"]["size"]["points"])
        size.draw(points, docs / "benchmarks_size.svg")


def main():
    """Measure, print and keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    kept = ROOT / ("docs" if given.write else "outputs") / "benchmarks.json"
    earlier = json.loads(kept.read_text("utf-8"))["parts"] if kept.is_file() else {}
    found = {"machine": describe_machine(), "parts": earlier}
    for part in given.only.split(","):
        found["parts"][part] = measure(part)
        print(f"\n{PARTS[part]}\n\n{as_table(_rows(found, part))}", flush=True)
        keep(found, given.write)  # at once: the next part may fail
    missed = [row for part in given.only.split(",") for row in _rows(found, part)
              if row.met == "no"]  # fmt: skip
    sys.exit(f"{len(missed)} targets are missed" if missed else 0)


if __name__ == "__main__":
    main()
