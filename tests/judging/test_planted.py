"""The planted judge: its probabilities by hand, its draws by identity, its mistakes refused."""

import math

import numpy as np
import pandas as pd
import pytest

from posbias_kit.data import plan_presentations, prepare_study
from posbias_kit.errors import ParamsError
from posbias_kit.judge_kinds import PlantedParams
from posbias_kit.judging import PlantedJudge, judge_presentations

QUALITY = {"careful": 2.0, "restated": 2.0, "mediocre": 0.5, "padded": 0.5, "flawed": -1.0}


def _judge(quality=QUALITY, seed=1, **settings):
    return PlantedJudge(PlantedParams(name="j", kind="planted", **settings), quality, seed)


@pytest.fixture(scope="module")
def study():
    """Two tasks of the starter benchmark, all pairs, both orders."""
    sample = {"tasks": ["math", "stem"]}
    return prepare_study("starter", sample=sample, plan={"repeats": 2})


def _row(study, shown):
    return np.flatnonzero(study.presentations["shown"] == shown)[0]


def sigma(x):
    """Return the logistic function."""
    return 1 / (1 + math.exp(-x))


def test_first_between_equal_answers_is_the_slot_effect(study):
    """Log-odds .8 for the first slot, equal qualities, no ties: sigma(.8)."""
    found = _judge(slot_effect=0.8).probabilities(study.presentations, study.answers)

    row = found[_row(study, '["careful","restated"]')]
    assert row.tolist() == pytest.approx([0, sigma(0.8), 1 - sigma(0.8)])


def test_quality_and_slot_add_in_log_odds(study):
    """Discernment .5 of a gap of 3, minus the slot effect .4: sigma(1.5 - .4)."""
    judge = _judge(slot_effect=-0.4, discernment=0.5)
    found = judge.probabilities(study.presentations, study.answers)

    assert found[_row(study, '["careful","flawed"]')][1] == pytest.approx(sigma(1.1))
    assert found[_row(study, '["flawed","careful"]')][1] == pytest.approx(sigma(-1.9))


def test_ties_follow_davidson(study):
    """Weights e^(d/2), e^(-d/2) and the tie weight, d = 3 between careful and flawed."""
    found = _judge(ties=0.6).probabilities(study.presentations, study.answers)
    total = math.exp(1.5) + math.exp(-1.5) + 0.6

    expected = [0.6 / total, math.exp(1.5) / total, math.exp(-1.5) / total]
    assert found[_row(study, '["careful","flawed"]')].tolist() == pytest.approx(expected)


def test_length_taste_acts_on_log_characters(study):
    """Equal quality: sigma(taste x log(length of first / length of second))."""
    found = _judge(length_taste=0.7).probabilities(study.presentations, study.answers)
    row = _row(study, '["mediocre","padded"]')
    question = study.presentations["question"].iloc[row]
    length = study.answers[study.answers["question"] == question].set_index("candidate")["length"]

    assert found[row][1] == pytest.approx(sigma(0.7 * math.log(length.mediocre / length.padded)))


def test_task_overrides_only_what_it_names(study):
    """In math the slot effect is 0, the tie weight stays."""
    judge = _judge(slot_effect=2.0, ties=1.0, by_task={"math": {"slot_effect": 0.0}})
    found = judge.probabilities(study.presentations, study.answers)
    math_rows = (study.presentations["task"] == "math").to_numpy()
    equal = (study.presentations["shown"] == '["careful","restated"]').to_numpy()

    assert found[math_rows & equal][0].tolist() == pytest.approx([1 / 3] * 3)
    assert found[~math_rows & equal][0][1] > 0.5


def test_sets_have_one_effect_a_slot():
    """Three equal candidates: the softmax of the slot effects."""
    study = prepare_study("starter", sample={"tasks": ["math"]}, plan={"design": "sets"})
    effect = [0.5, 0.0, -1.0]
    judge = _judge(quality=dict.fromkeys(QUALITY, 0.0), slot_effect=effect)
    found = judge.probabilities(study.presentations, study.answers)

    assert found[0, 1:].tolist() == pytest.approx((np.exp(effect) / np.exp(effect).sum()).tolist())


def test_draws_depend_on_identity_not_on_order(study):
    """Asked in another order, every presentation and repeat gets the same verdict."""
    judge = _judge(slot_effect=0.5, ties=0.3, invalid_rate=0.1, failure_rate=0.1)
    shuffled = study.presentations.sample(frac=1, random_state=3)
    one = judge_presentations([judge], study.presentations, study.answers)
    two = judge_presentations([judge], shuffled, study.answers)

    key = ["comparison", "order", "repeat"]
    pd.testing.assert_frame_equal(
        one.sort_values(key, ignore_index=True), two.sort_values(key, ignore_index=True)
    )


def test_another_seed_draws_otherwise(study):
    """The seed is part of every draw."""
    one, two = (
        judge_presentations([_judge(seed=seed)], study.presentations, study.answers)
        for seed in (1, 2)
    )

    assert (one["choice"] != two["choice"]).any()


def test_without_repeat_noise_repeats_are_the_settled_verdict(study):
    """Noise 0: both repeats say the same, always."""
    verdicts = judge_presentations([_judge(repeat_noise=0.0)], study.presentations, study.answers)
    told = verdicts.groupby(["comparison", "order"])["choice"].nunique()

    assert told.eq(1).all()


def test_identical_answers_are_not_asked(study):
    """A presentation marked identical has its rows, with the status and no choice."""
    answers = study.answers.assign(digest="d" * 64)
    bench = (study.questions, answers)
    planned = plan_presentations(bench, repeats=2)
    verdicts = judge_presentations([_judge()], planned, answers)

    assert planned["identical"].all()
    assert verdicts["status"].unique().tolist() == ["identical"]
    assert len(verdicts) == 2 * len(planned)


def test_candidate_without_quality_is_named(study):
    """The message names candidate and judge."""
    with pytest.raises(ParamsError, match="judge 'j': no latent quality for candidate 'flawed'"):
        _judge(quality={k: v for k, v in QUALITY.items() if k != "flawed"}).probabilities(
            study.presentations, study.answers
        )


def test_slot_effects_must_fit_the_slots(study):
    """Three effects for a pair are refused."""
    with pytest.raises(ParamsError, match="3 values for 2 slots"):
        _judge(slot_effect=[1.0, 0.0, 0.0]).probabilities(study.presentations, study.answers)
