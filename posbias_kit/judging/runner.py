"""The runner: many calls at a time, in a seeded random order, within limits and caps."""

import asyncio
from dataclasses import dataclass

from posbias_kit.errors import JudgeError, RunError
from posbias_kit.judging.ask import Asker, Halt
from posbias_kit.judging.budget import sum_up
from posbias_kit.judging.endpoints import Endpoints
from posbias_kit.judging.protocol import CallError
from posbias_kit.schema import Status

_UNHEARD = 3
"""Calls that may fail before the first reply of all, and go out one at a time until then."""


@dataclass
class Tally:
    """What came back in this run."""

    ok: int = 0
    invalid: int = 0
    failed: int = 0
    in_a_row: int = 0
    """Failed calls since the last reply, where the endpoint is to blame."""

    @property
    def replies(self):
        """Calls that brought a reply."""
        return self.ok + self.invalid


class Runner:
    """Asks one judge.

    While no reply has come yet, calls go out one at a time: what an endpoint refuses is found on
    the first call, not on all that are in flight.

    Parameters
    ----------
    judge : posbias_kit.judging.live.LiveJudge
    log : JudgmentLog
    budget : Budget
    progress : posbias_kit.judging.progress.Progress
    heard : bool
        The judge has replied before, in an earlier run.
    tally : Tally, optional
        What came back before in this run.
    """

    def __init__(self, judge, log, budget, progress, heard=False, tally=None):
        self.judge, self.log, self.heard = judge, log, heard
        self.budget, self.progress = budget, progress
        self.tally = tally or Tally()
        self.cap = None
        """The cap that ended the run, in words."""
        self.interrupted = False
        self._problem = self._loop = None
        self._flying = set()

    async def run(self, series):
        """Make the calls of each series.

        Parameters
        ----------
        series : iterable of list of Call
            All open calls of one comparison in one repeat, as they shall go out; None where
            what is in flight has to come back before the next is known.

        Raises
        ------
        JudgeError
            The judge cannot be asked, or too many calls have failed in a row.
        """
        limits = self.judge.params.limits
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._halted = asyncio.Event()
        # Twice as many calls are begun as may be in flight: some wait for the log or to ask again.
        self._slots = asyncio.Semaphore(2 * limits.concurrency)
        self._free = asyncio.Condition()
        endpoints = Endpoints(self.judge.connect())
        self._asker = Asker(self.judge, endpoints, self.log, self.budget, self._halted)
        try:
            if self.interrupted:
                self._halted.set()
            async with asyncio.TaskGroup() as group:
                for calls in series:
                    if calls is None:
                        await self._land()
                    elif self._halted.is_set() or not await self._run_series(calls, group):
                        break
        finally:
            await self.log.flush()
            await endpoints.close()
        if self._problem:
            raise self._problem

    def interrupt(self):
        """End soon, asked from another thread; the second time, at once.

        First nothing new goes out and calls in flight come to their end; then these are dropped.
        """
        again, self.interrupted = self.interrupted, True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._task.cancel if again else self._halted.set)

    async def _land(self):
        while self._flying:
            await asyncio.wait(self._flying)
        await self.log.flush()

    async def _run_series(self, calls, group):
        most = sum_up(*(call.most for call in calls))
        while not self.budget.admit(most):
            if self.budget.held.calls == 0:
                self.cap = self.budget.cap_met_by(most)
                return False
            async with self._free:  # calls in flight may use up less than they might
                await self._free.wait()
        for call in calls:
            await self._slots.acquire()
            task = group.create_task(self._one(call))
            self._flying.add(task)
            task.add_done_callback(self._flying.discard)
            if not self.tally.replies and self.tally.failed < _UNHEARD:
                await asyncio.wait([task])
        return True

    async def _one(self, call):
        try:
            status = await self._asker.ask(call)
            self.tally.in_a_row = 0
            self._count("ok" if status == Status.OK else "invalid")
        except CallError as error:
            # A request that is refused for itself says nothing of the endpoint's health.
            self.tally.in_a_row += not (error.permanent and self._has_replied)
            self._count("failed")
            self._consider(error)
        except RunError as error:  # the judge cannot be asked, or the log not be written
            self._stop(error)
        except Halt:
            pass
        finally:
            self._slots.release()
            self.budget.release(call.most)
            async with self._free:
                self._free.notify_all()

    @property
    def _has_replied(self):
        return self.heard or self.tally.replies > 0

    def _count(self, what):
        setattr(self.tally, what, getattr(self.tally, what) + 1)
        self.progress.show(self.tally, self.budget.spent)

    def _consider(self, error):
        """Stop where asking on is no use."""
        allowed = self.judge.params.limits.failures_in_a_row
        allowed = allowed if self._has_replied else min(allowed, _UNHEARD)
        if error.fatal or self.tally.in_a_row >= allowed:
            count = max(self.tally.in_a_row, 1)
            calls = "a call" if count == 1 else f"{count} calls in a row"
            self._stop(
                JudgeError(
                    f"{calls} failed, the last with {error.reason}: {error.message}",
                    place=f"judge {self.judge.name!r}",
                    cure="mend the cause and run again: what has a verdict is not asked again",
                )
            )

    def _stop(self, problem):
        self._problem = self._problem or problem
        self._halted.set()
