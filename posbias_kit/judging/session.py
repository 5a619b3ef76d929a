"""Asking live judges: in a thread of its own, so that a notebook and Ctrl-C work as expected."""

import asyncio
import warnings
from collections import Counter
from threading import Event, Thread

from posbias_kit.errors import JudgeError
from posbias_kit.judging.live import is_done
from posbias_kit.judging.progress import Progress
from posbias_kit.judging.runner import Runner
from posbias_kit.judging.stopping import series_until
from posbias_kit.schema import Reason, Status

TRUNCATED_SHARE = 0.05
"""A larger share of replies that were cut off is worth a warning."""


def ask_live(judge, shown, log, budget, again=False, stop=None):
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

    Raises
    ------
    JudgeError
        The judge cannot be asked, or none of its calls has brought a reply.
    KeyboardInterrupt
        After Ctrl-C, when all is written.
    """
    keys, states = judge.identify(shown), log.states()
    if stop is None:
        series = judge.open_calls(shown, keys, states, again)
    else:
        series = series_until(stop, judge, shown, keys, log, again)
    first = next(series, None)
    if first is not None:
        prices = judge.params.prices
        done = sum(is_done(states.get(key), again) for key in keys.values())
        progress = Progress(judge.name, len(keys), done, prices and prices.currency)
        heard = any(is_done(states.get(key)) for key in keys.values())
        runner = Runner(judge, log, budget, progress, heard)
        with judge.served(int(shown.presentations["slots"].max())):
            _run_in_thread(runner, _chain(first, series))
        progress.close()
        states = log.states()
        left = sum(key not in states for key in keys.values())
        if runner.cap and left == len(keys):
            raise JudgeError(
                f"the {runner.cap} allows no call",
                place=f"judge {judge.name!r}",
                cure="raise the cap in `judging.caps`, or plan less",
            )
        if runner.cap and left:
            _warn(judge, f"{runner.cap} reached: {left} calls are left; raise it and run again")
        if runner.interrupted:
            raise KeyboardInterrupt
    _check_replies(judge, keys, states)
    for notice in _notices(judge, set(keys.values()), log):
        _warn(judge, notice)


def _chain(first, series):
    yield first
    yield from series


def _run_in_thread(runner, series):
    """Run beside whatever event loop the caller has, as a notebook does, and heed Ctrl-C."""
    problem, ended = [], Event()

    def work():
        try:
            asyncio.run(runner.run(series))
        except BaseException as error:
            problem.append(error)
        finally:
            ended.set()

    Thread(target=work, name="judging", daemon=True).start()
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
