"""Rows of a judgment log, written for tests."""

import asyncio

from posbias_kit.judging.log import JudgmentLog


def attempt_row(call="c1", attempt=1, status="ok", **more):
    """Return one attempt."""
    where = dict.fromkeys(("benchmark", "experiment", "arm", "turn", "comparison", "order"), "x")
    told = {"call": call, "attempt": attempt, "judge": "j", "settings": "{}", "repeat": 1}
    told |= {"prompt_digest": "d", "status": status, "reason": "", "raw": 'é "🙂"'}
    return told | where | {"choice": 1 if status == "ok" else None} | more


def write_rows(path, *rows):
    """Write attempts to a log."""

    async def add():
        await asyncio.gather(*(log.add(one) for one in rows))
        await log.flush()

    with JudgmentLog(path) as log:
        asyncio.run(add())
    return path
