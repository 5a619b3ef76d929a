"""The planted-bias judge: a simulation whose bias is known, so that metrics can be checked."""

import json
import warnings

import numpy as np
import pandas as pd

from posbias_kit.errors import ParamsError
from posbias_kit.judging.arms import original_of
from posbias_kit.schema import (
    FAILED_REASONS,
    INVALID_REASONS,
    PRESENTATION_KEY,
    TIE_CHOICE,
    Reason,
    Status,
)
from posbias_kit.study_arms import PLAIN

_INVALID = sorted(INVALID_REASONS)
_FAILED = sorted(FAILED_REASONS)


class PlantedJudge:
    """A judge with planted position bias, length taste, ties, noise and failures.

    For a presentation with candidates c_1..c_p in slots 1..p, the worth of slot k in log-odds is

        u_k = discernment x quality(c_k) + slot_effect_k + length_taste x log(length(c_k))
              + label_effect where slot k bears the first label: slot 1, or p if reversed

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

    An arm with two options has no ties; of four options a tie says that both are good where the
    mean quality of the answers is 0 or more, else neither. An answer alone gets the score
    1 + floor(scale x sigma(u + g)) with g from the standard Gumbel distribution, so that the
    better score goes to slot 1 with P = sigma(u_1 - u_2) but for scores that are shared.

    A draw depends on the seed and on what is judged (judge, presentation, repeat), never on the
    order of the calls.

    Parameters
    ----------
    params : posbias_kit.judge_kinds.PlantedParams
        Name and settings.
    quality : mapping of str to float
        Latent quality of each candidate in log-odds, used where `params.quality` is None.
    seed : int
    arm : posbias_kit.study_arms.Arm
        How it is asked.

    Notes
    -----
    Ties: R. R. Davidson (1970), On extending the Bradley-Terry model to accommodate ties in
    paired comparison experiments, JASA 65(329). Order effect: R. R. Davidson and R. J. Beaver
    (1977), On extending the Bradley-Terry model to incorporate within-pair order effects,
    Biometrics 33(4).
    """

    def __init__(self, params, quality, seed=0, arm=PLAIN):
        self.name, self.arm = params.name, arm
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
            ties = 0.0 if self.arm.options == 2 else self._settings(task)["ties"]
            weight = np.column_stack([np.full(len(rows), ties), weight])
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
        keys = presentations[PRESENTATION_KEY].astype(str).agg("\n".join, axis=1)
        settled = self._uniform("settled", keys)[row]
        call = keys.iloc[row].reset_index(drop=True) + "\n" + calls["repeat"].astype(str)
        fresh = self._uniform("fresh", call)
        draw = np.where(self._uniform("noise", call) < rates["repeat_noise"], fresh, settled)
        choice = self._choose(presentations, answers, row, draw)
        failed = self._uniform("failed", call) < rates["failure_rate"]
        invalid = ~failed & (self._uniform("invalid", call) < rates["invalid_rate"])
        which = self._uniform("reason", call)
        calls["status"] = np.select([failed, invalid], [Status.FAILED, Status.INVALID], Status.OK)
        calls["reason"] = np.select(
            [failed, invalid],
            [_pick(_FAILED, which), _pick(_INVALID, which)],
            self._tie_reasons(presentations, row, choice) if self.arm.options == 4 else "",
        )
        calls["choice"] = pd.array(choice, dtype="Int64")
        calls.loc[failed | invalid, "choice"] = pd.NA
        return calls

    def _choose(self, presentations, answers, row, draw):
        """Return the slot (0 a tie), or the score, that a uniform number stands for."""
        if not self.arm.scale:
            cumulative = self.probabilities(presentations, answers).cumsum(axis=1)[row]
            return (draw[:, None] >= cumulative[:, :-1]).sum(axis=1)
        lengths = answers.set_index(["question", "candidate"])["length"]
        worth = np.zeros(len(presentations))
        for task, rows in presentations.reset_index(drop=True).groupby("task").indices.items():
            block = presentations.iloc[rows]
            shown = np.array([json.loads(text) for text in block["shown"]])
            settings = self._settings(task)
            worth[rows] = self._worth(shown, block["question"], lengths, settings)[:, 0]
        seen = worth[row] - np.log(-np.log(np.clip(draw, 1e-300, 1 - 1e-16)))
        return 1 + np.minimum(
            (self.arm.scale / (1 + np.exp(-seen))).astype(int), self.arm.scale - 1
        )

    def _tie_reasons(self, presentations, row, choice):
        names = [json.loads(text) for text in presentations["shown"]]
        worth = [np.mean([self.quality[original_of(name)] for name in each]) for each in names]
        good = np.where(np.array(worth)[row] >= 0, str(Reason.BOTH_GOOD), str(Reason.NEITHER))
        return np.where(choice == TIE_CHOICE, good, "")

    def _check_tasks(self, presentations):
        unknown = sorted(set(self.params.by_task) - set(presentations["task"]))
        if unknown:
            warnings.warn(
                f"judge {self.name!r}: by_task names {', '.join(map(repr, unknown))}, which no "
                f"presentation has (tasks: {', '.join(sorted(set(presentations['task'])))})",
                stacklevel=3,
            )

    def _settings(self, task):
        """Return the judge's settings, with those of the task and of the arm on top."""
        own = self.params.model_dump(exclude={"name", "kind", "quality", "by_task", "by_arm"})
        for special in (self.params.by_task.get(task), self.params.by_arm.get(self.arm.name)):
            own |= special.model_dump(exclude_unset=True) if special else {}
        return own

    def _worth(self, shown, questions, lengths, settings):
        shown = np.vectorize(original_of, otypes=[object])(shown)
        unknown = sorted(set(shown.ravel().tolist()) - set(self.quality))
        if unknown:
            raise ParamsError(
                f"no latent quality for candidate {', '.join(map(repr, unknown))}",
                place=f"judge {self.name!r}",
                allowed=", ".join(sorted(self.quality)),
                cure="give `quality` a value for each candidate",
            )
        worth = settings["discernment"] * np.vectorize(self.quality.get, otypes=[float])(shown)
        if not self.arm.scale:  # an answer alone has no slot and no label
            worth += _slot_effect(settings["slot_effect"], shown.shape[1], self.name)
            worth[:, -1 if self.arm.reversed else 0] += self._label_effect(settings)
        if settings["length_taste"]:
            keys = pd.MultiIndex.from_arrays([np.repeat(questions, shown.shape[1]), shown.ravel()])
            length = lengths.reindex(keys).to_numpy(dtype=float).reshape(shown.shape)
            worth += settings["length_taste"] * np.log(np.maximum(length, 1))
        return worth

    def _label_effect(self, settings):
        effect = settings["label_effect"]
        if not isinstance(effect, dict):
            return effect
        return effect.get(self.arm.labels or "letters", 0.0)

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
