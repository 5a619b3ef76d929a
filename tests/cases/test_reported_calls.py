"""Reported faults in asking judges, against the fault server: B09 to B18."""

import asyncio
import itertools
import json
import os
import shutil
import time
import warnings

import pytest
from fault_server import FaultServer, Meeting, digest, steady
from live_studies import judge, live, said, tables
from log_rows import attempt_row, write_rows

from posbias_kit.analysis import repetition_stability
from posbias_kit.data import read_judgments
from posbias_kit.data.presentations import identify
from posbias_kit.errors import JudgeError
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import read_log, read_states


def scripted(texts):
    """Answer each (question, first candidate) as told; a list answers in turn."""

    def script(key, attempt, body):
        told = texts[said(body)] if said(body) in texts else texts[said(body)[0]]
        told = told[min(attempt, len(told)) - 1] if isinstance(told, list) else told
        return told if isinstance(told, Meeting) else Meeting(text=told)

    return script


def test_b09_failures_are_neither_ties_nor_losses(tmp_path):
    """B09: ten calls, 6 FIRST, 2 SECOND, one failed, one refused: the share is 6 of 8."""
    study = tables(5)
    where = [(f"q{n}", first) for n in range(5) for first in ("m1", "m2")]
    texts = ["[[A]]"] * 6 + ["[[B]]"] * 2 + [Meeting("http_429"), Meeting("refusal")]
    with FaultServer(scripted(dict(zip(where, texts, strict=True)))) as server:
        verdicts = judge(live(server.url, limits={"attempts": 2}), study, tmp_path)

    told = verdicts.set_index(["question", "order"])
    assert verdicts["status"].value_counts().to_dict() == {"ok": 8, "failed": 1, "invalid": 1}
    assert (verdicts["choice"].eq(1).sum(), verdicts["choice"].eq(0).sum()) == (6, 0)
    assert told.loc[("q4", "AB"), "reason"] == "rate_limit"
    assert told.loc[("q4", "BA"), "reason"] == "refusal"


@pytest.mark.parametrize("fault", ["http_500", "http_401", "hang", "wrong_json"])
def test_b09_judge_that_always_fails_gives_no_table(tmp_path, fault):
    """B09: where nothing comes back there is an error with the reason, and no verdict table."""
    limits = {"attempts": 2, "timeout": 0.1}
    with (
        FaultServer(lambda *_: Meeting(fault)) as server,
        pytest.raises(JudgeError, match=r"judge 'j': .*(http_5xx|http_4xx|timeout|connection)"),
    ):
        judge(live(server.url, limits=limits), tables(5), tmp_path)

    log = read_log(tmp_path / "judgments.sqlite")
    assert set(log["status"]) == {"failed"}
    assert len(log) == (1 if fault == "http_401" else 6), "an endpoint that is down is not hammered"


def test_b10_failed_calls_are_asked_again(tmp_path):
    """B10: of valid, valid, failed only the failed one is asked again; both attempts stay."""
    study = tables(2)
    study.presentations = study.presentations.head(3)
    broken = scripted({"q0": "[[A]]", "q1": Meeting("http_400")})
    with FaultServer(broken) as server:
        first = judge(live(server.url), study, tmp_path)
        server.script = steady(text="[[B]]")
        before = sum(server.attempts.values())
        second = judge(live(server.url), study, tmp_path)
        asked = sum(server.attempts.values()) - before

    assert first["status"].tolist() == ["ok", "ok", "failed"]
    assert asked == 1
    assert second["status"].tolist() == ["ok"] * 3
    assert second["choice"].tolist() == [1, 1, 2]
    assert read_log(tmp_path / "judgments.sqlite")["status"].tolist().count("failed") == 1


def test_b10_stubborn_failures_do_not_stop_what_is_left(tmp_path):
    """B10: thirty requests that are refused for themselves fail again, and the rest is kept."""
    study = tables(20)
    texts = {f"q{n}": Meeting("http_400") for n in range(20)} | {"q0": "[[A]]", "q7": "[[A]]"}
    with FaultServer(scripted(texts)) as server:
        first = judge(live(server.url, seed=2), study, tmp_path)
        again = judge(live(server.url, seed=2), study, tmp_path)

    assert first["status"].value_counts().to_dict() == {"failed": 36, "ok": 4}
    assert first.equals(again)


