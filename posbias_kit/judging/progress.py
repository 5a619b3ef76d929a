"""How far judging is: verdicts, failures, rate, money and time left."""

import os
import sys
from pathlib import Path

from tqdm import tqdm

TERMINAL = "POSBIAS_TERMINAL"
"""Environment variable: the terminal of whoever started the run, where a notebook judges."""


class Progress:
    """One line that renews itself on a terminal, or now and then a line of plain text.

    Parameters
    ----------
    judge : str
    total, done : int
        Calls planned, and how many of them have their verdict already.
    currency : str or None
        None where nothing is paid.
    """

    def __init__(self, judge, total, done, currency=None):
        self._currency = currency
        terminal = os.environ.get(TERMINAL)
        self._own = Path(terminal).open("w", encoding="utf-8") if terminal else None  # noqa: SIM115
        file = self._own or sys.stderr
        quick = file.isatty()
        self._bar = tqdm(
            desc=judge, total=total, initial=done, unit=" calls", file=file, ascii=not quick,
            mininterval=0.2 if quick else 30.0, leave=not self._own, dynamic_ncols=quick,
        )  # fmt: skip

    def show(self, tally, spent):
        """Count one more call."""
        told = f"ok {tally.ok}, invalid {tally.invalid}, failed {tally.failed}"
        if self._currency:
            told += f", {spent.money:.2f} {self._currency}"
        self._bar.set_postfix_str(told, refresh=False)
        self._bar.update(1)

    def say(self, text):
        """Tell what no count shows."""
        self._bar.set_postfix_str(text)

    def close(self):
        """Leave the line as it is."""
        self._bar.close()
        if self._own:
            self._own.close()
