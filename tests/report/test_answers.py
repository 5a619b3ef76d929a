"""The four answers of a run's first page, from tables made by hand."""

import pandas as pd
import pytest

from posbias_kit.report.answers import answer_questions
from posbias_kit.report.decisions import tell_outcomes
from posbias_kit.report.files import write_csv

STUDY = {
    "level": 0.95,
    "rs_threshold": 0.85,
    "summary": {"convention": "paper"},
    "judging": {"judges": [{"name": "a", "kind": "planted"}, {"name": "b", "kind": "openai"}]},
}
KEY = {"benchmark": "B", "experiment": ""}


@pytest.fixture
def write(tmp_path):
    """Return a function that writes rows as one of the run's tables."""

    def write(name, *rows):
        frame = pd.DataFrame([KEY | row for row in rows])
        write_csv(frame, tmp_path / "tables" / f"{name}.csv")

    return write


@pytest.fixture
def tables(write):
    """Write tables of three judges: a consistent, b leaning, c noisy."""
    findings = {
        "a": "no lean shown",
        "b": "leans to the first slot",
        "c": "no lean shown (unstable: RS .60)",
    }
    write("summary", *({"judge": j, "finding": f} for j, f in findings.items()))
    write(
        "position_bias_by_judge",
        *(
            {
                "judge": j,
                "convention": name,
                "pc": pc,
                "pc_low": pc - 0.05,
                "pc_high": pc + 0.05,
                "pc_n": n,
            }
            for name, shift in (("paper", 0), ("decisive", -0.3))
            for j, pc, n in (
                ("b", 0.5 + shift, 40),
                ("a", 0.8 + shift, 90),
                ("c", 0.75 + shift, 90),
            )
        ),
    )
    write(
        "judge_differences",
        {"judge": "a", "other": "b", "metric": "pc", "p_holm": 0.01},
        {"judge": "a", "other": "c", "metric": "pc", "p_holm": 0.4},
        {"judge": "a", "other": "b", "metric": "pf", "p_holm": 0.9},
    )
    write(
        "inconsistency_split",
        {"judge": "a", "share": 0.6, "p_holm": 0.001},
        {"judge": "b", "share": None, "p_holm": 0.05},
        {"judge": "c", "share": 0.1, "p_holm": 0.5},
    )
    said = "opposite directions: math leans to the first slot, writing to the last"
    write(
        "task_directions",
        {"judge": "a", "opposite": False, "said": ""},
        {"judge": "b", "opposite": True, "said": said},
    )
    write("direction_by_judge", {"judge": "a", "mde": 0.04}, {"judge": "b", "mde": 0.1})
    write(
        "benchmark_by_task", {"task": "math", "questions": 3}, {"task": "writing", "questions": 4}
    )


def test_answers_name_judges_and_figures(tables, tmp_path):
    """Each sentence follows from the tables, under the summary's convention."""
    assert answer_questions(tmp_path, STUDY) == [
        (
            "Which judge is most consistent?",
            [
                "a keeps its verdict in 80% [75 to 85%] of its comparisons, b in 50% [45 to 55%].",
                "Not told apart from a where both judged, Holm-corrected: c.",
                "Not all judged the same comparisons: chapter 03 compares those that two did.",
            ],
        ),
        (
            "Which way does it lean?",
            [
                "No lean shown: a, c.",
                "Leans to the first slot: b.",
                "b by task: math leans to the first slot, writing to the last.",
            ],
        ),
        (
            "Is that noise?",
            [
                "Not noise alone; so much of the changes is position: a (60%), b.",
                "Changes towards both slots alike: a.",
                "No more than noise shown: c.",
                "Unstable, repeats agree below .85: c.",
            ],
        ),
        (
            "What was not tested?",
            [
                "Beyond B: 7 questions of 2 tasks; other questions, answers, prompts and versions "
                "of these judges.",
                "Leans too small to be seen: a fairness within .04 to .10, by judge, would mostly "
                "be missed.",
                "Simulations, no language models: a.",
            ],
        ),
    ]


