"""A study with a live judge, end to end: bill, consent, log, verification, and a dead endpoint."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "judging"))

from fault_server import FaultServer, Meeting, steady  # noqa: E402

KEY = "sk-PLANTED-0a1b2c3d4e5f"
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


def posbias(folder, *words, key=KEY, answer=""):
    """Run the command line in a project folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "JUDGE_KEY": key}
    environment.pop("MPLBACKEND", None)
    return subprocess.run(
        [sys.executable, "-m", "posbias_kit", *words], cwd=folder, env=environment, input=answer,
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path):
    """Return a project folder with the real notebooks."""
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    return tmp_path


def write(project, url, **judge):
    """Write the study file."""
    (project / "asked.yaml").write_text(yaml.safe_dump(study(url, **judge)), encoding="utf-8")


def test_bill_consent_run_and_verification(project):
    """The bill comes first, money is asked for, and the tables are what the log says."""
    options = {"message": f"bad key {KEY}"}
    with FaultServer(steady(text=f"{KEY} [[A]]"), keep=True) as server:
        write(project, server.url)
        bill = posbias(project, "plan", "asked.yaml", key="").stdout
        assert "live: 2 comparisons, 4 calls, 0 answered already, 4 to make" in bill
        assert "at most" in bill
        assert "USD" in bill
        refused = posbias(project, "run", "asked.yaml", answer="n\n")
        assert refused.returncode == 1
        assert "This may cost up to" in refused.stderr
        assert not server.attempts

        done = posbias(project, "run", "asked.yaml", "--only", "data_preparation")
        assert done.returncode == 0, done.stderr
        done = posbias(project, "run", "asked.yaml", "--only", "judging", "--yes")
        assert done.returncode == 0, done.stderr
        assert server.attempts.total() == 4
        assert "0 to make" in posbias(project, "plan", "asked.yaml").stdout

        again = posbias(project, "run", "asked.yaml", "--only", "judging", "--yes")
        assert again.returncode == 0, again.stderr
        assert server.attempts.total() == 4, "the log answers"
        server.script = lambda *_: Meeting("http_401", options=options)
        failed = posbias(
            project, "run", "asked.yaml", "--only", "judging", "--yes",
            "--set", "judging.judges=" + json.dumps([study(server.url, model="m-2")["judging"]["judges"][0]]),
        )  # fmt: skip
        assert failed.returncode == 1
        assert "JudgeError: judge 'live': a call failed, the last with http_4xx" in failed.stderr

    run = project / "outputs" / "asked"
    done = posbias(project, "run", "asked.yaml", "--only", "judging", "--yes")
    assert done.returncode == 0, done.stderr
    verified = posbias(project, "verify", "asked")
    assert "4 verdicts are what the log says" in verified.stdout, verified.stderr
    for name in ("jsonl", "parquet"):
        assert posbias(project, "export", "asked", "--format", name).returncode == 0
    rows = [json.loads(line) for line in (run / "judgments.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == len(pd.read_parquet(run / "judgments.parquet")) == 5
    said = bill + refused.stderr + failed.stderr + done.stderr + verified.stdout
    for secret in (KEY, KEY[-4:]):
        assert secret not in said
        files = [file for file in run.rglob("*") if file.is_file()]
        assert [file for file in files if secret.encode() in file.read_bytes()] == []

    table = pd.read_parquet(run / "verdicts.parquet")
    table.loc[0, "margin"] = 1.0
    table.to_parquet(run / "verdicts.parquet", index=False)
    spoilt = posbias(project, "verify", "asked")
    assert spoilt.returncode == 1
    assert "is not what the log says" in spoilt.stderr


def test_judge_that_always_fails_ends_the_run(project):
    """Non-zero status, a line with the reason, and no metric anywhere."""
    with FaultServer(lambda *_: Meeting("http_500")) as server:
        write(project, server.url)
        done = posbias(project, "run", "asked.yaml", "--yes")

    run = project / "outputs" / "asked"
    assert done.returncode == 1
    assert "judge 'live': 3 calls in a row failed, the last with http_5xx: HTTP 500" in done.stderr
    assert not (run / "verdicts.parquet").exists()
    assert not list(run.glob("tables/position*")) + list(run.glob("03*"))
    assert "This run failed" in (run / "index.html").read_text("utf-8")
