"""How fast does the runner ask, what does a call cost, and does its memory stay flat?

    python -m benchmarks.runner [--calls 3200] [--rounds 3] [--memory 20000] [--limited 1500]

A server in a process of its own answers after 200 ms, then at once, and 64 calls are in flight.
The bare SDK and the runner take turns against the same server; the runner writes every attempt
through to the disk meanwhile. Another server refuses what comes faster than 50 requests a second,
with no more than a second's worth at once. Exits with an error where a target is missed.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "judging"
sys.path.insert(0, str(TESTS))

from live_studies import judge, live, tables  # noqa: E402

from benchmarks.rows import Row, as_table  # noqa: E402
from posbias_kit.judging.log_table import read_log  # noqa: E402

LATENCY, FLYING = 0.2, 64
ALLOWED = 50
"""Requests a second that the limited server answers."""


def serve(folder, latency, share=0.0):
    """Start a server, a share of whose prompts meets a fault; return its process and address."""
    told = ["--latency", str(latency), "--share", str(share)]
    return start([str(TESTS / "fault_server.py")], folder / f"port{latency}", told)


def start(program, port_file, told=()):
    """Start a program that writes its port into a file; return its process and address."""
    port_file.unlink(missing_ok=True)  # of an earlier one
    process = subprocess.Popen([sys.executable, *program, str(port_file), *told])  # noqa: S603
    while not port_file.exists():
        time.sleep(0.01)
    return process, f"http://127.0.0.1:{port_file.read_text()}/v1"


async def _bare(url, calls):
    import openai

    client = openai.AsyncOpenAI(api_key="x", base_url=url, max_retries=0)
    slots = asyncio.Semaphore(FLYING)

    async def one(number):
        async with slots:
            message = {"role": "user", "content": f"Question q{number}?\nA: m1 on q1\nB: m2 on q1"}
            await client.chat.completions.create(
                model="m-1", messages=[message], temperature=0, max_tokens=1024
            )

    async with asyncio.TaskGroup() as group:
        for number in range(calls):
            group.create_task(one(number))
    await client.close()


def bare(url, calls):
    """Return calls a second of the bare SDK, and its processor seconds a call."""
    began = time.perf_counter(), time.process_time()
    asyncio.run(_bare(url, calls))
    return {
        "rate": calls / (time.perf_counter() - began[0]),
        "cpu": (time.process_time() - began[1]) / calls,
    }


def kit(url, calls, folder, **limits):
    """Return what the runner reaches: while asking, and with all before and after."""
    limits = {"concurrency": FLYING} | limits
    began = time.perf_counter(), time.process_time()
    verdicts = judge(live(url, limits=limits), tables(calls // 2), folder)
    whole = calls / (time.perf_counter() - began[0])
    cpu = (time.process_time() - began[1]) / calls
    size = (folder / "judgments.sqlite").stat().st_size / calls
    log = read_log(folder / "judgments.sqlite")
    assert calls == verdicts["status"].eq("ok").sum()
    started = log["time"].astype("datetime64[ns, UTC]").astype("int64") / 1e9
    asking = (started + log["latency"]).max() - started.min()
    refused = int(log["reason"].eq("rate_limit").sum())
    return {"rate": calls / asking, "whole": whole, "cpu": cpu, "bytes": size, "refused": refused}


def turns(folder, latency, calls, rounds):
    """Let the bare SDK and the runner take turns; return the medians of each."""
    process, url = serve(folder, latency)
    try:
        pairs = [(bare(url, calls), kit(url, calls, folder / f"{latency}-{turn}"))
                 for turn in range(rounds)]  # fmt: skip
    finally:
        process.kill()
    return [
        {name: statistics.median(one[name] for one in side) for name in side[0]}
        for side in zip(*pairs, strict=True)
    ]


def compare(folder, calls, rounds):
    """Return the rows about speed: at 200 ms, at once, and what a call costs."""
    raw, ours = turns(folder, LATENCY, calls, rounds)
    ideal = f"bare SDK {raw['rate']:.0f}, runner {ours['rate']:.0f}, ideal {FLYING / LATENCY:.0f}"
    rows = [Row("judging at 200 ms, of the bare SDK", ours["rate"] / raw["rate"], "share", 0.97,
                beside=f"{ideal} calls/s; with all around it {ours['whole']:.0f}")]  # fmt: skip
    raw, ours = turns(folder, 0.0, calls, rounds)
    told = f"bare SDK {raw['rate']:.0f}, runner {ours['rate']:.0f} calls/s"
    rows += [
        Row("judging without latency, of the bare SDK", ours["rate"] / raw["rate"], "share", 0.6,
            beside=f"{told}; with all around it {ours['whole']:.0f}"),
        Row("processor time a call", ours["cpu"] * 1000, "ms",
            beside=f"bare SDK {raw['cpu'] * 1000:.2f} ms"),
        Row("log a call", ours["bytes"], "bytes"),
    ]  # fmt: skip
    return rows


def limited(folder, calls):
    """Return the row about an endpoint that refuses what comes too fast."""
    program = ["-m", "benchmarks.limited_server"]
    process, url = start(program, folder / "limited", [str(ALLOWED)])
    try:
        ours = kit(url, calls, folder / "slow", requests_per_minute=60 * ALLOWED)
    finally:
        process.kill()
    told = f"{ours['rate']:.1f} of {ALLOWED} requests/s"
    return [
        Row("a limited endpoint, of its limit", ours["rate"] / ALLOWED, "share", 0.97, beside=told),
        Row("refusals for speed (429), of its calls", ours["refused"] / calls, "share", most=0.01),
    ]


def memory():
    """Return the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def watch_memory(folder, calls):
    """Return the row about how the memory goes while so many calls are made."""
    from posbias_kit.judging.progress import Progress

    show, seen = Progress.show, []

    def watched(self, tally, spent):
        if spent.calls % 1000 == 0:
            seen.append((spent.calls, memory()))
        show(self, tally, spent)

    Progress.show = watched
    process, url = serve(folder, 0.0)
    try:
        judge(live(url, limits={"concurrency": FLYING}), tables(calls // 2), folder / "memory")
    finally:
        Progress.show = show
        process.kill()
    first, last = next(m for count, m in seen if count >= 2000), seen[-1][1]
    told = f"{first:.0f} MiB after 2,000 calls, {last:.0f} MiB after {calls:,}"
    grown = (last - first) / (calls - 2000) * 10_000
    return [Row("memory for 10,000 calls more", grown, "MiB", most=15, beside=told)]


def measure(calls=3200, rounds=3, flat=20_000, slow=1500):
    """Return all rows of judging."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [
            *compare(folder, calls, rounds),
            *(watch_memory(folder, flat) if flat else ()),
            *(limited(folder, slow) if slow else ()),
        ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=3200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, default=20_000)
    parser.add_argument("--limited", type=int, default=1500)
    given = parser.parse_args()
    rows = measure(given.calls, given.rounds, given.memory, given.limited)
    print(as_table(rows))
    sys.exit(any(row.met == "no" for row in rows))


if __name__ == "__main__":
    main()
