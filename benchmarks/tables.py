"""Verdict tables of any size, for benchmarks."""

import numpy as np
import pandas as pd

JUDGES = ("plus", "none", "minus")


def synthetic_verdicts(verdicts=150_000, repeats=3, seed=0):
    """Make a verdict table: three judges, pairs in both orders, ten pairs a question.

    The judges lean to the first slot by +.8, 0 and -.8 log-odds; 8.5 % ties, 3 % invalid, 2 %
    failed. The columns have the types that a stored table has.
    """
    rng = np.random.default_rng(seed)
    pairs = verdicts // (len(JUDGES) * 2 * repeats)
    shape = (len(JUDGES), pairs, 2, repeats)
    judge, pair, order, repeat = (index.ravel() for index in np.indices(shape))
    quality = rng.normal(size=pairs)[pair] * np.where(order == 0, 1, -1)
    first = 1 / (1 + np.exp(-quality - np.array([0.8, 0.0, -0.8])[judge]))
    slot = np.where(rng.random(len(judge)) < first, 1, 2)
    choice = np.where(rng.random(len(judge)) < 0.085, 0, slot)
    lost = rng.random(len(judge))
    status = np.select([lost < 0.02, lost < 0.05], ["failed", "invalid"], "ok")
    winner = np.array(["TIE", "a", "b"])[np.where(order == 0, choice, (3 - choice) % 3)]
    names = np.array([f"q{index}" for index in range(pairs // 10 + 1)])
    question = names[pair // 10]
    table = pd.DataFrame(
        {
            "benchmark": "synthetic", "experiment": "", "task": "t", "question": question,
            "turn": "", "cluster": question, "arm": "",
            "comparison": np.array([f"c{index}" for index in range(pairs)])[pair],
            "slots": 2, "order": np.array(["AB", "BA"])[order], "candidate": "a", "reference": "b",
            "judge": np.array(JUDGES)[judge], "repeat": repeat + 1, "status": status,
            "reason": "", "choice": pd.array(choice, dtype="Int64"), "winner": winner,
        }
    )  # fmt: skip
    table.loc[status != "ok", ["choice", "winner"]] = pd.NA
    return table
