"""How fast does the runner ask, and does its memory stay flat?

    python -m benchmarks.runner [--calls 3200] [--rounds 3] [--memory 20000]

A server in a process of its own answers after 200 ms, and 64 calls are in flight: at best 320 a
second. The bare SDK and the runner take turns against the same server; the runner writes every
attempt through to the disk meanwhile. Exits with an error below 95% of the bare SDK.
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

from posbias_kit.judging.log_table import read_log  # noqa: E402

LATENCY, FLYING = 0.2, 64


def serve(folder, latency, share=0.0):
    """Start a server, a share of whose prompts meets a fault; return its process and address."""
    port_file = folder / f"port{latency}"
    command = [sys.executable, str(TESTS / "fault_server.py"), str(port_file)]
    told = ["--latency", str(latency), "--share", str(share)]
    process = subprocess.Popen([*command, *told])  # noqa: S603
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

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(calls):
            group.create_task(one(number))
    rate = calls / (time.perf_counter() - began)
    await client.close()
    return rate


def kit(url, calls, folder):
    """Return calls a second of the runner: while asking, and with all before and after."""
    began = time.perf_counter()
    verdicts = judge(live(url, limits={"concurrency": FLYING}), tables(calls // 2), folder)
    whole = calls / (time.perf_counter() - began)
    log = read_log(folder / "judgments.sqlite")
    assert len(log) == calls == verdicts["status"].eq("ok").sum()
    started = log["time"].astype("datetime64[ns, UTC]")
    last = started.iloc[-1].timestamp() + log["latency"].iloc[-1]
    return calls / (last - started.iloc[0].timestamp()), whole


def memory():
    """Return the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def watch_memory(url, calls, folder):
    """Print how the memory goes while so many calls are made."""
    from posbias_kit.judging.progress import Progress

    show, seen = Progress.show, []

    def watched(self, tally, spent):
        if spent.calls % 1000 == 0:
            seen.append((spent.calls, memory()))
        show(self, tally, spent)

    Progress.show = watched
    judge(live(url, limits={"concurrency": FLYING}), tables(calls // 2), folder)
    Progress.show = show
    first, last = next(m for count, m in seen if count >= 2000), seen[-1][1]
    print(f"memory: {first:.0f} MiB after 2,000 calls, {last:.0f} MiB after {calls:,}")
    assert last - first < 30, "memory grows with the calls"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=3200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, default=20000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process, url = serve(folder, LATENCY)
        rates = []
        for turn in range(given.rounds):
            bare = asyncio.run(_bare(url, given.calls))
            rates.append((bare, *kit(url, given.calls, folder / str(turn))))
            print(
                "bare SDK {:.0f}/s, runner {:.0f}/s, with all around it {:.0f}/s".format(*rates[-1])
            )
        process.kill()
        process, url = serve(folder, 0.0)
        if given.memory:
            watch_memory(url, given.memory, folder / "memory")
        process.kill()
    bare, asking, whole = (statistics.median(values) for values in zip(*rates, strict=True))
    print(f"ideal {FLYING / LATENCY:.0f}/s; medians: bare {bare:.0f}, runner {asking:.0f}")
    print(f"runner {asking / bare:.1%} of bare, with all around it {whole / bare:.1%}")
    assert asking >= 0.95 * bare


if __name__ == "__main__":
    main()
