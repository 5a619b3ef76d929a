"""Properties that are looked at a few times in CI, and for ten minutes by ``make fuzz``."""

import os
import time
from functools import wraps

from hypothesis import HealthCheck, settings

SECONDS = float(os.environ.get("POSBIAS_FUZZ", "0"))
"""How long all properties together; 0 looks at a few examples of each."""
FEW = 10
_PROPERTIES = 15
"""Among which the time is shared."""


def lasting(check):
    """Look at a property again and again, each time at other examples, until its time is up."""
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
    told = settings(
        max_examples=25 if SECONDS else FEW, deadline=None, suppress_health_check=quiet,
        print_blob=True,
    )(check)  # fmt: skip

    @wraps(check)
    def test():
        end = time.monotonic() + SECONDS / _PROPERTIES
        told()
        while time.monotonic() < end:
            told()

    del test.__wrapped__  # else pytest takes the drawn arguments for fixtures
    return test


def in_words(error):
    """Check that an error of the kit says something."""
    assert error.problem.strip()
