"""The runner: nothing lost or doubled, seeded order, limits, caps, Ctrl-C, flat memory."""

import os
import signal
import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path

import pandas as pd
import pytest
from asking import KEY
from fault_server import FaultServer, Meeting, WatchedServer, mixed, steady
from live_studies import Template, judge, live, said, tables

from posbias_kit.errors import RunError
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import read_log, read_states
from posbias_kit.judging.shown import Shown

SCRIPT = Path(__file__).with_name("judge_in_process.py")


def start(url, folder, pairs, *more):
    """Start judging in a process of its own."""
    folder.mkdir(exist_ok=True)
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": root}
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), url, str(folder), str(pairs), *more],
        env=environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finish(process, code=0):
    """Wait for a process and return what it said."""
    said = process.communicate(timeout=120)[1]
    assert process.returncode == code, said
    return said


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """Return verdicts, log and attempts at the server of 5,000 calls, a tenth with faults."""
    folder = tmp_path_factory.mktemp("whole")
    with FaultServer(mixed(0.1)) as server:
        finish(start(server.url, folder, 2500))
        attempts = server.attempts
    return pd.read_parquet(folder / "verdicts.parquet"), folder, attempts


def test_every_presentation_ends_with_its_reason(uninterrupted):
    """5,000 calls with faults of all kinds: ok, invalid or failed; attempts add up."""
    verdicts, folder, attempts = uninterrupted
    log = read_log(folder / "judgments.sqlite")
    told = verdicts.groupby("status")["reason"].agg(set).to_dict()

    assert len(verdicts) == 5000
    assert told == {
        "ok": {""},
        "invalid": {"empty", "refusal", "truncated"},
        "failed": {"http_4xx"},
    }
    assert 400 < (log.groupby("call").size() > 1).sum() + (verdicts["status"] != "ok").sum() < 600
    passing = log.loc[log["status"] == "failed", "reason"]
    assert set(passing) == {"timeout", "rate_limit", "http_4xx", "http_5xx", "connection"}
    assert log.groupby("prompt_digest").size().to_dict() == dict(attempts)
    assert (log.groupby("call")["attempt"].max() == log.groupby("call").size()).all()


def test_killed_five_times(uninterrupted, tmp_path):
    """SIGKILL on the way and resumed: zero lost, zero double, the same verdict table."""
    log, kept, cut = tmp_path / "judgments.sqlite", [], 0
    with FaultServer(mixed(0.1)) as server:
        for kill in range(1, 6):
            process = start(server.url, tmp_path, 2500)
            while server.attempts.total() < 900 * kill:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.01)
            process.kill()
            process.wait()
            process.stderr.close()
            kept.append(read_log(log))
            cut = server.attempts.total()
        finish(start(server.url, tmp_path, 2500))
        attempts = server.attempts
    whole = read_log(log)

    assert cut < 5000, "the last kill came before the end"
    for before in kept:
        pd.testing.assert_frame_equal(before, whole.head(len(before)))
        answered = before.loc[before["status"] != "failed", "call"]
        assert not whole["call"].iloc[len(before) :].isin(answered).any()
    verdicts = pd.read_parquet(tmp_path / "verdicts.parquet")
    pd.testing.assert_frame_equal(verdicts, uninterrupted[0])
    # In flight, or back and on the way to the disk: nobody has used these yet.
    assert 0 <= attempts.total() - len(whole) <= 5 * 2 * 64


def test_second_run_beside_it_is_refused(tmp_path):
    """Two processes on one run would pay twice: the second is turned away."""
    with FaultServer(steady(latency=0.3)) as server:
        process = start(server.url, tmp_path, 20)
        while not server.attempts:
            time.sleep(0.01)
        with pytest.raises(RunError, match="another process is judging in this run"):
            judge(live(server.url), tables(20), tmp_path)
        finish(process)


def test_interrupt_finishes_cleanly(tmp_path):
    """Ctrl-C: what is in flight comes home, nothing new goes out, and the rest can follow."""
    with FaultServer(steady(latency=0.2)) as server:
        process = start(server.url, tmp_path, 100, '{"limits": {"concurrency": 4}}')
        while server.attempts.total() < 12:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in finish(process, 1 if sys.platform == "win32" else -2)
        log = read_log(tmp_path / "judgments.sqlite")
        assert len(log) == server.attempts.total() < 40, "every reply is in the log"
        assert not list(tmp_path.glob("*-wal"))
        finish(start(server.url, tmp_path, 100))
        assert server.attempts.total() == 200


def test_interrupt_does_not_wait_for_a_retry(tmp_path):
    """A call that waits to ask again is dropped; it stays failed, to be asked again."""
    slow = Meeting("http_429", options={"retry_after": "60"})
    with FaultServer(lambda *_: slow) as server:
        process = start(server.url, tmp_path, 1)
        while not server.attempts:
            time.sleep(0.01)
        time.sleep(0.3)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        finish(process, -2)

    assert time.monotonic() - began < 10
    assert [s.status for s in read_states(tmp_path / "judgments.sqlite").values()] == ["failed"]


