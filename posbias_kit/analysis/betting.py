"""Consistency of a planned benchmark from a part of it: a sequence that may be looked at often."""

import numpy as np

from posbias_kit.analysis.arrivals import check_arrivals, check_rule, tell_looks


def betting_sequence(
    consistent, complete, planned, *, most=1, half_width=0.03, level=0.95, looks=None
):
    """Bound PC of the planned benchmark after each look, whenever one stops looking.

    Comparisons arrive in random order, without replacement, out of `planned`. If PC were m, the
    score of a comparison,

        y_i(m) = (consistent_i - m complete_i) / most,

    would sum to 0 over all that are planned, however many of them turn out incomplete. What has
    arrived then fixes the mean of those still to come,

        mu_i(m) = -sum_(j < i) y_j(m) / (planned - i + 1),

    and nobody can win by betting on y_i - mu_i. Two gamblers try, one on each side:

        K+_t(m) = prod_(i <= t) (1 + lambda_i (y_i - mu_i)),   K-_t(m) with -lambda_i,

    and m is out once one of them has 2 / (1 - level) times what it began with; under the true m
    that ever happens with probability 1 - level at most (Ville). What is out stays out. The bet
    is the best one against a PC that is off by `half_width`,

        lambda_i = half_width planned / (planned - i + 1) / s2_(i-1),

    s2 the variance of the scores so far with one of 1/4 before them, cut so that no bet risks
    more than three quarters. Any other bet on what is known beforehand would be as valid, and
    wider at that width. When all have arrived the bounds are PC itself.

    It is a statement about these comparisons only, not about other questions.

    *Source: I. Waudby-Smith and A. Ramdas (2024), Estimating means of bounded random variables by
    betting, JRSS B 86(1), sections 4 and 5 (without replacement). The ratio and the bet for a
    width that is named beforehand are the kit's.*

    Parameters
    ----------
    consistent, complete : sequence of int
        Series of each comparison asked that are consistent, and that are complete, in the order
        in which they were drawn; complete 0 where a verdict is missing.
    planned : int
        Comparisons of the benchmark that could be asked.
    most : int
        Series of a comparison, its repeats.
    half_width : float
        The half-width that is aimed at.
    level : float
    looks : sequence of int, optional
        After how many comparisons to look; by default once, at the end. More looks never widen
        the last one.

    Returns
    -------
    DataFrame
        One row a look: asked, consistent, complete, pc, pc_low, pc_high, half_width. Should the
        limits ever cross, an event within 1 - level, they are exchanged.

    Raises
    ------
    ParamsError
        The counts do not fit together, or a setting is outside its range.

    Examples
    --------
    >>> bounds = betting_sequence([1, 0, 1, 1], [1, 1, 1, 1], planned=4, looks=[2, 4])
    >>> bounds[["asked", "pc", "pc_low", "pc_high"]].values.tolist()
    [[2.0, 0.5, 0.25, 0.75], [4.0, 0.75, 0.75, 0.75]]
    """
    check_rule("betting_sequence", half_width, level)
    told = check_arrivals("betting_sequence", consistent, complete, planned, most, looks)
    game = _Game(told.consistent / most, told.complete / most, planned, half_width, level)
    ends, limits = [], (0.0, 1.0)
    for look in told.looks:
        limits = game.narrow(look, *limits)
        ends.append(sorted(limits))
    return tell_looks(told, *np.transpose(ends).reshape(2, -1))


class _Game:
    """The bets on one sequence of scores, for any supposed PC."""

    def __init__(self, consistent, complete, planned, half_width, level):
        self.yes, self.n, self.planned = consistent, complete, planned
        self.before = np.cumsum(consistent) - consistent, np.cumsum(complete) - complete
        self.left = planned - np.arange(len(complete))
        self.goal = np.log(2 / (1 - level))
        self.bet = half_width * planned / self.left / _past_variance(consistent, complete)

    def narrow(self, look, low, high):
        """Move the limits inwards as far as the first `look` scores allow."""
        least, most = self.possible(look)
        low, high = np.clip([low, high], least, most)
        middle = np.clip(self.yes[:look].sum() / max(self.n[:look].sum(), _TINY), low, high)
        return self._reject(look, low, middle, 1), self._reject(look, high, middle, -1)

    def possible(self, look):
        """Least and largest PC that what is left could still bring about."""
        yes, n, left = self.yes[:look].sum(), self.n[:look].sum(), self.planned - look
        if n + left == 0:
            return 0.0, 1.0
        return yes / (n + left), (yes + left) / (n + left)

    def _reject(self, look, out, middle, side):
        """The innermost PC that is out, from `out` (as good as out) towards `middle`."""
        for _ in range(_HALVINGS):
            m = (out + middle) / 2
            out, middle = (m, middle) if self._capital(m, look, side) >= self.goal else (out, m)
        return out

    def _capital(self, m, look, side):
        """Logarithm of what the gambler of one side has after `look` bets; falls away from m."""
        yes, n = (before[:look] for before in self.before)
        mean = (m * n - yes) / self.left[:look]
        gain = self.yes[:look] - m * self.n[:look] - mean
        risk = np.maximum(m + mean if side > 0 else 1 - m - mean, _TINY)
        bet = np.minimum(self.bet[:look], _CUT / risk)
        return np.log1p(side * bet * gain).sum()


def _past_variance(consistent, complete):
    """Variance of the scores before each one, around the PC known by then."""
    share = (0.5 + np.cumsum(consistent)) / (1 + np.cumsum(complete))
    squares = np.cumsum((consistent - share * complete) ** 2)
    past = np.concatenate([[0.0], squares])[: len(squares)]
    return (0.25 + past) / (1 + np.arange(len(past)))


_HALVINGS = 20
"""Of an interval at most 1 wide: limits are known to 1e-6, on the safe side."""
_CUT = 0.75
_TINY = 1e-12
