"""Slot effects of lists: planted, against statsmodels, and in words."""

import json

import numpy as np
import pandas as pd
import pytest
from statsmodels.discrete.conditional_models import ConditionalLogit
from verdict_tables import pairs, sets, stack

from benchmarks import slot_pull
from posbias_kit.analysis.pooled import pooled_order
from posbias_kit.analysis.slot_effects import ATTENUATES, slot_effects
from posbias_kit.data import build_verdicts
from posbias_kit.errors import ParamsError

ABILITY = {"a": 0.0, "b": 0.6, "c": -0.4, "d": 0.3}


def list_study(rng, questions, effects, tie=0.0, choose=None):
    """Show a, b, c, d in their four cyclic orders; slot k adds effects[k] to its log-odds."""
    names = list(ABILITY)
    orders = [tuple(np.roll(names, -shift)) for shift in range(4)]
    shown = [order for _ in range(questions) for order in orders]
    worth = np.array([[ABILITY[name] for name in order] for order in shown]) + effects
    weight = np.c_[np.exp(worth), tie * np.exp(worth.mean(axis=1))]
    draw = rng.random((len(shown), 1)) * weight.sum(axis=1, keepdims=True)
    choice = 1 + (draw > weight.cumsum(axis=1)).sum(axis=1)
    choice = np.where(choice == 5, 0, choice)
    return build_verdicts(
        pd.DataFrame(
            {
                "benchmark": "B",
                "task": "t",
                "judge": "j",
                "question": [f"q{n // 4}" for n in range(len(shown))],
                "order": [f"r{n % 4}" for n in range(len(shown))],
                "shown": shown,
                "repeat": 1,
                "status": "ok",
                "choice": pd.array(np.full(len(shown), choose) if choose else choice),
            }
        )
    )


EFFECTS = np.array([0.6, 0.1, -0.2, -0.5])


@pytest.mark.parametrize("tie", [0.0, 0.8])
def test_planted_effects_are_found(tie):
    """Each slot's effect lies within four errors of the planted one; they sum to 0."""
    table = slot_effects(list_study(np.random.default_rng(1), 600, EFFECTS, tie))

    assert table["slot"].tolist() == [1, 2, 3, 4]
    assert ((table["effect"] - EFFECTS).abs() < 4 * table["se"]).all()
    assert table["effect"].sum() == pytest.approx(0, abs=1e-12)
    planted = np.exp(EFFECTS) / np.exp(EFFECTS).sum()
    assert table["p_slot"].tolist() == pytest.approx(planted.tolist(), abs=0.03)


def test_errors_do_not_depend_on_the_coding():
    """Shown backwards, the last slot's effect, error, df and p are those of the first."""
    verdicts = list_study(np.random.default_rng(5), 15, EFFECTS, 0.5)
    shown = verdicts["shown"].map(lambda text: json.dumps(json.loads(text)[::-1]))
    choice = (5 - verdicts["choice"]).where(verdicts["choice"] > 0, 0)

    table = slot_effects(verdicts)
    back = slot_effects(verdicts.assign(shown=shown, choice=choice))

    for name in ("effect", "se", "df", "p", "p_holm"):
        assert table[name].tolist() == pytest.approx(back[name].tolist()[::-1], rel=1e-5)


def test_is_the_top_of_the_conditional_logit():
    """At our estimates the gradient of statsmodels' conditional logit is 0."""
    verdicts = list_study(np.random.default_rng(2), 40, EFFECTS)
    choice = verdicts["choice"].to_numpy(dtype=int)
    shown = np.array([text.strip('["]').split('","') for text in verdicts["shown"]])
    slots = np.tile(np.eye(4)[:, 1:], (len(verdicts), 1))
    abilities = np.stack([shown.ravel() == name for name in "bcd"], axis=1)
    chosen = (np.arange(1, 5) == choice[:, None]).ravel() * 1.0
    groups = np.repeat(np.arange(len(verdicts)), 4)
    model = ConditionalLogit(chosen, np.c_[slots, abilities * 1.0], groups=groups)

    effect = slot_effects(verdicts)["effect"].to_numpy()
    ability = pooled_order(verdicts).set_index("term").loc[["b", "c", "d"], "estimate"]

    params = np.r_[effect[1:] - effect[0], ability.to_numpy()]
    assert model.score(params) == pytest.approx(np.zeros(6), abs=1e-6)


