"""Several endpoints of one judge: the least busy is asked, one that fails rests."""

from contextlib import ExitStack

import pytest
from asking import params
from fault_server import FaultServer, Meeting, steady
from live_studies import judge, live, tables

from posbias_kit.judging.endpoints import Endpoints
from posbias_kit.judging.log_table import read_log
from posbias_kit.judging.protocol import CallError

DEAD = "http://127.0.0.1:9/v1"  # nobody listens on the port of discard


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self):
        """Tell the time."""
        return self.now


def fail(endpoints, reason="http_5xx", retry_after=None):
    """Let one call fail; return who was asked, and how long to wait."""
    with pytest.raises(CallError) as error, endpoints.lend() as client:
        raise CallError(reason, "", retry_after=retry_after)
    return client, error.value.retry_after


def succeed(endpoints):
    """Let one call succeed; return who was asked."""
    with endpoints.lend() as client:
        return client


def test_the_least_busy_is_asked():
    """Four calls in flight are two each; the next goes where a place was freed."""
    endpoints = Endpoints(["a", "b"])
    with ExitStack() as stack, ExitStack() as first:
        asked = [first.enter_context(endpoints.lend())]
        asked += [stack.enter_context(endpoints.lend()) for _ in range(3)]
        assert asked == ["a", "b", "a", "b"]
        first.close()
        assert succeed(endpoints) == "a"
        assert succeed(endpoints) == "a"


def test_one_that_fails_rests_twice_as_long_each_time():
    """A second, then two; a reply ends it; a call's own failure is no reason to rest."""
    clock = Clock()
    endpoints = Endpoints(["a", "b"], clock)
    assert fail(endpoints)[0] == "a"
    assert [succeed(endpoints) for _ in range(2)] == ["b", "b"]
    clock.now += 1.5
    assert fail(endpoints)[0] == "a"
    clock.now += 1.5
    assert succeed(endpoints) == "b"
    clock.now += 1.0
    assert succeed(endpoints) == "a"
    assert fail(endpoints, "http_4xx")[0] in "ab"
    assert {succeed(endpoints), succeed(endpoints)} == {"a", "b"}


def test_where_all_rest_the_first_to_be_back_is_asked():
    """Who is overloaded is not waited for while another is well, and is where none is."""
    clock = Clock()
    endpoints = Endpoints(["a", "b"], clock)
    assert fail(endpoints, "rate_limit", retry_after=30.0) == ("a", None)
    assert fail(endpoints, "rate_limit", retry_after=20.0) == ("b", 20.0)
    assert succeed(endpoints) == "b"
    assert fail(Endpoints(["a"], clock), "rate_limit", retry_after=7.0) == ("a", 7.0)


def test_dead_and_failing_servers_lose_nothing(tmp_path):
    """Of four servers one is dead, one always fails: every call is answered by the others."""
    broken = FaultServer(lambda *_: Meeting("http_500"))
    with broken, FaultServer(steady(0.01)) as one, FaultServer(steady(0.01)) as two:
        urls = [DEAD, broken.url, one.url, two.url]
        verdicts = judge(live(urls, limits={"concurrency": 8}), tables(40), tmp_path)
        log = read_log(tmp_path / "judgments.sqlite")

    assert (verdicts["status"] == "ok").all()
    answered = log[log["status"] == "ok"].groupby("endpoint").size()
    assert answered.index.tolist() == sorted([one.url, two.url])
    assert answered.min() > 30
    failed = log[log["status"] == "failed"].groupby("endpoint").size()
    assert set(failed.index) == {DEAD, broken.url}
    assert failed.sum() < 20, "who fails is not asked again and again"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": []}, "at least 1 item"),
        ({"url": [DEAD, DEAD]}, "names an address twice"),
        ({"url": [DEAD, "ftp://x"]}, "not an http or https address"),
        ({"url": [DEAD, "http://a:b@x/v1"]}, "holds credentials"),
        ({"url": [DEAD, "http://localhost:1/v1"], "batch": True}, "one base_url"),
    ],
)
def test_lists_that_cannot_be_asked_are_refused(settings, said):
    """An empty list, a doubled or wrong address, batches at several places."""
    with pytest.raises(ValueError, match=said):
        params(**settings)
