"""Does a Dask cluster of this machine share the coverage study: same numbers, less time?

    python -m benchmarks.sharing [--workers 2] [--studies 500] [--seed 20240607]

The study of `python -m benchmarks.coverage` is run in one process, then by the workers of a
cluster that is made for it, one thread each; every number must be the same to the last digit.
Both sides compute on one thread and take memory from the system in the same way. The time of
the cluster's start is told apart. Beside the clock stand processor seconds, of each process:
where other work shares the cores, the clock runs on.
"""

import argparse
import os
import time

from posbias_kit.cluster import Compute, workers


def add_scheduler(parser):
    parser.add_argument("--scheduler", help="of a Dask cluster whose workers share the work")


def shared(given):
    """Let `spread` use the cluster that the command line names."""
    told = {"backend": "dask", "scheduler": given.scheduler} if given.scheduler else {}
    return workers(Compute(**told))


def timed(function, *arguments, used=lambda: [time.process_time()]):
    """Return the result, seconds by the clock, and processor seconds of each who works."""
    before, start = used(), time.perf_counter()
    result = function(*arguments)
    seconds = time.perf_counter() - start
    return result, seconds, [after - earlier for after, earlier in zip(used(), before, strict=True)]


def tell(who, seconds, used):
    busy = " + ".join(f"{one:.1f}" for one in used)
    print(f"{who}: {seconds:.1f} s, processor {busy} s", flush=True)


def warm_up(scenario):
    """Import what the study needs, so that neither side pays for it."""
    from benchmarks.coverage import cover

    return cover(scenario, 10, 0, 1, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--studies", type=int, default=500, help="in each cell")
    parser.add_argument("--seed", type=int, default=20240607)
    given = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is there
    # Dask's limit for handing memory back makes glibc fetch every larger array anew, unless told.
    os.environ["MALLOC_MMAP_THRESHOLD_"] = str(32 * 2**20)
    from distributed import LocalCluster
    from pandas.testing import assert_frame_equal

    from benchmarks.coverage import cover_all

    warm_up("independent")
    alone, seconds, used = timed(cover_all, given.studies, given.seed)
    tell("one process", seconds, used)
    start = time.perf_counter()
    with (
        LocalCluster(given.workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        workers(Compute(backend="dask", scheduler=cluster.scheduler_address)) as client,
    ):
        client.run(warm_up, "independent")
        print(f"start of {given.workers} workers: {time.perf_counter() - start:.1f} s", flush=True)
        together, shared_seconds, used = timed(
            cover_all, given.studies, given.seed,
            used=lambda: list(client.run(time.process_time).values()),
        )  # fmt: skip
    tell(f"{given.workers} workers", shared_seconds, used)
    assert_frame_equal(alone, together, check_exact=True)
    print(f"{len(alone)} rows the same to the last digit, {seconds / shared_seconds:.2f} x faster")


if __name__ == "__main__":
    main()
