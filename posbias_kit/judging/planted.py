"""The planted-bias judge: a simulation whose bias is known, so that metrics can be checked."""

import json
import warnings

import numpy as np
import pandas as pd

from posbias_kit.errors import ParamsError
from posbias_kit.schema import FAILED_REASONS, INVALID_REASONS, PRESENTATION_KEY, Status

_INVALID = sorted(INVALID_REASONS)
_FAILED = sorted(FAILED_REASONS)


class PlantedJudge:
    """A judge with planted position bias, length taste, ties, noise and failures.

    For a presentation with candidates c_1..c_p in slots 1..p, the worth of slot k in log-odds is

        u_k = discernment x quality(c_k) + slot_effect_k + length_taste x log(length(c_k))

    and, with ubar the mean of u over the slots (Davidson's model of ties, whose tie weight is
    the geometric mean of the worths),

        P(slot k) = exp(u_k - ubar) / Z,   P(TIE) = ties / Z,
        Z = ties + sum_j exp(u_j - ubar).

    For a pair without ties this is P(first) = sigma(u_1 - u_2), so `slot_effect` is the log-odds
    of the first slot between equal answers. Each presentation has one settled verdict, drawn
    from these probabilities; a call repeats it, except for a share `repeat_noise` of calls,
    which draw afresh. Every single verdict therefore has the probabilities above, and two
    repeats agree with probability (1 - noise)^2 + (1 - (1 - noise)^2) sum_k P(k)^2. Then a share
    `failure_rate` of the calls brings no reply, and a share `invalid_rate` of the rest no
    verdict.

    A draw depends on the seed and on what is judged (judge, presentation, repeat), never on the
    order of the calls.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.PlantedParams
        Name and settings.
    quality : mapping of str to float
        Latent quality of each candidate in log-odds, used where `params.quality` is None.
    seed : int

    Notes
    -----
    Ties: R. R. Davidson (1970), On extending the Bradley-Terry model to accommodate ties in
    paired comparison experiments, JASA 65(329). Order effect: R. R. Davidson and R. J. Beaver
    (1977), On extending the Bradley-Terry model to incorporate within-pair order effects,
    Biometrics 33(4).
    """

    def __init__(self, params, quality, seed=0):
        self.name = params.name
        self.params = params
        self.quality = dict(quality if params.quality is None else params.quality)
        self.seed = seed

    def probabilities(self, presentations, answers):
        """Return the planted probability of each verdict, given that there is one.

        Parameters
        ----------
        presentations : DataFrame
            Table of :data:`posbias_kit.schema.PRESENTATIONS`.
        answers : DataFrame
            Table of :data:`posbias_kit.schema.ANSWERS`; lengths are taken from it.

        Returns
        -------
        ndarray of shape (n, p + 1)
            Column 0 is TIE, column k is slot k; p is the largest number of slots, and slots
            that a presentation does not have get probability 0.

        Raises
        ------
        ParamsError
            A candidate has no latent quality, or `slot_effect` has not one value a slot.
        """
        lengths = answers.set_index(["question", "candidate"])["length"]
        result = np.zeros((len(presentations), presentations["slots"].max() + 1))
        groups = presentations.reset_index(drop=True).groupby(["slots", "task"]).indices
        for (slots, task), rows in groups.items():
            block = presentations.iloc[rows]
            shown = np.array([json.loads(text) for text in block["shown"]])
            worth = self._worth(shown, block["question"], lengths, self._settings(task))
            weight = np.exp(worth - worth.mean(axis=1, keepdims=True))
            weight = np.column_stack([np.full(len(rows), self._settings(task)["ties"]), weight])
            result[rows, : slots + 1] = weight / weight.sum(axis=1, keepdims=True)
        return result

    def judge(self, presentations, answers):
        """Judge each presentation as often as its `repeats` says.

        Parameters
        ----------
        presentations, answers : DataFrame
            As for :meth:`probabilities`.

        Returns
        -------
        DataFrame
            One row a call: `row` (position in `presentations`), repeat, status, reason, choice.
        """
        self._check_tasks(presentations)
        row = np.repeat(np.arange(len(presentations)), presentations["repeats"])
        repeat = pd.Series(row).groupby(row).cumcount().to_numpy() + 1
        calls = pd.DataFrame({"row": row, "repeat": repeat})
        settings = presentations["task"].map(self._settings).iloc[row].reset_index(drop=True)
        rates = pd.DataFrame(settings.tolist())
        cumulative = self.probabilities(presentations, answers).cumsum(axis=1)[row]
        keys = presentations[PRESENTATION_KEY].astype(str).agg("\n".join, axis=1)
        settled = self._uniform("settled", keys)[row]
        call = keys.iloc[row].reset_index(drop=True) + "\n" + calls["repeat"].astype(str)
        fresh = self._uniform("fresh", call)
        draw = np.where(self._uniform("noise", call) < rates["repeat_noise"], fresh, settled)
        choice = (draw[:, None] >= cumulative[:, :-1]).sum(axis=1)
        failed = self._uniform("failed", call) < rates["failure_rate"]
        invalid = ~failed & (self._uniform("invalid", call) < rates["invalid_rate"])
        which = self._uniform("reason", call)
        calls["status"] = np.select([failed, invalid], [Status.FAILED, Status.INVALID], Status.OK)
        calls["reason"] = np.select(
            [failed, invalid],
            [_pick(_FAILED, which), _pick(_INVALID, which)],
            "",
        )
        calls["choice"] = pd.array(choice, dtype="Int64")
        calls.loc[failed | invalid, "choice"] = pd.NA
        return calls

    def _check_tasks(self, presentations):
        unknown = sorted(set(self.params.by_task) - set(presentations["task"]))
        if unknown:
            warnings.warn(
                f"judge {self.name!r}: by_task names {', '.join(map(repr, unknown))}, which no "
                f"presentation has (tasks: {', '.join(sorted(set(presentations['task'])))})",
                stacklevel=3,
            )

    def _settings(self, task):
        """Return the judge's settings, with those of the task on top."""
        own = self.params.model_dump(exclude={"name", "kind", "quality", "by_task"})
        special = self.params.by_task.get(task)
        return own | (special.model_dump(exclude_unset=True) if special else {})

    def _worth(self, shown, questions, lengths, settings):
        unknown = sorted(set(shown.ravel().tolist()) - set(self.quality))
        if unknown:
            raise ParamsError(
                f"no latent quality for candidate {', '.join(map(repr, unknown))}",
                place=f"judge {self.name!r}",
                allowed=", ".join(sorted(self.quality)),
                cure="give `quality` a value for each candidate",
            )
        worth = settings["discernment"] * np.vectorize(self.quality.get, otypes=[float])(shown)
        worth += _slot_effect(settings["slot_effect"], shown.shape[1], self.name)
        if settings["length_taste"]:
            keys = pd.MultiIndex.from_arrays([np.repeat(questions, shown.shape[1]), shown.ravel()])
            length = lengths.reindex(keys).to_numpy(dtype=float).reshape(shown.shape)
            worth += settings["length_taste"] * np.log(np.maximum(length, 1))
        return worth

    def _uniform(self, purpose, keys):
        """Hash each key to a number in [0, 1): the same key always gives the same number."""
        text = f"{self.seed}\n{self.name}\n{purpose}\n" + keys.astype(object)
        hashed = pd.util.hash_array(text.to_numpy(dtype=object), categorize=False)
        return (hashed >> np.uint64(11)) / float(1 << 53)


def _slot_effect(effect, slots, name):
    if isinstance(effect, (int, float)):
        return np.array([effect] + [0.0] * (slots - 1))
    if len(effect) != slots:
        raise ParamsError(
            f"slot_effect has {len(effect)} values for {slots} slots",
            place=f"judge {name!r}",
            allowed="one number, or one number a slot",
            cure="give as many values as candidates are shown",
        )
    return np.array(effect, dtype=float)


def _pick(reasons, uniform):
    index = (uniform * len(reasons)).astype(int)
    return np.array(reasons, dtype=object)[index]
