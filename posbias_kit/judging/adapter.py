"""What the adapters share: settings, refused settings, the deadline, errors told alike."""

import asyncio
from functools import cache
from itertools import cycle
from urllib.parse import urlsplit

from posbias_kit.judging.failures import refused_setting, status_error
from posbias_kit.judging.protocol import CallError, read_address, read_key
from posbias_kit.schema import Reason

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_A_POOL, _MOST_POOLS = 8, 8
"""Calls in flight for a pool of connections, all of which httpx goes through for every call."""


class Adapter:
    """One endpoint and model; each lab's own adapter says how to send and how to read.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.OpenAIParams or AnthropicParams
    """

    def __init__(self, params):
        self.name = params.name
        self.not_sent = []
        self.settings = self.configure(params)
        self._strategy = getattr(params, "labels", "plain")
        self.key = read_key(params.key_env, params.name)
        pools = min(-(-params.limits.concurrency // _A_POOL), _MOST_POOLS)
        self.sdks = [self._connect(params) for _ in range(pools)]
        self._turns = cycle(self.sdks)
        self.endpoint = str(self.sdks[0].base_url).rstrip("/")

    async def ask(self, prompt, timeout, seed=None):
        """Send a prompt once.

        Parameters
        ----------
        prompt : posbias_kit.judging.prompts.Prompt
        timeout : float
            Seconds until the call is given up.
        seed : int, optional
            Sent in place of a configured seed, so that repeats differ.

        Returns
        -------
        Reply

        Raises
        ------
        CallError
        """
        body, sent = self.request(prompt, seed)
        raw, headers = await self.exchange(self._send(next(self._turns), body), timeout, sent)
        return self.read(raw, headers, prompt, sent)

    def request(self, prompt, seed=None):
        """Return what goes out for a prompt.

        Returns
        -------
        body : dict
        sent : dict
            The settings in it, and `not_sent` with those that the endpoint refused.
        """
        fields = self._fields(prompt, seed)
        sent = {**fields, **({"not_sent": list(self.not_sent)} if self.not_sent else {})}
        return self._body(prompt, fields), sent

    async def exchange(self, sending, timeout, sent=None):
        """Await what the SDK is asked to send, and tell its errors as CallError."""
        sent = sent or {}
        try:
            async with asyncio.timeout(timeout):
                return await sending
        except TimeoutError:
            raise CallError(
                str(Reason.TIMEOUT), f"no reply within {timeout:.3g} s", kind="Timeout", sent=sent
            ) from None
        except self._errors.APIStatusError as error:
            response = error.response
            failed = status_error(
                response.status_code, response.text, response.headers, self.key, sent
            )
            failed.refused = refused_setting(failed, sent)
            raise failed from None
        except self._errors.APIError as error:
            cause = error.__cause__ or error
            raise CallError(
                str(Reason.CONNECTION), f"{type(cause).__name__}: {error.message}",
                kind=type(cause).__name__, sent=sent,
            ) from None  # fmt: skip

    def read(self, raw, headers, prompt, sent):
        """Return the reply that a body holds; raise CallError where it holds none."""
        # A key that the endpoint repeats is taken out before anything is kept.
        raw = raw.replace(self.key, "[key]") if self.key else raw
        return self._read(raw, headers, prompt, sent)

    def _options(self, sdk, params):
        """Return what both SDKs are made with: no retries of their own, no deadline of theirs."""
        base_url = read_address(params)
        return {
            "api_key": self.key or "none",
            "base_url": base_url,
            "max_retries": 0,
            "timeout": None,  # every call has a deadline of its own
            "http_client": _http_client(sdk.DefaultAsyncHttpxClient, base_url),
        }

    def drop(self, error):
        """Leave out from now on the setting that the endpoint refused."""
        self.not_sent.append(error.refused)

    def _fields(self, prompt, seed):
        fields = {**self.settings, **self._constraint(prompt)}
        if seed is not None and "seed" in fields:
            fields["seed"] = seed
        return {name: value for name, value in fields.items() if name not in self.not_sent}

    def _constraint(self, prompt):
        return {}

    async def close(self):
        """Close the connections."""
        for sdk in self.sdks:
            await sdk.close()


def _http_client(kind, base_url):
    """Return an HTTP client that reaches this machine without a proxy."""
    here = urlsplit(base_url or "").hostname in _LOOPBACK
    return kind(trust_env=not here, verify=_trusted())


@cache
def _trusted():
    """Load the certificates once: for a client it takes longer than all the rest."""
    import httpx2

    return httpx2.create_ssl_context()
