"""The fault server does what its script says, over real sockets."""

import http.client
import json

import pytest
from fault_server import FaultServer, Meeting, digest, mixed, steady

MESSAGES = [{"role": "user", "content": "é?"}]


def ask(server, path="/v1/chat/completions", messages=MESSAGES, timeout=5, **settings):
    """Send one request by the standard library's own client."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    body = json.dumps({"model": "m", "messages": messages} | settings)
    connection.request("POST", path, body)
    response = connection.getresponse()
    return response.status, dict(response.getheaders()), response.read()


def test_answers_in_both_formats():
    """One script serves both labs' formats; attempts are counted by prompt."""
    with FaultServer(steady(text="[[B]]")) as server:
        chat = json.loads(ask(server)[2])
        native = json.loads(ask(server, "/v1/messages")[2])

        assert chat["choices"][0]["message"]["content"] == "[[B]]"
        assert native["content"] == [{"type": "text", "text": "[[B]]"}]
        assert server.attempts == {digest(MESSAGES): 2}


def test_goes_wrong_as_told():
    """Status, header, refused parameter, cut stream and silence arrive as scripted."""
    script = {
        1: Meeting("http_429", options={"retry_after": "2"}),
        2: Meeting(options={"refuses": ["temperature"]}),
        3: Meeting("cut"),
        4: Meeting("hang"),
        5: Meeting("wrong_json"),
    }
    with FaultServer(lambda key, attempt, body: script[attempt]) as server:
        status, headers, _ = ask(server)
        assert (status, headers["retry-after"]) == (429, "2")
        status, _, body = ask(server, temperature=0)
        assert (status, json.loads(body)["error"]["param"]) == (400, "temperature")
        with pytest.raises(http.client.IncompleteRead):
            ask(server)
        with pytest.raises(TimeoutError):
            ask(server, timeout=0.2)
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(ask(server)[2])


def test_mixture_depends_on_the_prompt_alone():
    """The same prompts meet the same faults again, about as many as asked for."""
    keys = [digest([{"role": "user", "content": str(n)}]) for n in range(2000)]
    faults = [mixed(0.1)(key, 1, {}).fault for key in keys]

    assert faults == [mixed(0.1)(key, 1, {}).fault for key in keys]
    assert 0.07 < sum(fault != "ok" for fault in faults) / 2000 < 0.13