def test_untested_is_not_told_apart(write, tmp_path):
    """Judges whose difference has no p are not said to differ."""
    write("summary", *({"judge": j, "finding": "no lean shown"} for j in "ab"))
    write("position_bias_by_judge", *(
        {"judge": j, "convention": "paper", "pc": 1.0, "pc_low": 0.6, "pc_high": 1.0, "pc_n": 9}
        for j in "ab"
    ))  # fmt: skip
    write("judge_differences", {"judge": "a", "other": "b", "metric": "pc", "p_holm": None})

    said = dict(answer_questions(tmp_path, STUDY | {"judging": None}))

    assert said["Which judge is most consistent?"][1:] == [
        "Not told apart from a where both judged, Holm-corrected: b."
    ]


def test_what_cannot_be_told_is_said(write, tmp_path):
    """Without repeats and swaps there is no number, and the answer says why."""
    write("summary", {"judge": "a", "finding": "no lean estimable: no verdict"})
    write("position_bias_by_judge", {"judge": "a", "convention": "paper", "pc": None})

    answers = dict(answer_questions(tmp_path, STUDY | {"judging": None}))

    assert answers == {
        "Which judge is most consistent?": [
            "It cannot be told: no comparison has a verdict in every order."
        ],
        "Which way does it lean?": ["No lean estimable: no verdict: a."],
        "Is that noise?": ["It cannot be told: no comparison was judged twice in every order."],
        "What was not tested?": [],
    }


def test_one_order_alone_still_says_something(write, tmp_path):
    """Where nothing was swapped, the share of the first slot is given with its limit."""
    write("summary", {"judge": "a", "finding": "no lean estimable: no complete series"})
    write("slot_wins", *(
        {"judge": "a", "slot": slot, "share": share, "share_low": None, "share_high": None}
        for slot, share in ((1, 0.67), (2, 0.33))
    ))  # fmt: skip

    assert dict(answer_questions(tmp_path, STUDY))["Which way does it lean?"] == [
        "No lean estimable: no complete series: a.",
        "The first slot was named by a in 67% of the verdicts for a slot; without a swap this may "
        "be the answers.",
    ]


def test_several_benchmarks_are_answered_one_by_one(write, tmp_path):
    """Where blocks differ, each sentence says which it speaks of."""
    rows = [{"benchmark": name, "judge": "a", "finding": "no lean shown"} for name in ("B", "C")]
    write("summary", *rows)

    answers = dict(answer_questions(tmp_path, STUDY))

    assert answers["Which way does it lean?"] == ["B: No lean shown: a.", "C: No lean shown: a."]


def test_arms_have_an_answer_of_their_own(write, tmp_path):
    """All else is about the plain arm; differences that the tests find are named."""
    row = {"judge": "a", "finding": "no lean shown"}
    write("summary", {"arm": "", **row}, {"arm": "turned", **row, "finding": "leans"})
    told = {"judge": "a", "arm": "turned", "metric": "pc", "difference": -0.125, "p_holm": 0.04}
    write("arm_differences", told, told | {"metric": "pf", "p_holm": None})

    answers = dict(answer_questions(tmp_path, STUDY))

    assert answers["Which way does it lean?"] == ["No lean shown: a."]
    where = "All else on this page is about the plain arm; chapter 06 compares the others with it."
    asked = "Does it depend on how it is asked?"
    assert answers[asked] == [
        "Than with plain asking, consistency is other for a in turned (-0.12), Holm-corrected.",
        where,
    ]

    write("arm_differences", told | {"p_holm": 0.06}, told | {"metric": "pf", "p_holm": None})
    none = "No difference in consistency or fairness is shown, Holm-corrected."
    assert dict(answer_questions(tmp_path, STUDY))[asked] == [none, where]

    first = told | {"metric": "first", "p_holm": 0.01}  # of sets, which have no fairness of pairs
    write("arm_differences", told | {"p_holm": 0.06}, first)
    lean = "Than with plain asking, the share of the first slot is other for a in turned (-0.12), "
    assert dict(answer_questions(tmp_path, STUDY))[asked][0] == lean + "Holm-corrected."
    write("arm_differences", told | {"p_holm": 0.06}, first | {"p_holm": 0.06})
    none = "No difference in consistency or the share of the first slot is shown, Holm-corrected."
    assert dict(answer_questions(tmp_path, STUDY))[asked][0] == none

    write("arm_differences", told | {"p_holm": None}, told | {"metric": "ties"})
    untold = dict(answer_questions(tmp_path, STUDY))[asked][0]
    assert untold.startswith("It cannot be told")


