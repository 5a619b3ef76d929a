"""What judging may still use up: calls, tokens and money, with what is in flight held back."""

import copy

from posbias_kit.judging.log_table import Totals

CHARACTERS_PER_TOKEN = 4
"""A rough rule, used where no reply has told better."""


def price(usage, prices, batched=False):
    """Return what a reply cost, or None where tokens or prices are not known.

    Parameters
    ----------
    usage : posbias_kit.judging.protocol.Usage
    prices : posbias_kit.judge_kinds.Prices or None
    batched : bool
        Asked in a batch: the prices' `batch_factor` counts.

    Returns
    -------
    float or None

    Examples
    --------
    >>> from posbias_kit.judge_kinds import Prices
    >>> from posbias_kit.judging.protocol import Usage
    >>> prices = Prices(input=2.0, output=8.0, batch_factor=0.5, date="2026-01-31")
    >>> used = Usage(1_000_000, 0, 100_000)
    >>> price(used, prices), price(used, prices, batched=True)
    (2.8, 1.4)
    """
    if prices is None or usage.input is None or usage.output is None:
        return None
    cached = usage.cached or 0
    dear = (usage.input - cached) * prices.input + usage.output * prices.output
    kept = cached * (prices.input if prices.cached is None else prices.cached)
    return (dear + kept) * (prices.batch_factor if batched else 1.0) / 1_000_000


def estimate_tokens(prompt):
    """Return the tokens of a prompt by the rule of four characters.

    Parameters
    ----------
    prompt : posbias_kit.judging.prompts.Prompt

    Returns
    -------
    int
    """
    return -(-sum(len(text) for _, text in prompt.messages) // CHARACTERS_PER_TOKEN)


class Budget:
    """Caps, what is spent, and what calls in flight may still spend.

    Parameters
    ----------
    caps : posbias_kit.study.Caps
    spent : Totals
        Of the whole log.
    """

    def __init__(self, caps, spent=Totals()):  # noqa: B008, a tuple does not change
        self._caps = (caps.calls, caps.tokens, caps.money)
        self.spent = spent
        self.held = Totals()
        self._factor = Totals(1, 1.0, 1.0)

    def admit(self, most):
        """Hold back what a series may use up at most; false where a cap does not allow it."""
        if self.cap_met_by(most):
            return False
        self.hold(most)
        return True

    def hold(self, most):
        """Hold back what calls that are out already may use up."""
        self.held = sum_up(self.held, most)

    def cap_met_by(self, more):
        """Name the cap that so much more would exceed, or return None."""
        open_ = sum_up(self.held, more)
        open_ = (part * factor for part, factor in zip(open_, self._factor, strict=True))
        would_be = sum_up(self.spent, open_)
        for name, cap, value in zip(Totals._fields, self._caps, would_be, strict=True):
            if cap is not None and value > cap + 1e-9:
                return f"cap of {cap:,} on {name}"
        return None

    def release(self, most):
        """Give back what a finished call held."""
        self.held = Totals(*(max(a - b, 0) for a, b in zip(self.held, most, strict=True)))

    def spend(self, usage, cost, most):
        """Count one attempt; where it took more than foreseen, expect that of the others too."""
        tokens = (usage.input or 0) + (usage.output or 0)
        used = Totals(1, tokens, cost or 0.0)
        self.spent = sum_up(self.spent, used)
        factors = zip(self._factor, used, most, strict=True)
        self._factor = Totals(*(max(f, a / b if b else f) for f, a, b in factors))

    def part(self, most, parts):
        """Hold back what some calls may use up that are made elsewhere, and a part of the rest.

        The rest is what a cap leaves over all that is held; calls that have to be asked again
        are made of it.

        Parameters
        ----------
        most : Totals
            Of the calls; a cap allows them (:meth:`cap_met_by`).
        parts : int
            Into so many the rest is divided.

        Returns
        -------
        held : Totals
            To be released when the calls are back and what they took is spent.
        budget : Budget
            Of these calls alone: all parts together never exceed a cap.
        """
        held, caps = [], []
        for cap, factor, spent, out, need in zip(
            self._caps, self._factor, self.spent, self.held, most, strict=True
        ):
            rest = 0 if cap is None else max((cap - spent) / factor - out - need, 0) / parts
            held.append(need + rest)
            caps.append(None if cap is None else (need + rest) * factor)
        self.hold(held)
        budget = copy.copy(self)
        budget._caps, budget.spent, budget.held = tuple(caps), Totals(), Totals()
        return Totals(*held), budget


def sum_up(*parts):
    """Add up several :class:`Totals`."""
    return Totals(*map(sum, zip(*parts, strict=True)))
