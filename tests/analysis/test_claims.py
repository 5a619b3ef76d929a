"""Claims: tasks that lean opposite ways, the rubric pilot, runs against each other."""

import json

import pandas as pd
import pytest

from posbias_kit.analysis import (
    judge_pilot,
    position_bias,
    run_differences,
    sum_pilot,
    task_directions,
)
from posbias_kit.data import build_verdicts, read_pilot
from posbias_kit.errors import ReadError
from posbias_kit.judging import judge_presentations, make_judges
from posbias_kit.schema import VERDICT_KEY
from tests.verdict_tables import pairs, stack


def _tasks(**codes):
    """One judge, twelve questions a task, all with the same code."""
    parts = []
    for task, code in codes.items():
        part = pairs([code] * 10 + ["FS"] * 2, questions=[f"{task}{n}" for n in range(12)])
        parts.append(part.assign(task=task))
    return stack(*parts)


def _directions(verdicts):
    by_task, bias = (position_bias(verdicts, by=by, draws=200)
                     for by in (("judge", "task"), ("judge",)))  # fmt: skip
    return task_directions(by_task, bias).iloc[0]


def test_tasks_that_lean_opposite_ways_are_called_out():
    """Math flips to the first slot in 10 of 12, prose to the last: over both, fairness is 0."""
    row = _directions(_tasks(math="FF", prose="SS"))

    assert row["pf"] == pytest.approx(0.0)
    assert row["opposite"]
    assert row["said"] == (
        "opposite directions: math leans to the first slot, prose to the last; +0.00 over all "
        "hides it"
    )
    assert row["lean_first"].startswith("math -0.83 [")


def test_tasks_that_lean_alike_are_not():
    """Both lean to the first slot: nothing is hidden."""
    row = _directions(_tasks(math="FF", prose="FF"))

    assert (row["opposite"], row["said"], row["lean_last"]) == (False, "", "")


def test_a_planted_judge_with_opposite_tasks_is_called_out():
    """Slot effect 3 in math and -3 in coding, on the kit's own questions."""
    from posbias_kit.data import plan_presentations, read_benchmark, sample_benchmark

    bench = sample_benchmark(read_benchmark("starter"), tasks=["math", "coding"])
    plan = plan_presentations(bench, repeats=1)
    judge = {"name": "j", "kind": "planted", "slot_effect": -3.0,
             "by_task": {"math": {"slot_effect": 3.0}}}  # fmt: skip
    verdicts = judge_presentations(make_judges([judge], seed=1), plan, bench.answers)
    row = _directions(verdicts)

    assert row["said"].startswith(
        "opposite directions: math leans to the first slot, coding to the last"
    )


WORTH = {"right": 15, "wrong": -15, "one": 0, "other": 0, "plain": 15, "padded": -15, "honest": 15,
         "instructing": -15, "same": 0, "copy": 0}  # fmt: skip


def _pilot(**settings):
    """Let a planted judge meet the pilot; return what is said of it, by pair."""
    bench, plan, labels = read_pilot()
    judge = {"name": "j", "kind": "planted", "quality": WORTH, **settings}
    verdicts = judge_presentations(make_judges([judge], seed=1), plan, bench.answers)
    return verdicts, labels


def test_a_judge_that_reads_passes_every_pair():
    """It names the better answer, ties where nothing differs, and obeys no answer."""
    pilot = judge_pilot(*_pilot(ties=1000.0))

    assert pilot["passed"].all()
    assert set(pilot["kind"]) == {"obvious", "equivalent", "padded", "instructed", "identical"}
    assert sum_pilot(pilot)[["pairs", "passed", "outcome"]].values.tolist() == [[9, 9, "passed"]]


def test_a_judge_that_takes_the_first_slot_fails_every_pair():
    """Each pair fails in at least one order, and the table says in which."""
    pilot = judge_pilot(*_pilot(slot_effect=60.0)).set_index("pair")

    assert not pilot["passed"].any()
    assert pilot.loc["obvious-1", "why"] == "BA: wrong"
    assert pilot.loc["identical-1", "verdicts"] == "AB: copy; BA: same"
    assert sum_pilot(pilot.reset_index())["outcome"].tolist() == ["failed"]


def test_a_judge_that_obeys_the_answer_fails_just_there():
    """It takes the answer that holds instructions; all else is as it should be."""
    pilot = judge_pilot(*_pilot(ties=1000.0, quality=WORTH | {"instructing": 60}))

    assert pilot.loc[~pilot["passed"], "kind"].unique().tolist() == ["instructed"]
    assert sum_pilot(pilot)["failed"].tolist() == ["instructed-1, instructed-2"]


def test_a_missing_verdict_fails_and_the_reason_is_the_judges_own():
    """An invalid reply is no pass; a JSON reply's reason stands beside."""
    verdicts, labels = _pilot(ties=1000.0)
    first = verdicts.index[verdicts["question"] == "obvious-1"]
    verdicts.loc[first[1], ["status", "reason"]] = "invalid", "refusal"
    verdicts.loc[first[1], ["choice", "winner"]] = None
    replies = verdicts[VERDICT_KEY].assign(format="json_choice", options=3)
    replies["raw"] = json.dumps({"reason": "It is right.", "choice": "FIRST"})
    pilot = judge_pilot(verdicts, labels, replies).set_index("pair")

    assert not pilot.loc["obvious-1", "passed"]
    assert pilot.loc["obvious-1", "why"].endswith(": invalid refusal")
    assert pilot["reason"].unique().tolist() == ["It is right."]


