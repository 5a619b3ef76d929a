"""A server on loopback that speaks two wire formats and goes wrong on request.

What a request meets depends on its prompt and on how often that prompt was asked, never on time:
a script is a function ``(digest of the messages, attempt, body) -> Meeting``. Run as a program it
serves in a process of its own: ``python fault_server.py PORT_FILE [--latency S] [--share S]``.
"""

import argparse
import asyncio
import hashlib
import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

REFUSAL = "I cannot help with that."
PERSISTENT = ("empty", "null", "refusal", "content_filter", "length", "http_400", "reasoning_field")
PASSING = ("http_429", "http_429_after", "http_500", "http_529", "hang", "cut", "wrong_json")
MIX = PASSING + PERSISTENT


@dataclass
class Meeting:
    """What one request meets."""

    fault: str = "ok"
    text: str = "[[A]]"
    latency: float = 0.0
    options: dict = field(default_factory=dict)


def digest(messages):
    """Return the key of a request: SHA-256 over the canonical JSON of its messages."""
    pairs = [[message["role"], message["content"]] for message in messages]
    text = json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def verdict(key):
    """Return the verdict that the server gives for a prompt: some slot, or a tie."""
    return f"[[{'ABC'[int(key[-4:], 16) % 3]}]]"


def steady(latency=0.0, text=None):
    """Always answer, with `text` or the prompt's own verdict."""
    return lambda key, attempt, body: Meeting(text=text or verdict(key), latency=latency)


def mixed(share, latency=0.0, faults=MIX):
    """Let a share of the prompts meet a fault: once or twice, or whenever they are asked."""

    def script(key, attempt, body):
        fault = faults[int(key[8:16], 16) % len(faults)]
        struck = int(key[:8], 16) / 2**32 < share
        if struck and (fault in PERSISTENT or attempt <= 1 + int(key[16], 16) % 2):
            options = {"retry_after": "0.02"} if fault == "http_429_after" else {}
            return Meeting(fault, verdict(key), latency, options)
        return Meeting(text=verdict(key), latency=latency)

    return script


class FaultServer:
    """Serves a script in a thread of its own; `with FaultServer(script) as server`."""

    def __init__(self, script, keep=False):
        self.script = script
        self.attempts = Counter()
        """Requests by digest."""
        self.finished = []
        """Digests in the order in which their replies went out, where `keep` is set."""
        self.bodies = []
        """Request bodies with their headers, where `keep` is set."""
        self.keep = keep
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        start = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result()
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stop(self):
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                fields = (line.split(":", 1) for line in lines[1:] if line)
                headers = {name.lower(): value.strip() for name, value in fields}
                raw = await reader.readexactly(int(headers.get("content-length", 0)))
                verb, path = lines[0].split()[:2]
                if not await self._handle(verb, path, headers, raw, writer):
                    break
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _handle(self, verb, path, headers, raw, writer):
        return await self._answer(path, headers, json.loads(raw), writer)

    async def _answer(self, path, headers, body, writer):
        """Answer one request; false where the connection is to be closed."""
        messages = list(body["messages"])
        if isinstance(body.get("system"), str):
            messages.insert(0, {"role": "system", "content": body["system"]})
        key = digest(messages)
        self.attempts[key] += 1
        meeting = self.script(key, self.attempts[key], body)
        if self.keep:
            self.bodies.append(body | {"headers": headers, "at": self._loop.time()})
        await asyncio.sleep(3600 if meeting.fault == "hang" else meeting.latency)
        native = path.endswith("/messages")
        status, extra, content = reply(meeting, body, native)
        if self.keep:
            self.finished.append(key)
        return await _send(writer, status, extra, content, cut=meeting.fault == "cut")


class WatchedServer(FaultServer):
    """Knows how many requests were in flight at once."""

    def __init__(self, script):
        super().__init__(script)
        self.most_flying, self._flying = 0, set()

    async def _answer(self, path, headers, body, writer):
        asked = digest(body["messages"])
        self._flying.add(asked)
        self.most_flying = max(self.most_flying, len(self._flying))
        try:
            return await super()._answer(path, headers, body, writer)
        finally:
            self._flying.discard(asked)


