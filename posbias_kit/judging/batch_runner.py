"""Asking in batches: requests written, sent, waited for and taken in, in steps that can end."""

import asyncio
import json
from collections import Counter
from datetime import UTC, datetime
from uuid import uuid4

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from posbias_kit.errors import JudgeError
from posbias_kit.judge_kinds import AnthropicParams
from posbias_kit.judging.anthropic_batches import AnthropicBatches
from posbias_kit.judging.ask import Halt, sleep_unless
from posbias_kit.judging.attempt_row import as_json, begin_row
from posbias_kit.judging.batch_log import BatchLog
from posbias_kit.judging.batch_results import Intake
from posbias_kit.judging.failures import refused_setting
from posbias_kit.judging.log_table import Totals
from posbias_kit.judging.openai_batches import OpenAIBatches
from posbias_kit.judging.protocol import CallError
from posbias_kit.schema import Reason

_UNSURE = frozenset({Reason.TIMEOUT, Reason.CONNECTION, Reason.HTTP_5XX})
"""Failures after which the endpoint may have taken what was sent."""
_REFUSED = """
SELECT raw, error, message, sent FROM attempts
WHERE judge = ? AND error IN ('HTTP400', 'HTTP422') GROUP BY message
"""
_GONE = ("HTTP404", "HTTP410")


