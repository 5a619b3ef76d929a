"""Asking live judges: in a thread of its own, so that a notebook and Ctrl-C work as expected."""

import asyncio
import warnings
from collections import Counter
from contextlib import nullcontext
from threading import Event, Thread

from posbias_kit.cluster import HERE
from posbias_kit.errors import JudgeError, ParamsError
from posbias_kit.judging.batch_log import BatchLog
from posbias_kit.judging.batch_runner import BatchRunner
from posbias_kit.judging.live import is_done
from posbias_kit.judging.progress import Progress
from posbias_kit.judging.runner import Runner
from posbias_kit.judging.shards import ShardRunner
from posbias_kit.judging.stopping import series_until
from posbias_kit.schema import Reason, Status

TRUNCATED_SHARE = 0.05
"""A larger share of replies that were cut off is worth a warning."""


def ask_live(judge, shown, log, budget, again=False, stop=None, compute=HERE):
    """Make the calls of a live judge that have no reply yet, and tell what is worth telling.

    Ctrl-C lets the calls in flight come to their end; a second one drops them.

    Parameters
    ----------
    judge : LiveJudge
    shown : Shown
    log : JudgmentLog
    budget : Budget
    again : bool
        Ask also where there was a reply without a usable verdict.
    stop : posbias_kit.analysis.StoppingRule, optional
        When to stop asking.
    compute : posbias_kit.cluster.Compute
        Who asks: this process, or the workers of a cluster. Batches are sent from here.

    Raises
    ------
    JudgeError
        The judge cannot be asked, or none of its calls has brought a reply.
    KeyboardInterrupt
        After Ctrl-C, when all is written.
    """
    keys, states = judge.identify(shown), log.states()
    if judge.params.batching:
        if BatchLog(log).out(judge.name, judge.arm.name):
            _collect(judge, keys, states, log, budget)
            states = log.states()
        _check_replies(judge, keys, states)
    else:
        states = _ask(judge, shown, keys, states, log, budget, again, stop, compute)
        _check_replies(judge, keys, states)
    for notice in _notices(judge, set(keys.values()), log):
        _warn(judge, notice)


def send_batches(judge, shown, log, budget, again=False):
    """Send a judge's open calls in batches, and wait for nothing.

    Parameters
    ----------
    judge, shown, log, budget, again
        As for :func:`ask_live`, which takes in what comes back.
    """
    keys, states = judge.identify(shown), log.states()
    series = judge.open_calls(shown, keys, states, again)
    first = next(series, None)
    if first is None and not BatchLog(log).out(judge.name, judge.arm.name):
        return
    runner = BatchRunner(judge, log, budget, _progress(judge, keys, states, again))
    _run_in_thread(runner, runner.submit(_chain(first, series)))
    runner.progress.close()
    _tell_batches(judge, runner)
    gone = {call for out in runner.out for call in runner.batches.waiting(out)}
    _tell_cap(judge, runner.cap, keys, {*states, *gone})
    if runner.interrupted:
        raise KeyboardInterrupt


def check_batches(judges, log, stop=None):
    """Refuse what would ask twice, or cannot be done in batches.

    Parameters
    ----------
    judges : list of LiveJudge
    log : JudgmentLog
    stop : posbias_kit.analysis.StoppingRule, optional

    Raises
    ------
    ParamsError
        A stopping rule, which looks after each few comparisons, and a judge asked in batches.
    JudgeError
        A judge has batches on their way and is no longer to be asked in batches.
    """
    batched = {(judge.name, judge.arm.name) for judge in judges if judge.params.batching}
    if stop and batched:
        raise ParamsError(
            "a stopping rule looks after each few comparisons; batches come back as a whole",
            place=f"judge {min(batched)[0]!r}",
            cure="leave `judging.stop` away, or the judge's `batch`",
        )
    live = {(judge.name, judge.arm.name) for judge in judges} - batched
    for out in BatchLog(log).out():
        if (out.judge, out.arm) in live:
            raise JudgeError(
                f"batch {out} is on its way; what it holds would be asked twice",
                place=f"judge {out.judge!r}",
                cure="set batch: true again and run, to take in what comes back",
            )
        if (out.judge, out.arm) not in batched:
            warnings.warn(
                f"batch {out} of judge {out.judge!r}, arm {out.arm or 'plain'!r}, is on its way, "
                "and the study no longer asks for it", stacklevel=2,
            )  # fmt: skip


