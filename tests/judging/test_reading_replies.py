"""Replies come back from the log and from recordings, and belong to their verdicts."""

import pandas as pd
from fault_server import FaultServer, Meeting
from live_studies import judge, live, said, tables

from posbias_kit.analysis import labels_in_answers, parser_audit, reread_replies
from posbias_kit.data import prepare_study
from posbias_kit.judging import judge_presentations, make_judges, read_replies

PLANTED = {"name": "j", "kind": "planted", "slot_effect": 1.0}
TEXTS = {"q0": "[[A]] is longer. [[B]]", "q1": "[[A]]", "q2": ["none yet", "[[B]]"]}


def test_replies_of_the_log_are_those_of_the_verdicts(tmp_path):
    """Asked again after an unreadable reply, the reply that brought the verdict counts."""
    study = tables(3)

    def script(key, attempt, body):
        question, first = said(body)
        told = TEXTS[question]
        told = told if isinstance(told, str) else told[min(attempt, 2) - 1]
        return Meeting("http_500") if (question, first) == ("q1", "m2") else Meeting(text=told)

    with FaultServer(script) as server:
        judges = [live(server.url, limits={"attempts": 1})]
        judge(judges, study, tmp_path)
        verdicts = judge(judges, study, tmp_path, ask_invalid_again=True)
    log = tmp_path / "judgments.sqlite"
    replies = read_replies(judges, study.presentations, study.answers, study.questions, log)
    read = reread_replies(replies, verdicts)

    assert sorted(replies["raw"]) == sorted([TEXTS["q0"]] * 2 + ["[[A]]"] + ["[[B]]"] * 2)
    assert read["recorded"].equals(read["strict"])
    assert read["ambiguous"].sum() == 2
    audit = parser_audit(replies, verdicts).set_index("rule")
    assert audit.loc["first_label", ["replies", "changed", "to_first"]].tolist() == [5, 2, 2]


def test_recording_with_texts_gives_them_back(tmp_path):
    """Texts are those of the planned repeats; the file and row are named."""
    study = prepare_study("starter", sample={"tasks": ["math"]}, plan={"repeats": 2})
    verdicts = judge_presentations(make_judges([PLANTED]), study.presentations, study.answers)
    texts = verdicts["choice"].map({1: "[[A]]", 2: "[[B]]", 0: "[[C]]"})
    path = tmp_path / "mine.parquet"
    verdicts.assign(format="mtbench_brackets", options=3, raw=texts).to_parquet(path)
    judges = make_judges([{"name": "j", "kind": "recorded", "path": str(path)}])

    once = study.presentations.assign(repeats=1)
    replies = read_replies(judges, once, study.answers)
    again = judge_presentations(judges, once, study.answers)

    assert len(replies) == len(again) == len(once)
    assert reread_replies(replies, again)["ambiguous"].sum() == 0
    assert set(replies["file"]) == {"mine.parquet"}
    assert replies["line"].between(1, len(verdicts)).all()


def test_judges_without_texts_have_no_replies():
    """Planted judges write nothing; the audit then has rows without replies, and no bias added."""
    study = prepare_study("starter", sample={"tasks": ["math"]}, plan={"repeats": 1})
    judges = make_judges([PLANTED])
    verdicts = judge_presentations(judges, study.presentations, study.answers)
    replies = read_replies(judges, study.presentations, study.answers)

    audit = parser_audit(replies, verdicts)
    assert replies.empty
    assert audit["replies"].eq(0).all()
    assert audit["pf_added"].eq(0).all()
    assert labels_in_answers(study.answers, sorted(replies["format"].unique())).empty
    assert isinstance(replies, pd.DataFrame)
