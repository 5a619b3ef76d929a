"""Adapters: what goes out, what is read from a reply, and how failures are told."""

import asyncio
import sys

import pytest
from asking import KEY, ask, params, prompt
from fault_server import FaultServer, Meeting, steady

from posbias_kit.errors import ParamsError
from posbias_kit.judging.anthropic_client import AnthropicClient
from posbias_kit.judging.openai_client import OpenAIClient
from posbias_kit.judging.protocol import CallError

CLIENTS = pytest.mark.parametrize("client", [OpenAIClient, AnthropicClient])


def meet(fault, client=OpenAIClient, keep=False, options=None, text="[[B]]", **settings):
    """Ask a server once that gives every request the same meeting."""
    with FaultServer(lambda *_: Meeting(fault, text, options=options or {}), keep) as server:
        url = server.url.removesuffix("/v1") if client is AnthropicClient else server.url
        try:
            return ask(url, client=client, **settings), server
        except CallError as error:
            return error, server


@CLIENTS
def test_reply_is_read(client):
    """Text, tokens, model and request id come from the reply, not from what was configured."""
    reply, _ = meet("ok", client, options={"model": "m-2", "id": "7"})

    assert (reply.text, reply.model, reply.request_id) == ("[[B]]", "m-2", "req_7")
    assert reply.usage[:3] == (100, 40, 20)
    assert '"[[B]]"' in reply.raw


def test_openai_sends_what_is_configured():
    """Settings go out as they stand; a setting that is none stays home."""
    _, server = meet("ok", keep=True, max_tokens=7, seed=3, extra={"top_p": 0.5, "x": {"y": [1]}})
    (body,) = server.bodies

    assert {k: body[k] for k in ("temperature", "max_tokens", "seed", "top_p", "x")} == {
        "temperature": 0.0, "max_tokens": 7, "seed": 3, "top_p": 0.5, "x": {"y": [1]},
    }  # fmt: skip
    assert body["messages"] == [{"role": "user", "content": "Which?"}]
    reply, _ = meet("ok", max_tokens=None, temperature=None)
    assert reply.sent == {"model": "m-1"}


def test_reasoning_model_gets_its_own_parameters():
    """The token limit has another name, and no temperature goes out."""
    reply, server = meet("ok", keep=True, reasoning=True, max_tokens=9)

    assert reply.sent == {"model": "m-1", "max_completion_tokens": 9}
    assert "temperature" not in server.bodies[0]
    assert "max_tokens" not in server.bodies[0]


@CLIENTS
@pytest.mark.parametrize(
    ("fault", "stop"),
    [("length", {"length", "max_tokens"}), ("refusal", {"refusal"}),
     ("content_filter", {"content_filter", "refusal"}), ("empty", {"stop", "end_turn"}),
     ("null", {"stop", "end_turn"})],
)  # fmt: skip
def test_reply_without_text_is_a_reply(client, fault, stop):
    """An empty, refused or cut reply is no failure; its stop reason says what happened."""
    reply, _ = meet(fault, client)

    assert reply.stop_reason in stop
    assert not (reply.text or "").endswith("]]")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_field_is_kept_apart(field):
    """Reasoning is stored and is not part of the text."""
    reply, _ = meet("reasoning_field", options={"field": field})

    assert (reply.text, reply.reasoning) == ("[[B]]", "so [[A]] seems")


def test_blocks_are_chosen_by_type():
    """The first block may be a thought; the text block is the reply."""
    reply, _ = meet("reasoning_field", AnthropicClient)

    assert (reply.text, reply.reasoning) == ("[[B]]", "so [[A]] seems")


@CLIENTS
@pytest.mark.parametrize(
    ("fault", "reason", "permanent", "fatal"),
    [
        ("http_429", "rate_limit", False, False),
        ("http_500", "http_5xx", False, False),
        ("http_529", "http_5xx", False, False),
        ("http_400", "http_4xx", True, False),
        ("http_401", "http_4xx", True, True),
        ("http_404", "http_4xx", True, True),
        ("http_408", "timeout", False, False),
        ("cut", "connection", False, False),
        ("wrong_json", "connection", False, False),
        ("hang", "timeout", False, False),
    ],
)
def test_failure_has_a_reason(client, fault, reason, permanent, fatal):
    """Each failure is told by reason, and whether asking again can help."""
    error, server = meet(fault, client, timeout=0.3 if fault == "hang" else 5)

    assert isinstance(error, CallError)
    assert (error.reason, error.permanent, error.fatal) == (reason, permanent, fatal)
    assert sum(server.attempts.values()) == 1, "the SDK asked again by itself"


def test_nobody_listens():
    """A closed port is a connection failure."""
    with pytest.raises(CallError) as caught:
        ask("http://127.0.0.1:9/v1")

    assert (caught.value.reason, caught.value.permanent) == ("connection", False)


def test_spent_account_is_permanent():
    """A 429 that speaks of an empty account is not asked again."""
    error, _ = meet("http_429", options={"code": "insufficient_quota"})

    assert (error.reason, error.permanent, error.fatal) == ("rate_limit", True, True)


