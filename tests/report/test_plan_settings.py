"""What a study file says acts, or is refused or told before anybody is asked."""

import re

import pytest
import yaml

from posbias_kit.data import STARTER_QUALITY, plan_presentations, prepare_study, read_benchmark
from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.params import check_study, read_study
from posbias_kit.report.bill import describe_bill, plan_study
from posbias_kit.report.forecast import describe_forecast
from posbias_kit.report.tree import read_tree

PLANTED = {"name": "p", "kind": "planted"}
LIVE = {"name": "live", "kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9"}


def tree(plan=(), judges=(PLANTED,), data=(), **judging):
    data = {"plan": dict(plan), **dict(data)}
    judging = {"judges": list(judges), **judging}
    return {"run_name": "x", "data_preparation": data, "judging": judging}


def refused(*args, **keywords):
    with pytest.raises(ParamsError) as caught:
        check_study(tree(*args, **keywords))
    return str(caught.value)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"set_size": 3}, "set_size 3 cannot act in design 'all_pairs', only in design 'sets'"),
        ({"set_size": [2, 4]}, "set_size [2, 4] cannot act"),
        ({"sets_per_question": 1}, "sets_per_question 1 cannot act in design 'all_pairs'"),
        ({"quality": {"careful": 1.0}}, "quality {'careful': 1.0} cannot act"),
        ({"reference": "careful"}, "reference 'careful' cannot act in design 'all_pairs', only in"),
        ({"design": "sets", "reference": "careful"}, "reference 'careful' cannot act in design"),
        ({"design": "reference", "reference": "careful", "set_size": 2}, "set_size 2 cannot act"),
        ({"repeats": 1, "repeated_share": 0.5}, "repeated_share 0.5 cannot act with repeats 1"),
        ({"design": "sets", "set_size": 2, "orders": "all"}, "pairs have no more than both"),
    ],
)
def test_what_cannot_act_in_a_plan_is_refused(plan, said):
    text = refused(plan)

    assert said in text
    assert "data_preparation.plan" in text
    assert "set `" in text or "orders 'all' are for" in text  # the cure


@pytest.mark.parametrize(
    ("judging", "said"),
    [
        ({"caps": {"calls": 9}}, "caps.calls cannot act"),
        ({"caps": {"money": 1.0, "tokens": 5}}, "caps.money, caps.tokens cannot act"),
        ({"ask_invalid_again": True}, "ask_invalid_again cannot act"),
        ({"stop": {"strata": "cluster"}}, "strata 'cluster' cannot act with rule 'betting'"),
    ],
)
def test_what_cannot_act_in_judging_is_refused(judging, said):
    assert said in refused(**judging)


def test_the_same_acts_where_it_can():
    study = check_study(tree(judges=[PLANTED, LIVE], caps={"calls": 9}, ask_invalid_again=True))
    assert study.judging.caps.calls == 9
    stop = {"rule": "fixed_width", "strata": "cluster"}
    assert check_study(tree(stop=stop)).judging.stop.strata == "cluster"
    sets = {"design": "sets", "set_size": 4, "quality": STARTER_QUALITY}
    assert check_study(tree(sets)).data_preparation.plan.sizes == [4]
    assert check_study(tree({"design": "sets"})).data_preparation.plan.sizes == [3]


def test_a_pilot_takes_repeats_alone():
    """Its pairs are its own, in both orders."""
    text = refused({"orders": "balanced_half"}, data={"format": "pilot"})
    assert "plan.orders cannot act: format 'pilot' shows its own pairs" in text
    assert check_study(tree({"repeats": 2}, data={"format": "pilot"}))


def test_a_study_that_was_read_can_be_read_again():
    """A run folder holds every key; those that nobody gave are no settings."""
    for plan in ({}, {"design": "sets"}, {"design": "reference", "reference": "careful"}):
        study = check_study(tree(plan)).model_dump()
        assert check_study(study).model_dump() == study


