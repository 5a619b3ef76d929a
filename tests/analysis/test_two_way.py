"""Two-way clustering against the sum over all pairs of series that share something."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from posbias_kit.analysis.two_way import two_way_intervals
from posbias_kit.data import build_verdicts
from tests.verdict_tables import pairs, stack


def study(names, reference, questions, seed):
    """Verdicts on every pair, or on every candidate against the reference.

    Whatever stands against candidate a flips always, the rest at random.
    """
    rng = np.random.default_rng(seed)
    sets = [(n, reference) for n in names] if reference else list(combinations(names, 2))
    rows = [
        {"question": f"q{q}", "shown": shown, "choice": 1 if "a" in one else rng.integers(0, 3)}
        for q in range(questions) for one in sets for shown in (one, one[::-1])
        if rng.random() < 0.95
    ]  # fmt: skip
    about = {"benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok"}
    return build_verdicts(pd.DataFrame(rows).assign(**about, reference=reference))


def brute_force(verdicts):
    """Sum e_s e_t over pairs of series that share a question, and that share anything."""
    wide = verdicts.pivot(index=["question", "comparison"], columns="order", values="winner")
    wide = wide.dropna()
    question, comparison = (wide.index.get_level_values(k).to_numpy() for k in (0, 1))
    y = (wide["AB"] == wide["BA"]).to_numpy(dtype=float)
    fixed = set(verdicts["reference"])
    shown = [set(json.loads(text)[1:]) - fixed for text in comparison]
    same = np.equal.outer(question, question)
    either = same | np.array([[bool(one & two) for two in shown] for one in shown])
    e = y - y.mean()
    return y.mean(), *(e @ share @ e / len(y) ** 2 for share in (same, either))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("reference", ["", "r"])
def test_equals_all_sharing_pairs(reference, seed):
    """With a reference by candidate, without one by pairs of candidates; floor at one way."""
    verdicts = study("abcde", reference, 8, seed)
    estimate, one_way, two_way = brute_force(verdicts)
    row = two_way_intervals(verdicts).iloc[0]
    se = np.sqrt(5 / 4 * max(one_way, two_way))  # five candidates are the smaller number

    assert row[["estimate", "se"]].tolist() == pytest.approx([estimate, se])
    assert row["se_clusters"] == pytest.approx(np.sqrt(5 / 4 * one_way))
    assert row[["df", "clusters", "candidates"]].tolist() == [4, 8, 5]
    assert row["high"] == pytest.approx(min(1, estimate + stats.t.ppf(0.975, 4) * se))


def test_fairness_keeps_its_range():
    """The limits of pf are cut at -1 and 1, not at 0."""
    row = two_way_intervals(study("abcdef", "r", 6, seed=1), "pf").iloc[0]

    assert -1 <= row["low"] < 0
    assert row["low"] <= row["estimate"] <= row["high"] <= 1


def test_one_candidate_has_no_interval():
    """Nothing can be said about new candidates from one."""
    row = two_way_intervals(pairs(["FS", "FF", "SS"])).iloc[0]

    assert row["estimate"] == pytest.approx(1 / 3)
    assert row[["low", "high", "se", "df"]].isna().all()
    assert row["note"] == "fewer than two clusters or candidates"


def test_nothing_complete_is_said():
    """No complete pair: the estimate is missing, too."""
    row = two_way_intervals(pairs(["F-", "XS"])).iloc[0]

    assert np.isnan(row["estimate"])
    assert row["note"] == "no complete pair"


def test_where_nothing_varies_the_interval_has_a_width():
    """All pairs of two candidates against r on six questions consistent: pc 1, two candidates.

    Wilson at n = 2 with t(.975, 1 df) = 12.7: low = 2 / (2 + t^2). Always the first slot: pf -1,
    high = high(recency) - low(primacy) = t^2 / (2 + t^2) - 2 / (2 + t^2).
    """
    t2 = stats.t.ppf(0.975, 1) ** 2
    steady = stack(*(_against(name, "FS") for name in "ax"))
    first = stack(*(_against(name, "FF") for name in "ax"))
    pc, pf = two_way_intervals(steady).iloc[0], two_way_intervals(first, "pf").iloc[0]

    assert pc[["estimate", "low", "high"]].tolist() == pytest.approx([1, 2 / (2 + t2), 1])
    assert pf[["estimate", "low", "high"]].tolist() == pytest.approx([-1, -1, (t2 - 2) / (2 + t2)])
    assert pc["note"].startswith("nothing varies")


def _against(name, code):
    """Six questions on which `name` stands against r, all with this code."""
    rows = [(f"q{k}", pair, 1 + (letter == "S")) for k in range(6)
            for pair, letter in zip(((name, "r"), ("r", name)), code, strict=True)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["question", "shown", "choice"])
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    return build_verdicts(table.assign(**about, reference="r"))
