"""Abilities and order-free win rates: against R, by statsmodels, and planted."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import special, stats

from posbias_kit.analysis.bradley_terry import _order_free, fit_abilities
from posbias_kit.analysis.cr2 import cr2_errors
from posbias_kit.data import build_verdicts

REFS = Path(__file__).parents[1] / "data" / "refs"
KEYS = ["benchmark", "judge"]


def _verdicts(rows, reference=""):
    """Rows of question, shown, choice; every row a call of its own."""
    table = pd.DataFrame(rows, columns=["question", "shown", "choice"])
    table["choice"] = table["choice"].astype("Int64")
    table["repeat"] = table.groupby(["question", "shown"]).cumcount() + 1
    table["order"] = table["shown"].str.join("-")
    about = {"benchmark": "B", "task": "t", "judge": "j", "status": "ok", "reference": reference}
    return build_verdicts(table.assign(**about))


def _table(rows, reference="", **options):
    return fit_abilities(_verdicts(rows, reference), KEYS, **options)[0].table.set_index(
        "candidate"
    )


def _draw(rng, abilities, order=0.0, questions=30, reference=None):
    """Verdicts without ties on all pairs, or against the reference, each in both orders."""
    names = sorted(abilities)
    pairs = [(a, b) for a in names for b in names if a != b]
    if reference:
        pairs = [pair for pair in pairs if reference in pair]
    for question in range(questions):
        for first, second in pairs:
            chance = special.expit(order + abilities[first] - abilities[second])
            yield f"q{question:02d}", (first, second), 2 - int(rng.random() < chance)


@pytest.fixture(scope="module")
def davidson():
    """Return the table of tests/data/refs/bt_order.csv and R's numbers for it."""
    data = pd.read_csv(REFS / "bt_order.csv")
    choice = data["verdict"].map({"first": 1, "second": 2, "tie": 0})
    shown = zip(data["first"], data["second"], strict=True)
    rows = zip(data["question"], shown, choice, strict=True)
    expected = json.loads((REFS / "bt_davidson.json").read_text("utf-8"))
    return _table(list(rows)), expected


def test_abilities_equal_r(davidson):
    """Davidson and Beaver's model with ties: R's centred abilities to 1e-7; their sum is 0."""
    table, expected = davidson
    abilities = {row["model"]: row["ability_centred"] for row in expected["abilities"]}

    assert table["ability"].to_dict() == pytest.approx(abilities, abs=1e-7)
    assert table["ability"].sum() == pytest.approx(0, abs=1e-12)


def test_order_free_rate_from_rs_numbers(davidson):
    """Mean over the opponents of P(win) + P(tie) / 2 with R's abilities and tie weight."""
    table, expected = davidson
    term = {row["term"]: row["estimate"] for row in expected["coefficients"]}
    nu = np.exp(term["log_nu"] - term["order"] / 2)  # R's tie weight leaves the order out
    ability = {row["model"]: row["ability_centred"] for row in expected["abilities"]}
    for name, own in ability.items():
        apart = np.array([own - other for rival, other in ability.items() if rival != name])
        up, down = np.exp(apart / 2), np.exp(-apart / 2)
        assert table.loc[name, "win_rate"] == pytest.approx(
            ((up + nu / 2) / (up + nu + down)).mean()
        )


def test_errors_are_those_of_the_binomial_fit():
    """Without ties: the abilities, CR2 errors and df of a logit by statsmodels."""
    rows = list(_draw(np.random.default_rng(1), {"a": 0.8, "b": 0.0, "c": -0.4}, 0.5, 12))
    fit = fit_abilities(_verdicts(rows), KEYS)[0]
    first, second = (np.array([row[1][k] for row in rows]) for k in (0, 1))
    design = [np.ones(len(rows)), *((first == n) * 1.0 - (second == n) for n in "bc")]
    design, won = np.column_stack(design), np.array([row[2] == 1 for row in rows]) * 1.0
    logit = sm.GLM(won, design, family=sm.families.Binomial()).fit(tol=1e-12)
    root = np.sqrt(logit.fittedvalues * (1 - logit.fittedvalues))
    contrasts = np.array([[0, -1, -1], [0, 2, -1], [0, -1, 2]]) / 3
    covariance, df = cr2_errors(
        root[:, None] * design, (won - logit.fittedvalues) / root, [r[0] for r in rows], contrasts
    )

    assert fit.table["ability"].tolist() == pytest.approx(contrasts @ logit.params, abs=1e-7)
    assert fit.covariance == pytest.approx(covariance, rel=1e-5)
    half = stats.t.ppf(0.975, df) * np.sqrt(np.diag(covariance))
    width = fit.table["ability_high"] - fit.table["ability"]
    assert width.tolist() == pytest.approx(half, rel=1e-5)