def test_b10_unreadable_replies_are_asked_again_only_on_request(tmp_path):
    """B10: a reply without a verdict stands until somebody asks for another; both are kept."""
    study = tables(1)
    with FaultServer(scripted({"q0": ["No idea.", "[[B]]"]})) as server:
        for again, status, calls in ((False, "invalid", 2), (False, "invalid", 2), (True, "ok", 4)):
            verdicts = judge(live(server.url), study, tmp_path, ask_invalid_again=again)
            assert verdicts["status"].tolist() == [status] * 2
            assert sum(server.attempts.values()) == calls

    log = read_log(tmp_path / "judgments.sqlite")
    assert log["text"].tolist().count("No idea.") == 2
    assert sorted(log["attempt"]) == [1, 1, 2, 2]


def test_b11_rate_limit_is_waited_out(tmp_path):
    """B11: two 429 that ask for a wait, then a verdict: three attempts with the waits between."""
    wait = Meeting("http_429", options={"retry_after": "0.4"})
    study = tables(1)
    study.presentations = study.presentations.head(1)
    with FaultServer(scripted({"q0": [wait, wait, "[[A]]"]}), keep=True) as server:
        verdicts = judge(live(server.url), study, tmp_path)
        times = [body["at"] for body in server.bodies]

    assert verdicts["choice"].tolist() == [1]
    assert len(times) == 3
    assert min(b - a for a, b in itertools.pairwise(times)) >= 0.4
    log = read_log(tmp_path / "judgments.sqlite")
    assert log["status"].tolist() == ["failed", "failed", "ok"]
    assert log["reason"].tolist() == ["rate_limit", "rate_limit", ""]


def test_b11_permanent_and_silent_providers(tmp_path):
    """B11: a permanent error is tried once, silence ends at the deadline, other items go on."""
    study = tables(4)
    texts = {"q0": "[[A]]", "q1": "[[A]]", "q2": Meeting("http_400"), "q3": Meeting("hang")}
    limits = {"timeout": 0.3, "deadline": 0.8, "concurrency": 4}
    began = time.monotonic()
    with FaultServer(scripted(texts)) as server:
        verdicts = judge(live(server.url, limits=limits, seed=3), study, tmp_path)
        attempts = server.attempts

    told = verdicts.set_index(["question", "order"])["reason"]
    assert told["q2"].tolist() == ["http_4xx"] * 2
    assert told["q3"].tolist() == ["timeout"] * 2
    assert verdicts["status"].value_counts()["ok"] == 4
    log = read_log(tmp_path / "judgments.sqlite")
    once = log[log["reason"] == "http_4xx"]
    assert len(once) == 2
    assert sum(attempts.values()) == len(log), "every attempt is a row"
    assert time.monotonic() - began < 10


def refuse(name="temperature"):
    """Refuse a setting, else answer."""
    return lambda key, attempt, body: Meeting(text="[[A]]", options={"refuses": [name]})


def test_b12_refused_setting_stops_on_the_first_call(tmp_path):
    """B12: one call finds out, and the message names setting and cure."""
    with (
        FaultServer(refuse()) as server,
        pytest.raises(JudgeError, match=r"does not take 'temperature'.*\n.*drop_refused"),
    ):
        judge(live(server.url), tables(5), tmp_path)

    assert sum(server.attempts.values()) == 1


def test_b12_refused_setting_is_left_out_and_recorded(tmp_path):
    """B12: where allowed, the calls go out without it; the log says so, and a warning."""
    with FaultServer(refuse(), keep=True) as server, pytest.warns(UserWarning, match="not sent"):
        verdicts = judge(live(server.url, drop_refused=True), tables(5), tmp_path)

    log = read_log(tmp_path / "judgments.sqlite")
    assert verdicts["status"].eq("ok").all()
    assert len(server.bodies) == 11, "found on the first call, not on every one"
    ok = log[log["status"] == "ok"]
    assert ok["sent"].str.contains('"not_sent": ["temperature"]', regex=False).all()
    assert not ok["sent"].str.contains('"temperature":', regex=False).any()
    assert ok["settings"].str.contains('"temperature": 0.0', regex=False).all()


def test_b13_budget_used_up_by_thinking(tmp_path):
    """B13: a cut reply is truncated; its reasoning is stored and not read for a verdict."""
    with (
        FaultServer(lambda *_: Meeting("length")) as server,
        pytest.warns(UserWarning, match=r"2 of 2 replies were cut off .*max_tokens 1024"),
    ):
        verdicts = judge(live(server.url), tables(1), tmp_path)

    log = read_log(tmp_path / "judgments.sqlite")
    assert verdicts["reason"].tolist() == ["truncated"] * 2
    assert log["reasoning"].tolist() == ["so [[A]] seems"] * 2
    assert log["stop_reason"].tolist() == ["length"] * 2
    assert log["reasoning_tokens"].tolist() == [512] * 2


