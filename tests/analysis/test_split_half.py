"""Split halves: by hand with two questions, planted truths, and what cannot be split."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from verdict_tables import LETTERS

from posbias_kit.analysis.split_half import split_half_fits
from posbias_kit.data import build_verdicts
from posbias_kit.errors import ParamsError

PC, OWR = {"FS": 1, "SF": 1, "FF": 0}, {"FS": 1, "SF": 0, "FF": 0.5}


def _verdicts(codes, clusters=None):
    """Each candidate against r, one code a question: first letter candidate shown first."""
    rows = [
        (f"q{k}", shown, LETTERS[letter][2])
        for name, series in codes.items()
        for k, code in enumerate(series)
        for letter, shown in zip(code, ((name, "r"), ("r", name)), strict=True)
    ]
    table = pd.DataFrame(rows, columns=["question", "shown", "choice"])
    table["choice"] = table["choice"].astype("Int64")
    if clusters:
        table["cluster"] = table["question"].map(clusters)
    about = {"benchmark": "B", "task": "t", "judge": "j", "reference": "r", "status": "ok"}
    return build_verdicts(table.assign(**about, repeat=1))


def _r_squared(y, x):
    return smf.ols("y ~ x + I(x ** 2)", data=pd.DataFrame({"x": x, "y": y})).fit().rsquared


CODES = {
    "a": ("FS", "FS"), "b": ("FS", "FF"), "c": ("SF", "SF"), "d": ("FF", "SF"), "e": ("FF", "FS"),
    "f": ("SF", "FF"), "g": ("FS", "SF"),
}  # fmt: skip


def test_two_questions_by_hand():
    """With two questions every split is the same one; both directions are averaged."""
    pc, owr = (
        np.array([[of[code] for code in row] for row in CODES.values()]).T for of in (PC, OWR)
    )
    fits = split_half_fits(_verdicts(CODES), ["pc"], splits=5).set_index("source")

    across = (_r_squared(pc[1], owr[0]) + _r_squared(pc[0], owr[1])) / 2
    within = (_r_squared(pc[0], owr[0]) + _r_squared(pc[1], owr[1])) / 2
    assert fits.loc["split_half", "r_squared"] == pytest.approx(across)
    assert fits.loc["split_half_own", "r_squared"] == pytest.approx(within)
    assert within == pytest.approx(1)  # of one series, pc is |2 owr - 1|: the circle at its purest
    r = np.corrcoef(owr)[0, 1]
    assert fits["reliability"].tolist() == pytest.approx([2 * r / (1 + r)] * 2)
    assert fits["n"].tolist() == [7, 7]


def test_no_verdict_is_on_both_sides():
    """A judge of coin tosses: R squared at its chance level 2 / (n - 1), own far above it."""
    rng = np.random.default_rng(5)
    codes = {
        f"c{k:02d}": ["".join(pair) for pair in rng.choice(["F", "S"], size=(10, 2))]
        for k in range(60)
    }
    fits = split_half_fits(_verdicts(codes), ["pc"], splits=200).set_index("source")

    assert fits.loc["split_half", "r_squared"] == pytest.approx(2 / 59, abs=0.03)
    assert fits.loc["split_half_own", "r_squared"] > 0.1
    assert abs(fits.loc["split_half", "reliability"]) < 0.35


def test_same_on_every_question_is_reliable():
    """Without noise the halves agree: reliability 1."""
    codes = {name: [code] * 4 for name, code in zip("abcd", ("FS", "SF", "FF", "FS"), strict=True)}

    assert split_half_fits(_verdicts(codes), ["pc"], splits=3)["reliability"].tolist() == [1, 1]


def test_a_cluster_is_never_split():
    """Two questions that share answer texts stay together: nothing is left to split."""
    fits = split_half_fits(_verdicts(CODES, {"q0": "c", "q1": "c"}), ["pc"], splits=3)

    assert fits["n"].tolist() == [0, 0]
    assert set(fits["note"]) == {"not estimable: fewer than 4 units with two clusters"}
    assert fits[["r_squared", "quadratic", "reliability"]].isna().all(axis=None)


def test_flat_response_is_said_in_words():
    """A judge that never wavers has nothing to explain."""
    codes = {name: ["FS", "SF", "FS", "SF"][k:] + ["FS"] * k for k, name in enumerate("abcd")}
    fits = split_half_fits(_verdicts(codes), ["pc"], splits=3)

    assert set(fits["note"]) == {"not estimable: nothing varies"}


def test_fairness_of_sets_is_not_defined():
    """Three slots have no pf; pc is there."""
    orders = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")] * 8
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"question": np.repeat([f"q{k}" for k in range(8)], 3), "shown": orders})
    table["choice"] = pd.array(rng.integers(1, 4, size=24), dtype="Int64")
    table["order"] = ["r0", "r1", "r2"] * 8
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "repeat": 1}
    fits = split_half_fits(build_verdicts(table.assign(**about)), ["pf"], splits=2)

    assert set(fits["note"]) == {"not estimable: not defined for more than two slots"}


def test_seed_decides():
    """The same seed gives the same splits, another seed others."""
    rng = np.random.default_rng(2)
    verdicts = _verdicts(
        {name: ["".join(pair) for pair in rng.choice(["F", "S"], size=(6, 2))] for name in "abcdef"}
    )
    one, again, other = (
        split_half_fits(verdicts, ["pc"], splits=3, seed=seed)["r_squared"].tolist()
        for seed in (1, 1, 2)
    )

    assert one == again != other


def test_settings_are_checked():
    """An unknown response or no split is refused."""
    with pytest.raises(ParamsError, match="unknown value 'owr'"):
        split_half_fits(_verdicts(CODES), ["owr"])
    with pytest.raises(ParamsError, match="splits 0 is below 1"):
        split_half_fits(_verdicts(CODES), splits=0)
