"""Judging in batches: nothing lost or doubled, matched by custom id, resumed by batch id."""

import json
import signal
import sqlite3
import time
import warnings
from contextlib import closing

import pandas as pd
import pytest
from asking import KEY
from batch_server import BatchServer
from fault_server import PERSISTENT, Meeting, mixed, steady
from live_studies import judge, live, said, tables
from test_runner import finish, start

from posbias_kit.errors import JudgeError, ParamsError, RunError
from posbias_kit.judging.bill import estimate_calls
from posbias_kit.judging.log_table import read_log
from posbias_kit.params import parse_section
from posbias_kit.report.bill import describe_bill
from posbias_kit.study import Judging

BATCH = {"first_look": 0.02, "longest_wait": 0.05}
KINDS = pytest.mark.parametrize("kind", ["openai", "anthropic"])
PRICES = {"input": 10.0, "output": 50.0, "cached": 10.0, "batch_factor": 0.5, "date": "2026-01-31"}


def batched(server, kind="openai", batch=None, **settings):
    """Return a judge that is asked in batches."""
    url = server.url.removesuffix("/v1") if kind == "anthropic" else server.url
    return live(url, kind=kind, batch=BATCH | (batch or {}), **settings)


def run(judges, study, folder, **choice):
    """Judge, and let notices be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(judges, study, folder, **choice)


def events(folder):
    """Return the events of batches in the log of a folder."""
    with closing(sqlite3.connect(folder / "judgments.sqlite")) as file:
        return [row[0] for row in file.execute("SELECT event FROM batch_events ORDER BY id")]


def wait_for(process, when):
    """Wait until something has come about at the server."""
    while not when():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)


def chances(meeting):
    """Have a reply tell the chance of each label."""
    options = [{"token": "A", "logprob": -0.5}, {"token": "B", "logprob": -1.25}]
    meeting.options["logprobs"] = {"content": [options[0] | {"top_logprobs": options}]}
    return meeting


@KINDS
def test_same_verdicts_as_one_by_one(kind, tmp_path):
    """The same bodies out and the same table in, in whatever order; at half the price."""
    study, faulty = tables(20, repeats=2), mixed(0.3, faults=PERSISTENT)
    settings = {"prices": PRICES, "extra": {"top_p": 0.5}}
    settings |= {"seed": 3} if kind == "openai" else {}
    for name in ("live", "batch"):
        (tmp_path / name).mkdir()
    with BatchServer(lambda *told: chances(faulty(*told)), keep=True) as server:
        url = server.url.removesuffix("/v1") if kind == "anthropic" else server.url
        single = run(live(url, kind=kind, **settings), study, tmp_path / "live")
        server.alter = lambda lines: lines[::-3] + lines[-2::-3] + lines[-3::-3]
        parts = batched(server, kind, {"max_requests": 30}, **settings)
        several = run(parts, study, tmp_path / "batch")
        sent = [batch["lines"] for batch in server.batches.values()]
    bodies = [{k: v for k, v in b.items() if k not in ("headers", "at")} for b in server.bodies]
    one, many = (
        read_log(tmp_path / name / "judgments.sqlite").sort_values("call", ignore_index=True)
        for name in ("live", "batch")
    )
    own = ["time", "latency", "cost", "raw", "request_id"]

    pd.testing.assert_frame_equal(several, single)
    assert several["margin"].eq(0.75).sum() == (several["status"].ne("failed").sum()
                                                if kind == "openai" else 0)  # fmt: skip
    assert [len(lines) for lines in sent] == [30, 30, 20]
    written = [json.dumps(body, sort_keys=True) for lines in sent for _, body in lines]
    assert sorted(written) == sorted(json.dumps(body, sort_keys=True) for body in bodies)
    pd.testing.assert_frame_equal(many.drop(columns=own), one.drop(columns=own))
    assert many["cost"].sum() == pytest.approx(one["cost"].sum() / 2)
    assert set(many.loc[many["status"] != "failed", "model"]) == {"m-1"}


@KINDS
def test_what_is_missing_is_failed_and_asked_again(kind, tmp_path):
    """Missing, expired, cancelled, refused: failed with the reason; the next run asks only those.

    Second results and those of somebody else change nothing.
    """
    study = tables(10)

    def alter(lines):
        kept = lines[5:]
        for at, what in enumerate(("expired", "expired", "cancelled", "cancelled")):
            kept[at] = (kept[at][0], what, None)
        kept[4] = (kept[4][0], 429, {"error": {"message": "slow down"}})
        kept[5] = (kept[5][0], 500, {"error": {"message": "sorry"}})
        other = [(call, 200, lines[0][2]) for call, _, _ in kept[6:8]]
        return [*kept[::-1], *other, ("0" * 64, 200, lines[0][2])]

    with BatchServer(steady()) as server:
        whole = run(batched(server, kind, name="k"), study, tmp_path)
        server.alter = alter
        first = run(batched(server, kind), study, tmp_path)
        server.alter = lambda lines: lines
        asked = server.requests
        second = run(batched(server, kind), study, tmp_path)
        third = run(batched(server, kind), study, tmp_path)
        again = server.requests - asked

    log = read_log(tmp_path / "judgments.sqlite").query("judge == 'j'")
    reasons = first.loc[first["status"] == "failed", "reason"].value_counts().to_dict()
    assert reasons == {"connection": 7, "timeout": 2, "rate_limit": 1, "http_5xx": 1}
    assert set(log["error"].dropna()) == {"missing", "expired", "cancelled", "HTTP429", "HTTP500"}
    assert again == 11
    assert len(log) == 31
    assert log["attempt"].value_counts().to_dict() == {1: 20, 2: 11}
    assert (second["status"] == "ok").all()
    pd.testing.assert_frame_equal(second, third)
    pd.testing.assert_frame_equal(second.drop(columns="judge"), whole.drop(columns="judge"))


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [("expired", "timeout"), ("cancelled", "connection"), ("failed", "rate_limit")],
)
def test_batch_that_brings_nothing(tmp_path, outcome, reason):
    """Each of its calls is failed with the batch's own reason; a later run asks again."""
    with BatchServer(steady()) as server:
        server.outcome, server.alter = outcome, lambda lines: []
        with pytest.raises(JudgeError, match=rf"all 8 calls failed \({reason} 8\)"):
            run(batched(server), tables(4), tmp_path)
        server.outcome, server.alter = "completed", lambda lines: lines
        verdicts = run(batched(server), tables(4), tmp_path)

    assert (verdicts["status"] == "ok").all()
    assert events(tmp_path) == ["prepared", "submitted", "collected"] * 2


