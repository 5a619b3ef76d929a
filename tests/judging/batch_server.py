"""A server on loopback that speaks both labs' batch protocols, beside single calls.

A batch ends when it has been looked at `looks` times. What each request in it brings is what the
script of the fault server says; `alter` may then mix, drop or double the lines of results.
"""

import asyncio
import json
import re
import time
from datetime import UTC, datetime

from fault_server import FaultServer, _send, digest, reply

_ROUTES = [
    (r"POST /v1/files", "upload"),
    (r"POST /v1/batches", "create"),
    (r"GET /v1/batches(\?.*)?", "list"),
    (r"GET /v1/batches/([^/?]+)", "look"),
    (r"GET /v1/files/([^/?]+)/content", "results"),
    (r"POST /v1/messages/batches", "create"),
    (r"GET /v1/messages/batches(\?.*)?", "list"),
    (r"GET /v1/messages/batches/([^/?]+)", "look"),
    (r"GET /v1/messages/batches/([^/?]+)/results", "results"),
]
_ERRORS = {400: "invalid_request_error", 429: "rate_limit_error", 500: "api_error"}


class BatchServer(FaultServer):
    """Serves batches; `with BatchServer(script) as server`."""

    def __init__(self, script, looks=2, keep=False):
        super().__init__(script, keep)
        self.looks, self.files, self.batches = looks, {}, {}
        self.alter = lambda lines: lines
        """Changes the lines of results, each (custom id, status, body)."""
        self.outcome = "completed"
        """How batches end: completed, expired, cancelled or failed."""
        self.troubles = {}
        """Step -> what its next requests meet: a status; a status below 0 after all was done;
        "hang" after all was done; None for no trouble."""
        self.steps = []
        """Steps in the order in which they were asked for."""

    @property
    def requests(self):
        """Return how many requests all batches hold."""
        return sum(len(batch["lines"]) for batch in self.batches.values())

    async def _handle(self, verb, path, headers, raw, writer):
        for pattern, step in _ROUTES:
            found = re.fullmatch(pattern, f"{verb} {path}")
            if found:
                native = "/messages/" in path
                return await self._step(
                    step, found[1] if found.groups() else "", raw, native, writer
                )
        return await super()._handle(verb, path, headers, raw, writer)

    async def _step(self, step, name, raw, native, writer):
        self.steps.append(step)
        trouble = self.troubles.get(step, [])
        trouble = trouble.pop(0) if trouble else None
        if isinstance(trouble, int) and trouble > 0:
            return await _refuse(writer, trouble)
        told = getattr(self, f"_{step}")(name, raw, native)
        if trouble == "hang":
            await asyncio.sleep(3600)
        if told is None or trouble:
            return await _refuse(writer, 404 if told is None else -trouble)
        content = told if isinstance(told, bytes) else json.dumps(told).encode()
        return await _send(writer, 200, [], content, cut=False)

    def _upload(self, name, raw, native):
        name = f"file-{len(self.files)}"
        self.files[name] = re.search(rb"\r\n\r\n(\{.*\})\n?\r\n--", raw, re.DOTALL)[1]
        return {"id": name, "object": "file", "purpose": "batch", "bytes": len(raw)}

    def _create(self, name, raw, native):
        body = json.loads(raw)
        if native:
            lines = [(each["custom_id"], each["params"]) for each in body["requests"]]
        else:
            lines = map(json.loads, self.files[body["input_file_id"]].splitlines())
            lines = [(each["custom_id"], each["body"]) for each in lines]
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {"lines": lines, "looks": 0, "metadata": body.get("metadata"),
                              "made": time.time(), "native": native, "results": None}  # fmt: skip
        return self._tell(name)

    def _list(self, name, raw, native):
        found = [self._tell(n) for n, b in self.batches.items() if b["native"] == native]
        return {"object": "list", "data": found[::-1], "has_more": False, "last_id": None}

    def _look(self, name, raw, native):
        if name not in self.batches:
            return None
        batch = self.batches[name]
        batch["looks"] += 1
        if batch["looks"] == self.looks:
            batch["results"] = self.alter(
                [self._answer_line(*line, native) for line in batch["lines"]]
            )
        return self._tell(name)

    def _answer_line(self, call, body, native):
        messages = list(body["messages"])
        if isinstance(body.get("system"), str):
            messages.insert(0, {"role": "system", "content": body["system"]})
        key = digest(messages)
        self.attempts[key] += 1
        status, _, content = reply(self.script(key, self.attempts[key], body), body, native)
        return call, status, json.loads(content)

    def _tell(self, name):
        batch = self.batches[name]
        ended, total = batch["results"] is not None, len(batch["lines"])
        if batch["native"]:
            counts = dict.fromkeys(("succeeded", "errored", "canceled", "expired"), 0)
            counts |= {"processing": 0 if ended else total, "succeeded": total if ended else 0}
            made = datetime.fromtimestamp(batch["made"], UTC).isoformat().replace("+00:00", "Z")
            return {"id": name, "type": "message_batch", "request_counts": counts,
                    "processing_status": "ended" if ended else "in_progress",
                    "created_at": made}  # fmt: skip
        told = {"id": name, "object": "batch", "status": self.outcome if ended else "in_progress",
                "metadata": batch["metadata"], "created_at": int(batch["made"]),
                "request_counts": {"total": total, "completed": 0, "failed": 0}}  # fmt: skip
        if ended and self.outcome == "failed":
            told["errors"] = {"data": [{"code": "token_limit_exceeded", "message": "queue full"}]}
        elif ended:
            told |= {"output_file_id": f"{name}-output", "error_file_id": f"{name}-error"}
        return told

    def _results(self, name, raw, native):
        batch, _, which = name.partition("-")
        lines = self.batches[batch]["results"]
        if native:
            return b"".join(map(_native_line, lines))
        return b"".join(
            _file_line(*line) for line in lines if (line[1] == 200) == (which == "output")
        )


def _native_line(line):
    call, status, body = line
    if status == 200:
        result = {"type": "succeeded", "message": body}
    elif isinstance(status, str):
        result = {"type": {"cancelled": "canceled"}.get(status, status)}
    else:
        error = {"type": _ERRORS[status], "message": body["error"]["message"]}
        result = {"type": "errored", "error": {"type": "error", "error": error}}
    return json.dumps({"custom_id": call, "result": result}).encode() + b"\n"


def _file_line(call, status, body):
    told = {"id": "r1", "custom_id": call, "response": None, "error": None}
    if isinstance(status, str):
        told["error"] = {"code": f"batch_{status}", "message": "not done in time"}
    else:
        told["response"] = {"status_code": status, "request_id": "req_x", "body": body}
    return json.dumps(told).encode() + b"\n"


async def _refuse(writer, status):
    error = {"type": "error", "error": {"type": "x", "message": f"made to fail: {status}"}}
    return await _send(writer, status, [], json.dumps(error).encode(), cut=False)