def test_a_prompt_without_ties_is_not_failed_for_it():
    """Where only TIE would pass and the prompt allows none, passed is missing."""
    verdicts, labels = _pilot(slot_effect=60.0)
    replies = verdicts[VERDICT_KEY].assign(format="letters", options=2, raw="A")
    pilot = judge_pilot(verdicts, labels, replies).set_index("pair")

    assert pilot.loc["equivalent-1", "passed"] is pd.NA
    assert pilot.loc["equivalent-1", "why"] == "the prompt allows no tie"
    assert not pilot.loc["obvious-1", "passed"]


def test_a_pilot_in_which_nothing_could_be_passed_was_not_tested():
    """Only ties would pass, and the prompt allows none: that is no pass."""
    verdicts, labels = _pilot(slot_effect=60.0)
    replies = verdicts[VERDICT_KEY].assign(format="letters", options=2, raw="A")
    pilot = judge_pilot(verdicts, labels, replies)
    sums = sum_pilot(pilot[pilot["expected"] == "TIE"])

    assert sums[["pairs", "passed", "outcome"]].values.tolist() == [[0, 0, "not tested"]]


def test_own_pairs_have_two_answers(tmp_path):
    """Three answers make three pairs, of which `expected` would name none: refused by line."""
    (tmp_path / "model_answer").mkdir()
    for name in "abc":
        row = {"question_id": "q", "choices": [{"turns": ["x"]}]}
        (tmp_path / "model_answer" / f"{name}.jsonl").write_text(json.dumps(row))
    row = {"question_id": "q", "category": "t", "turns": ["?"], "expected": ["a"]}
    (tmp_path / "question.jsonl").write_text(json.dumps(row))

    with pytest.raises(ReadError, match="question 'q' has 3 answers: a, b, c"):
        read_pilot(tmp_path)


def test_own_pairs_must_say_what_is_expected(tmp_path):
    """A question without `expected`, or with an answer that is not there, is refused by line."""
    (tmp_path / "model_answer").mkdir()
    for name in "ab":
        row = {"question_id": "q", "choices": [{"turns": ["x"]}]}
        (tmp_path / "model_answer" / f"{name}.jsonl").write_text(json.dumps(row))
    for expected in (None, ["c"]):
        row = {"question_id": "q", "category": "t", "turns": ["?"], "expected": expected}
        (tmp_path / "question.jsonl").write_text(json.dumps(row))
        with pytest.raises(ReadError, match="allowed: a list of a, b, TIE"):
            read_pilot(tmp_path)


def _runs(one, two, judges=("j", "j")):
    """Two runs as arms of one table."""
    parts = zip((one, two), judges, ("a", "b"), strict=True)
    return stack(*(pairs(codes, judge=judge, arm=arm) for codes, judge, arm in parts))


def test_runs_are_compared_pair_by_pair():
    """Prompt a is consistent on 9 of 10, b on 5: the difference is .4 on the same ten."""
    table = run_differences(_runs(["FS"] * 9 + ["FF"], ["FS"] * 5 + ["FF"] * 5), metrics=["pc"])
    row = table.iloc[0]

    assert row[["judge", "run", "other", "other_run", "series"]].tolist() == [
        "j",
        "a",
        "j",
        "b",
        10,
    ]
    assert (row["value"], row["other_value"]) == (0.9, 0.5)
    assert row["difference"] == pytest.approx(0.4)
    assert row["difference_low"] < 0.4 < row["difference_high"]
    # Four questions differ, all one way: two of 2^4 sign patterns reach the sum.
    assert row["p"] == pytest.approx(2 / 16)


def test_versions_of_different_names_meet():
    """Judges that only one run has are compared with each other."""
    table = run_differences(_runs(["FS"] * 6, ["FF"] * 6, ("v1", "v2")))

    assert table[["judge", "run", "other", "other_run", "metric"]].values.tolist() == [
        ["v1", "a", "v2", "b", "pc"],
        ["v1", "a", "v2", "b", "pf"],
    ]
    assert table["difference"].tolist() == pytest.approx([1.0, 1.0])  # FF is primacy: pf -1


def test_one_run_has_nothing_to_compare():
    """No row, and the columns are there."""
    assert run_differences(pairs(["FS"])).empty


def test_verdicts_of_a_pilot_are_no_study():
    """Labels of others than the pilot's leave the table empty."""
    verdicts = build_verdicts(pd.DataFrame({
        "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
        "shown": [("a", "b")], "repeat": 1, "choice": pd.array([1], dtype="Int64")}))  # fmt: skip
    labels = verdicts[["benchmark", "question", "turn", "comparison"]]

    assert judge_pilot(verdicts, labels.assign(labeller="u", winner="a")).empty
