"""What both providers' batches share: how they are sent, looked at, found and read."""

import json
from io import BytesIO
from typing import NamedTuple

from posbias_kit.judging.failures import parse_body
from posbias_kit.judging.protocol import CallError
from posbias_kit.schema import Reason

CLOCKS = 3600
"""Seconds by which the endpoint's clock may be behind this machine's."""


class BatchState(NamedTuple):
    """How far a batch is."""

    ended: bool
    done: int
    """Requests that have come to an end; some providers tell only when all have."""
    outcome: str
    """The provider's word."""
    problem: str = ""
    """Why the batch as a whole was not carried out."""
    files: tuple = ()
    """Where the results lie."""


class Result(NamedTuple):
    """One line of results."""

    call: str | None
    """The custom id."""
    raw: str = ""
    headers: dict = {}
    error: CallError | None = None
    """In place of a reply."""


class BatchAPI:
    """Batches of one endpoint; each provider's own class says where, and in which shape.

    Parameters
    ----------
    client : posbias_kit.judging.adapter.Adapter
    limits : posbias_kit.judge_kinds.Limits
    """

    certain = True
    """A batch that is found by :meth:`find` is ours without doubt."""

    def __init__(self, client, limits):
        self._client, self._limits = client, limits

    async def get(self, path, **query):
        """Return what the endpoint answers."""
        return await self._ask("get", path, self._limits.timeout, options={"params": query})

    async def post(self, path, **what):
        """Send something, and return what the endpoint answers; large things take their time."""
        return await self._ask("post", path, self._limits.deadline, **what)

    async def fetch(self, path):
        """Return a file of results."""
        return (await self._exchange("get", path, self._limits.deadline)).content

    async def _ask(self, verb, path, timeout, **what):
        return parse_body((await self._exchange(verb, path, timeout, **what)).text, {})

    async def _exchange(self, verb, path, timeout, **what):
        import httpx2

        send = getattr(self._client.sdks[0], verb)
        return await self._client.exchange(send(path, cast_to=httpx2.Response, **what), timeout)

    async def download(self, state):
        """Return the files of results, whole."""
        return [await self.fetch(file) for file in state.files]

    def results(self, files):
        """Yield a Result for each line that can be read, in whatever order they come."""
        for line in (line for file in files for line in BytesIO(file)):
            try:
                told = json.loads(line)
            except ValueError:
                continue  # its request will be found missing
            if isinstance(told, dict):
                yield self.read(told)

    def line(self, call, body):
        """Return a request as it stands in a batch."""
        told = json.dumps(self.wrap(call, body), ensure_ascii=False, separators=(",", ":"))
        return told.encode()


def absent(state):
    """Return the failure of a request that a batch came back without."""
    if state.outcome == "expired":
        return CallError(str(Reason.TIMEOUT), "the batch expired first", kind="expired")
    if state.outcome == "cancelled":
        return CallError(str(Reason.CONNECTION), "the batch was cancelled", kind="cancelled")
    if state.problem:
        reason = Reason.RATE_LIMIT if "limit" in state.problem else Reason.HTTP_4XX
        return CallError(str(reason), f"the batch was refused: {state.problem}", kind="refused")
    return CallError(str(Reason.CONNECTION), "the batch ended without a result", kind="missing")
