"""Batch files of endpoints that speak OpenAI's batch protocol."""

import json

from posbias_kit.judging.batch_api import CLOCKS, BatchAPI, BatchState, Result, absent
from posbias_kit.judging.failures import hide, status_error
from posbias_kit.judging.protocol import CallError
from posbias_kit.schema import Reason

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_TOKEN = "posbias"  # noqa: S105, a name in the metadata


class OpenAIBatches(BatchAPI):
    """A file of requests is uploaded, and a batch made of it; the token is in its metadata."""

    most_requests, most_bytes = 50_000, 200_000_000
    """What the provider takes at most."""

    @staticmethod
    def wrap(call, body):
        """Return a request with its custom id."""
        return {"custom_id": call, "method": "POST", "url": "/v1/chat/completions", "body": body}

    async def upload(self, token, lines):
        """Bring the requests to the endpoint; nothing is asked by that."""
        file = (f"posbias-{token}.jsonl", b"\n".join(lines) + b"\n", "application/jsonl")
        headers = {"Content-Type": "multipart/form-data"}
        told = await self.post(
            "/files", body={"purpose": "batch"}, files=[("file", file)],
            options={"headers": headers},
        )  # fmt: skip
        return told["id"]

    async def create(self, token, uploaded):
        """Have the requests asked; return the batch's id."""
        body = {"input_file_id": uploaded, "endpoint": "/v1/chat/completions"}
        body |= {"completion_window": "24h", "metadata": {_TOKEN: token}}
        return (await self.post("/batches", body=body))["id"]

    async def look(self, batch):
        """Return how far a batch is."""
        told = await self.get(f"/batches/{batch}")
        counts = told.get("request_counts") or {}
        problems = (told.get("errors") or {}).get("data") or []
        files = [told.get(name) for name in ("output_file_id", "error_file_id")]
        return BatchState(
            told["status"] in _ENDED,
            (counts.get("completed") or 0) + (counts.get("failed") or 0),
            told["status"],
            hide(
                "; ".join(f"{p.get('code')}: {p.get('message')}" for p in problems[:3]),
                self._client.key,
            ),
            tuple(f"/files/{file}/content" for file in files if file),
        )

    async def find(self, token, since, requests, known):
        """Return the id of the batch that bears the token, or None."""
        query = {"limit": 100}
        while True:
            page = await self.get("/batches", **query)
            batches = page.get("data") or []
            for batch in batches:
                if (batch.get("metadata") or {}).get(_TOKEN) == token:
                    return batch["id"]
            if not page.get("has_more") or batches[-1]["created_at"] < since - CLOCKS:
                return None
            query["after"] = batches[-1]["id"]

    def read(self, told):
        """Return what a line of an output or error file says."""
        call, response, error = (told.get(name) for name in ("custom_id", "response", "error"))
        if response:
            raw = json.dumps(response.get("body"), ensure_ascii=False)
            headers = {"x-request-id": response.get("request_id") or ""}
            if response.get("status_code") == 200:
                return Result(call, raw, headers)
            status = response.get("status_code") or 500
            return Result(call, error=status_error(status, raw, headers, self._client.key, {}))
        code = str((error or {}).get("code") or "missing")
        if code in ("batch_expired", "batch_cancelled"):
            return Result(call, error=absent(BatchState(True, 0, code.removeprefix("batch_"))))
        said = hide(f"{code}: {(error or {}).get('message')}", self._client.key)
        return Result(call, error=CallError(str(Reason.CONNECTION), said, kind=code))