def test_sizes_and_named_arms_are_named(write, tmp_path):
    """Each number of slots has its answer, against the arm that stands for the plain one."""
    row = {"judge": "a", "finding": "no lean shown"}
    write("summary", *(
        {"arm": arm, "slots": size, **row} for arm in ("p", "q") for size in (2, 3)
    ))  # fmt: skip
    told = {"judge": "a", "arm": "q", "metric": "pc", "difference": 0.1, "p_holm": 0.01}
    write("arm_differences", told | {"slots": 2}, told | {"slots": 3, "difference": -0.2})

    assert dict(answer_questions(tmp_path, STUDY))["Does it depend on how it is asked?"] == [
        "2: Than in arm p, consistency is other for a in q (+0.10), Holm-corrected.",
        "3: Than in arm p, consistency is other for a in q (-0.20), Holm-corrected.",
        "All else on this page is about arm p; chapter 06 compares the others with it.",
    ]


def test_judges_of_different_arms_all_stay(write, tmp_path):
    """Judgments that were read may have an arm a judge: none is left out."""
    write("summary", *(
        {"judge": judge, "arm": arm, "finding": "no lean shown"}
        for judge, arm in (("a", "p"), ("b", "q"))
    ))  # fmt: skip

    answers = dict(answer_questions(tmp_path, STUDY))
    assert answers["Which way does it lean?"] == ["p: No lean shown: a.", "q: No lean shown: b."]
    assert "Does it depend on how it is asked?" not in answers


def test_a_lean_that_is_shown_is_not_called_noise(write, tmp_path):
    """The test of direction sees a lean that is small beside the noise of repeats."""
    findings = {
        "a": "leans to the first slot (unstable: RS .60)",
        "b": "no lean shown",
        "c": "leans to the last slot by its own interval; not after Holm over judges (p .2)",
    }
    write("summary", *({"judge": j, "finding": f} for j, f in findings.items()))
    write("inconsistency_split", *(
        {"judge": j, "share": 0.1, "p_holm": 0.5} for j in findings
    ))  # fmt: skip

    assert dict(answer_questions(tmp_path, STUDY))["Is that noise?"] == [
        "No more than noise shown: b, c.",
        "More change across orders than between repeats is not shown, and yet the lean is: a.",
        "Unstable, repeats agree below .85: a.",
    ]


def test_a_run_without_a_summary_has_no_answers(tmp_path):
    """A run that failed early says nothing."""
    assert answer_questions(tmp_path, STUDY) == []


def test_the_decision_and_the_pilot_are_told(write, tmp_path):
    """A run says what it decided, and which prompts passed a pilot; others are not named."""
    write("decision", {"outcome": "not decided", "why": "a and b lead alike"})
    write("pilot", {"judge": "a"})
    write(
        "pilot_check",
        {"judge": "a", "pilot": "p", "said": "its prompt passed the pilot: 9 of 9 pairs"},
        {"judge": "b", "pilot": "", "said": "its prompt was not piloted"},
    )

    passed = "a: its prompt passed the pilot: 9 of 9 pairs."
    assert tell_outcomes(tmp_path) == [passed]  # a pilot itself decides nothing

    (tmp_path / "tables" / "pilot.csv").unlink()
    assert tell_outcomes(tmp_path) == [passed, "Not decided: a and b lead alike."]


def test_nothing_settled_is_nothing_said(tmp_path):
    """Without these tables the page says nothing of them."""
    assert tell_outcomes(tmp_path) == []
