"""Arms: what each shows, how it is asked, and what a planted judge does in it."""

import json

import numpy as np
import pandas as pd
import pytest

from posbias_kit.analysis import position_bias
from posbias_kit.data import prepare_study
from posbias_kit.errors import ParamsError
from posbias_kit.judging import (
    LiveJudge,
    count_scores,
    count_statuses,
    describe_arms,
    describe_scores,
    judge_presentations,
    make_judges,
    plan_arm,
    plan_singles,
    read_scores,
)
from posbias_kit.judging.arms import COPY, copy_answers, original_of
from posbias_kit.judging.points import derive_verdicts
from posbias_kit.judging.views import see_arms
from posbias_kit.params import check_study
from posbias_kit.study_arms import PLAIN, Arm

JUDGE = {"name": "j", "kind": "planted", "slot_effect": 0.7, "ties": 0.5}


@pytest.fixture(scope="module")
def study():
    """Two tasks of the starter benchmark, all pairs, both orders, two repeats."""
    sample = {"tasks": ["math", "stem"]}
    return prepare_study("starter", sample=sample, plan={"repeats": 2})


def ask(study, judges, arms):
    return judge_presentations(make_judges(judges, 3, arms), study.presentations, study.answers)


def refused(arms, judges=(JUDGE,)):
    with pytest.raises(ParamsError) as caught:
        make_judges(list(judges), arms=arms)
    return str(caught.value)


def test_the_plain_arm_does_not_know_of_the_others(study):
    """With arms, the plain verdicts are those of the study without; consistency as well."""
    alone = ask(study, [JUDGE], [])
    with_arms = ask(
        study, [JUDGE], [{"name": "same", "identical": True}, {"name": "p", "scale": 5}]
    )
    plain = with_arms[with_arms["arm"] == ""].reset_index(drop=True)

    pd.testing.assert_frame_equal(plain, alone)
    bias = position_bias(with_arms, draws=0).set_index("arm")["pc"]
    assert bias[""] == position_bias(alone, draws=0)["pc"].item()
    assert len(bias) == 3


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ([{"name": "a"}], "asks as the plain one"),
        ([{"name": "plain", "options": 2}], "give this one another name"),
        ([{"name": "a", "options": 5}], "arms.0.options"),
        ([{"name": "a", "options": 2}] * 2, "arm names stand twice: a"),
        ([{"name": "a", "options": 2, "judges": ["k"]}], "names ['k'], judges are ['j']"),
        ([{"name": "a", "scale": 5, "options": 2}], "`scale` shows one answer alone, so options"),
        ([{"name": "a b", "options": 2}], "arms.0.name"),
    ],
)
def test_bad_arms_are_refused_in_words(arms, said):
    assert said in refused(arms)


def test_a_planted_setting_for_an_unknown_arm_is_refused():
    judge = {**JUDGE, "by_arm": {"b": {"ties": 0.0}}}

    assert "by_arm of judge 'j' names ['b'], arms are ['a']" in refused(
        [{"name": "a", "options": 2}], [judge]
    )


def test_four_options_are_for_pairs():
    sets = prepare_study("starter", sample={"tasks": ["math"]}, plan={"design": "sets"})

    with pytest.raises(ParamsError, match="arm 'four': four options"):
        plan_arm(sets.presentations, Arm(name="four", options=4))


@pytest.mark.parametrize(("size", "copies"), [(2, 1), (3, 2)])
def test_identical_answers_stand_beside_their_copies(size, copies):
    """Each answer of the plan once with p - 1 copies, in p turns; the text is the same."""
    sample = {"tasks": ["math"], "questions_per_task": 2}
    sets = prepare_study(
        "starter", sample=sample, plan={"design": "sets", "set_size": size, "sets_per_question": 9}
    )
    plan = plan_arm(sets.presentations, Arm(name="same", identical=True, repeats=4))
    answers = copy_answers(sets.answers, plan).set_index(["question", "candidate"])

    assert len(plan) == 2 * 5 * size
    assert set(plan["repeats"]) == {4}
    assert not plan["identical"].any()
    for row in plan.itertuples():
        names = json.loads(row.shown)
        assert sorted(names) == [names_of(names)[0] + COPY * k for k in range(copies + 1)]
        assert answers.loc[[(row.question, name) for name in names], "digest"].nunique() == 1
    assert answers.index.is_unique


def names_of(names):
    return sorted({original_of(name) for name in names})


def test_arms_count_what_was_planned(study):
    arms = [{"name": "same", "identical": True}, {"name": "p", "scale": 5, "repeats": 1}]
    panel = make_judges([JUDGE], 3, arms)
    verdicts = judge_presentations(panel, study.presentations, study.answers)
    table = count_statuses(panel, verdicts, study.presentations).set_index("arm")

    assert table["planned"].to_dict() == {"": 480, "same": 240, "p": 240}
    assert table["not_made"].eq(0).all()
    assert describe_arms(panel)["arm"].tolist() == ["", "same", "p"]