async def _send(writer, status, extra, content, cut):
    lines = [f"HTTP/1.1 {status} X", "content-type: application/json"]
    lines += [f"content-length: {len(content)}", *extra]
    content = content[: len(content) // 2] if cut else content
    writer.write("\r\n".join([*lines, "", ""]).encode() + content)
    await writer.drain()
    return not cut


def reply(meeting, body, native):
    """Return status, header lines and body of the reply to a request."""
    fault, options = meeting.fault, meeting.options
    extra = [f"{'request-id' if native else 'x-request-id'}: req_{options.get('id', 'x')}"]
    if "retry_after" in options:
        extra.append(f"retry-after: {options['retry_after']}")
    refused = next((name for name in options.get("refuses", ()) if name in body), None)
    if refused:
        said = f"Unsupported parameter: '{refused}' is not supported with this model."
        cure = " Use 'max_completion_tokens' instead." if refused == "max_tokens" else ""
        error = {"message": said + cure, "param": refused, "type": "invalid_request_error"}
        return 400, extra, json.dumps({"type": "error", "error": error}).encode()
    if fault.startswith("http_"):
        status = int(fault.split("_")[1])
        error = {"message": options.get("message", f"made to fail: {status}"), "type": "x"}
        error["code"] = options.get("code")
        return status, extra, json.dumps({"type": "error", "error": error}).encode()
    if fault == "wrong_json":
        return 200, extra, b'{"choices": [{"message": '
    shape = _anthropic if native else _openai
    told = shape(fault, meeting.text, options) | {"model": options.get("model", body["model"])}
    return 200, extra, json.dumps(told).encode()


def _openai(fault, text, options):
    message = {"role": "assistant", "content": text}
    stop = {"length": "length", "content_filter": "content_filter"}.get(fault, "stop")
    if fault in ("empty", "null", "length"):
        message["content"] = None if fault == "null" else options.get("begun", "")
    elif fault == "refusal":
        message |= {"content": None, "refusal": REFUSAL}
    elif fault == "content_filter":
        message["content"] = "The first is better [["
    elif fault == "reasoning_content":
        message["content"] = f"<think>perhaps [[C]]</think>\n{text}"
    if fault in ("reasoning_field", "length"):
        message[options.get("field", "reasoning_content")] = "so [[A]] seems"
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    usage["prompt_tokens_details"] = {"cached_tokens": 40}
    usage["completion_tokens_details"] = {"reasoning_tokens": 512 if fault == "length" else 5}
    choice = {"index": 0, "finish_reason": stop, "message": message}
    if "logprobs" in options:
        choice["logprobs"] = options["logprobs"]
    return {"id": "c1", "object": "chat.completion", "created": 1, "choices": [choice],
            "usage": usage}  # fmt: skip


def _anthropic(fault, text, options):
    stop = {"length": "max_tokens", "refusal": "refusal", "content_filter": "refusal"}
    content = [{"type": "text", "text": text}]
    if fault in ("empty", "null", "refusal", "length", "content_filter"):
        content = []
    if fault in ("reasoning_field", "reasoning_content", "length"):
        thought = {"type": "thinking", "thinking": "so [[A]] seems", "signature": "s"}
        content.insert(0, thought)
    usage = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 20}
    return {"id": "m1", "type": "message", "role": "assistant", "content": content,
            "stop_reason": stop.get(fault, "end_turn"), "stop_sequence": None,
            "usage": usage}  # fmt: skip


def main():
    """Serve in this process until it is ended; the port stands in the named file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port_file", type=Path)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--share", type=float, default=0.0)
    given = parser.parse_args()
    with FaultServer(mixed(given.share, given.latency)) as server:
        written = given.port_file.with_suffix(".part")
        written.write_text(str(server.port), encoding="utf-8")
        written.replace(given.port_file)
        threading.Event().wait()


if __name__ == "__main__":
    main()
