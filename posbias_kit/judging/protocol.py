"""What every live judge speaks: a rendered prompt in, a reply with its raw body out."""

import json
import os
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple, Protocol

from posbias_kit.errors import ParamsError
from posbias_kit.schema import Reason

CUT_OFF = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
"""Stop reasons of a reply that is not whole."""
REFUSED = frozenset({"content_filter", "refusal"})
"""Stop reasons of a refusal."""
_FATAL = frozenset({401, 402, 403, 404})
_UNSUPPORTED = re.compile(
    r"support|unknown|unrecogni[sz]ed|unexpected|permitted|not allowed|extra input|deprecated"
    r"|invalid param|only the default", re.I
)  # fmt: skip
_MASK = re.compile(r"[^\s\"',:]*\*{3,}[^\s\"',]*")


class Usage(NamedTuple):
    """Tokens that a reply cost; None where the endpoint does not say."""

    input: int | None = None
    """All tokens of the prompt, cached ones included."""
    cached: int | None = None
    output: int | None = None
    """All tokens written, reasoning included."""
    reasoning: int | None = None


@dataclass(frozen=True)
class Reply:
    """What came back, as it came back."""

    text: str | None
    reasoning: str | None
    stop_reason: str
    usage: Usage
    model: str
    """As returned."""
    request_id: str
    sent: dict
    """Settings as sent; `not_sent` lists those the endpoint refused."""
    raw: str
    """The body."""
    logprobs: dict[str, float] | None = None
    """Label -> log-probability as the first token, where asked for."""


@dataclass
class CallError(Exception):
    """A call that brought no reply."""

    reason: str
    """One of :data:`posbias_kit.schema.FAILED_REASONS`."""
    message: str
    permanent: bool = False
    """Asking again would not help."""
    fatal: bool = False
    """Asking anything else would not help either: wrong key, no such model."""
    refused: str | None = None
    """The setting that the endpoint does not take."""
    retry_after: float | None = None
    """Seconds that the endpoint asks to wait."""
    kind: str = ""
    """Class of the error underneath."""
    raw: str | None = None
    request_id: str = ""
    sent: dict = field(default_factory=dict)

    def __str__(self):
        return self.message


class Client(Protocol):
    """An adapter to one endpoint."""

    settings: dict
    """What is to be sent with every prompt; part of the identity of a call."""

    endpoint: str
    """Address that is asked."""
    not_sent: list
    """Settings that the endpoint refused and that are left out since."""

    async def ask(self, prompt, timeout, seed=None) -> Reply:
        """Send one prompt once; raise CallError where no reply comes back in time."""

    def drop(self, error):
        """Leave out from now on what the endpoint refused."""

    async def close(self):
        """Close connections."""


def read_key(name, judge):
    """Return the key that the environment variable `name` holds.

    Parameters
    ----------
    name : str or None
        None for an endpoint that asks for no key.
    judge : str
        For the message.

    Raises
    ------
    ParamsError
        The variable is not set or empty.

    Examples
    --------
    >>> read_key(None, "local")
    ''
    """
    if name is None:
        return ""
    key = os.environ.get(name, "").strip()
    if not key:
        raise ParamsError(
            f"environment variable {name} is not set",
            place=f"judge {judge!r}",
            cure=f"export {name} before the run, or name another variable in `key_env`",
        )
    return key


def hide(text, key):
    """Return a text without the key, whole or masked.

    Examples
    --------
    >>> hide("bad key sk-TEST-1234, or sk-T****1234", "sk-TEST-1234")
    'bad key [key], or [key]'
    """
    text = text.replace(key, "[key]") if key else text
    return _MASK.sub("[key]", text)


def seconds_to_wait(headers, now=None):
    """Read how long an endpoint asks to wait, in seconds or as a date; None where it does not.

    Examples
    --------
    >>> seconds_to_wait({"retry-after": "2"}), seconds_to_wait({"retry-after-ms": "500"})
    (2.0, 0.5)
    >>> seconds_to_wait({})
    """
    try:
        if "retry-after-ms" in headers:
            return max(float(headers["retry-after-ms"]) / 1000, 0.0)
        told = headers.get("retry-after", "")
        if told.replace(".", "", 1).isdigit():
            return float(told)
        wait = parsedate_to_datetime(told) - (now or datetime.now(UTC))
        return max(wait.total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def status_error(status, body, headers, key, sent):
    """Turn an HTTP status into the error that says whether to ask again.

    Parameters
    ----------
    status : int
    body : str
    headers : mapping
    key : str
        Taken out of everything that is kept.
    sent : dict
        Settings as sent.

    Returns
    -------
    CallError
    """
    # A masked key shows both its ends: what such a reply says goes through `hide` as well.
    raw = hide(body, key)
    told = _error_of(raw)
    code = str(told.get("code") or told.get("type") or "")
    message = f"HTTP {status}: {told.get('message') or raw[:200]}".strip()
    spent = "insufficient_quota" in code or "billing" in code
    if status == 429:
        reason = Reason.RATE_LIMIT
    elif status in (408, 504):
        reason = Reason.TIMEOUT
    else:
        reason = Reason.HTTP_5XX if status >= 500 else Reason.HTTP_4XX
    passing = status in (408, 409, 425, 429) or (status >= 500 and status != 501)
    return CallError(
        str(reason),
        " ".join(message.split()),
        permanent=spent or not passing,
        fatal=spent or status in _FATAL,
        retry_after=seconds_to_wait(headers),
        kind=f"HTTP{status}",
        raw=raw,
        request_id=headers.get("x-request-id") or headers.get("request-id") or "",
        sent=sent,
    )


def _error_of(raw):
    try:
        told = json.loads(raw)
        told = told.get("error", told) if isinstance(told, dict) else {}
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {"message": str(told)}


def refused_setting(error, settings):
    """Name the setting that an error 400 or 422 does not support, or None.

    Parameters
    ----------
    error : CallError
    settings : iterable of str
        Names that were sent.

    Examples
    --------
    >>> raw = '{"error": {"message": "temperature is not supported", "param": null}}'
    >>> refused_setting(CallError("http_4xx", "", kind="HTTP400", raw=raw), ["temperature"])
    'temperature'
    """
    told = _error_of(error.raw or "")
    said = f"{told.get('code')} {told.get('message')}"
    if error.kind not in ("HTTP400", "HTTP422") or not _UNSUPPORTED.search(said):
        return None
    if told.get("param") in settings:
        return told["param"]
    words = set(re.findall(r"\w+", said))
    return next((name for name in settings if name in words), None)


def parse_body(raw, sent):
    """Return the JSON object of a reply with status 200, or raise CallError: nothing was said.

    A gateway may answer 200 with an error inside, or with something that is no JSON at all.
    """
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise CallError(
            str(Reason.CONNECTION), "the reply is not a JSON object", kind="WrongBody",
            raw=raw, sent=sent,
        )  # fmt: skip
    if body.get("error"):
        told = body["error"] if isinstance(body["error"], dict) else {}
        code = told.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        raise status_error(status, raw, {}, "", sent)
    return body
