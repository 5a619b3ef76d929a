"""Small studies for live judges: tables, a template, and judges of a fault server."""

import json
from types import SimpleNamespace

import pandas as pd
from asking import params, prompt

from posbias_kit.data.presentations import identify
from posbias_kit.judging import LiveJudge, judge_presentations
from posbias_kit.schema import validate

QUICK = {"first_wait": 0.02, "timeout": 2.0}


class Template:
    """Renders question and answers into one message, without the names of the candidates."""

    def render(self, question, answers):
        """Return a prompt."""
        (asked,) = json.loads(question.turns)
        said = [f"{letter}: {text}" for letter, (text,) in zip("ABCDE", answers, strict=False)]
        return prompt("\n".join([asked, *said]))


def tables(pairs, repeats=1):
    """Return questions, answers and presentations of so many pairs, each in both orders."""
    ids = [f"q{n}" for n in range(pairs)]
    same = {"benchmark": "B", "question": ids}
    questions = pd.DataFrame(
        same
        | {"task": "t", "turns": [json.dumps([f"Question {i}?"]) for i in ids]}
        | {"reference_answer": None, "guidance": None, "cluster": ids}
    )
    answers = pd.concat(
        [
            pd.DataFrame(
                same
                | {"candidate": name, "answer_id": [f"{name}-{i}" for i in ids], "digest": "d"}
                | {"turns": [json.dumps([f"{name} on {i}"]) for i in ids], "length": 8}
            )
            for name in ("m1", "m2")
        ],
        ignore_index=True,
    )
    rows = [(i, shown) for i in ids for shown in (("m1", "m2"), ("m2", "m1"))]
    plan = pd.DataFrame(rows, columns=["question", "shown"])
    plan["reference"] = ""
    plan = plan.assign(**identify(plan), benchmark="B", task="t", cluster=plan["question"])
    plan = plan.assign(experiment="", turn="", arm="", repeats=repeats, identical=False)
    return SimpleNamespace(
        questions=validate(questions, "questions"),
        answers=validate(answers, "answers"),
        presentations=validate(plan, "presentations"),
    )


def live(url, seed=1, limits=None, template=None, **settings):
    """Return a live judge of a server."""
    told = params(url, limits=QUICK | (limits or {}), **settings)
    return LiveJudge(told, seed, template or Template())


def judge(judges, study, folder, **choice):
    """Ask judges about a study, with the log in a folder; return the verdict table."""
    judges = judges if isinstance(judges, list) else [judges]
    log = folder / "judgments.sqlite"
    return judge_presentations(
        judges, study.presentations, study.answers, study.questions, log, **choice
    )


def said(body):
    """Return what a request asks: question id, and the candidate shown first."""
    lines = body["messages"][-1]["content"].splitlines()
    return lines[0].split()[1].rstrip("?"), lines[1].split()[1]
