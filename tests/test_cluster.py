"""Where work is done: the same numbers on a cluster, to the last digit, and errors in words."""

import os
import sys

import numpy as np
import pandas as pd
import pytest
from verdict_tables import repeated, stack

from benchmarks.coverage import cover_all
from benchmarks.fewer_calls import RULES, replay
from posbias_kit import analysis, cluster
from posbias_kit.cluster import HERE, Compute, connect, spread, workers
from posbias_kit.data import partition_verdicts
from posbias_kit.errors import ParamsError, RunError
from posbias_kit.params import check_study
from posbias_kit.report import start

distributed = pytest.importorskip("distributed")
STUDY = {"run_name": "a", "data_preparation": {}, "judging": {"judges": [
    {"name": "j", "kind": "planted"}]}}  # fmt: skip


@pytest.fixture(scope="module")
def compute():
    """Return a cluster of two workers, each a process with one thread."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as made:
        yield Compute(backend="dask", scheduler=made.scheduler_address)


def processes():
    """Return who works, by the ids of their processes."""
    return set(spread(os.getpid, [()] * 8))


def test_parts_go_to_the_workers_and_come_back_in_order(compute):
    assert processes() == {os.getpid()}
    with workers(compute):
        assert os.getpid() not in processes()
        assert spread(pow, [(2, power) for power in range(50)]) == [2**p for p in range(50)]
    assert processes() == {os.getpid()}


def test_coverage_study_is_the_same(compute):
    """All cells of the simulation, which are of very different length."""
    alone = cover_all(8, 1)
    with workers(compute):
        together = cover_all(8, 1)

    assert len(alone) == 5 * 3 * 7
    pd.testing.assert_frame_equal(alone, together, check_exact=True)


def test_replays_are_the_same(compute):
    """Replays of the stopping rules, each with the seed of its number."""
    rng = np.random.default_rng(1)
    told = {"consistent": rng.random(300) < 0.8, "complete": True}
    told |= {"task": rng.choice([*"abc"], 300), "cluster": rng.choice([*"uvwxyz"], 300)}
    parts = [(rule, pd.DataFrame(told), 3, 7, "j") for rule in RULES]
    alone = spread(replay, parts)
    with workers(compute):
        together = spread(replay, parts)

    assert [row["rule"] for row in alone] == [*RULES]
    pd.testing.assert_frame_equal(*map(pd.DataFrame, (alone, together)), check_exact=True)


def test_tables_beyond_memory_are_the_same(compute, tmp_path):
    """Partitions are read and summed by the workers."""
    rng = np.random.default_rng(3)
    codes = rng.choice(["FFS SFF", "FSF FSS", "SST TFS", "FFF FFF"], 40)
    verdicts = repeated(codes, judge="j", questions=[f"q{number}" for number in range(40)])
    partition_verdicts(verdicts, tmp_path / "cut", partitions=7)
    alone = analysis.partition_tables(tmp_path / "cut", draws=50)
    with workers(compute):
        together = analysis.partition_tables(tmp_path / "cut", draws=50)

    for one, other in zip(alone, together, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_resampling_is_the_same(compute):
    """The coupling null and the permutation test, judge by judge."""
    rng = np.random.default_rng(2)
    codes = ["FFS SFF", "FSF FSS", "SST TFS", "FFF FFF", "SSF SSS"]
    verdicts = stack(*(
        repeated(rng.choice(codes, 12), judge=f"j{number}", task=task,
                 questions=[f"{task}{q}" for q in range(12)])
        for number in range(4) for task in "abcdef"
    ))  # fmt: skip
    units = analysis.build_units(verdicts)

    def resample():
        return (
            analysis.inconsistency_split(verdicts, permutations=200, seed=3),
            analysis.coupling_null(units, ["pc"], draws=100, seed=3),
        )

    alone = resample()
    with workers(compute):
        together = resample()

    assert alone[0]["p"].notna().all()
    assert alone[1]["null_mean"].notna().all()
    for one, other in zip(alone, together, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_notebook_uses_the_workers_until_told_otherwise(compute, tmp_path, monkeypatch):
    """`report.start` with the study's `compute` is the one line of a notebook."""
    monkeypatch.chdir(tmp_path)
    start("x", compute.model_dump())
    assert os.getpid() not in processes()
    start("x")
    assert processes() == {os.getpid()}


@pytest.mark.parametrize(
    ("compute", "words"),
    [
        ({"backend": "dask"}, "backend 'dask' needs `scheduler`"),
        ({"scheduler": "tcp://host:8786"}, "backend 'local' takes no `scheduler`"),
        ({"backend": "dask", "scheduler": "host"}, "'host' is no address like tcp://host:8786"),
        ({"backend": "dask", "scheduler": "tcp://me:pass@host:1"}, "is no address"),
        ({"backend": "slurm"}, "'local' or 'dask'"),
        ({"workers": 3}, "unknown key 'compute.workers'"),
    ],
)
def test_wrong_switch_is_refused(compute, words):
    with pytest.raises(ParamsError, match=words):
        check_study(STUDY | {"compute": compute})


def test_default_is_this_process():
    assert check_study(STUDY).compute == HERE == Compute(backend="local")


def test_silent_scheduler_is_said(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(RunError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        connect(Compute(backend="dask", scheduler="tcp://127.0.0.1:9"))


def test_missing_dask_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ParamsError, match=r"pip install 'posbias-kit\[cluster\]'"):
        connect(Compute(backend="dask", scheduler="tcp://127.0.0.1:9"))


def test_worker_with_other_packages_is_refused(compute, monkeypatch):
    """Its numbers could be others: the version is named, and where it is."""
    ask = distributed.Client.get_versions

    def get_versions(self, **options):
        told = ask(self, **options)
        worker = sorted(told["workers"])[0]
        told["workers"][worker]["packages"]["numpy"] = "1.0"
        return told

    monkeypatch.setattr(distributed.Client, "get_versions", get_versions)
    with pytest.raises(RunError, match=r"worker tcp://127\S+ has numpy 1\.0, and here it is 2"):
        connect(compute)
