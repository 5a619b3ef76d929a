"""Judging on the workers of a Dask cluster: shards of open calls go out, attempts come home.

A shard is some whole series, and one task. The worker that has it asks the endpoint as one
machine alone would, and returns its attempts; the study's own process writes them, and nobody
else. What a worker had when it died never came home: its shard goes to another worker, and no
verdict can be lost or stand twice.
"""

import asyncio
from collections import deque
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from itertools import chain

from posbias_kit.cluster import connect_async
from posbias_kit.errors import PosbiasError, RunError
from posbias_kit.judging.ask import Halt, sleep_unless
from posbias_kit.judging.budget import sum_up
from posbias_kit.judging.log_table import Totals
from posbias_kit.judging.protocol import Usage
from posbias_kit.judging.runner import Runner
from posbias_kit.schema import Status

ROUNDS = 8
"""Calls of a shard over its calls in flight: what a dead worker takes with it."""
_LOOK = 1.0
"""Seconds between two looks at who works."""


@dataclass
class Asked:
    """What a worker brings home of a shard; to the worker's runner, log and progress in one."""

    rows: list = field(default_factory=list)
    """Attempts in the order in which they ended, as :meth:`JudgmentLog.add` takes them."""
    in_a_row: int = 0
    """Failed calls since the last reply, those of before included."""
    problem: PosbiasError | None = None
    """Why the judge cannot be asked."""

    async def add(self, row):
        """Keep an attempt."""
        self.rows.append(row)

    async def flush(self):
        """Wait for nothing: attempts are written at home."""

    def show(self, tally, spent):
        """Show nothing: that is done at home, too."""


def ask_shard(judge, series, budget, orders, heard, tally):
    """Ask a judge about some series; runs on a worker.

    The key is read from the worker's own environment, and so is the endpoint where the judge
    names a variable for it; a local judge's server runs beside the worker.

    Parameters
    ----------
    judge : LiveJudge
        With the part of its limits that these calls may use.
    series : list of list of Call
    budget : Budget
        What they may use up.
    orders : int
        As for :meth:`LiveJudge.served`.
    heard : bool
    tally : Tally
        As for :class:`Runner`.

    Returns
    -------
    Asked
    """
    asked = Asked()
    runner = Runner(judge, asked, budget, asked, heard, tally)
    try:
        with judge.served(orders):
            asyncio.run(runner.run(series))
    except PosbiasError as error:
        asked.problem = _placed(error)
    asked.in_a_row = runner.tally.in_a_row
    return asked


def _placed(error):
    """Say on which worker a judge could not be asked: keys and addresses are the worker's own."""
    from distributed import get_worker

    place = f"{error.place}, on worker {get_worker().address}"
    return type(error)(error.problem, place=place, allowed=error.allowed, cure=error.cure)


