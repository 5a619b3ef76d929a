"""One call with its attempts: the only place that decides whether to ask again."""

import asyncio
import time
from datetime import UTC, datetime
from typing import NamedTuple

from aiolimiter import AsyncLimiter
from tenacity import (
    AsyncRetrying,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)

from posbias_kit.errors import JudgeError
from posbias_kit.judging.attempt_row import as_json, begin_row, failure_row, success_row
from posbias_kit.judging.log_table import Totals
from posbias_kit.judging.protocol import CallError, Usage

_LONGEST_WAIT = 60.0


class Call(NamedTuple):
    """One call that is to be made."""

    key: str
    """Its identity in the log."""
    prompt: object
    presentation: tuple
    """Values of PRESENTATION_KEY."""
    shown: str
    repeat: int
    attempts: int
    """Attempts that the log has already."""
    most: Totals
    """What it may use up."""

    @property
    def seed(self):
        """Sampling seed of its own, where one is sent."""
        return int(self.key[:8], 16) >> 1


class Halt(Exception):  # noqa: N818, nothing is wrong
    """The run is to end before this call has a reply."""


class Pace:
    """Requests and tokens a minute of one endpoint, spread over the minute."""

    def __init__(self, limits):
        requests, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._apart = 60 / requests if requests else 0.0
        self._due = 0.0
        # A limiter lets its whole capacity through at once and leaks as much again in its
        # period: a small capacity keeps the first minute within the limit too.
        self._tokens = AsyncLimiter(tokens / 60, 1) if tokens else None

    async def take(self, tokens):
        """Wait until one more request of so many tokens may go out."""
        if self._apart:
            # Each has its own due time, so that one who wakes late does not delay the next.
            now = time.monotonic()
            self._due = max(self._due, now)
            wait, self._due = self._due - now, self._due + self._apart
            await asyncio.sleep(wait)
        while self._tokens and tokens > 0:
            part = min(tokens, self._tokens.max_rate)
            await self._tokens.acquire(part)
            tokens -= part


class Asker:
    """Makes the calls of one judge, and writes each attempt to the log.

    Parameters
    ----------
    judge : posbias_kit.judging.live.LiveJudge
    endpoints : posbias_kit.judging.endpoints.Endpoints
    log : JudgmentLog
    budget : Budget
    halted : asyncio.Event
        Set when the run is to end: nobody waits to ask again then.
    """

    def __init__(self, judge, endpoints, log, budget, halted):
        self._flying = asyncio.Semaphore(judge.params.limits.concurrency)
        self.judge, self.endpoints, self.log = judge, endpoints, log
        self.budget, self.halted = budget, halted
        self._limits = judge.params.limits
        self._pace = Pace(self._limits)
        self._backoff = wait_random_exponential(self._limits.first_wait, _LONGEST_WAIT)
        self._settings = as_json(judge.settings)

    async def ask(self, call):
        """Ask until there is a reply, asking again is no use, or the limits are met.

        Returns
        -------
        str
            Status of the last attempt.

        Raises
        ------
        CallError
            There is no reply.
        Halt
            The run is to end.
        JudgeError
            The endpoint refuses a setting that the study insists on.
        """
        end = time.monotonic() + self._limits.deadline
        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda e: isinstance(e, CallError) and not e.permanent),
            stop=stop_after_attempt(self._limits.attempts)
            | stop_before_delay(self._limits.deadline)
            | (lambda _: self.budget.cap_met_by(Totals(1)) is not None),
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                number = call.attempts + attempt.retry_state.attempt_number
                return await self._try(call, number, end)
        return None

    async def _try(self, call, number, end):
        await self._pace.take(call.most.tokens)
        row = begin_row(self.judge, self._settings, call, number)
        try:
            reply = await self._send(call, end, row)
        except CallError as error:
            self.budget.spend(Usage(), None, call.most)
            await self.log.add(row | failure_row(error))
            self._consider(error)
            raise
        row |= success_row(reply, call.prompt, self.judge.params)
        self.budget.spend(reply.usage, row["cost"], call.most)
        await self.log.add(row)
        return row["status"]

    async def _send(self, call, end, row):
        """Hold a place in flight only while the endpoint is asked, not while the log is written."""
        async with self._flying:
            if self.halted.is_set():
                raise Halt
            timeout = max(min(self._limits.timeout, end - time.monotonic()), 0.001)
            row["time"] = datetime.now(UTC).isoformat(timespec="milliseconds")
            began = time.perf_counter()
            with self.endpoints.lend() as client:
                row["endpoint"] = client.endpoint
                try:
                    return await client.ask(call.prompt, timeout, seed=call.seed)
                finally:
                    row["latency"] = time.perf_counter() - began

    def _consider(self, error):
        """Go on without a refused setting where the study allows it, else stop the run."""
        if error.refused is None:
            return
        if not self.judge.params.drop_refused:
            raise insists(self.judge, error)
        if error.refused not in self.endpoints.not_sent:
            self.endpoints.drop(error)
        error.permanent, error.retry_after = False, 0.0

    def _wait(self, state):
        error = state.outcome.exception()
        if error.refused is not None:
            return 0.0
        return max(self._backoff(state), error.retry_after or 0.0)

    async def _sleep(self, seconds):
        await sleep_unless(self.halted, seconds)


async def sleep_unless(halted, seconds):
    """Sleep, or raise Halt as soon as the run is to end."""
    try:
        await asyncio.wait_for(halted.wait(), seconds)
    except TimeoutError:
        return
    raise Halt


def insists(judge, error):
    """Return the error for a refused setting that the study insists on."""
    return JudgeError(
        f"the endpoint does not take {error.refused!r}: {error.message}",
        place=f"judge {judge.name!r}",
        cure=f"give {error.refused} another value or none, or set drop_refused: true to "
        "send without it and have that recorded",
    )
