"""Failures told alike: what an endpoint answered, as the error that says whether to ask again."""

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from posbias_kit.judging.protocol import CallError
from posbias_kit.schema import Reason

_FATAL = frozenset({401, 402, 403, 404})
_UNSUPPORTED = re.compile(
    r"support|unknown|unrecogni[sz]ed|unexpected|permitted|not allowed|extra input|deprecated"
    r"|invalid param|only the default", re.I
)  # fmt: skip
_MASK = re.compile(r"[^\s\"',:]*\*{3,}[^\s\"',]*")


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