class BatchRunner:
    """Asks one judge in batches: `submit` sends what is open, `collect` waits and takes it in.

    A batch is prepared in the log before it is sent, so that a run that ends in between finds it
    again. What comes back is matched by custom id alone; the custom id is the call's identity.

    Parameters
    ----------
    judge : posbias_kit.judging.live.LiveJudge
    log : JudgmentLog
    budget : Budget
    progress : posbias_kit.judging.progress.Progress
    """

    def __init__(self, judge, log, budget, progress):
        self.judge, self.log, self.budget, self.progress = judge, log, budget, progress
        self.batches = BatchLog(log)
        self.intake = Intake(judge, self.batches, budget, progress)
        self.cap = None
        """The cap that ended the submission, in words."""
        self.interrupted = False
        self._loop = self._task = None
        self._limits, self._told = judge.params.limits, judge.params.batching
        self._backoff = wait_random_exponential(self._limits.first_wait, 60.0)
        self._settings = as_json(judge.settings)
        self._failures = Counter()

    @property
    def out(self):
        """The judge's batches that are on their way."""
        return self.batches.out(self.judge.name, self.judge.arm.name)

    async def submit(self, series):
        """Send the calls of each series that are not on their way already."""
        async with self:
            for out in self.out:
                if out.event == "prepared":
                    await self._recover(out)
            gone = {call for out in self.out for call in self.batches.waiting(out)}
            for batch in self._pack(series, gone):
                await self._send(batch)

    async def collect(self):
        """Wait for every batch that is out, and write what came back to the log."""
        wait = self._told.first_look
        async with self:
            while self.out:
                done = sum([await self._look(out) for out in self.out])
                if self.out:
                    self.progress.say(f"{len(self.out)} batches out, {done:,} requests done")
                    await sleep_unless(self._halted, wait)
                    wait = min(1.5 * wait, self._told.longest_wait)
        if self.intake.problem:
            raise self.intake.problem

    def interrupt(self):
        """End soon, asked from another thread: after what is being sent; the second time, at once.

        Batches that are out stay out.
        """
        again, self.interrupted = self.interrupted, True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._task.cancel if again else self._halted.set)

    async def __aenter__(self):
        params = self.judge.params
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._halted, self._client = asyncio.Event(), self.judge.connect()[0]
        kind = AnthropicBatches if isinstance(params, AnthropicParams) else OpenAIBatches
        self._api = kind(self._client, params.limits)
        if params.drop_refused:
            self._drop_refused()
        if self.interrupted:
            self._halted.set()

    async def __aexit__(self, kind, *_):
        await self._client.close()
        return kind is Halt

    def _drop_refused(self):
        """Leave out what earlier requests were refused for."""
        for raw, kind, message, sent in self.log.read(_REFUSED, [self.judge.name]):
            error = CallError("", message, kind=kind, raw=raw)
            error.refused = refused_setting(error, json.loads(sent))
            if error.refused and error.refused not in self._client.not_sent:
                self._client.drop(error)

    def _pack(self, series, gone):
        """Yield batches as lists of (call, what the log keeps of it, line), within all limits."""
        most = min(self._api.most_requests, self._told.max_requests or self._api.most_requests)
        largest = min(self._api.most_bytes, self._told.max_bytes or self._api.most_bytes)
        batch, size = [], 0
        for calls in series:
            calls = [call for call in calls if call.key not in gone]
            needed = Totals(*map(sum, zip(Totals(), *(call.most for call in calls), strict=True)))
            if calls and not self.budget.admit(needed):
                self.cap = self.budget.cap_met_by(needed)
                break
            for call, kept, line in map(self._write, calls):
                if batch and (len(batch) == most or size + len(line) > largest):
                    yield batch
                    batch, size = [], 0
                batch.append((call, kept, line))
                size += len(line) + 1
        if batch:
            yield batch

    def _write(self, call):
        body, sent = self._client.request(call.prompt, call.seed)
        row = begin_row(self.judge, self._settings, call, call.attempts + 1)
        row["endpoint"] = self._client.endpoint
        row["time"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        kept = {"row": row, "sent": sent, "labels": call.prompt.labels}
        return call, kept, self._api.line(call.key, body)

    async def _send(self, batch):
        if self._halted.is_set():
            raise Halt
        token, unsure = uuid4().hex, []
        lines = [line for _, _, line in batch]
        calls = [(call, kept) for call, kept, _ in batch]
        out = self.batches.prepare(token, self.judge.name, self.judge.arm.name, calls)
        try:
            uploaded = await self._try(self._api.upload, token, lines)
            sent = await self._try(self._create, out, uploaded, unsure)
        except CallError as error:
            if not unsure:
                self.batches.note(out, "dropped", note=error.message)
            raise self._stop(
                f"a batch could not be sent, {error.reason}: {error.message}",
                "mend the cause and run again; not every endpoint takes batches",
            ) from None
        self.batches.note(out, "submitted", sent)
        self.progress.say(f"{len(self.out)} batches sent")

    async def _create(self, out, uploaded, unsure):
        """Have a batch made; where an earlier try may have been heard, look for it first."""
        found = await self._find(out) if unsure else None
        if found:
            return found
        try:
            return await self._api.create(out.token, uploaded)
        except CallError as error:
            if error.reason in _UNSURE:
                unsure.append(error)
            raise

    async def _recover(self, out):
        """Find what an earlier run was sending when it ended, or free its calls."""
        found = await self._find(out)
        if found:
            self.batches.note(out, "submitted", found, note="found")
            sure = "" if self._api.certain else ", as far as the endpoint tells"
            self.intake.notices.append(f"batch {found} was sent by a run that was cut off{sure}")
        else:
            self.intake.drop(out, "not found at the endpoint")

    async def _find(self, out):
        since, known = datetime.fromisoformat(out.time).timestamp(), self.batches.known()
        try:
            return await self._try(self._api.find, out.token, since, out.requests, known)
        except CallError as error:
            if self._told.resubmit_lost and error.permanent:
                return None
            raise self._stop(
                f"whether the endpoint has taken a batch of {out.requests:,} requests is not "
                f"known, for it does not list its batches: {error.message}",
                "look there for a batch that was made at "
                f"{out.time}; set batch.resubmit_lost: true to send its requests again",
            ) from None

    async def _try(self, send, *told):
        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda e: isinstance(e, CallError) and not e.permanent),
            stop=stop_after_attempt(self._limits.attempts),
            wait=lambda s: max(self._backoff(s), s.outcome.exception().retry_after or 0.0),
            sleep=lambda seconds: sleep_unless(self._halted, seconds),
            reraise=True,
        )
        return await retrying(send, *told)

    async def _look(self, out):
        """Take in a batch that has ended; else return how many of its requests are done."""
        try:
            state = await self._api.look(out.batch)
            files = await self._api.download(state) if state.ended else None
        except CallError as error:
            self._consider_look(out, error)
            return 0
        self._failures.pop(out.token, None)
        if not state.ended:
            return state.done
        self.intake.take(out, state, files, self._api, self._client)
        return 0

    def _consider_look(self, out, error):
        """Stop where looking again is no use; what is out stays out."""
        self._failures[out.token] += 1
        gone = error.kind in _GONE
        if gone and self._told.resubmit_lost:
            self.intake.lose(out, error, self._client)
        elif error.permanent or self._failures[out.token] >= self._limits.failures_in_a_row:
            cure = "mend the cause and run again: the batch is looked for by its id"
            if gone:
                cure = ("check base_url and whose key it is; where the batch is gone for good, "
                        "set batch.resubmit_lost: true to ask its requests again")  # fmt: skip
            raise self._stop(f"no word of batch {out}: {error.message}", cure) from None

    def _stop(self, problem, cure):
        return JudgeError(problem, place=f"judge {self.judge.name!r}", cure=cure)