def test_killed_while_it_waits(tmp_path):
    """SIGKILL while it looks: nothing is sent again, lost or doubled; no second run beside it."""
    parts = BATCH | {"max_requests": 30}
    with BatchServer(steady(), looks=10**9) as server:
        process = start(server.url, tmp_path, 40, json.dumps({"batch": parts}))
        wait_for(process, lambda: server.steps.count("look") > 8)
        with pytest.raises(RunError, match="another process is judging in this run"):
            run(batched(server), tables(40), tmp_path)
        process.kill()
        process.communicate()
        server.looks = max(batch["looks"] for batch in server.batches.values()) + 3
        verdicts = run(batched(server, batch=parts), tables(40), tmp_path)
        assert server.steps.count("create") == 3
        assert server.attempts.total() == 80
    log = read_log(tmp_path / "judgments.sqlite")

    assert len(log) == log["call"].nunique() == len(verdicts) == 80
    assert (verdicts["status"] == "ok").all()


def test_killed_before_the_id_was_written(tmp_path):
    """The endpoint has taken a batch and the run does not know: it is found, not sent again."""
    parts = BATCH | {"max_requests": 30}
    with BatchServer(steady()) as server:
        server.troubles = {"create": [None, "hang"]}
        process = start(server.url, tmp_path, 20, json.dumps({"batch": parts}))
        wait_for(process, lambda: server.steps.count("create") == 2)
        process.kill()
        process.communicate()
        assert events(tmp_path) == ["prepared", "submitted", "prepared"]
        run(batched(server, batch=parts), tables(20), tmp_path)

    log = read_log(tmp_path / "judgments.sqlite")
    assert server.steps.count("create") == 2
    assert len(log) == log["call"].nunique() == server.attempts.total() == 40
    assert (log["status"] == "ok").all()


@KINDS
def test_id_that_never_came_back_is_found(kind, tmp_path):
    """A run that ends without it leaves the batch to the next one, which asks for no other."""
    with BatchServer(steady()) as server:
        server.troubles = {"create": [-500], "list": [500]}
        with pytest.raises(JudgeError, match="could not be sent, http_5xx"):
            run(batched(server, kind, limits={"attempts": 1}), tables(4), tmp_path)
        assert events(tmp_path) == ["prepared"]
        server.troubles = {}
        with pytest.warns(UserWarning, match="batch_0 was sent by a run that was cut off"):
            verdicts = judge(batched(server, kind), tables(4), tmp_path)

    assert len(server.batches) == 1
    assert server.attempts.total() == 8
    assert (verdicts["status"] == "ok").all()