def _ask(judge, shown, keys, states, log, budget, again, stop, compute):
    """Make the calls one by one; return what the log knows then."""
    if stop is None:
        series = judge.open_calls(shown, keys, states, again)
    else:
        series = series_until(stop, judge, shown, keys, log, again)
    first = next(series, None)
    if first is None:
        return states
    heard = any(is_done(states.get(key)) for key in keys.values())
    told = judge, log, budget, _progress(judge, keys, states, again), heard
    orders, alone = int(shown.presentations["slots"].max()), compute.backend == "local"
    runner = Runner(*told) if alone else ShardRunner(*told, compute, orders)
    with judge.served(orders) if alone else nullcontext():
        _run_in_thread(runner, runner.run(_chain(first, series)))
    runner.progress.close()
    states = log.states()
    _tell_cap(judge, runner.cap, keys, states)
    if runner.interrupted:
        raise KeyboardInterrupt
    return states


def _collect(judge, keys, states, log, budget):
    runner = BatchRunner(judge, log, budget, _progress(judge, keys, states, False))
    try:
        _run_in_thread(runner, runner.collect())
    finally:
        runner.progress.close()
        _tell_batches(judge, runner)
    failed = runner.intake.tally.failed
    if failed:
        _warn(judge, f"{failed} requests came back without a reply; run again to ask them again")
    if runner.interrupted:
        raise KeyboardInterrupt


def _progress(judge, keys, states, again):
    prices = judge.params.prices
    done = sum(is_done(states.get(key), again) for key in keys.values())
    return Progress(judge.name, len(keys), done, prices and prices.currency)


def _tell_cap(judge, cap, keys, known):
    """Say what a cap left over; raise where it allowed nothing."""
    left = sum(key not in known for key in keys.values())
    if cap and left == len(keys):
        raise JudgeError(
            f"the {cap} allows no call",
            place=f"judge {judge.name!r}",
            cure="raise the cap in `judging.caps`, or plan less",
        )
    if cap and left:
        _warn(judge, f"{cap} reached: {left} calls are left; raise it and run again")


def _tell_batches(judge, runner):
    for notice in runner.intake.notices:
        _warn(judge, notice)
    if runner.interrupted and runner.out:
        told = ", ".join(map(str, runner.out))
        _warn(judge, f"on their way: {told}; run again to take in what comes back")


def _chain(first, series):
    if first is not None:
        yield first
    yield from series


def _run_in_thread(runner, work):
    """Run beside whatever event loop the caller has, as a notebook does, and heed Ctrl-C."""
    problem, ended = [], Event()

    def run():
        try:
            asyncio.run(work)
        except BaseException as error:
            problem.append(error)
        finally:
            ended.set()

    Thread(target=run, name="judging", daemon=True).start()
    while not ended.is_set():
        try:
            ended.wait(0.5)  # Thread.join takes an interrupt for the thread's end
        except KeyboardInterrupt:
            runner.interrupt()
    if problem and not (runner.interrupted and isinstance(problem[0], asyncio.CancelledError)):
        raise problem[0]


def _check_replies(judge, keys, states):
    """Raise where every call that was made has failed: there is nothing to measure."""
    told = [states[key] for key in keys.values() if key in states]
    failed = Counter(state.reason for state in told if state.status == Status.FAILED)
    if told and failed.total() == len(told):
        reasons = ", ".join(f"{reason} {count}" for reason, count in failed.most_common())
        raise JudgeError(
            f"all {len(told)} calls failed ({reasons})",
            place=f"judge {judge.name!r}",
            cure="mend the cause and run again, or leave the judge out",
        )


def _notices(judge, keys, log):
    """Yield what a reader of the verdicts has to know about how they came about."""
    replies = [row for row in log.replies(judge.name) if row[0] in keys]
    models = sorted({model for _, model, _, _ in replies if model})
    if len(models) > 1:
        yield f"more than one model answered: {', '.join(models)}"
    unsent = Counter(told for _, _, told, _ in replies if told)
    for told, count in unsent.items():
        yield f"{told} refused by the endpoint and not sent with {count} of {len(replies)} replies"
    cut = sum(reason == Reason.TRUNCATED for *_, reason in replies)
    if cut > TRUNCATED_SHARE * len(replies):
        limit = f"max_tokens {judge.params.max_tokens}"
        yield f"{cut} of {len(replies)} replies were cut off at the token limit ({limit})"


def _warn(judge, text):
    warnings.warn(f"judge {judge.name!r}: {text}", stacklevel=3)
