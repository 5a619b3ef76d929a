"""What every live judge speaks: a rendered prompt in, a reply with its raw body out."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from posbias_kit.errors import ParamsError
from posbias_kit.section import check_address

CUT_OFF = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
"""Stop reasons of a reply that is not whole."""
REFUSED = frozenset({"content_filter", "refusal"})
"""Stop reasons of a refusal."""


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
    """Return the key that the environment variable `name` holds, or the file that it names.

    The file's path stands in the variable `name` with ``_FILE`` behind it.

    Parameters
    ----------
    name : str or None
        None for an endpoint that asks for no key.
    judge : str
        For the message.

    Raises
    ------
    ParamsError
        The variable is not set or empty, or its file cannot be read.

    Examples
    --------
    >>> read_key(None, "local")
    ''
    """
    if name is None:
        return ""
    key = os.environ.get(name, "").strip()
    path = os.environ.get(f"{name}_FILE", "").strip()
    if not key and path:
        try:
            key = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise ParamsError(
                f"the file that {name}_FILE names cannot be read",
                place=f"judge {judge!r}",
                cure="give the path of a text file that holds the key and nothing else",
            ) from None
    if not key:
        raise ParamsError(
            f"environment variable {name} is not set",
            place=f"judge {judge!r}",
            cure=f"export {name} before the run, or name another variable in `key_env`",
        )
    return key


def read_address(params):
    """Return a judge's endpoint: `base_url`, or what the variable `base_url_env` holds here.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.OpenAIParams or AnthropicParams

    Returns
    -------
    str or None
        None takes the SDK's own.

    Raises
    ------
    ParamsError
        The variable is not set, or holds no address.
    """
    name = params.base_url_env
    if name is None:
        return params.base_url
    try:
        return check_address(os.environ.get(name, "").strip(), f"environment variable {name}")
    except ValueError as error:
        raise ParamsError(
            str(error),
            place=f"judge {params.name!r}",
            cure=f"export {name} where the judge is asked from: http://host:port/v1",
        ) from None
