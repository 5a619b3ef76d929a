"""Anthropic's message batches."""

import json
from datetime import datetime

from posbias_kit.judging.batch_api import CLOCKS, BatchAPI, BatchState, Result, absent
from posbias_kit.judging.failures import status_error

_STATUS = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402,
    "permission_error": 403, "not_found_error": 404, "request_too_large": 413,
    "rate_limit_error": 429, "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
_PATH = "/v1/messages/batches"


class AnthropicBatches(BatchAPI):
    """Requests are sent in one piece; a batch bears no mark, so that one can only be guessed.

    What is found is a batch of this key that was made since then, holds as many requests and is
    not in the log. Its results tell by their custom ids whether it is the one.
    """

    certain = False
    most_requests, most_bytes = 100_000, 256_000_000

    @staticmethod
    def wrap(call, body):
        """Return a request with its custom id."""
        return {"custom_id": call, "params": body}

    async def upload(self, token, lines):
        """Put the requests together; they go out when the batch is made."""
        return b'{"requests":[' + b",".join(lines) + b"]}"

    async def create(self, token, uploaded):
        """Have the requests asked; return the batch's id."""
        headers = {"Content-Type": "application/json"}
        return (await self.post(_PATH, content=uploaded, options={"headers": headers}))["id"]

    async def look(self, batch):
        """Return how far a batch is."""
        told = await self.get(f"{_PATH}/{batch}")
        counts = told.get("request_counts") or {}
        done = sum(value for name, value in counts.items() if name != "processing")
        ended = told["processing_status"] == "ended"
        files = (f"{_PATH}/{batch}/results",) if ended else ()
        return BatchState(ended, done, told["processing_status"], files=files)

    async def find(self, token, since, requests, known):
        """Return the id of a batch that may be the one, or None."""
        query = {"limit": 100}
        while True:
            page = await self.get(_PATH, **query)
            for batch in page.get("data") or []:
                made = datetime.fromisoformat(batch["created_at"]).timestamp()
                if made < since - CLOCKS:
                    return None
                if sum(batch["request_counts"].values()) == requests and batch["id"] not in known:
                    return batch["id"]
            if not page.get("has_more"):
                return None
            query["after_id"] = page["last_id"]

    def read(self, told):
        """Return what a line of results says."""
        call, result = told.get("custom_id"), told.get("result") or {}
        if result.get("type") == "succeeded":
            return Result(call, json.dumps(result.get("message"), ensure_ascii=False))
        if result.get("type") == "errored":
            error = result.get("error") or {}
            kind = (error.get("error") or error).get("type")
            raw = json.dumps(error, ensure_ascii=False)
            error = status_error(_STATUS.get(kind, 500), raw, {}, self._client.key, {})
            return Result(call, error=error)
        outcome = {"canceled": "cancelled"}.get(result.get("type"), result.get("type") or "missing")
        return Result(call, error=absent(BatchState(True, 0, outcome)))