def test_two_options_have_no_tie_and_four_have_two(study):
    arms = [{"name": "two", "options": 2}, {"name": "four", "options": 4}]
    verdicts = ask(study, [{**JUDGE, "ties": 3.0}], arms)
    ties = verdicts["choice"].eq(0).fillna(False)

    assert ties[verdicts["arm"] == "two"].sum() == 0
    four = verdicts[ties & (verdicts["arm"] == "four")]
    quality = {"careful": 2.0, "restated": 2.0, "mediocre": 0.5, "padded": 0.5, "flawed": -1.0}
    mean = [np.mean([quality[name] for name in json.loads(text)]) for text in four["shown"]]
    assert four["reason"].tolist() == ["both_good" if value >= 0 else "neither" for value in mean]
    assert {*four["reason"]} == {"both_good", "neither"}
    assert set(verdicts.loc[ties & (verdicts["arm"] == ""), "reason"]) == {""}


def test_a_label_moves_with_the_labels(study):
    """Log-odds .9 for the first label: on slot 1, on slot 2 where reversed, none for words."""
    judge = {"name": "j", "kind": "planted", "label_effect": {"letters": 0.9}, "discernment": 0.0}
    arms = [{"name": "turned", "reversed": True}, {"name": "words", "labels": "words"}]
    panel = make_judges([judge], arms=arms)
    found = [one.probabilities(study.presentations, study.answers)[0, 1] for one in panel]
    first = 1 / (1 + np.exp(-0.9))

    assert found == pytest.approx([first, 1 - first, 0.5])


def test_an_arm_has_the_last_word(study):
    """Own .7, the task's .1, the arm's 2.0 for the first slot."""
    judge = {**JUDGE, "by_task": {"math": {"slot_effect": 0.1}}, "ties": 0.0, "discernment": 0.0,
             "by_arm": {"late": {"slot_effect": 2.0}}}  # fmt: skip
    plain, late = make_judges([judge], arms=[{"name": "late", "reasoning": "after"}])
    math_row = np.flatnonzero(study.presentations["task"] == "math")[0]
    odds = [
        np.log(one.probabilities(study.presentations, study.answers)[math_row, 1:]) for one in
        (plain, late)
    ]  # fmt: skip

    assert [one[0] - one[1] for one in odds] == pytest.approx([0.1, 2.0])


# Answers scored alone


def test_each_answer_is_scored_once(study):
    singles = plan_singles(plan_arm(study.presentations, Arm(name="p", scale=5)))

    assert len(singles) == 12 * 5
    assert singles["comparison"].is_unique
    assert singles["slots"].eq(1).all()


def test_a_share_of_repeats_reaches_every_verdict_of_answers_scored_alone():
    """An answer is scored as often as the comparison that repeats it most, so none is missing."""
    plan = {"repeats": 3, "repeated_share": 0.3}
    some = prepare_study("starter", sample={"tasks": ["math"]}, plan=plan)
    arms = [{"name": "p", "scale": 5}, {"name": "same", "identical": True}]
    verdicts = ask(some, [JUDGE], arms)
    counts = verdicts.groupby("arm")["repeat"].value_counts().unstack(fill_value=0)

    assert counts.loc["p"].to_dict() == counts.loc[""].to_dict()
    assert counts.loc["", 2] < counts.loc["", 1]
    repeated = some.presentations[some.presentations["repeats"] == 3]
    names = {(q, name) for q, text in repeated[["question", "shown"]].to_numpy()
             for name in json.loads(text)}  # fmt: skip
    assert counts.loc["same", 3] == 2 * len(names)


def test_a_candidate_called_as_a_copy_is_refused(study):
    """Its text would be lost behind that of the copy."""
    plan = study.presentations
    plan = plan.assign(shown=plan["shown"].str.replace('"careful"', '"careful (copy)"'))

    with pytest.raises(ParamsError, match=r"'careful \(copy\)'.*as its copies would be"):
        plan_arm(plan, Arm(name="same", identical=True))