def test_batch_of_another_is_let_go(tmp_path):
    """A guess that was wrong is found out by the custom ids, and said."""
    with BatchServer(steady()) as server:
        run(batched(server, "anthropic", name="k"), tables(4), tmp_path)
        (tmp_path / "mine").mkdir()
        server.troubles = {"create": [500] * 2}
        with pytest.raises(JudgeError, match="could not be sent, http_5xx"):
            run(batched(server, "anthropic", limits={"attempts": 1}), tables(4), tmp_path / "mine")
        server.troubles = {}
        mine = batched(server, "anthropic")
        with (
            pytest.warns(UserWarning, match="batch_0 was sent .* as far as the endpoint tells"),
            pytest.warns(UserWarning, match="batch_0 was another's; run again"),
        ):
            judge([mine, live(server.url, name="l")], tables(4), tmp_path / "mine")
        assert len(server.batches) == 1
        run(mine, tables(4), tmp_path / "mine")

    log = read_log(tmp_path / "mine" / "judgments.sqlite").query("judge == 'j'")
    assert len(log) == 8
    assert events(tmp_path / "mine")[:3] == ["prepared", "submitted", "dropped"]


@KINDS
def test_passing_failures_are_waited_out(kind, tmp_path):
    """429 and 500 when sending, looking and fetching; what may have been heard is looked for."""
    with BatchServer(steady()) as server:
        server.troubles = {
            "upload": [429, 500], "create": [429, -500], "list": [500],
            "look": [500, 429], "results": [500],
        }  # fmt: skip
        verdicts = run(batched(server, kind), tables(4), tmp_path)

    assert (verdicts["status"] == "ok").all()
    assert len(server.batches) == 1
    assert not any(server.troubles[step] for step in ("create", "list", "look", "results"))
    assert events(tmp_path) == ["prepared", "submitted", "collected"]


def test_endpoint_that_lists_nothing(tmp_path):
    """What may have been taken is not sent again unless the study says so."""
    with BatchServer(steady()) as server:
        server.troubles = {"create": [-500], "list": [404] * 3}
        for _ in range(2):
            with pytest.raises(JudgeError, match=r"whether the endpoint has taken .* not known"):
                run(batched(server), tables(4), tmp_path)
        assert len(server.batches) == 1
        verdicts = run(batched(server, batch={"resubmit_lost": True}), tables(4), tmp_path)

    assert len(server.batches) == 2
    assert (verdicts["status"] == "ok").all()
    assert len(read_log(tmp_path / "judgments.sqlite")) == 8


def test_batch_that_is_gone(tmp_path):
    """An id that the endpoint does not know stops the run; on request its calls are failed."""
    with BatchServer(steady()) as server:
        server.troubles = {"look": [403]}
        with pytest.raises(JudgeError, match="no word of batch batch_0"):
            run(batched(server), tables(4), tmp_path)
        server.batches.clear()
        with pytest.raises(JudgeError, match="check base_url and whose key"):
            run(batched(server), tables(4), tmp_path)
        with pytest.raises(JudgeError, match="all 8 calls failed"):
            run(batched(server, batch={"resubmit_lost": True}), tables(4), tmp_path)
        verdicts = run(batched(server), tables(4), tmp_path)

    assert (verdicts["status"] == "ok").all()
    assert len(read_log(tmp_path / "judgments.sqlite")) == 16


def test_endpoint_without_batches(tmp_path):
    """It is said, and no call is on its way."""
    with BatchServer(steady()) as server:
        server.troubles = {"upload": [404]}
        with pytest.raises(JudgeError, match="not every endpoint takes batches"):
            run(batched(server), tables(4), tmp_path)

    assert events(tmp_path) == ["prepared", "dropped"]


def test_every_judge_is_sent_before_one_is_waited_for(tmp_path):
    """Two judges wait at the same time."""
    with BatchServer(steady()) as server:
        run([batched(server), batched(server, name="k")], tables(4), tmp_path)

    assert server.steps.index("look") == 4
    assert server.steps.count("create") == 2


@pytest.mark.parametrize(
    ("caps", "made"), [({"calls": 13}, 12), ({"tokens": 1400}, 12), ({"money": 0.0301}, 4)]
)
def test_cap_holds_before_anything_is_sent(tmp_path, caps, made):
    """Calls are held back at their most, 110 tokens or 0.0051; on their way they still count."""
    prices = PRICES | {"batch_factor": 1.0}
    with BatchServer(steady(), looks=10**9) as server:
        parts = batched(server, prices=prices, max_tokens=100)
        server.troubles = {"look": [403, 403]}
        with (
            pytest.warns(UserWarning, match=rf"cap of .* reached: {40 - made} calls are left"),
            pytest.raises(JudgeError, match="no word"),
        ):
            judge(parts, tables(20), tmp_path, caps=caps)
        assert server.requests == made
        with pytest.warns(UserWarning, match=r"cap of .* reached"), pytest.raises(JudgeError):
            judge(parts, tables(20), tmp_path, caps=caps)
        assert server.requests == made
        bill = estimate(parts, tables(20), tmp_path)
        server.looks = max(batch["looks"] for batch in server.batches.values()) + 1
        verdicts = run(parts, tables(20), tmp_path)

    columns = ["calls", "answered", "out", "open"]
    assert bill[columns].iloc[0].tolist() == [40, 0, made, 40 - made]
    assert f"{made} on their way in batches, {40 - made} to make" in describe_bill(bill)
    assert server.requests == len(verdicts) == 40


