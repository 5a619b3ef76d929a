"""The row of an attempt: what came back, as the log keeps it."""

import json

from posbias_kit.judging.budget import price
from posbias_kit.judging.labels import read_margin
from posbias_kit.judging.protocol import CUT_OFF, REFUSED
from posbias_kit.parsing import Verdict, parse_verdict
from posbias_kit.schema import PRESENTATION_KEY, Reason, Status


def read_reply(reply, prompt, verdict_first=False):
    """Return the verdict of a reply.

    A refusal is no verdict, whatever text came before it; nor is a reply that was cut off, for
    its final statement may be missing, unless the prompt asks for the verdict first.

    Parameters
    ----------
    reply : Reply
    prompt : posbias_kit.judging.prompts.Prompt
    verdict_first : bool

    Returns
    -------
    posbias_kit.parsing.Verdict
    """
    if reply.stop_reason in REFUSED:
        return Verdict(None, str(Reason.REFUSAL))
    if reply.stop_reason in CUT_OFF and not verdict_first:
        return Verdict(None, str(Reason.TRUNCATED))
    return parse_verdict(reply.text, prompt.format, slots=prompt.slots, options=prompt.options)


def begin_row(judge, settings, call, number):
    """Return the row of an attempt before it is known where it goes: who is asked what, and how.

    Parameters
    ----------
    judge : posbias_kit.judging.live.LiveJudge
    settings : str
        Of the judge, as canonical JSON.
    call : posbias_kit.judging.ask.Call
    number : int
        Of the attempt, over all runs.

    Returns
    -------
    dict
    """
    return {
        "call": call.key,
        "attempt": number,
        "judge": judge.name,
        "settings": settings,
        "template": call.prompt.template,
        "prompt_digest": call.prompt.digest,
        **dict(zip(PRESENTATION_KEY, call.presentation, strict=True)),
        "shown": call.shown,
        "repeat": call.repeat,
        "format": call.prompt.format,
        "slots": call.prompt.slots,
        "options": call.prompt.options,
    }


def success_row(reply, prompt, params):
    """Return what a reply adds to the row of its attempt: the verdict and all that came with it."""
    verdict = read_reply(reply, prompt, params.verdict_first)
    return {
        "status": str(Status.INVALID if verdict.choice is None else Status.OK),
        "reason": str(verdict.reason),
        "choice": verdict.choice,
        "margin": _margin(reply, prompt),
        "sent": as_json(reply.sent),
        "raw": reply.raw,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "logprobs": as_json(reply.logprobs),
        "stop_reason": reply.stop_reason,
        "input_tokens": reply.usage.input,
        "cached_tokens": reply.usage.cached,
        "output_tokens": reply.usage.output,
        "reasoning_tokens": reply.usage.reasoning,
        "cost": price(reply.usage, params.prices, params.batching is not None),
        "request_id": reply.request_id,
        "model": reply.model,
    }


def failure_row(error):
    """Return what a failure adds to the row of its attempt."""
    return {
        "status": str(Status.FAILED),
        "reason": str(error.reason),
        "sent": as_json(error.sent),
        "raw": error.raw,
        "request_id": error.request_id,
        "error": error.kind,
        "message": error.message,
    }


def _margin(reply, prompt):
    if not reply.logprobs or prompt.slots != 2:
        return None
    return read_margin(reply.logprobs, prompt.labels)


def as_json(value):
    """Return a value as canonical JSON text; None stays None."""
    return None if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)