def test_quality_names_candidates_and_all_of_them():
    known = {"careful": 2.0, "flawed": -1.0, "mediocre": 0.0, "padded": 0.5, "restated": 1.0}
    sets = {"design": "sets", "set_size": 2}
    with pytest.raises(ParamsError, match=r"plan\.quality: unknown 'carefull'\s+allowed: careful,"):
        prepare_study("starter", plan={**sets, "quality": {**known, "carefull": 1.0}})
    del known["padded"]
    with pytest.raises(ParamsError, match=r"plan\.quality: no quality of 'padded'"):
        prepare_study("starter", plan={**sets, "quality": known})
    sample = {"candidates": ["careful", "flawed"]}  # the others' numbers have no use, and no harm
    study = prepare_study("starter", sample=sample, plan={**sets, "quality": known})
    assert study.sampling == "sets are stratified by the candidates' known quality"
    with pytest.raises(ParamsError, match="no quality of"):
        plan_presentations(read_benchmark("starter"), design="sets", quality={"careful": 1.0})


def test_more_than_there_is_is_told():
    """5 candidates in 3 strata of 2, 2, 1: 4 sets of 3; tasks of 6 questions each."""
    sets = {"design": "sets", "sets_per_question": 50, "set_size": [3, 5]}
    said = prepare_study("starter", plan=sets).sampling
    assert "sets_per_question: 50 sets of 3 asked for, 4 exist" in said
    assert "sets_per_question: 50 sets of 5 asked for, 1 exist" in said
    assert prepare_study("starter", plan={**sets, "sets_per_question": 1}).sampling == (
        "sets are stratified by the candidates' known quality"
    )
    sample = {"questions_per_task": 7, "candidate_count": 6}
    assert prepare_study("starter", sample=sample).sampling == (
        "every comparison is shown in every order; questions_per_task: 7 asked for, 6 exist; "
        "candidate_count: 6 asked for, 5 exist"
    )
    assert prepare_study("starter", sample={"questions_per_task": 6}).sampling == ""


@pytest.mark.parametrize(
    ("study", "said"),
    [
        (tree({"set_size": "a"}), "data_preparation.plan.set_size = 'a': Input should be a valid "
         "integer, or: Input should be a valid list\n"),
        (tree({"set_size": [3, "x"]}), ".plan.set_size.1 = 'x': Input should be a valid integer\n"),
        (tree(judges=[{**LIVE, "batch": {"max_request": 3}}]),
         "unknown key 'judging.judges.0.batch.max_request' (known: max_requests, max_bytes, "),
        (tree(judges=[{**LIVE, "base_url": 3}]), "judging.judges.0.base_url = 3: Input"),
        (tree(judges=[{**PLANTED, "slot_effect": ["a"]}]), "judging.judges.0.slot_effect.0 = 'a'"),
        (tree(judges=[{**PLANTED, "slot_efect": 1}]), "'judging.judges.0.slot_efect' (known: "),
        (tree(judges=[{"name": "a"}]), "key 'judging.judges.0.kind' is missing"),
        (tree(judges=[{"name": "a", "kind": "x"}]), "judges.0.kind = 'x': Input should be one of "),
        (tree(judges=[{"name": "a", "kind": "openai"}]), "key 'judging.judges.0.model' is missing"),
        (tree(judges=["a"]), "judging.judges.0 = 'a': Input should be a section"),
        (tree(judges=[{**PLANTED, "by_task": {"math": {"ties": -1}}}]), "0.by_task.math.ties = -1"),
    ],
)  # fmt: skip
def test_places_are_keys_of_the_file(study, said):
    """No name of a type, of a branch or of a class of the kit stands in a place."""
    with pytest.raises(ParamsError) as caught:
        check_study(study)

    assert said in f"{caught.value.problem}\n"
    assert not re.search(r"constrained|\[|Params|\.(planted|openai|str|float|list)\b",
                         re.sub(r"'[^']*\[.*|\(known.*", "", caught.value.problem)
                         .split(" = ")[0])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run_name: a\nseed: 1\nrun_name: b\n", "key 'run_name' stands twice, in lines 1 and 3"),
        ("judging:\n  judges:\n    - {name: a, kind: planted, name: b}\n", "'name' stands twice, "
         "in line 3"),
        ("data_preparation:\n  plan:\n    repeats: 1\n    design: sets\n    repeats: 2\n",
         "key 'repeats' stands twice, in lines 3 and 5"),
        ("run_name: 2026-13-45\n", "not readable as YAML"),
    ],
)  # fmt: skip
def test_a_key_that_stands_twice_is_refused(tmp_path, text, said):
    path = tmp_path / "twice.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParamsError, match=re.escape(said)):
        read_study(path)


