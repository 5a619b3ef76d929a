"""Judging on the workers of a cluster: nothing lost or double, limits and caps, keys stay there."""

import os
import signal
import threading

import pandas as pd
import pytest
from asking import KEY
from fault_server import FaultServer, Meeting, WatchedServer, mixed, steady, verdict
from live_studies import judge, live, tables

from posbias_kit.analysis import stopping_rule
from posbias_kit.errors import ParamsError, RunError
from posbias_kit.judging import session
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import read_log
from posbias_kit.judging.shards import ROUNDS, ShardRunner

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    """Return a cluster of two workers, each a process with one thread."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture
def compute(cluster):
    """Return the study's key that names the cluster."""
    return {"backend": "dask", "scheduler": cluster.scheduler_address}


@pytest.fixture
def client(cluster):
    """Return a client beside the study's own."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        yield client


def put(client, told, workers=None):
    """Set variables in the environment of workers."""
    client.run(lambda: os.environ.update(told), workers=workers)


def log_of(folder):
    """Return the log of a folder."""
    return read_log(folder / "judgments.sqlite")


def test_same_table_as_on_one_machine(compute, tmp_path):
    """A tenth of the calls meet faults; attempts add up, and the tables are equal."""
    study, told = tables(60), {"limits": {"concurrency": 16}}
    with FaultServer(mixed(0.1, faults=("http_500", "empty", "http_400"))) as server:
        alone = judge(live(server.url, **told), study, tmp_path / "alone")
        server.attempts.clear()
        together = judge(live(server.url, **told), study, tmp_path / "together", compute=compute)
        asked = dict(server.attempts)
    log = log_of(tmp_path / "together")

    pd.testing.assert_frame_equal(alone, together)
    assert set(together["status"]) == {"ok", "invalid", "failed"}
    assert log.groupby("prompt_digest").size().to_dict() == asked
    assert (log.groupby("call")["attempt"].max() == log.groupby("call").size()).all()


def test_killed_worker_loses_and_doubles_nothing(compute, client, tmp_path):
    """SIGKILL on the way: another worker asks its shard, and the table is an undisturbed run's."""
    study, told = tables(200), {"limits": {"concurrency": 8}}
    before, killed = sorted(client.run(os.getpid).values()), []

    def script(key, attempt, body):
        if server.attempts.total() == 100:
            os.kill(before[0], signal.SIGKILL)
            killed.append(server.attempts.total())
        return Meeting(text=verdict(key), latency=0.02)

    with FaultServer(script) as server:
        together = judge(live(server.url, **told), study, tmp_path / "a", compute=compute)
        asked = server.attempts.total()
    with FaultServer(steady()) as server:
        alone = judge(live(server.url, **told), study, tmp_path / "b")
    log = log_of(tmp_path / "a")

    assert killed == [100]
    assert before[0] not in client.run(os.getpid).values()
    pd.testing.assert_frame_equal(together, alone)
    assert len(log) == log["call"].nunique() == 400
    assert 0 <= asked - len(log) <= ROUNDS * 4, "asked again: one shard of four calls in flight"


def test_interrupt_brings_home_what_is_out(compute, tmp_path, monkeypatch):
    """Ctrl-C: shards that are out come home, no other goes out, and the rest can follow."""
    made = []

    class Seen(ShardRunner):
        def __init__(self, *told):
            super().__init__(*told)
            made.append(self)

    def script(key, attempt, body):
        if server.attempts.total() == 30:
            made[0].interrupt()
        return Meeting(text=verdict(key), latency=0.01)

    monkeypatch.setattr(session, "ShardRunner", Seen)
    with FaultServer(script) as server:
        told = live(server.url, limits={"concurrency": 4})
        with pytest.raises(KeyboardInterrupt):
            judge(told, tables(100), tmp_path, compute=compute)
        log = log_of(tmp_path)
        assert 30 <= len(log) == server.attempts.total() <= 64
        verdicts = judge(told, tables(100), tmp_path, compute=compute)
        assert server.attempts.total() == len(verdicts) == 200


def test_limits_hold_for_all_workers_together(compute, tmp_path):
    """Five calls may be in flight, on two workers as on one machine."""
    with WatchedServer(steady(latency=0.03)) as server:
        judge(live(server.url, limits={"concurrency": 5}), tables(60), tmp_path, compute=compute)

    assert 3 <= server.most_flying <= 5, "both workers, and not more than allowed"


@pytest.mark.parametrize(
    ("caps", "made"), [({"calls": 13}, 12), ({"tokens": 1400}, 10), ({"money": 0.0301}, 10)]
)
def test_caps_hold_for_all_workers_together(compute, tmp_path, caps, made):
    """As on one machine: used up as far as whole series go; a higher cap goes on."""
    prices = {"input": 10.0, "output": 50.0, "cached": 10.0, "date": "2026-01-31"}
    told = {"prices": prices, "max_tokens": 100, "limits": {"concurrency": 2}}
    with FaultServer(steady()) as server:
        with pytest.warns(UserWarning, match=rf"cap of .* reached: {40 - made} calls are left"):
            verdicts = judge(
                live(server.url, **told), tables(20), tmp_path, caps=caps, compute=compute
            )
        with JudgmentLog(tmp_path / "judgments.sqlite") as log:
            spent = log.totals()._asdict()
        assert all(spent[name] <= cap for name, cap in caps.items())
        assert server.attempts.total() == made == len(verdicts)
        assert (verdicts.groupby("comparison").size() == 2).all()
        again = judge(live(server.url, **told), tables(20), tmp_path, compute=compute)
        assert server.attempts.total() == len(again) == 40


