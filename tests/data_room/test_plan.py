"""What is shown: designs, orders, samples."""

import json

import pytest

from posbias_kit.data import describe_plan, plan_presentations, read_benchmark, sample_benchmark
from posbias_kit.data.sets import arrange
from posbias_kit.errors import ParamsError


@pytest.fixture(scope="module")
def starter():
    """The starter benchmark: 48 questions, 5 candidates."""
    return read_benchmark("starter")


def _shown(plan):
    return [tuple(json.loads(text)) for text in plan["shown"]]


def test_all_pairs_in_both_orders(starter):
    """48 questions x 10 pairs x 2 orders; each candidate stands as often first as second."""
    plan = plan_presentations(starter, repeats=3)
    first = [shown[0] for shown in _shown(plan)]

    assert len(plan) == 960
    assert {first.count(name) for name in set(first)} == {192}
    assert plan["repeats"].eq(3).all()


def test_reference_design_shows_each_other_candidate_first_in_ab(starter):
    """Four candidates against `mediocre`; AB shows the other one first."""
    plan = plan_presentations(starter, design="reference", reference="mediocre")
    first = {order: {s[0] for s in _shown(plan[plan["order"] == order])} for order in ("AB", "BA")}

    assert len(plan) == 48 * 4 * 2
    assert first == {"AB": {"careful", "restated", "flawed", "padded"}, "BA": {"mediocre"}}


def test_sets_stand_once_in_each_slot(starter):
    """P cyclic shifts: each candidate of a set once in each slot, and bases differ by question."""
    plan = plan_presentations(starter, design="sets", set_size=4, sets_per_question=2, seed=1)
    bases = set()
    for _, block in plan.groupby("comparison"):
        shown = _shown(block.sort_values("order"))
        bases.add(shown[0][0])
        assert block["order"].tolist() == ["r0", "r1", "r2", "r3"]
        assert all(len(set(slot)) == 4 for slot in zip(*shown, strict=True))

    assert len(plan) == 48 * 2 * 4
    assert len(bases) == 5


def test_shift_p_times_is_the_identity():
    """The shifts are the p rotations of the base order."""
    base = ("a", "b", "c", "d")

    assert {shift[index] for shift in arrange(base) for index in [0]} == set(base)
    assert arrange(arrange(base)[3])[1] == base


def test_same_seed_same_plan(starter):
    """Sampled sets are seeded."""
    one, two, three = (
        plan_presentations(starter, design="sets", seed=seed)["shown"].tolist()
        for seed in (4, 4, 5)
    )

    assert one == two != three


def test_sample_by_task_and_candidate(starter):
    """Two questions of each task, three candidates, the reference among them."""
    kept = sample_benchmark(
        starter, questions_per_task=2, candidate_count=3, reference="flawed", seed=2
    )

    assert kept.questions.groupby("task").size().unique().tolist() == [2]
    assert kept.answers["candidate"].nunique() == 3
    assert "flawed" in set(kept.answers["candidate"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tasks": ["maths"]}, "data_preparation.sample.tasks: unknown 'maths'"),
        ({"candidates": ["nobody"]}, "data_preparation.sample.candidates: unknown 'nobody'"),
        ({"reference": "none"}, "data_preparation.plan.reference: unknown 'none'"),
    ],
)
def test_unknown_names_are_refused_with_the_known(starter, options, message):
    """The message names the value and lists what there is."""
    with pytest.raises(ParamsError, match=message):
        sample_benchmark(starter, **options)


def test_too_few_answers_for_the_design(starter):
    """Sets of six of five candidates: nothing to compare is an error, not an empty study."""
    with pytest.raises(ParamsError, match="no question has 6 answers"):
        plan_presentations(starter, design="sets", set_size=6)


def test_identical_answers_are_marked_and_cost_no_call(starter):
    """Answers of the same digest are planned, marked, and not called."""
    same = starter.answers["candidate"].isin(["careful", "restated"])
    answers = starter.answers.copy()
    answers.loc[same, "digest"] = answers.loc[same, "question"].map(lambda q: q.ljust(64, "x"))
    plan = plan_presentations((starter.questions, answers), repeats=2)

    assert plan["identical"].sum() == 48 * 2
    assert describe_plan(plan)["calls"].sum() == (960 - 96) * 2


def test_every_presentation_names_its_cluster(starter):
    """The cluster of the question goes along."""
    plan = plan_presentations(starter)

    assert (plan["cluster"] == plan["question"]).all()
