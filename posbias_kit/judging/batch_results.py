"""What came back in a batch, as attempts in the log: matched by custom id, each request once."""

from posbias_kit.judging.ask import insists
from posbias_kit.judging.attempt_row import failure_row, success_row
from posbias_kit.judging.batch_api import Result, absent
from posbias_kit.judging.failures import refused_setting
from posbias_kit.judging.protocol import CallError, Usage
from posbias_kit.judging.runner import Tally
from posbias_kit.schema import Status

_GROUP = 500
"""Attempts that are written to the disk at a time."""


class Intake:
    """Takes the results of one judge's batches in.

    Parameters
    ----------
    judge : posbias_kit.judging.live.LiveJudge
    batches : posbias_kit.judging.batch_log.BatchLog
    budget : Budget
    progress : posbias_kit.judging.progress.Progress
    """

    def __init__(self, judge, batches, budget, progress):
        self.judge, self.batches = judge, batches
        self.budget, self.progress = budget, progress
        self.tally = Tally()
        self.problem = None
        """The error to raise when all is written."""
        self.notices = []
        """What a reader has to know."""

    def take(self, out, state, files, api, client):
        """Write an attempt for each request of a batch that has ended.

        The first result of a request counts; what has no result is a failed attempt with the
        reason. A batch that was only guessed to be ours and holds nothing of ours is let go.

        Parameters
        ----------
        out : posbias_kit.judging.batch_log.Out
        state : posbias_kit.judging.batch_api.BatchState
        files : list of bytes
            The results.
        api : posbias_kit.judging.batch_api.BatchAPI
        client : posbias_kit.judging.adapter.Adapter
        """
        waiting = self.batches.waiting(out)
        untouched, foreign, rows = len(waiting) == out.requests, False, []
        for result in api.results(files):
            if result.call not in waiting:
                foreign = True
                continue
            rows.append(self._row(out, result, waiting.pop(result.call), client))
            if len(rows) >= _GROUP:
                self.batches.add(rows)
                rows = []
        if foreign and untouched and len(waiting) == out.requests and not api.certain:
            self.drop(out, f"batch {out.batch} was another's")
            self.notices.append(f"batch {out.batch} was another's; run again to ask what it held")
            return
        self._end(out, "collected", absent(state), waiting, client, rows)

    def lose(self, out, error, client):
        """Count the requests of a batch that the endpoint knows nothing of as failed."""
        self._end(out, "dropped", error, self.batches.waiting(out), client, [])

    def drop(self, out, why):
        """Let go a batch whose requests were not asked; they are open again."""
        for most in self.batches.waiting(out).values():
            self.budget.release(most)
        self.batches.note(out, "dropped", note=why)

    def _end(self, out, event, error, waiting, client, rows):
        lost = [(Result(call, error=error), most) for call, most in waiting.items()]
        rows += [self._row(out, result, most, client) for result, most in lost]
        self.batches.note(out, event, rows=rows)

    def _row(self, out, result, most, client):
        row, sent, prompt = self.batches.recall(out, result.call)
        usage, cost = Usage(), None
        try:
            if result.error:
                raise result.error
            reply = client.read(result.raw, result.headers, prompt, sent)
            row |= success_row(reply, prompt, self.judge.params)
            usage, cost = reply.usage, row["cost"]
        except CallError as error:
            error.sent = sent
            row |= failure_row(error)
            error.refused = refused_setting(error, sent)
            self._consider(error)
        self.budget.spend(usage, cost, most)
        self.budget.release(most)
        kind = {Status.OK: "ok", Status.INVALID: "invalid"}.get(row["status"], "failed")
        setattr(self.tally, kind, getattr(self.tally, kind) + 1)
        self.progress.show(self.tally, self.budget.spent)
        return row

    def _consider(self, error):
        if error.refused is None:
            return
        if not self.judge.params.drop_refused:
            self.problem = self.problem or insists(self.judge, error)
            return
        notice = f"{error.refused!r} is refused by the endpoint; run again to ask without it"
        if notice not in self.notices:
            self.notices.append(notice)