def test_b13_verdict_first_prompt_lifts_it(tmp_path):
    """A study whose prompt asks for the verdict first may read a reply that was cut off."""
    cut = Meeting("length", options={"begun": "[[A]] because"})
    with FaultServer(lambda *_: cut) as server:
        verdicts = judge(live(server.url, verdict_first=True), tables(1), tmp_path)
        with pytest.warns(UserWarning, match="cut off"):
            other = judge(live(server.url, name="k"), tables(1), tmp_path)

    assert verdicts["choice"].tolist() == [1, 1]
    assert other["reason"].tolist() == ["truncated"] * 2


def test_b14_refusals_and_filters_are_invalid(tmp_path):
    """B14: a refusal field and a filtered reply are refusals; the rest goes on."""
    texts = {"q0": Meeting("refusal"), "q1": Meeting("content_filter"), "q2": "[[B]]",
             "q3": Meeting("null"), "q4": Meeting("empty")}  # fmt: skip
    with FaultServer(scripted(texts)) as server:
        verdicts = judge(live(server.url), tables(5), tmp_path)

    reasons = verdicts.groupby("question")["reason"].agg(set).to_dict()
    assert reasons == {"q0": {"refusal"}, "q1": {"refusal"}, "q2": {""},
                       "q3": {"empty"}, "q4": {"empty"}}  # fmt: skip
    assert verdicts.loc[verdicts["question"] == "q2", "choice"].tolist() == [2, 2]


def test_b14_native_refusal_and_thinking(tmp_path):
    """B14: an empty list of blocks is a refusal; text is found behind a thought."""
    texts = {"q0": Meeting("refusal"), "q1": Meeting("reasoning_field", "[[B]]")}
    with FaultServer(scripted(texts)) as server:
        url = server.url.removesuffix("/v1")
        verdicts = judge(live(url, kind="anthropic"), tables(2), tmp_path)

    assert verdicts["reason"].tolist() == ["refusal", "refusal", "", ""]
    assert verdicts["choice"].tolist()[2:] == [2, 2]


class Rephrased:
    """The same template with another wording."""

    def render(self, question, answers):
        """Return a prompt."""
        from asking import prompt
        from live_studies import Template

        return prompt("Please: " + Template().render(question, answers).messages[0][1])


def test_b15_every_part_of_the_identity_counts(tmp_path):
    """B15: order, judge, prompt, repeat, settings, arm and text: one call each, none for more."""
    study = tables(1)
    one = study.presentations.head(1)
    with FaultServer(steady(text="[[A]]")) as server:

        def calls(presentations, template=None, **settings):
            before = sum(server.attempts.values())
            study.presentations = presentations
            judge(live(server.url, template=template, **settings), study, tmp_path)
            return sum(server.attempts.values()) - before

        assert calls(one) == 1
        assert calls(one) == 0, "an exact repeat"
        assert calls(tables(1).presentations.tail(1)) == 1, "order"
        assert calls(one, name="j2") == 1, "judge"
        assert calls(one, Rephrased()) == 1, "prompt"
        assert calls(one.assign(repeats=2)) == 1, "repeat"
        assert calls(one, temperature=0.5) == 1, "settings"
        assert calls(one.assign(arm="letters")) == 1, "arm"
        assert calls(one, limits={"concurrency": 2}) == 0, "how fast is no part of it"


def test_b16_repeats_are_never_served_from_one_another(tmp_path):
    """B16: three repeats of one item are three calls and three replies, also when run again."""
    study = tables(1, repeats=3)
    study.presentations = study.presentations.head(1)
    with FaultServer(scripted({"q0": ["[[A]]", "[[B]]", "[[A]]"]})) as server:
        first = judge(live(server.url), study, tmp_path)
        again = judge(live(server.url), study, tmp_path)

        assert sum(server.attempts.values()) == 3
    assert sorted(first["choice"]) == [1, 1, 2]
    assert first.equals(again)
    assert repetition_stability(first, draws=0)["rs"].tolist() == [pytest.approx(2 / 3)]
    assert len(read_log(tmp_path / "judgments.sqlite")) == 3


def test_repeats_send_seeds_of_their_own(tmp_path):
    """A configured seed does not make every repeat draw the same token."""
    with FaultServer(steady(text="[[A]]"), keep=True) as server:
        judge(live(server.url, seed=1, temperature=0.7), tables(1, 3), tmp_path)
        assert "seed" not in server.bodies[0]
        server.bodies.clear()
        told = live(server.url, name="k")
        told.params.seed = 5
        told.settings["seed"] = 5
        judge(told, tables(1, 3), tmp_path)

    seeds = [body["seed"] for body in server.bodies]
    assert len(set(seeds)) == 6