def test_rate_against_a_reference_is_the_ability_on_another_scale():
    """Without ties the win rate is sigma(a - a_ref), and the others' rates do not matter."""
    rows = list(_draw(np.random.default_rng(2), {"a": 1, "b": -1, "r": 0}, 1, 25, "r"))
    table = _table(rows, "r")
    apart = table["ability"] - table.loc["r", "ability"]

    assert table["win_rate"][["a", "b"]].tolist() == pytest.approx(special.expit(apart[["a", "b"]]))
    assert ((table["win_rate_low"] < table["win_rate"]) & (table["win_rate"] < 1)).all()


def test_slopes_of_the_rates():
    """The slopes that carry errors to the rates, against finite differences; pairs and sets."""
    rng = np.random.default_rng(3)
    for slots in (2, 3):
        shown = np.array([rng.permutation(5)[:slots] for _ in range(40)])
        weights, worth, step = rng.integers(1, 9, 40) * 1.0, rng.normal(size=5), 1e-6
        rates, slopes, _ = _order_free(shown, weights, worth, 0.3)
        for k in range(5):
            moved = _order_free(shown, weights, worth + step * (np.arange(5) == k), 0.3)[0]
            assert slopes[:, k] == pytest.approx((moved - rates) / step, abs=1e-5)
        moved = _order_free(shown, weights, worth, 0.3 + step)[0]
        assert slopes[:, 5] == pytest.approx((moved - rates) / step, abs=1e-5)


def test_candidates_without_a_bound_are_said_in_words():
    """Never won and never lost: no number, their ends for the ranks; the others as without them."""
    rng = np.random.default_rng(4)
    rows = list(_draw(rng, {"a": 0.5, "b": 0.0, "c": -0.5}, 0.4, 10))
    sure = [
        (f"q{k:02d}", shown, 1 + shown.index("top") if "top" in shown else 2 - shown.index("low"))
        for k in range(10)
        for one in "abc"
        for shown in ((one, "top"), ("top", one), (one, "low"), ("low", one))
    ]
    table, plain = _table(rows + sure), _table(rows)

    assert table.loc[["low", "top"], "note"].tolist() == [
        "not estimable: never won", "not estimable: never lost",
    ]  # fmt: skip
    assert table.loc[["low", "top"], ["ability", "win_rate", "ability_low"]].isna().all(axis=None)
    assert table.loc[["low", "top"], "place"].tolist() == [-np.inf, np.inf]
    assert table.loc[[*"abc"], "ability"].tolist() == pytest.approx(
        plain["ability"].tolist(), abs=1e-4
    )
    # Against low, top and two others: (1 + 0 + their order-free rate twice) / 4.
    expected = (1 + 2 * plain["win_rate"]) / 4
    assert table.loc[[*"abc"], "win_rate"].tolist() == pytest.approx(expected.tolist(), abs=1e-4)


def test_always_the_first_slot():
    """Nothing tells the candidates apart: words, no number."""
    rows = [(f"q{k}", shown, 1) for k in range(5) for shown in (("a", "b"), ("b", "a"))]
    table = _table(rows)

    assert table[["ability", "win_rate"]].isna().all(axis=None)
    assert table["note"].str.startswith("not estimable").all()


def test_few_clusters_have_no_interval():
    """With no more clusters than parameters the estimate stands alone."""
    rows = list(_draw(np.random.default_rng(5), {"a": 0.3, "b": 0.0, "c": -0.3}, 0, 3))
    rows += [("q00", ("a", "b"), 1), ("q00", ("b", "a"), 1), ("q01", ("c", "b"), 1)]
    table = _table(rows)

    assert table["ability"].notna().all()
    assert table[["ability_low", "win_rate_high"]].isna().all(axis=None)
    assert set(table["note"]) == {"no interval: not more clusters than parameters"}


def test_names_of_parameters_are_free():
    """A candidate may be called as a parameter is."""
    abilities = {"first": 0.5, "log_nu": 0.0, "slot_1": -0.5}
    rows = list(_draw(np.random.default_rng(7), abilities, 1, 20))
    plain = {"first": "a", "log_nu": "b", "slot_1": "c"}
    renamed = [(q, tuple(plain[name] for name in shown), choice) for q, shown, choice in rows]

    assert _table(rows)["ability"].tolist() == pytest.approx(_table(renamed)["ability"].tolist())


def test_sets_of_three():
    """Planted abilities and slot effects of a list-wise judge come back."""
    rng = np.random.default_rng(6)
    ability, slot = {"a": 0.7, "b": 0.0, "c": -0.7}, np.array([1.0, 0.0, -0.5])
    rows = []
    for question in range(400):
        for shown in (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")):
            chances = special.softmax(slot + [ability[name] for name in shown])
            rows.append((f"q{question}", shown, 1 + rng.choice(3, p=chances)))
    table = _table(rows)
    expected = special.softmax([0.7, 0.0, -0.7])

    assert table["ability"].tolist() == pytest.approx([0.7, 0, -0.7], abs=0.15)
    assert table["win_rate"].tolist() == pytest.approx(expected, abs=0.04)
