"""Sampled sets, their orders, and the balanced half."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from posbias_kit.data import build_benchmark, plan_presentations, prepare_study, read_benchmark
from posbias_kit.data.sampling import plan_anew
from posbias_kit.data.starter import STARTER_QUALITY
from posbias_kit.errors import ParamsError
from posbias_kit.params import check_study


def planned(**plan):
    return prepare_study("starter", plan=plan, seed=5).presentations


def shown(plan):
    return [tuple(json.loads(text)) for text in plan["shown"]]


def test_sets_of_known_quality_hold_one_of_each_stratum():
    """Sorted by quality and cut in three: good, middling, flawed; every set has one of each."""
    strata = [{"careful", "restated"}, {"mediocre", "padded"}, {"flawed"}]
    plan = planned(design="sets", set_size=3, sets_per_question=4)

    assert len(plan) == 48 * 4 * 3
    for names in shown(plan):
        assert [len(stratum & {*names}) for stratum in strata] == [1, 1, 1]


def test_sets_of_unknown_quality_are_random_and_it_is_said(tmp_path):
    study = prepare_study("starter", plan={"design": "sets"})
    bench = (study.questions, study.answers)
    sets = plan_presentations(bench, design="sets", sets_per_question=10)

    assert sets.groupby("question")["comparison"].nunique().eq(10).all()  # all of 5 over 3
    assert study.sampling.startswith("sets are stratified")
    _, _, said = plan_anew(read_benchmark("starter"), plan={"design": "sets"})
    assert said.startswith("sets are random")


def test_several_sizes_stand_side_by_side():
    plan = planned(design="sets", set_size=[2, 3, 5])
    size = plan.groupby("slots")["comparison"].nunique()

    assert size.to_dict() == {2: 48, 3: 48, 5: 48}
    assert set(plan.loc[plan["slots"] == 2, "order"]) == {"AB", "BA"}
    for _, block in plan.groupby("comparison"):
        assert all(len({*slot}) == len(block) for slot in zip(*shown(block), strict=True))


def test_all_orders_of_three():
    plan = planned(design="sets", set_size=3, orders="all")
    for _, block in plan.groupby("comparison"):
        assert len({*shown(block)}) == 6
    assert plan["order"].value_counts().to_dict() == dict.fromkeys([f"r{n}" for n in range(6)], 48)


def slot_counts(plan, *keys):
    """Return how often each candidate stands in each slot, by keys, sizes apart."""
    rows = [
        (*place, slot, name)
        for *place, text in plan[[*keys, "slots", "shown"]].itertuples(index=False)
        for slot, name in enumerate(json.loads(text))
    ]
    columns = [*keys, "slots", "slot", "name"]
    counts = pd.DataFrame(rows, columns=columns).groupby([*keys, "slots", "name"])["slot"]
    return counts.value_counts().unstack(fill_value=0)


def spread(counts):
    return (counts.max(axis=1) - counts.min(axis=1)).max()


@pytest.mark.parametrize("plan", [{}, {"design": "reference", "reference": "mediocre"}])
def test_a_balanced_half_is_balanced_in_each_task(plan):
    """One order a comparison; a pair of candidates stands either way round as often, up to one."""
    half, whole = planned(orders="balanced_half", **plan), planned(**plan)
    half["kind"] = half["comparison"].map(lambda text: str(sorted(json.loads(text)[1:])))

    assert len(half) == len(whole) / 2
    assert half["comparison"].is_unique
    assert {*zip(half["comparison"], half["shown"], strict=True)} <= {
        *zip(whole["comparison"], whole["shown"], strict=True)
    }
    assert spread(slot_counts(half, "task")) <= 1
    assert spread(slot_counts(half, "task", "kind")) <= 1


@pytest.mark.parametrize("name", ["q{}", "a,{}", '["q", "{}"]'])
def test_no_name_of_a_question_ties_a_slot_to_a_candidate(name):
    """40 questions, three candidates: 20 to 20 for every pair, whatever questions are called."""
    half = halved([name.format(n) for n in range(40)])

    assert (slot_counts(half, "candidate_pair") == 20).all(axis=None)


def test_identical_answers_take_no_turn():
    """Half of the questions have one text for a and b: the pairs that are asked stay balanced."""
    half = halved([f"q{n}" for n in range(40)], lambda q, c: "same" if int(q[1:]) % 2 else c)
    asked = half[~half["identical"]]

    assert half["comparison"].nunique() == 120
    assert asked.groupby("candidate_pair").size().to_dict() == {"ab": 20, "ac": 20, "bc": 20}
    assert spread(slot_counts(asked, "candidate_pair")) == 0


def halved(questions, text=lambda question, candidate: candidate):
    """Return the balanced half of all pairs of a, b and c, as `candidate_pair`."""
    about = pd.DataFrame({"question": questions, "task": "t", "turns": [["x"]] * len(questions)})
    answers = pd.DataFrame([(q, c) for q in questions for c in "abc"],
                           columns=["question", "candidate"])  # fmt: skip
    answers["turns"] = [[text(q, c)] for q, c in answers.to_numpy()]
    bench = build_benchmark("B", about, answers)
    half = plan_presentations(bench, orders="balanced_half")
    pair = half["shown"].map(lambda shown: "".join(sorted(json.loads(shown))))
    return half.assign(candidate_pair=pair)


@pytest.mark.parametrize(("size", "most"), [(3, 2), (4, 3), (5, 3)])
def test_a_half_of_sets_spreads_candidates_over_the_slots(size, most):
    """Bases are random, so turns alone do not do it; drawn at random the spread is 6 and more."""
    half = planned(design="sets", set_size=size, sets_per_question=2, orders="balanced_half")
    whole = planned(design="sets", set_size=size, sets_per_question=2)
    drawn = whole.sample(frac=1, random_state=3).drop_duplicates("comparison")

    assert half["comparison"].is_unique
    assert spread(slot_counts(half, "task")) <= most
    assert spread(slot_counts(drawn, "task")) > most


def test_halves_are_seeded():
    one, two, three = (
        prepare_study("starter", plan={"orders": "balanced_half"}, seed=seed).presentations
        for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one, two)
    assert one["shown"].tolist() != three["shown"].tolist()


def test_no_slot_is_tied_to_a_candidate():
    """Each of five candidates opens r0 about as often: chi-square below its .999 quantile."""
    plan = planned(design="sets", set_size=5)
    first = Counter(names[0] for names in shown(plan[plan["order"] == "r0"]))
    expected = 48 / 5

    assert sum((count - expected) ** 2 for count in first.values()) / expected < 18.5
    assert len(first) == 5


def test_questions_with_few_answers_get_the_sizes_they_can():
    questions = pd.DataFrame({"question": ["q", "r"], "task": "t", "turns": [["x"], ["y"]]})
    answers = [("q", name) for name in "abc"] + [("r", name) for name in "ab"]
    answers = pd.DataFrame(answers, columns=["question", "candidate"])
    answers["turns"] = [[f"{q} {c}"] for q, c in answers.to_numpy()]
    bench = build_benchmark("B", questions, answers)
    plan = plan_presentations(bench, design="sets", set_size=[2, 3])

    assert plan.groupby("question")["slots"].unique().map(np.sort).map(list).to_dict() == {
        "q": [2, 3], "r": [2]
    }  # fmt: skip


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"design": "al_pairs"}, "design"),
        ({"design": "sets", "set_size": [3, 8]}, "no question has 8 answers"),
        ({"design": "sets", "set_size": 5, "orders": "all"}, "24 orders"),
        ({"design": "sets", "set_size": 1}, "set_size"),
        ({"repeated_share": 3.0}, "repeated_share"),
    ],
)
def test_bad_plans_are_refused_in_python_too(plan, said):
    with pytest.raises(ParamsError, match=said):
        planned(**plan)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"orders": "all"}, "orders 'all' are for design 'sets' with set_size 3"),
        ({"design": "sets", "set_size": 4, "orders": "all"}, "24 orders and more"),
        ({"design": "sets", "set_size": [3, 3]}, "names a size twice"),
        ({"design": "sets", "set_size": 9}, "set_size"),
        ({"orders": "half"}, "orders"),
    ],
)
def test_bad_plans_are_refused(plan, said):
    tree = {"run_name": "x", "data_preparation": {"plan": plan}}
    tree["judging"] = {"judges": [{"name": "j", "kind": "planted"}]}
    with pytest.raises(ParamsError, match=said):
        check_study(tree)


def test_the_starters_quality_covers_its_candidates():
    plan = planned()
    assert {name for names in shown(plan) for name in names} == set(STARTER_QUALITY)
