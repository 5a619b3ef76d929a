"""Does a Dask cluster of this machine share the coverage study: same numbers, less time?

    python -m benchmarks.sharing [--workers 2] [--studies 1000] [--turns 3] [--seed 20240607]

The study of `python -m benchmarks.coverage` is run in one process, then by the workers of a
cluster that is made for it, one thread each, then by as many plain processes of joblib without a
cluster, which shows what the machine's cores allow: cores that share caches or a physical core
need more processor time for the same work when both are busy. The sides take turns, for the
speed of a shared host varies, and medians count; every number must be the same to the last digit.
All sides compute on one thread and take memory from the system in the same way. The start of the
cluster is not in the seconds.
"""

import argparse
import os
import time
from contextlib import nullcontext
from functools import partial
from statistics import median

from benchmarks.rows import Row, as_table
from posbias_kit.cluster import Compute, connect, spread, workers


def add_scheduler(parser):
    parser.add_argument("--scheduler", help="of a Dask cluster whose workers share the work")


def shared(given):
    """Let `spread` use the cluster that the command line names."""
    told = {"backend": "dask", "scheduler": given.scheduler} if given.scheduler else {}
    return workers(Compute(**told))


def timed(cover_all, studies, seed, where=None, used=None):
    """Run the study somewhere; return its rows, seconds, and processor seconds of all workers."""
    used = used or (lambda: {"here": time.process_time()})
    before, start = used(), time.perf_counter()
    with where or nullcontext():
        rows = cover_all(studies, seed)
    seconds = time.perf_counter() - start
    return rows, seconds, sum(used().values()) - sum(before.values())


def warm_up(scenario):
    """Import what the study needs, so that no side pays for it."""
    from benchmarks.coverage import cover

    return cover(scenario, 10, 0, 1, 0)


def measure(studies=1000, count=2, seed=20240607, turns=3):
    """Return the rows of the table of benchmarks; the environment names one thread a process."""
    # Dask's limit for handing memory back makes glibc fetch every larger array anew, unless told.
    os.environ["MALLOC_MMAP_THRESHOLD_"] = str(32 * 2**20)
    from distributed import LocalCluster
    from joblib import parallel_config
    from joblib.externals.loky import get_reusable_executor

    from benchmarks.coverage import cover_all

    warm_up("independent")
    plain = partial(parallel_config, backend="loky", n_jobs=count)
    with plain():
        spread(warm_up, [("independent",)] * 4 * count)
    with LocalCluster(count, threads_per_worker=1, dashboard_address=":0") as cluster:
        compute = Compute(backend="dask", scheduler=cluster.scheduler_address)
        with connect(compute) as client:
            client.run(warm_up, "independent")
            theirs = partial(client.run, time.process_time)
            told = [
                (
                    timed(cover_all, studies, seed),
                    timed(cover_all, studies, seed, workers(compute), theirs),
                    timed(cover_all, studies, seed, plain()),
                )
                for _ in range(turns)
            ]
    get_reusable_executor().shutdown()  # else this process waits five minutes for it to rest
    return [_compare(told, count)]


def _compare(told, count):
    """Return the row about medians over turns, each with one process, workers, processes."""
    from pandas.testing import assert_frame_equal

    first = told[0][0][0]
    for turn in told:
        for rows, *_ in turn:
            assert_frame_equal(first, rows, check_exact=True)
    sides = list(zip(*told, strict=True))
    alone, together, plain = (median(seconds for _, seconds, _ in side) for side in sides)
    own, theirs = (median(used for *_, used in side) for side in sides[:2])
    beside = (
        f"medians of {len(told)} turns: {alone:.1f} s against {together:.1f} s, processor "
        f"{own:.1f} s against {theirs:.1f} s; {count} plain processes {alone / plain:.2f} times; "
        f"{len(first)} rows the same to the last digit"
    )
    what = f"the coverage study with {count} workers, of the speed of one process"
    return Row(what, alone / together, "times", least=1.7, beside=beside)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--studies", type=int, default=1000, help="in each cell")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seed", type=int, default=20240607)
    given = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is there
    print(as_table(measure(given.studies, given.workers, given.seed, given.turns)))


if __name__ == "__main__":
    main()