def test_verdicts_follow_from_scores():
    """9 beats 4; 7 and 7 tie; a lacking score is a lacking verdict with its reason."""
    plan = pd.DataFrame({
        "benchmark": "B", "experiment": "", "turn": "", "question": ["q", "q", "r", "s", "t"],
        "shown": ['["a","b"]', '["b","a"]', '["a","b"]', '["a","b"]', '["a","b"]'], "repeats": 1,
    })  # fmt: skip
    told = [("q", "a", "ok", "", 9), ("q", "b", "ok", "", 4), ("r", "a", "ok", "", 7),
            ("r", "b", "ok", "", 7), ("s", "a", "ok", "", 3), ("s", "b", "failed", "timeout", None),
            ("t", "a", "ok", "", 3)]  # fmt: skip
    frame = pd.DataFrame(told, columns=["question", "candidate", "status", "reason", "choice"])
    singles = frame[["question", "candidate"]].assign(benchmark="B", experiment="", turn="")
    calls = frame.assign(row=range(len(frame)), repeat=1)
    found = derive_verdicts(plan, singles, calls)

    assert found["row"].tolist() == [0, 1, 2, 3]  # the score of b in t was never asked for
    assert found["choice"].fillna(-1).tolist() == [1, 2, 0, -1]
    assert found[["status", "reason"]].values.tolist()[3] == ["failed", "timeout"]


def test_no_slot_can_act_on_answers_scored_alone(study):
    """A judge with a strong slot effect is consistent in every series: pf 0, pc 1."""
    verdicts = ask(study, [{**JUDGE, "slot_effect": 5.0}], [{"name": "p", "scale": 10}])
    bias = position_bias(verdicts, draws=0).set_index("arm")

    assert bias.loc["p", ["pc", "pf", "complete"]].tolist() == [1.0, 0.0, 240]
    assert bias.loc["", "pf"] < -0.5


def test_the_better_answer_scores_higher_as_often_as_it_would_win(study):
    """On 100 points, careful beats flawed in sigma(3) of the decided comparisons: .953."""
    many = prepare_study("starter", plan={"repeats": 20})
    panel = make_judges([{"name": "j", "kind": "planted"}], 1, [{"name": "p", "scale": 100}])
    scores = read_scores(panel, many.presentations, many.answers)
    wide = scores.pivot_table(index=["question", "repeat"], columns="candidate", values="score")
    gap = wide["careful"].astype(float) - wide["flawed"].astype(float)
    share, size = (gap > 0).sum() / (gap != 0).sum(), (gap != 0).sum()
    truth = 1 / (1 + np.exp(-3))

    assert abs(share - truth) < 4 * np.sqrt(truth * (1 - truth) / size) + 0.005  # rounding


def test_scales_are_described_from_0_to_1():
    """Scores 1, 3, 5 of 5: mean .5, one at the top, one at the bottom; one invalid beside."""
    scores = pd.DataFrame({
        "benchmark": "B", "judge": "j", "arm": "p", "scale": 5,
        "score": pd.array([1, 3, 5, None], dtype="Int64"),
    })  # fmt: skip
    row = describe_scores(scores).iloc[0]

    assert row[["scores", "without", "used"]].tolist() == [3, 1, 3]
    assert row[["mean", "sd", "lowest", "highest"]].tolist() == pytest.approx([0.5, 0.5, 0, 1])
    assert row[["at_top", "at_bottom"]].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert count_scores(scores)["share"].tolist() == pytest.approx([1 / 3] * 3)


# Judges that are asked


def live(**arm):
    params = {"name": "m", "kind": "openai", "model": "x", "key_env": None, "template": "compare"}
    return make_judges([params], arms=[{"name": "a", **arm}] if arm else [])[-1]


def test_a_live_judge_is_asked_as_the_arm_says(study):
    """Two options in words, turned round: the first answer shown is called SECOND."""
    judge = live(options=2, labels="words", reversed=True)
    shown = see_arms([judge], study.presentations, study.answers, study.questions)["a"].shown
    prompt = shown.render(judge.template, 0)

    assert isinstance(judge, LiveJudge)
    assert prompt.labels == ("SECOND", "FIRST")
    assert prompt.messages[1][1].index("answer SECOND]") < prompt.messages[1][1].index(
        "answer FIRST]"
    )
    assert "There is no tie" in prompt.messages[0][1]


def test_arms_are_calls_of_their_own(study):
    """Plain calls keep their identity beside an arm, and no arm takes another's reply."""
    plain, turned = live(), live(reversed=True)
    views = see_arms([plain, turned], study.presentations, study.answers, study.questions)
    keys = [{*judge.identify(views[judge.arm.name].shown).values()} for judge in (plain, turned)]

    assert not keys[0] & keys[1]
    assert len(keys[0]) == len(keys[1]) == 480
    alone = see_arms([plain], study.presentations, study.answers, study.questions)[""].shown
    assert {*plain.identify(alone).values()} == keys[0]


def test_points_are_asked_with_their_own_template():
    judge = live(scale=7)

    assert (judge.template.name, judge.template.scale) == ("points", 7)


def test_arms_stand_in_a_study():
    tree = {"run_name": "x", "data_preparation": {}, "judging": {"judges": [JUDGE]}}
    tree["judging"]["arms"] = [{"name": "two", "options": 2}]

    assert check_study(tree).judging.arms[0].asks_otherwise
    assert not PLAIN.asks_otherwise