def estimate(judge, study, folder):
    """Return a judge's bill."""
    log = folder / "judgments.sqlite"
    return estimate_calls([judge], study.presentations, study.answers, study.questions, log)


def test_plan_counts_the_batch_factor(tmp_path):
    """Half of 4 x (9 x 10 + 100 x 50) / 1,000,000, and the plan says so; live calls cost all."""
    url = "http://127.0.0.1:9/v1"
    told = {"prices": PRICES, "max_tokens": 100}
    half = estimate(live(url, batch=True, **told), tables(2), tmp_path)
    whole = estimate(live(url, **told), tables(2), tmp_path)

    assert half["money"].tolist() == pytest.approx([0.01018])
    assert whole["money"].tolist() == pytest.approx([0.02036])
    assert "at most 0.01 USD (in batches: prices times 0.5)" in describe_bill(half)
    assert "batches" not in describe_bill(whole)


def test_key_is_nowhere(tmp_path, monkeypatch, capfd):
    """A planted key is in no file of the run, though the server repeats it in all that it says."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    options = {"message": f"bad key {KEY}"}

    def script(key, attempt, body):
        return Meeting("http_400" if said(body)[0] == "q1" else "ok", f"{KEY} [[A]]", 0.0, options)

    with BatchServer(script) as server:
        verdicts = run(batched(server, key_env="JUDGE_KEY"), tables(4), tmp_path)

    assert sorted(verdicts["status"]) == ["failed"] * 2 + ["ok"] * 6
    assert KEY not in "".join(capfd.readouterr())
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []


def test_study_with_a_stopping_rule_is_refused():
    """When it is read, before anything is asked."""
    one = {"name": "j", "kind": "openai", "model": "m", "batch": True}
    with pytest.raises(ParamsError, match="no `batch` for j, or no `stop`"):
        parse_section(Judging, {"judges": [one], "stop": {"half_width": 0.05}}, "judging")


def test_bytes_split_batches(tmp_path):
    """No batch is larger than allowed."""
    with BatchServer(steady()) as server:
        run(batched(server, batch={"max_bytes": 2000}), tables(8), tmp_path)
        sizes = [len(file) for file in server.files.values()]

    assert max(sizes) <= 2000
    assert sum(sizes) > 2000 * (len(sizes) - 1) * 0.7


def test_refused_setting(tmp_path):
    """It stops the study, or is left out by the next run where that is allowed."""
    with BatchServer(lambda *_: Meeting(options={"refuses": ["temperature"]})) as server:
        with pytest.raises(JudgeError, match="does not take 'temperature'"):
            run(batched(server), tables(2), tmp_path)
        settings = {"name": "k", "drop_refused": True}
        with pytest.raises(JudgeError, match="all 4 calls failed"):
            run(batched(server, **settings), tables(2), tmp_path)
        verdicts = run(batched(server, **settings), tables(2), tmp_path)

    assert (verdicts["status"] == "ok").all()
    told = read_log(tmp_path / "judgments.sqlite").query("status == 'ok'")["sent"]
    assert {json.loads(text)["not_sent"][0] for text in told} == {"temperature"}


def test_what_is_on_its_way_is_not_asked_otherwise(tmp_path):
    """Not one by one as long as a batch is out; a stopping rule has no use for batches."""
    with BatchServer(steady()) as server:
        server.troubles = {"look": [403]}
        with pytest.raises(JudgeError, match="no word of batch"):
            run(batched(server), tables(4), tmp_path)
        with pytest.raises(JudgeError, match=r"batch_0 .* would be asked twice"):
            run(live(server.url), tables(4), tmp_path)
        with pytest.raises(ParamsError, match="a stopping rule looks after each few"):
            run(batched(server), tables(4), tmp_path, stop=object())
        with pytest.warns(UserWarning, match="the study no longer asks for it"):
            judge(live(server.url, name="k"), tables(4), tmp_path)

    assert len(server.batches) == 1


def test_interrupt_leaves_batches_out(tmp_path):
    """Ctrl-C while waiting ends at once; the next run takes in what came back."""
    settings = json.dumps({"batch": BATCH | {"first_look": 60.0}})
    with BatchServer(steady()) as server:
        process = start(server.url, tmp_path, 4, settings)
        wait_for(process, lambda: "look" in server.steps)
        process.send_signal(signal.SIGINT)
        finish(process, -2)
        assert events(tmp_path) == ["prepared", "submitted"]
        verdicts = run(batched(server), tables(4), tmp_path)

    assert (verdicts["status"] == "ok").all()
    assert server.steps.count("create") == 1