@CLIENTS
def test_wait_is_read(client):
    """Retry-After arrives in seconds."""
    error, _ = meet("http_429", client, options={"retry_after": "2"})

    assert error.retry_after == 2.0


@pytest.mark.parametrize("name", ["temperature", "max_tokens"])
def test_refused_setting_is_named(name):
    """A 400 that does not support a setting names it; once dropped it is recorded as not sent."""
    import asyncio

    async def twice(url):
        client = OpenAIClient(params(url))
        try:
            with pytest.raises(CallError) as caught:
                await client.ask(prompt(), 5)
            client.drop(caught.value)
            return caught.value, await client.ask(prompt(), 5)
        finally:
            await client.close()

    with FaultServer(lambda *_: Meeting(options={"refuses": [name]})) as server:
        error, reply = asyncio.run(twice(server.url))

    assert error.refused == name
    assert reply.sent["not_sent"] == [name]
    assert name not in reply.sent
    assert ("max_completion_tokens" in reply.sent) == (name == "max_tokens")


@CLIENTS
def test_key_comes_from_the_environment_and_stays_there(client, monkeypatch):
    """The key goes out in a header; a server that repeats or masks it is not quoted."""
    monkeypatch.setenv("MY_KEY", KEY)
    said = f"Incorrect key {KEY}, see sk-P****{KEY[-4:]}"
    error, server = meet("http_401", client, True, {"message": said}, key_env="MY_KEY")
    reply, _ = meet("ok", client, text=f"{KEY} [[B]]", key_env="MY_KEY")

    assert any(KEY in value for value in server.bodies[0]["headers"].values())
    kept = repr([error, error.raw, reply])
    assert KEY not in kept
    assert KEY[-4:] not in kept
    assert reply.text == "[key] [[B]]"


def test_missing_key_is_refused(monkeypatch):
    """An unset variable is named before anything is sent."""
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ParamsError, match="variable MY_KEY is not set"):
        OpenAIClient(params(key_env="MY_KEY"))


def test_missing_sdk_is_said(monkeypatch):
    """Without the extra, the message says how to install it."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ParamsError, match=r"posbias-kit\[anthropic\]"):
        AnthropicClient(params(kind="anthropic"))


def test_logprobs_of_the_first_token_by_label():
    """Spellings of a label with a space add up; other tokens are left out."""
    options = [("A", -1.0), (" A", -1.0), ("B", -2.0), ("The", -0.1)]
    told = [{"token": token, "logprob": value} for token, value in options]
    first = {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": told}]}
    reply, _ = meet("ok", options={"logprobs": first})

    assert reply.logprobs == {"A": pytest.approx(-1.0 + 0.6931471805599453), "B": -2.0}


def test_out_of_order_replies_find_their_prompt():
    """A slow first prompt does not get the reply of a fast second one."""
    import asyncio

    async def both(url):
        client = OpenAIClient(params(url))
        try:
            return await asyncio.gather(*(client.ask(prompt(t), 5) for t in ("slow", "fast")))
        finally:
            await client.close()

    def script(key, attempt, body):
        slow = body["messages"][0]["content"] == "slow"
        return Meeting(text="[[A]]" if slow else "[[B]]", latency=0.2 if slow else 0.0)

    with FaultServer(script) as server:
        replies = asyncio.run(both(server.url))

    assert [reply.text for reply in replies] == ["[[A]]", "[[B]]"]


@CLIENTS
def test_proxy_is_for_other_machines(client, monkeypatch):
    """What the environment names as a proxy is asked, but not about this machine."""
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with FaultServer(steady(text="[[A]]")) as server:
        here = server.url.removesuffix("/v1")
        monkeypatch.setenv("http_proxy", here)
        assert ask("http://models.example/v1", client=client).text == "[[A]]"
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        assert ask(here if client is AnthropicClient else server.url, client=client).text == "[[A]]"
        with pytest.raises(CallError) as caught:
            ask("http://models.example/v1", client=client)
    assert caught.value.reason == "connection"


@CLIENTS
@pytest.mark.parametrize(("flying", "pools"), [(1, 1), (8, 1), (20, 3), (500, 8)])
def test_calls_take_turns_over_pools(client, flying, pools):
    """As many calls as may be in flight are spread evenly, and every connection is closed."""
    kind = "openai" if client is OpenAIClient else "anthropic"
    used = []

    async def send(sdk, body):
        used.append(sdk)
        return await type(adapter)._send(adapter, sdk, body)

    async def twice_around():
        for _ in range(2 * pools):
            await adapter.ask(prompt(), 5)
        await adapter.close()

    with FaultServer(steady(text="[[A]]")) as server:
        url = server.url.removesuffix("/v1") if kind == "anthropic" else server.url
        adapter = client(params(url, kind, limits={"concurrency": flying}))
        adapter._send = send
        asyncio.run(twice_around())

    assert len(adapter.sdks) == pools
    assert used == adapter.sdks * 2
    assert all(sdk.is_closed() for sdk in adapter.sdks)


def test_steady_server_is_used():
    """The helper of these tests asks for real."""
    with FaultServer(steady(text="[[C]]")) as server:
        assert ask(server.url).text == "[[C]]"
