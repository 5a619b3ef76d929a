"""Verdicts on pairs whose answer quality and order effect are planted, for tests."""

import numpy as np
import pandas as pd

from posbias_kit.data import build_verdicts


def flip_study(rng, questions, candidates, beta, spread=0.0, *, tie=0.0, repeats=1, studies=1,
               question_spread=0.0):  # fmt: skip
    """Let a judge compare each candidate with a reference, in both orders.

    The candidate is better by delta ~ N(0, spread^2) in log-odds, drawn for each question anew:
    P(first) : P(TIE) : P(second) = exp(b + u_1) : tie exp((u_1 + u_2) / 2) : exp(u_2) with
    u = delta or 0 and b ~ N(beta, question_spread^2) for each question. Each study is a judge.
    Returns the verdicts and the planted worth of the answers.
    """
    shape = (studies, questions, candidates)
    delta = spread * rng.standard_normal(shape)
    effect = np.broadcast_to(beta + question_spread * rng.standard_normal((*shape[:2], 1)), shape)
    index = np.indices((*shape, 2, repeats)).reshape(5, -1)
    study, question, candidate, order, repeat = index
    worth = delta[study, question, candidate]
    first = np.exp(effect[study, question, candidate] + worth * (order == 0))
    second = np.exp(worth * (order == 1))
    middle = tie * np.exp(worth / 2)
    draw = rng.random(len(worth)) * (first + middle + second)
    names = np.array([f"c{k}" for k in range(candidates)])[candidate]
    table = pd.DataFrame(
        {
            "benchmark": "B",
            "task": "t",
            "question": np.char.add("q", question.astype(str)),
            "judge": np.char.add("s", study.astype(str)),
            "shown": [("ref", c) if o else (c, "ref") for c, o in zip(names, order, strict=True)],
            "reference": "ref",
            "repeat": repeat + 1,
            "status": "ok",
            "choice": pd.array(np.where(draw < first, 1, np.where(draw < first + middle, 0, 2))),
        }
    )
    about = table[["benchmark", "question"]].assign(candidate=names, log_odds=worth)
    zero = about.assign(candidate="ref", log_odds=0.0)
    return build_verdicts(table), pd.concat([about, zero]).drop_duplicates()
