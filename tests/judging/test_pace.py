"""Requests a minute are due at even times, whoever wakes late."""

import asyncio
from types import SimpleNamespace

from posbias_kit.judging import ask


def test_each_request_has_its_own_due_time(monkeypatch):
    """At 600 a minute they are due .1 s apart; a late one costs the next nothing, a pause all."""
    clock, waits = SimpleNamespace(now=5.0), []

    async def sleep(seconds):
        waits.append(round(seconds, 9))

    monkeypatch.setattr(ask, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(ask.asyncio, "sleep", sleep)
    limits = SimpleNamespace(requests_per_minute=600, tokens_per_minute=None)

    async def take_at(*times):
        pace = ask.Pace(limits)
        for clock.now in times:
            await pace.take(100)

    asyncio.run(take_at(5.0, 5.0, 5.0, 5.25, 60.0, 60.0))

    # Due at 5, 5.1, 5.2 and 5.3; nothing is saved up over a pause: at 60 and 60.1.
    assert waits == [0.0, 0.1, 0.2, 0.05, 0.0, 0.1]
