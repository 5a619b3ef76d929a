"""Killed by SIGKILL at random instants: nothing lost, nothing double, no half pair taken whole.

20 kills in all, or as many as POSBIAS_KILLS says: ``make crash`` asks for 200.
"""

import json
import random
import re
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

import pandas as pd
import pytest
from doomed import LIMITS, PAIRS
from fault_server import PERSISTENT, FaultServer, mixed
from live_studies import live, tables
from log_rows import attempt_row, write_rows
from notebook_files import ROOT
from nursery import Instants, Nursery, Row, kills_of, table

from posbias_kit.analysis import position_bias
from posbias_kit.judging import judge_presentations
from posbias_kit.judging.log_table import SCHEMA, read_log

FAULTS = ("http_429_after", "http_500", "cut", "wrong_json", *PERSISTENT)
LATENCY, ROWS = 0.02, 300
STUDY = {
    "run_name": "run",
    "data_preparation": {"sample": {"tasks": ["math"], "questions_per_task": 2}},
    "judging": {"judges": [{"name": "j", "kind": "planted"}]},
}


@pytest.fixture(scope="module")
def nursery():
    """Return where doomed processes come from."""
    with Nursery() as nursery:
        yield nursery


@pytest.fixture(scope="module")
def chance():
    """Return the random numbers of this run; where a process is met depends on the machine."""
    return random.Random(20240607)  # noqa: S311


@pytest.fixture(scope="module")
def found():
    """Return the table of all kinds, printed at the end: `-s` shows it."""
    rows = {}
    yield rows
    sys.stdout.write(f"{table(rows)}\n")


def acknowledged(folder):
    """Return the attempts that the log has acknowledged, (call, attempt)."""
    file = folder / "acknowledged"
    lines = file.read_text().splitlines() if file.exists() else []
    return {(call, int(attempt)) for call, attempt in map(str.split, lines)}


def look_at_log(folder, row):
    """Open the log, and count acknowledged attempts that it lacks and calls answered twice."""
    path = folder / "judgments.sqlite"
    if not path.exists():
        assert acknowledged(folder) == set()
        return pd.DataFrame(columns=["call", "attempt", "status"])
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not file.execute("PRAGMA user_version").fetchone()[0]:
            assert acknowledged(folder) == set()  # killed before the log had its table
            return pd.DataFrame(columns=["call", "attempt", "status"])
    log = read_log(path)
    there = set(zip(log["call"], log["attempt"].astype(int), strict=True))
    row.lost += len(acknowledged(folder) - there)
    row.double += int(log.loc[log["status"] != "failed", "call"].duplicated().sum())
    return log


def check_half_pairs(folder, log):
    """A pair counts as whole where both orders have a verdict in the log, by our own count."""
    if not len(log):
        return
    verdicts = log[log["status"] == "ok"].groupby(["comparison", "repeat"])["order"].nunique()
    study = tables(PAIRS)
    told = [study.presentations, study.answers, study.questions, folder / "judgments.sqlite"]
    table = judge_presentations([live("http://127.0.0.1:9/v1", limits=LIMITS)], *told, ask=False)
    (counted,) = position_bias(table, draws=0)["complete"]
    assert counted == (verdicts == 2).sum()


def test_judging_run(nursery, chance, found, tmp_path):
    """Whatever is killed, the finished run has every verdict once and equals a whole one."""
    (whole := tmp_path / "whole").mkdir()
    with FaultServer(mixed(0.1, LATENCY, FAULTS)) as server:
        instants = Instants(chance, nursery.finish("judge", server.url, str(whole), PAIRS))
    expected = pd.read_parquet(whole / "verdicts.parquet")
    row = found["judging run"] = Row()
    while row.kills < kills_of("judging run"):
        folder = Path(mkdtemp(dir=tmp_path))
        with FaultServer(mixed(0.1, LATENCY, FAULTS)) as server:
            job = ("judge", server.url, str(folder), PAIRS)
            again = kill_until_done(nursery, instants, job, folder, server, row)
            nursery.finish(*job)
            # What was asked and is in no row was in flight, or back and on its way to the disk.
            assert server.attempts.total() == len(look_at_log(folder, row)) + sum(again)
        row.asked_again += again
        pd.testing.assert_frame_equal(pd.read_parquet(folder / "verdicts.parquet"), expected)
    assert (row.lost, row.double) == (0, 0)
    assert max(row.asked_again) <= 2 * LIMITS["concurrency"]


