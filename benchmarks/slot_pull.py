"""How far the multinomial logit's slot effects fall short where quality varies by question.

``python -m benchmarks.slot_pull`` prints the figures of docs/statistics.md. A judge sees three
answers in their three turns; the slots add .6, 0 and -.6 to the log-odds, and each answer has a
worth of its own on each question. The logit has one ability a candidate.
"""

import numpy as np
import pandas as pd

from posbias_kit import analysis
from posbias_kit.data import build_verdicts

EFFECTS = np.array([0.6, 0.0, -0.6])
SPREADS = (0, 1, 2, 4)
_NAMES = np.array(["a", "b", "c"])


def list_study(spread, questions=3000, seed=0):
    """Return the verdicts of one judge; `spread` is the sd of an answer's worth, in log-odds."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(0, spread, (questions, 3))
    turns = np.array([np.roll(np.arange(3), -turn) for turn in range(3)])
    # the largest of worth and Gumbel noise is a draw from the logit
    seen = worth[:, turns] + EFFECTS + rng.gumbel(size=(questions, 3, 3))
    return build_verdicts(
        pd.DataFrame(
            {
                "benchmark": "planted", "task": "t", "judge": "j", "status": "ok", "repeat": 1,
                "question": np.repeat([f"q{number}" for number in range(questions)], 3),
                "order": ["r0", "r1", "r2"] * questions,
                "shown": [tuple(_NAMES[turn]) for turn in turns] * questions,
                "choice": pd.array(1 + seen.argmax(axis=2).ravel(), dtype="Int64"),
            }
        )
    )  # fmt: skip


def slot_pulls(spreads=SPREADS, questions=3000, seed=0):
    """Return the slot effects at each spread, a row each."""
    tables = [
        analysis.slot_effects(list_study(spread, questions, seed)).assign(spread=spread)
        for spread in spreads
    ]
    return pd.concat(tables, ignore_index=True)[["spread", "slot", "effect", "low", "high"]]


if __name__ == "__main__":
    print(slot_pulls().round(2).to_string(index=False))