def test_an_anchor_may_be_overridden(tmp_path):
    """A merged key under a key of one's own is YAML's way of overriding, and no doubling."""
    path = tmp_path / "anchor.yaml"
    path.write_text(
        "run_name: a\ndata_preparation: {}\njudging:\n  judges:\n"
        "    - &one {name: a, kind: planted, ties: 0.5}\n"
        "    - {<<: *one, name: b}\n    - {<<: *one, name: c}\n", encoding="utf-8",
    )  # fmt: skip
    judges = read_study(path).judging.judges
    assert [(judge.name, judge.ties) for judge in judges] == [("a", 0.5), ("b", 0.5), ("c", 0.5)]
    with pytest.raises(ParamsError, match="'calls' stands twice"):
        read_study(path, ["judging.caps={calls: 3, calls: 4}"])


def planned(*args, **keywords):
    return describe_forecast(read_tree(tree(*args, **keywords)))


SMALL = {"sample": {"questions_per_task": 1, "candidates": ["careful", "flawed", "restated"]}}
"""8 questions x 3 pairs = 24 comparisons, or 8 sets of three."""
PRICED = {**LIVE, "prices": {"input": 1.0, "output": 2.0, "date": "2026-01-01"}}


def test_only_live_judges_make_calls(monkeypatch):
    """24 comparisons x 2 orders x 3 repeats; 24 answers scored alone once; no key is needed."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    arms = [{"name": "points", "scale": 5, "repeats": 1}]
    text = planned(judges=[PLANTED, LIVE], data=SMALL, arms=arms).splitlines()

    assert text[:2] == ["simulated (no call): p", "asked live: live"]
    assert "144 verdicts a judge, 2 judges, 1 of them asked live" in text[2]
    assert "24 scores a judge, 2 judges, 1 of them asked live" in text[3]
    assert "all arms and live judges: 168 calls" in text


@pytest.mark.parametrize(
    ("plan", "calls"),
    [
        ({"orders": "balanced_half", "repeats": 2}, 48),
        ({"repeats": 3, "repeated_share": 0.25}, 24 * 2 + 6 * 2 * 2),
        ({"design": "sets", "repeats": 2}, 8 * 3 * 2),
        ({"design": "sets", "orders": "all", "repeats": 1, "sets_per_question": 9}, 8 * 6),
        ({"design": "sets", "orders": "balanced_half", "repeats": 1}, 8),
        ({"design": "sets", "set_size": [2, 3], "repeats": 1}, 8 * (2 + 3)),
        ({"design": "reference", "reference": "careful", "repeats": 1}, 8 * 2 * 2),
    ],
)
def test_forecast_and_bill_count_the_same_calls(plan, calls):
    study, bill = plan_study(tree(plan, [LIVE], SMALL))

    assert bill["calls"].sum() == bill["open"].sum() == calls
    assert f"all arms and live judges: {calls:,} calls" in describe_forecast(study)


def test_a_partial_recording_is_told_and_costs_no_call():
    """All three candidates are recorded with three repeats, and no fourth."""
    told = {"name": "qwen-1.5b-fewshot", "kind": "recorded", "path": "starter", "partial": True}
    text = planned({"repeats": 4}, [told], SMALL)
    assert "qwen-1.5b-fewshot (144 of 192 verdicts are recorded)" in text
    assert "all arms and judges: no call" in text
    assert "the interval is wider" in text
    assert "are recorded" not in planned({"repeats": 3}, [told], SMALL)
    with pytest.raises(ReadError, match="48 planned calls were not recorded"):
        planned({"repeats": 4}, [{**told, "partial": False}], SMALL)


def test_a_simulation_that_cannot_judge_is_refused_before_the_run():
    with pytest.raises(ParamsError, match="no latent quality for candidate 'careful'"):
        planned(judges=[{**PLANTED, "quality": {"flawed": 1.0}}], data=SMALL)
    with pytest.raises(ParamsError, match="slot_effect"):
        planned(judges=[{**PLANTED, "slot_effect": [0.1, 0.2, 0.3]}], data=SMALL)
    text = planned(judges=[{**PLANTED, "by_task": {"maths": {"ties": 1.0}}}], data=SMALL)
    assert "judge 'p': `by_task` names 'maths', no task of the plan" in text


def test_what_does_not_exist_is_told_in_the_plan():
    text = planned({"design": "sets", "sets_per_question": 50}, data=SMALL)
    assert "sets_per_question: 50 sets of 3 asked for, 1 exist" in text


def test_a_batch_that_leaves_nothing_to_stop_is_told():
    """24 comparisons: a rule that first looks after 24 saves nothing, one after 23 may."""
    assert "so all are asked before the first look" in planned(data=SMALL, stop={"batch": 24})
    assert "first look" not in planned(data=SMALL, stop={"batch": 23})
    sizes = {"design": "sets", "set_size": [2, 3], "sets_per_question": 2}  # 16 and 8
    text = planned(sizes, data=SMALL, stop={"batch": 10})
    assert "batch` 10 is not below the 8 comparisons of sets of 3" in text
    assert "comparisons of sets of 2" not in text


def test_caps_that_end_judging_are_told_and_those_without_effect_refused():
    caps = {"calls": 20, "tokens": 10_000_000, "money": 0.05}
    study, bill = plan_study(tree({"repeats": 1}, [PRICED], SMALL, caps=caps))
    text = describe_bill(bill, study)
    assert "judging.caps.calls 20 is below what this may take, 48: judging ends there" in text
    assert "judging.caps.money 0.05 is below what this may take, 0.12: judging" in text
    assert "caps.tokens" not in text
    assert "caps.money 1 cannot act on live: no `prices`" in refused(
        judges=[PRICED | {"name": "paid"}, LIVE], caps={"money": 1.0}
    )


def test_a_key_inside_a_list_cannot_be_set_and_the_cure_is_told(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(tree()), encoding="utf-8")
    with pytest.raises(ParamsError, match=r"'judges' in .* is not a section") as caught:
        read_study(path, ["judging.judges.0.ties=0.5"])
    assert "edit the file" in str(caught.value)


def test_a_decision_between_unknown_candidates_is_refused_before_any_call():
    for judge in (PLANTED, LIVE):
        study = {**tree(judges=[judge], data=SMALL), "decision": {"candidates": ["careful", "b"]}}
        with pytest.raises(ParamsError, match=r"decision\.candidates: unknown value 'b'"):
            describe_forecast(plan_study(study)[0])
    study["decision"] = {"candidates": ["careful", "flawed"]}
    assert len(plan_study(study)[1]) == 1


def test_arms_that_change_nothing_for_simulations_are_told():
    arms = [{"name": "last", "reference": "last"}, {"name": "two", "options": 2}]
    said = "arm last: reference changes nothing for simulated judges"
    moved = {**PLANTED, "by_arm": {"last": {"ties": 0.5}}}

    assert said in planned(data=SMALL, arms=arms)
    assert "arm two: options" not in planned(data=SMALL, arms=arms)
    assert said not in planned(judges=[moved], data=SMALL, arms=arms)
    asked = {**LIVE, "template": "compare"}
    assert said not in planned(judges=[PLANTED, asked], data=SMALL, arms=arms)


@pytest.mark.parametrize(
    ("effect", "idle"),
    [
        ({}, {"turned", "words"}),
        ({"label_effect": 0.5}, {"words"}),
        ({"label_effect": {"letters": 0.5, "words": 0.1}}, set()),
        ({"by_task": {"math": {"label_effect": 0.5}}}, {"words"}),
        ({"by_arm": {"words": {"label_effect": 0.5}}}, {"turned"}),
    ],
)
def test_labels_act_on_simulations_that_heed_them(effect, idle):
    arms = [{"name": "turned", "reversed": True}, {"name": "words", "labels": "words"}]
    text = planned(judges=[PLANTED | effect], data=SMALL, arms=arms)

    assert set(re.findall(r"arm (\w+): \w+ changes nothing", text)) == idle


def test_an_arm_that_nobody_is_asked_in_is_told():
    recorded = {"name": "qwen-1.5b-fewshot", "kind": "recorded", "path": "starter", "partial": True}
    arms = [{"name": "turned", "reversed": True}]

    assert "arm turned: nobody is asked" in planned(judges=[recorded], data=SMALL, arms=arms)