def test_one_slot_only_is_said_in_words():
    """A judge that always takes slot 3 has counts and a note, no numbers."""
    table = slot_effects(list_study(np.random.default_rng(3), 5, EFFECTS, choose=3))

    assert table["wins"].tolist() == [0, 0, 20, 0]
    assert table[["effect", "se", "low", "high", "p", "p_slot"]].isna().all(axis=None)
    assert table["note"].str.startswith("not estimable: separation").all()


def test_pairs_halve_the_order_effect():
    """For two slots the effects are plus and minus half of the pooled order effect."""
    verdicts = pairs(["FF"] * 4 + ["SS"] * 2 + ["FS", "SF", "FT", "TT"])

    table = slot_effects(verdicts)
    order = pooled_order(verdicts).iloc[0]

    assert table["effect"].tolist() == [order["estimate"] / 2, -order["estimate"] / 2]
    assert table.loc[1, "low"] == -table.loc[0, "high"]


def test_slots_are_never_pooled():
    """Pairs and lists of four stand in rows of their own, with the column slots."""
    lists = list_study(np.random.default_rng(4), 20, EFFECTS)
    table = slot_effects(pd.concat([pairs(["FF", "SS", "FS", "SF"]), lists], ignore_index=True))

    assert table["slots"].tolist() == [2, 2, 4, 4, 4, 4]


def test_effects_shrink_where_quality_varies_by_question():
    """Planted .6, 0, -.6: whole without a spread of the answers' worth, about half at sd 2."""
    table = slot_pull.slot_pulls((0, 2), questions=800)
    low, high = (table[end].to_numpy().reshape(2, 3) for end in ("low", "high"))

    assert (low[0] < slot_pull.EFFECTS).all()
    assert (high[0] > slot_pull.EFFECTS).all()
    assert 0.2 < low[1][0] < high[1][0] < 0.45
    assert -0.45 < low[1][2] < high[1][2] < -0.2


def test_the_note_says_once_that_effects_are_drawn_towards_0():
    """Beside the first slot that has an estimate; not where there is none, nor with known worth."""
    told = sets(["111", "132", "213", "122", "333"])
    worth = pd.DataFrame({"question": [f"q{n}" for n in range(5) for _ in "abc"]})
    worth = worth.assign(benchmark="B", candidate=list("abc") * 5, log_odds=0.0)

    assert slot_effects(told)["note"].tolist() == [ATTENUATES, "", ""]
    assert slot_effects(told, scores=worth)["note"].tolist() == ["", "", ""]
    separated = slot_effects(sets(["111", "111"]))["note"]
    assert not separated.str.contains(ATTENUATES).any()


def test_level_is_checked():
    """The message holds the value."""
    with pytest.raises(ParamsError, match="level 0 is outside"):
        slot_effects(pairs(["FF"]), level=0)


def test_a_judge_without_a_verdict_keeps_its_rows():
    """Three rows that say so; the other judge's numbers stay, and its p are corrected alone."""
    told = sets(["111", "132", "213", "122", "333"])
    lost = told.assign(judge="k", status="invalid", reason="no_label", winner=None)
    lost["choice"] = pd.array([None] * len(lost), dtype="Int64")
    both, alone = slot_effects(stack(told, lost)), slot_effects(told)

    assert both["judge"].tolist() == ["j"] * 3 + ["k"] * 3
    assert both["note"].tolist()[3:] == ["no verdict"] * 3
    assert both["slot"].tolist() == [1, 2, 3] * 2
    assert both[["effect", "p", "p_holm"]][3:].isna().all(axis=None)
    assert both["p_holm"].tolist()[:3] == alone["p_holm"].tolist()