def test_b17_half_a_row_at_the_end_of_the_store(tmp_path):
    """B17: a write cut in the middle loses itself, not what was acknowledged before."""
    path = write_rows(tmp_path / "judgments.sqlite", attempt_row("c1"), attempt_row("c2"))
    torn = tmp_path / "torn" / path.name
    torn.parent.mkdir()
    with JudgmentLog(path) as log:
        for call in ("q1", "q2", "q3"):
            asyncio.run(log.add(attempt_row(call)))
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{torn}{end}")
    wal = torn.with_name(f"{torn.name}-wal")
    os.truncate(wal, wal.stat().st_size - 100)

    assert set(read_states(torn)) == {"c1", "c2", "q1", "q2"}
    write_rows(torn, attempt_row("q3"))
    assert set(read_states(torn)) == {"c1", "c2", "q1", "q2", "q3"}


def test_b17_half_a_line_at_the_end_of_a_file(tmp_path):
    """B17: the fragment is named by its line and set aside; what stands before it is read."""
    path = tmp_path / "judgments.jsonl"
    row = {"model_a": "x", "model_b": "y", "judge_id": "j", "winner_ab": "A", "winner_ba": "B"}
    lines = [json.dumps(row | {"question_id": n}) for n in (1, 2)]
    whole = "\n".join([*lines, '{"question_id": 3, "judgment_ab": "the fir'])
    path.write_text(whole, encoding="utf-8")
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        reading = read_judgments("swap_columns", path)

    assert reading.verdicts["question"].unique().tolist() == ["1", "2"]
    assert reading.set_aside["line"].tolist() == [3]
    assert "not readable as JSON" in reading.set_aside["problem"][0]
    assert path.read_text("utf-8") == whole, "the file itself is left as it was"


def test_b17_broken_line_in_the_middle_is_named(tmp_path):
    """B17: a broken line among good ones is never skipped in silence."""
    path = tmp_path / "judgments.jsonl"
    row = {"model_a": "x", "model_b": "y", "judge_id": "j", "winner_ab": "A", "winner_ba": "B"}
    good = [json.dumps(row | {"question_id": n}) for n in (1, 3)]
    path.write_text("\n".join([good[0], '{"question_id": 2,', good[1]]), encoding="utf-8")
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        reading = read_judgments("swap_columns", path)

    assert reading.set_aside["line"].tolist() == [2]
    assert len(reading.verdicts) == 4


@pytest.mark.parametrize("workers", [1, 4, 32])
def test_b18_replies_out_of_order(tmp_path, workers):
    """B18: the slower the earlier, 100 times over; every verdict finds its own item."""
    study = tables(400)
    study.presentations = study.presentations[study.presentations["order"] == "AB"]
    unit = 0.01 if workers > 1 else 0.001

    def script(key, attempt, body):
        number = int(said(body)[0][1:]) % 4
        return Meeting(text="[[A]]" if number < 2 else "[[B]]", latency=unit * (4 - number))

    with FaultServer(script, keep=True) as server:
        told = live(server.url, limits={"concurrency": workers})
        verdicts = judge(told, study, tmp_path)
        sent = [digest(body["messages"]) for body in server.bodies]

    number = verdicts["question"].str[1:].astype(int) % 4
    assert verdicts["choice"].tolist() == (1 + (number >= 2)).tolist()
    assert (sent == server.finished) == (workers == 1)


def test_other_model_version_is_noticed(tmp_path):
    """What came back is stored, and two versions under one judge's name are told."""
    texts = {"q0": Meeting(options={"model": "m-1-2026"}), "q1": Meeting()}
    with FaultServer(scripted(texts)) as server, pytest.warns(UserWarning, match="m-1, m-1-2026"):
        judge(live(server.url), tables(2), tmp_path)

    assert set(read_log(tmp_path / "judgments.sqlite")["model"]) == {"m-1", "m-1-2026"}


def test_works_inside_a_running_loop(tmp_path):
    """A notebook has an event loop of its own already."""

    async def cell(url):
        return judge(live(url), tables(2), tmp_path)

    with FaultServer(steady(text="[[A]]")) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(asyncio.run(cell(server.url))) == 4


def test_tables_are_what_they_seem():
    """The study of these tests has its identity from the data room."""
    plan = tables(1).presentations
    frame = plan.assign(shown=[("m1", "m2"), ("m2", "m1")])

    assert identify(frame)["order"].tolist() == ["AB", "BA"]