def test_calls_that_are_asked_again_stay_within_the_cap(compute, tmp_path):
    """Every call fails once: the cap bounds attempts, not calls."""

    def script(key, attempt, body):
        return Meeting("http_500" if attempt == 1 else "ok", verdict(key))

    with FaultServer(script) as server:
        told = live(server.url, limits={"concurrency": 4})
        with pytest.warns(UserWarning, match="calls are left"):
            verdicts = judge(told, tables(40), tmp_path, caps={"calls": 60}, compute=compute)

    assert server.attempts.total() == len(log_of(tmp_path)) <= 60
    assert verdicts["status"].eq("ok").sum() >= 20


def test_stopping_rule_draws_the_same(compute, tmp_path):
    """The rule looks when all of a batch is home, and stops where it would on one machine."""
    study = tables(60)
    rule = stopping_rule({"half_width": 0.2, "batch": 20}, seed=1)
    with FaultServer(steady()) as server:
        alone = judge(live(server.url), study, tmp_path / "a", stop=rule)
        together = judge(live(server.url), study, tmp_path / "b", stop=rule, compute=compute)

    assert 40 <= len(alone) < 120
    pd.testing.assert_frame_equal(alone, together)


def test_each_worker_asks_its_own_endpoint_with_its_own_key(compute, client, tmp_path):
    """Address and key come from the worker's environment; this process knows neither."""
    told = {"base_url": None, "base_url_env": "JUDGE_URL", "key_env": "JUDGE_KEY"}
    study = tables(30)
    with FaultServer(steady(0.02), keep=True) as one, FaultServer(steady(0.02), keep=True) as two:
        names = sorted(client.nthreads())
        for name, server in zip(names, (one, two), strict=True):
            put(client, {"JUDGE_URL": server.url, "JUDGE_KEY": KEY}, [name])
        verdicts = judge(
            live("", limits={"concurrency": 2}, **told), study, tmp_path, compute=compute
        )
        asked = [server.attempts.total() for server in (one, two)]
        keys = {body["headers"]["authorization"] for server in (one, two) for body in server.bodies}
        log = log_of(tmp_path)
        assert set(log["endpoint"]) == {one.url, two.url}
    files = [file for file in tmp_path.rglob("*") if file.is_file()]

    assert verdicts["status"].eq("ok").all()
    assert min(asked) > 0
    assert sum(asked) == len(log) == 60
    assert keys == {f"Bearer {KEY}"}
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []
    put(client, {"JUDGE_URL": "", "JUDGE_KEY": ""})


def test_key_of_this_process_is_not_sent(compute, tmp_path, monkeypatch):
    """A worker without the key says so and where; the study's own key stays here."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with FaultServer(steady()) as server:
        with pytest.raises(ParamsError, match=r"JUDGE_KEY is not set") as caught:
            judge(live(server.url, key_env="JUDGE_KEY"), tables(4), tmp_path, compute=compute)
        assert not server.attempts

    assert "on worker tcp://" in str(caught.value)


def test_address_that_is_not_set_on_a_worker_is_said(compute, tmp_path):
    """Nobody asks the lab's own endpoint because a worker lacks a variable."""
    told = live("", base_url=None, base_url_env="NO_SUCH_URL")

    with pytest.raises(ParamsError, match="environment variable NO_SUCH_URL is not an http"):
        judge(told, tables(4), tmp_path, compute=compute)


def test_refused_key_stops_all(compute, tmp_path):
    """A key that the endpoint refuses is found on the first call of each worker."""
    with FaultServer(lambda *_: Meeting("http_401")) as server:
        with pytest.raises(RunError, match="a call failed, the last with http_4xx"):
            judge(live(server.url), tables(200), tmp_path, compute=compute)
        assert 1 <= server.attempts.total() <= 2


def test_failures_in_a_row_are_counted_over_shards(compute, tmp_path):
    """Shards of eight calls: twenty failures in a row stop the run all the same."""

    def script(key, attempt, body):
        return Meeting("ok" if server.attempts.total() <= 20 else "http_500", verdict(key))

    limits = {"concurrency": 2, "attempts": 1, "failures_in_a_row": 20}
    with FaultServer(script) as server:
        with pytest.raises(RunError, match=r"calls in a row failed, the last with http_5xx"):
            judge(live(server.url, limits=limits), tables(100), tmp_path, compute=compute)
        assert 40 <= server.attempts.total() < 80


def test_worker_that_comes_later_is_used(tmp_path):
    """A batch system starts its jobs when it may: judging waits for the first one."""
    with (
        distributed.LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            processes=False,
            protocol="tcp://",
            dashboard_address=":0",
        ) as late,
        FaultServer(steady()) as server,
    ):
        threading.Timer(1.5, late.scale, [1]).start()
        compute = {"backend": "dask", "scheduler": late.scheduler_address}
        verdicts = judge(live(server.url), tables(4), tmp_path, compute=compute)

    assert verdicts["status"].eq("ok").sum() == 8