def kill_until_done(nursery, instants, job, folder, server, row):
    """Kill one study over and over until it comes to its end; return the calls lost each time."""
    again = []
    while row.kills < kills_of("judging run") and nursery.kill(instants, *job):
        row.kills += 1
        time.sleep(0.02)  # what lies in the server's ear is heard
        log = look_at_log(folder, row)
        again.append(server.attempts.total() - len(log) - sum(again))
        check_half_pairs(folder, log)
    return again


def test_log_write(nursery, chance, found, tmp_path):
    """What was acknowledged is in the log, and the rest can follow."""
    (whole := tmp_path / "whole").mkdir()
    instants = Instants(chance, nursery.finish("log", str(whole), ROWS))
    row = found["log write"] = Row()
    while row.kills < kills_of("log write"):
        folder = Path(mkdtemp(dir=tmp_path))
        job = ("log", str(folder), ROWS)
        while row.kills < kills_of("log write") and nursery.kill(instants, *job):
            row.kills += 1
            look_at_log(folder, row)
        nursery.finish(*job)
        calls = look_at_log(folder, row)["call"]
        assert sorted(calls) == sorted(f"c{n}" for n in range(ROWS))
    assert (row.lost, row.double) == (0, 0)


def test_log_that_is_just_made(tmp_path):
    """Whichever statement is the last before a kill, the next process can open the log."""
    statements = [part for part in re.split(r"(?<=;)\n", SCHEMA) if part.strip()]
    for count in range(len(statements) + 1):
        path = tmp_path / f"{count}.sqlite"
        doomed = sqlite3.connect(path, isolation_level=None)
        for statement in _whole("\n".join(statements[:count])):
            doomed.execute(statement)
        doomed.close()  # what was not committed is gone
        write_rows(path, attempt_row())
        assert len(read_log(path)) == 1


def _whole(text):
    """Yield the statements of a script that are complete."""
    part = ""
    for line in text.splitlines():
        part += f"{line}\n"
        if sqlite3.complete_statement(part):
            yield part
            part = ""


def saved(folder):
    """Return the finished tables of a stage; every one is whole whenever it is looked at."""
    tables = {path.name: path.read_bytes() for path in folder.glob("tables/*.csv")}
    tables |= {path.name: pd.read_parquet(path).to_csv() for path in folder.glob("*.parquet")}
    return tables


def test_notebook_stage(nursery, chance, found, tmp_path):
    """Tables are whole or not there, no page stands for a stage that did not end."""
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notebooks").symlink_to(ROOT / "notebooks")
    instants = Instants(chance, nursery.finish("stage", str(tmp_path / "whole"), STUDY))
    expected = saved(tmp_path / "whole" / "outputs" / "run")
    row, folder = Row(), tmp_path / "killed" / "outputs" / "run"
    found["notebook stage"] = row
    job = ("stage", str(tmp_path / "killed"), STUDY)
    while row.kills < kills_of("notebook stage"):
        if nursery.kill(instants, *job):
            row.kills += 1
        for name, content in saved(folder).items():
            row.lost += content != expected[name]
        if (folder / "manifest.json").is_file():
            manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
            done = manifest["stages"][0]["status"] in ("run", "reused")
            assert (folder / "01_data_preparation.html").is_file() or not done
        if row.kills % 2:  # else go on in what is left
            shutil.rmtree(folder, ignore_errors=True)
    nursery.kill(instants, *job)
    nursery.finish(*job)
    assert saved(folder) == expected
    assert not list(folder.glob("*.partial.ipynb"))
    assert row.lost == 0


def test_export(nursery, chance, found, tmp_path):
    """The exported file is the old one or the new one, never a part of one."""
    folder = tmp_path / "outputs" / "run"
    folder.mkdir(parents=True)
    nursery.finish("log", str(folder), ROWS)
    row = found["export"] = Row()
    for kind in ("jsonl", "parquet"):
        path, job = folder / f"judgments.{kind}", ("export", str(tmp_path), kind)
        instants = Instants(chance, nursery.finish(*job))
        whole = path.read_bytes()
        path.write_text("the old one")
        before = row.kills
        while row.kills < before + -(-kills_of("export") // 2):
            row.kills += nursery.kill(instants, *job)
            row.lost += path.read_bytes() not in (b"the old one", whole)
            path.write_text("the old one")
        nursery.finish(*job)
        assert path.read_bytes() == whole
    assert row.lost == 0
