"""A study with a live judge, end to end: bill, consent, log, verification, and a dead endpoint."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from fault_server import FaultServer, Meeting, steady

from posbias_kit.__main__ import cli

ROOT = Path(__file__).parents[2]

KEY = "sk-PLANTED-0a1b2cQZXW"
PRICES = {"input": 1000.0, "output": 1000.0, "date": "2026-01-31"}


def study(url, **judge):
    """Return a study of 4 calls by one live judge."""
    told = {"name": "live", "kind": "openai", "model": "m-1", "base_url": url, "prices": PRICES}
    told |= {"key_env": "JUDGE_KEY", "limits": {"first_wait": 0.01, "attempts": 2}} | judge
    sample = {"tasks": ["math"], "questions_per_task": 2, "candidate_count": 2}
    return {
        "run_name": "asked",
        "draws": 0,
        "data_preparation": {"sample": sample, "plan": {"repeats": 1}},
        "judging": {"judges": [told]},
    }


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Work in a project folder with the real notebooks and a planted key."""
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.setenv("JUDGE_KEY", KEY)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def posbias(*words, answer=""):
    """Run the command line in this process; return exit status and all that was printed."""
    done = CliRunner().invoke(cli, list(words), input=answer)
    return done.exit_code, done.output


def write(project, url, **judge):
    """Write the study file."""
    (project / "asked.yaml").write_text(yaml.safe_dump(study(url, **judge)), encoding="utf-8")


def test_bill_consent_run_and_verification(project):
    """The bill comes first, money is asked for, and the tables are what the log says."""
    said = []

    def run(*words, code=0, answer=""):
        status, printed = posbias(*words, answer=answer)
        said.append(printed)
        assert status == code, printed
        return printed

    with FaultServer(steady(text=f"{KEY} [[A]]")) as server:
        write(project, server.url)
        bill = run("plan", "asked.yaml")
        assert "live: 2 comparisons, 4 calls, 0 answered already, 4 to make" in bill
        assert "USD" in bill
        assert "This may cost up to" in run("run", "asked.yaml", code=1, answer="n\n")
        assert not server.attempts
        run("run", "asked.yaml", "--only", "data_preparation")
        run("run", "asked.yaml", "--only", "judging", "--yes")
        assert "0 to make" in run("plan", "asked.yaml")
        run("run", "asked.yaml", "--only", "judging")
        assert server.attempts.total() == 4, "the log answers, and nothing is left to confirm"
        more = ["--set", "data_preparation.plan.repeats=2", "--set", "judging.caps.calls=7"]
        told = "judging.caps.calls 7 is below what this may take, 4, after 4 before: judging ends"
        assert told in run("plan", "asked.yaml", *more)
        assert told in run("run", "asked.yaml", *more, code=1, answer="n\n")
        more[-1] = "judging.caps.calls=8"
        assert "judging.caps" not in run("plan", "asked.yaml", *more)

    assert "4 verdicts are what the log says" in run("verify", "asked")
    run("export", "asked")
    run("export", "asked", "--format", "parquet")
    folder = project / "outputs" / "asked"
    lines = (folder / "judgments.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len(pd.read_parquet(folder / "judgments.parquet")) == 4
    assert json.loads(lines[0])["text"] == "[key] [[A]]"
    table = pd.read_parquet(folder / "verdicts.parquet")
    table.loc[0, "margin"] = 1.0
    table.to_parquet(folder / "verdicts.parquet", index=False)
    assert "is not what the log says" in run("verify", "asked", code=1)
    files = [file for file in folder.rglob("*") if file.is_file()]
    for secret in (KEY, KEY[-4:]):
        assert secret not in "".join(said)
        assert [file.name for file in files if secret.encode() in file.read_bytes()] == []


def test_decision_between_unknown_candidates_asks_nobody(project):
    """Also where the run is not to be confirmed, and nothing has run."""
    with FaultServer(steady()) as server:
        write(project, server.url)
        unknown = "decision.candidates=[nobody, careful]"
        status, printed = posbias("run", "asked.yaml", "--yes", "--set", unknown)

    assert status == 1
    assert "decision.candidates: unknown value 'nobody'" in printed
    assert not server.attempts
    assert not (project / "outputs").exists()


def test_judge_that_always_fails_ends_the_run(project):
    """Non-zero status, a line with the reason, and no metric anywhere."""
    with FaultServer(lambda *_: Meeting("http_500")) as server:
        write(project, server.url)
        status, printed = posbias("run", "asked.yaml", "--yes")

    folder = project / "outputs" / "asked"
    assert status == 1
    assert "judge 'live': 3 calls in a row failed, the last with http_5xx: HTTP 500" in printed
    assert not (folder / "verdicts.parquet").exists()
    assert not list(folder.glob("tables/position*")) + list(folder.glob("03*"))
    assert "This run failed" in (folder / "index.html").read_text("utf-8")