class ShardRunner(Runner):
    """Asks one judge through the workers of a cluster.

    The limits of the study hold for all that is out together, or, where each worker has an
    endpoint of its own, for the calls of each worker.

    Parameters
    ----------
    judge, log, budget, progress, heard
        As for :class:`Runner`.
    compute : posbias_kit.cluster.Compute
    orders : int
        As for :meth:`LiveJudge.served`.
    """

    def __init__(self, judge, log, budget, progress, heard, compute, orders):
        super().__init__(judge, log, budget, progress, heard)
        self.compute, self.orders = compute, orders
        self._limit = judge.params.limits.concurrency
        self._open, self._flights = deque(), {}
        self._flight, self._shards, self._waits = self._limit, 1, False

    async def run(self, series):
        """Make the calls of each series; see :meth:`Runner.run`."""
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._halted = asyncio.Event()
        self._client = await connect_async(self.compute)
        try:
            if self.interrupted:
                self._halted.set()
            async with asyncio.TaskGroup() as group:
                for calls in chain(series, [None]):
                    if calls is not None:
                        self._open.append(calls)
                    await self._send(group, rest=calls is None)
                    if self._halted.is_set() or self.cap:
                        break
        finally:
            await self.log.flush()
            await self._client.close()
        if self._problem:
            raise self._problem

    async def _send(self, group, rest):
        """Hand out full shards; at a rest all that is open, until everything is back."""
        try:
            while not self._halted.is_set() and (
                self._is_full() or (rest and (self._open or self._flights))
            ):
                room = self._find_room(await self._client.nthreads())
                shard, most = self._cut(room)
                if shard:
                    held, budget = self.budget.part(most, self._shards)
                    task = group.create_task(self._one(shard, held, budget, room))
                    self._flights[task] = room
                    task.add_done_callback(self._flights.pop)
                elif self._flights:
                    await asyncio.wait(
                        [*self._flights], timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED
                    )
                elif self.cap:
                    return
                else:
                    await sleep_unless(self._halted, _LOOK)
        except OSError as error:
            self._stop(_lost(self.compute, error))
        except Halt:
            pass

    def _is_full(self):
        return sum(map(len, self._open)) >= ROUNDS * self._flight

    def _cut(self, room):
        """Take as many open series as limits and caps have room for, and their most."""
        shard, most = [], Totals()
        while room and self._open and sum(map(len, shard)) < ROUNDS * room:
            more = sum_up(most, *(call.most for call in self._open[0]))
            met = self.budget.cap_met_by(more)
            if met:
                self.cap = None if shard or self._flights else met
                break
            most = more
            shard.append(self._open.popleft())
        return shard, most

    def _find_room(self, threads):
        """Return how many calls in flight one more shard may have; 0 where none may go out."""
        total = sum(threads.values())
        if not total and not self._waits:
            self.progress.say("waits for a worker of the cluster")
        self._waits = not total
        if total <= len(self._flights):
            return 0
        if self.judge.has_own_endpoint:
            self._shards = total
            self._flight = max(self._limit // max(threads.values()), 1)
            return self._flight
        self._shards = min(total, self._limit)
        self._flight = -(-self._limit // self._shards)
        return min(self._flight, self._limit - sum(self._flights.values()))

    async def _one(self, shard, held, budget, flight):
        from distributed import KilledWorker

        judge, before = self.judge.narrowed(flight), self.tally.in_a_row
        told = judge, shard, budget, self.orders, self.heard, replace(self.tally)
        try:
            future = self._client.submit(ask_shard, *told, pure=False)
            await self._land(shard, await future, before)
        except KilledWorker as error:
            self._stop(
                RunError(
                    f"{error.allowed_failures + 1} workers died one after another on a shard",
                    place=f"judge {self.judge.name!r}",
                    cure="see what ends them (memory, time limit), and run again",
                )
            )
        except CancelledError as error:  # by the cluster: nobody here cancels
            self._stop(_lost(self.compute, error))
        except RunError as error:  # the log cannot be written
            self._stop(error)
        finally:
            self.budget.release(held)

    async def _land(self, shard, asked, before):
        """Write what came home; what a shard's part of a cap did not allow is open again."""
        most = {call.key: call.most for calls in shard for call in calls}
        for row in asked.rows:
            usage = Usage(row.get("input_tokens"), None, row.get("output_tokens"))
            self.budget.spend(usage, row.get("cost"), most[row["call"]])
        await asyncio.gather(*map(self.log.add, asked.rows))
        last = {row["call"]: row["status"] for row in asked.rows}
        replied = any(status != Status.FAILED for status in last.values())
        earlier = 0 if replied else self.tally.in_a_row - before
        self.tally.in_a_row = earlier + asked.in_a_row
        for status in last.values():
            self._count(status)
        if asked.problem:
            self._stop(asked.problem)
        left = [[call for call in calls if call.key not in last] for calls in shard]
        self._open.extendleft(reversed([calls for calls in left if calls]))


def _lost(compute, error):
    return RunError(
        f"the scheduler at {compute.scheduler} is gone ({type(error).__name__})",
        place="compute.scheduler",
        cure="start it and run again: what came home is in the log and is not asked again",
    )
