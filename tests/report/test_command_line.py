"""The command line only passes values on."""

import io
import json
import os
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from conftest import study_of

from posbias_kit import __version__, data
from posbias_kit.__main__ import cli, main
from posbias_kit.data import build_verdicts
from posbias_kit.errors import StageError
from posbias_kit.params import read_study
from posbias_kit.report import chain


@pytest.fixture
def given(monkeypatch, tmp_path):
    """Return what `run_study` is given."""
    values = {}

    def fake(params, **options):
        values.update(options, params=params)
        return tmp_path

    monkeypatch.setattr(chain, "run_study", fake)
    return values


def call(*words):
    """Run a command in this process."""
    return CliRunner().invoke(cli, list(map(str, words)))


def test_run_passes_its_options_on(given, tmp_path):
    """Settings may stand several times; the path of the first page is printed."""
    done = call("run", "a.yaml", "--set", "draws=5", "--set", "level=0.9", "--from", "metrics")

    assert done.exit_code == 0
    assert done.stdout == f"{tmp_path / 'index.html'}\n"
    assert str(given.pop("params")) == "a.yaml"
    assert given == {
        "settings": ("draws=5", "level=0.9"),
        "start_from": "metrics",
        "only": None,
        "fresh": False,
    }
    call("run", "a.yaml", "--only", "metrics", "--fresh")
    assert (given["only"], given["fresh"]) == ("metrics", True)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (StageError("cell 3 stopped", place="03_metrics.ipynb"), 1, "Error: 03_metrics.ipynb: ce"),
        (KeyboardInterrupt(), 130, "Interrupted."),
    ],
)
def test_known_trouble_is_one_message(monkeypatch, error, status, said):
    """A known error is a message without a traceback, and an exit status."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(chain, "run_study", fail)
    done = call("run", "a.yaml", "--yes")

    assert done.exit_code == status
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_read_writes_a_verdict_table(monkeypatch, tmp_path):
    """Format, paths and rule are passed on; rows, judges and statuses are printed."""
    row = {"benchmark": "b", "task": "t", "question": "1", "judge": "é", "repeat": 1}
    shown = {"shown": ("x", "y"), "status": "ok", "choice": 2}
    verdicts, calls = build_verdicts(pd.DataFrame([row | shown])), []
    monkeypatch.setattr(
        data, "read_verdicts", lambda *paths, **options: calls.append((paths, options)) or verdicts
    )
    target = tmp_path / "deep" / "v.parquet"

    done = call("read", "paper", "a", "b", "-o", target, "--rule", "first_match")
    call("read", "paper", "a", "-o", target)

    assert done.exit_code == 0
    assert done.stdout.splitlines() == [f"{target}: 1 verdicts", "  judge: é 1", "  status: ok 1"]
    assert pd.read_parquet(target)["judge"].tolist() == ["é"]
    assert calls == [(("paper", "a", "b"), {"rule": "first_match"}), (("paper", "a"), {})]


def test_init_writes_a_study_once(tmp_path, monkeypatch):
    """The new study is valid and bears its name; a second call does not touch it."""
    monkeypatch.chdir(tmp_path)

    done = call("init", "mine")
    path = tmp_path / "params" / "mine.yaml"
    again, elsewhere = call("init", "mine"), call("init", "../mine")

    assert done.exit_code == 0
    assert read_study(path).run_name == "mine"
    assert path.read_text("utf-8").startswith("# yaml-language-server: $schema=study.schema.json")
    assert again.exit_code == 1
    assert "there is a study file already" in again.stderr
    assert "not a plain folder name" in elsewhere.stderr


def test_version():
    """The version is the package's."""
    assert call("--version").stdout == f"posbias, version {__version__}\n"


def test_run_under_a_c_locale(project):
    """Texts beyond ASCII stay as they are in files and settings, and printing never fails."""
    study = yaml.safe_dump(study_of(run_name="tiny"), allow_unicode=True)
    (project / "tiny.yaml").write_text(study, encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ["run", "tiny.yaml", "--only", "summary", "--set", "families={é 🙂: [你]}"]

    done = subprocess.run(
        [sys.executable, "-m", "posbias_kit", *words],
        capture_output=True,
        check=False,
        env=os.environ | plain,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.decode("ascii").strip().endswith("index.html")
    folder = project / "outputs" / "tiny"
    assert "é 🙂: 你" in (folder / "index.html").read_text("utf-8")
    assert yaml.safe_load((folder / "params.yaml").read_text("utf-8"))["families"] == {
        "é 🙂": ["你"]
    }


def test_printing_never_fails(monkeypatch):
    """What a console of few characters cannot show is written as escapes."""
    console = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", console)
    monkeypatch.setattr(sys, "stderr", console)
    monkeypatch.setattr(sys, "argv", ["posbias", "--no-such-🙂"])

    with pytest.raises(SystemExit):
        main()

    console.flush()
    assert b"\\U0001f642" in console.buffer.getvalue()


def test_read_counts_what_it_writes_and_names_what_it_sets_aside(tmp_path):
    """Judges are cut short, a row set aside shows what is allowed, the rest of a pair is told."""
    row = {"question_id": 1, "model_1": "x", "model_2": "y", "g1_winner": "model_1", "turn": 1}
    rows = [row | {"g2_winner": "model_1", "judge": [f"j{n:02}", "pair"]} for n in range(22)]
    rows += [row | {"g2_winner": "moddel", "judge": ["j00", "pair"], "question_id": 2}]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    done = call("read", "fastchat_pair", path, "-o", tmp_path / "out.csv")

    assert done.exit_code == 0, done.output
    told = done.output.splitlines()
    assert told[0].endswith("out.csv: 44 verdicts")
    assert told[1] == "  1 files, 23 rows: 22 kept, 1 set aside"
    assert "line 23" in told[2]
    assert "; allowed: " in told[2]
    assert told[-2] == "  judge: " + ", ".join(f"j{n:02} 2" for n in range(20)) + ", and 2 more"
    assert told[-1] == "  status: ok 44"
