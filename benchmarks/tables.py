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
    size = np.prod(shape)

    def index(axis):
        steps = np.arange(shape[axis], dtype=np.int32)
        return np.broadcast_to(np.expand_dims(steps, tuple({0, 1, 2, 3} - {axis})), shape).ravel()

    judge, pair, order = index(0), index(1), index(2)
    quality = rng.normal(size=pairs)[pair] * np.where(order == 0, 1, -1)
    first = 1 / (1 + np.exp(-quality - np.array([0.8, 0.0, -0.8])[judge]))
    choice = np.where(rng.random(size) < first, 1, 2).astype(np.int8)
    del quality, first
    choice[rng.random(size) < 0.085] = 0
    lost = np.digitize(rng.random(size), [0.02, 0.05])
    winner = np.where(order == 0, choice, (3 - choice) % 3)
    question = [f"q{number}" for number in range(pairs // 10 + 1)]
    texts = {
        "benchmark": ("synthetic", None), "experiment": ("", None), "task": ("t", None),
        "question": (question, pair // 10), "turn": ("", None), "cluster": (question, pair // 10),
        "arm": ("", None), "comparison": ([f"c{number}" for number in range(pairs)], pair),
        "slots": (2, None), "order": (["AB", "BA"], order), "candidate": ("a", None),
        "reference": ("b", None), "judge": (JUDGES, judge), "repeat": (index(3) + 1, None),
        "status": (["failed", "invalid", "ok"], lost), "reason": ("", None),
    }  # fmt: skip
    table = pd.DataFrame(index=range(size))
    for name, (values, code) in texts.items():
        table[name] = values if code is None else _text(values, code)
    table["choice"] = pd.arrays.IntegerArray(choice.astype(np.int64), lost < 2)
    table["winner"] = _text(["TIE", "a", "b"], np.where(lost < 2, -1, winner))
    return table.astype({"slots": "Int64", "repeat": "Int64"})


def _text(values, code):
    """Spell codes out as text; -1 is missing."""
    return pd.Series(pd.Categorical.from_codes(code, pd.Index(values, dtype="str"))).astype("str")
