"""Studies at the edge run to their end: every cell of every notebook, in this process.

The cells are executed as they stand, without a kernel, so that a dozen odd studies cost little.
"""

import re

import pytest
from fault_server import FaultServer, Meeting
from run_in_process import run_notebooks

from posbias_kit.params import check_study
from posbias_kit.report.files import read_csv

PLANTED = {"kind": "planted", "ties": 0.3, "repeat_noise": 0.3}
PANEL = [{"name": "one", **PLANTED}, {"name": "two", "slot_effect": 1.0, **PLANTED}]
MUTE = {"name": "mute", "kind": "planted", "invalid_rate": 1.0}
DEAD = {"name": "dead", "kind": "planted", "failure_rate": 1.0}
SAMPLE = {"tasks": ["math", "stem"], "questions_per_task": 3}


ARMS = [{"name": "two", "options": 2}, {"name": "turned", "reversed": True}]
ARMS += [{"name": "same", "identical": True}, {"name": "points", "scale": 5, "judges": ["one"]}]


def _study(judges=PANEL, arms=(), **plan):
    return {
        "run_name": "edge",
        "draws": 50,
        "data_preparation": {"sample": SAMPLE, "plan": {"repeats": 2, **plan}},
        "judging": {"judges": judges, "arms": list(arms)},
        "disagreement": {"splits": 10},
    }


STUDIES = {
    "sets of three": _study(design="sets", set_size=3),
    "sets of several sizes": _study(design="sets", set_size=[2, 3], sets_per_question=2),
    "every order of three": _study(design="sets", set_size=3, orders="all", repeats=1),
    "each comparison in one order": _study(orders="balanced_half"),
    "several arms": _study(arms=ARMS),
    "arms of sets": _study(arms=ARMS, design="sets", set_size=[2, 3]),
    "answers scored alone beside the plain arm": _study(arms=ARMS[3:]),
    "the same in several sizes": _study(arms=ARMS[3:], design="sets", set_size=[2, 3]),
    "arms of half a design": _study(arms=ARMS[:3], orders="balanced_half", repeats=1),
    "against a reference": _study(design="reference", reference="mediocre"),
    "nothing asked twice": _study(repeats=1),
    "a single judge": _study(PANEL[:1]),
    "one judge without a verdict": _study([*PANEL, MUTE]),
    "no judge with a verdict": _study([MUTE, DEAD]),
    "judges that always tie": _study([{"name": "tie", "kind": "planted", "ties": 1e9}]),
    "odd names": _study([{**PANEL[0], "name": "org/judge-8b:latest"}, {**PANEL[1], "name": "NA"}]),
}


@pytest.fixture
def project(request, tmp_path, monkeypatch):
    """A project folder with the real notebooks and an empty outputs/."""
    (tmp_path / "notebooks").symlink_to(request.config.rootpath / "notebooks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_study_runs_to_its_end(project, study):
    """Every notebook finishes, and the summary has a row for each judge."""
    study = check_study(study)
    run_notebooks(study, project / "notebooks")

    table = read_csv(project / "outputs" / "edge" / "tables" / "summary.csv")
    assert set(table["judge"]) == {judge.name for judge in study.judging.judges}


def test_judge_without_a_verdict_gets_no_number(project):
    """B09: nothing of a judge that never answers is 0, 0.5 or fair."""
    run_notebooks(check_study(STUDIES["no judge with a verdict"]), project / "notebooks")
    tables = project / "outputs" / "edge" / "tables"
    bias = read_csv(tables / "position_bias_by_judge.csv")

    assert bias[["pc", "pf", "pf_paper", "overall_win_rate"]].isna().all(axis=None)
    assert read_csv(tables / "repetition_stability_by_judge.csv")["rs"].isna().all()
    finding = read_csv(tables / "summary.csv")["finding"]
    assert finding.str.startswith("no lean estimable").all()


def _as_asked(key, attempt, body):
    """Reply with one of the verdicts that the request itself names, in double brackets."""
    named = re.findall(r"\[\[(\w+)\]\]", body["messages"][0]["content"])
    return Meeting(text=f"I say so.\n[[{named[int(key[:4], 16) % len(named)]}]]")


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_live_judge_runs_every_arm_to_the_end(project):
    """Replies of all arms are read again in chapter 02, those of the plain one in chapter 07."""
    with FaultServer(_as_asked) as server:
        judge = {"name": "one", "kind": "openai", "model": "m", "key_env": None}
        study = _study([judge | {"base_url": server.url, "template": "compare"}], ARMS)
        run_notebooks(check_study(study), project / "notebooks")

    tables = project / "outputs" / "edge" / "tables"
    assert (read_csv(tables / "verdicts_by_status.csv")["not_made"] == 0).all()
    queue = read_csv(tables / "review_queue.csv")
    assert set(queue["why"]) >= {"order_flip"}
    assert set(queue["arm"]) == {""}
