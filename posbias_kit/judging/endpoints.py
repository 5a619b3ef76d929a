"""The endpoints of one judge: which of them a call goes to."""

import time
from collections import Counter
from contextlib import contextmanager

from posbias_kit.judging.protocol import CallError
from posbias_kit.schema import Reason

_UNWELL = frozenset({Reason.CONNECTION, Reason.TIMEOUT, Reason.HTTP_5XX, Reason.RATE_LIMIT})
"""Failures that speak of the endpoint, not of the call."""
_FIRST_REST, _LONGEST_REST = 1.0, 60.0


class Endpoints:
    """Adapters to endpoints that serve the same model.

    A call goes to the endpoint with the fewest in flight. One that cannot be reached, is too
    slow, refuses for its load or fails by itself rests: a second, twice as long after each
    further failure, a minute at most, or as long as it asks for. Where all rest, the one whose
    rest is over first is asked. A reply, or a failure that is the call's own, ends the rest.

    Parameters
    ----------
    clients : sequence of Client
        At least one.
    clock : callable
        Seconds that only go up.

    Examples
    --------
    >>> endpoints = Endpoints(["one", "two"])
    >>> with endpoints.lend() as first, endpoints.lend() as second:
    ...     first, second
    ('one', 'two')
    """

    def __init__(self, clients, clock=time.monotonic):
        self._clients, self._clock = list(clients), clock
        self._flying, self._lent, self._failures = Counter(), Counter(), Counter()
        self._until = dict.fromkeys(range(len(self._clients)), 0.0)

    @contextmanager
    def lend(self):
        """Choose an endpoint for one call, and learn from how the call ends."""
        at = min(self._until, key=self._burden)
        self._flying[at] += 1
        self._lent[at] += 1
        try:
            yield self._clients[at]
            self._welcome(at)
        except CallError as error:
            if error.reason in _UNWELL:
                self._rest(at, error.retry_after)
                if min(self._until.values()) <= self._clock():
                    error.retry_after = None  # it is asked again elsewhere
            else:
                self._welcome(at)
            raise
        finally:
            self._flying[at] -= 1

    def _burden(self, at):
        resting = self._until[at] if self._until[at] > self._clock() else 0.0
        return resting, self._flying[at], self._lent[at]

    def _welcome(self, at):
        self._failures[at], self._until[at] = 0, 0.0

    def _rest(self, at, asked):
        rest = min(_FIRST_REST * 2 ** self._failures[at], _LONGEST_REST)
        self._failures[at] += 1
        self._until[at] = self._clock() + max(rest, asked or 0.0)

    @property
    def not_sent(self):
        """Settings that were refused, and that no endpoint is sent since."""
        return self._clients[0].not_sent

    def drop(self, error):
        """Leave out everywhere what one endpoint refused."""
        for client in self._clients:
            client.drop(error)

    async def close(self):
        """Close all connections."""
        for client in self._clients:
            await client.close()
