"""Does a Dask cluster of this machine share the coverage study: same numbers, less time?

    python -m benchmarks.sharing [--workers 2] [--studies 1500] [--seed 20240607]

The study of `python -m benchmarks.coverage` is run in one process, then by the workers of a
cluster that is made for it, one thread each; every number must be the same to the last digit.
Both sides compute on one thread and take memory from the system in the same way. The time of
the cluster's start is told apart. Beside the clock stand processor seconds, of each process:
where other work shares the cores, the clock runs on.
"""

import argparse
import os
import time

from benchmarks.rows import Row, as_table
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


def warm_up(scenario):
    """Import what the study needs, so that neither side pays for it."""
    from benchmarks.coverage import cover

    return cover(scenario, 10, 0, 1, 0)


def measure(studies=1500, count=2, seed=20240607):
    """Return the rows of the table of benchmarks; the environment names one thread a process."""
    # Dask's limit for handing memory back makes glibc fetch every larger array anew, unless told.
    os.environ["MALLOC_MMAP_THRESHOLD_"] = str(32 * 2**20)
    from distributed import LocalCluster
    from pandas.testing import assert_frame_equal

    from benchmarks.coverage import cover_all

    warm_up("independent")
    alone, seconds, used = timed(cover_all, studies, seed)
    start = time.perf_counter()
    with (
        LocalCluster(count, threads_per_worker=1, dashboard_address=":0") as cluster,
        workers(Compute(backend="dask", scheduler=cluster.scheduler_address)) as client,
    ):
        client.run(warm_up, "independent")
        began = time.perf_counter() - start
        together, less, shares = timed(
            cover_all, studies, seed,
            used=lambda: list(client.run(time.process_time).values()),
        )  # fmt: skip
    assert_frame_equal(alone, together, check_exact=True)
    told = (
        f"{seconds:.1f} s against {less:.1f} s; processor {sum(used):.1f} s against "
        f"{' + '.join(f'{one:.1f}' for one in shares)} s; start of the workers {began:.1f} s; "
        f"{len(alone)} rows the same to the last digit"
    )
    what = f"the coverage study with {count} workers, of the speed of one process"
    return [Row(what, seconds / less, "times", least=1.7, beside=told)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--studies", type=int, default=1500, help="in each cell")
    parser.add_argument("--seed", type=int, default=20240607)
    given = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is there
    print(as_table(measure(given.studies, given.workers, given.seed)))


if __name__ == "__main__":
    main()