def test_wait_beyond_the_deadline_is_not_begun(tmp_path):
    """An endpoint that asks for an hour is not waited for."""
    slow = Meeting("http_429", options={"retry_after": "3600"})

    def script(key, attempt, body):
        return slow if said(body)[0] == "q1" else Meeting()

    began = time.monotonic()
    with FaultServer(script) as server:
        verdicts = judge(live(server.url, limits={"deadline": 5}), tables(2), tmp_path)

    assert time.monotonic() - began < 4
    assert sorted(verdicts["status"]) == ["failed", "failed", "ok", "ok"]


def test_order_is_seeded_and_keeps_a_comparison_together():
    """Same seed, same order; other seeds differ; a comparison's calls stand side by side."""
    study = tables(50, repeats=3)
    shown = Shown(study.presentations, study.questions, study.answers)
    first, again, other = (list(shown.series(seed)) for seed in (1, 1, 2))
    calls = [call for series in first for call in series]
    questions = [study.presentations["question"][row] for row, _ in calls]

    assert first == again != other
    assert sorted(calls) == [(row, repeat) for row in range(100) for repeat in (1, 2, 3)]
    assert len(list(groupby(questions))) == 50, "each comparison in one piece"
    assert all(len({repeat for _, repeat in series}) == 1 for series in first)
    leading = [study.presentations["order"][series[0][0]] for series in first]
    assert 45 < leading.count("AB") < 105, "neither order always goes first"
    assert questions[0::6] != sorted(questions[0::6])


def test_concurrency_is_a_bound(tmp_path):
    """Never more calls in flight than allowed, and as many where there is work."""
    with WatchedServer(steady(latency=0.02)) as server:
        judge(live(server.url, limits={"concurrency": 5}), tables(20), tmp_path)

    assert server.most_flying == 5


@pytest.mark.parametrize(
    "limits", [{"requests_per_minute": 1200}, {"tokens_per_minute": 1_240_000}]
)
def test_rate_limits_spread_the_calls(tmp_path, limits):
    """1,200 requests a minute are 20 a second, from the first second on; so with tokens."""
    with FaultServer(steady(), keep=True) as server:
        judge(live(server.url, limits=limits | {"concurrency": 32}), tables(40), tmp_path)
        times = [body["at"] for body in server.bodies]

    rate = len(times) / (times[-1] - times[0])
    assert rate < (22 if "requests_per_minute" in limits else 30)
    second = [sum(0 <= other - t < 1 for other in times) for t in times]
    assert max(second) <= (22 if "requests_per_minute" in limits else 45)


@pytest.mark.parametrize(
    ("caps", "made"),
    [({"calls": 13}, 12), ({"tokens": 1400}, 10), ({"money": 0.0301}, 10)],
)
def test_cap_is_hard_and_leaves_no_half_series(tmp_path, caps, made):
    """Used up as far as whole series go; what is left is said; a higher cap goes on."""
    prices = {"input": 10.0, "output": 50.0, "cached": 10.0, "date": "2026-01-31"}
    study = tables(20)
    told = {"prices": prices, "max_tokens": 100, "limits": {"concurrency": 8}}
    with FaultServer(steady()) as server:
        with pytest.warns(UserWarning, match=rf"cap of .* reached: {40 - made} calls are left"):
            verdicts = judge(live(server.url, **told), study, tmp_path, caps=caps)
        with JudgmentLog(tmp_path / "judgments.sqlite") as log:
            spent = log.totals()._asdict()
        assert all(spent[name] <= cap for name, cap in caps.items())
        assert server.attempts.total() == made == len(verdicts)
        assert (verdicts.groupby("comparison").size() == 2).all()
        again = judge(live(server.url, **told), study, tmp_path)
        assert server.attempts.total() == len(again) == 40


def test_cap_below_the_first_series_gives_no_table(tmp_path):
    """Where a cap allows nothing there is nothing to measure, and no call."""
    with FaultServer(steady()) as server, pytest.raises(RunError, match="cap of 1 on calls"):
        judge(live(server.url), tables(2), tmp_path, caps={"calls": 1})

    assert not server.attempts


def test_key_is_nowhere(tmp_path, monkeypatch, capfd):
    """A planted key is in no file of the run and in no message, though the server repeats it."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    options = {"message": f"bad key {KEY} or {KEY[:4]}***{KEY[-4:]}"}

    def script(key, attempt, body):
        if said(body)[0] == "q1":
            return Meeting("http_400", options=options)
        return Meeting(text=f"{KEY} [[A]]", options={"model": KEY})

    with FaultServer(script, keep=True) as server:
        judge(live(server.url, key_env="JUDGE_KEY"), tables(4), tmp_path)
        assert KEY in server.bodies[0]["headers"]["authorization"]
        server.script = lambda *_: Meeting("http_401", options=options)
        with pytest.raises(RunError) as caught:
            judge(live(server.url, key_env="JUDGE_KEY", name="k"), tables(4), tmp_path)

    printed = "".join(capfd.readouterr())
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) >= 1
    for secret in (KEY, KEY[-4:]):
        assert secret not in printed + str(caught.value)
        assert [file.name for file in files if secret.encode() in file.read_bytes()] == []


def test_template_of_the_tests_hides_nothing():
    """Both orders render to different prompts."""
    study = tables(1)
    shown = Shown(study.presentations, study.questions, study.answers)

    assert len({shown.render(Template(), row).digest for row in (0, 1)}) == 2
