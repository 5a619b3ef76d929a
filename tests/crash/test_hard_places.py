"""Full disks, closed folders, two runs at once, a clock that goes back, logs of other versions."""

import asyncio
import errno
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from fault_server import FaultServer, steady
from live_studies import judge, live, tables
from log_rows import attempt_row, write_rows

from posbias_kit.__main__ import cli
from posbias_kit.errors import ReadError, RunError
from posbias_kit.hold import hold_folder
from posbias_kit.judging import ask
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import VERSION, read_log
from posbias_kit.report.files import replacing, write_csv, write_text

ROOT = Path(__file__).parents[2]
HOLD = """
import os, sys, time
from pathlib import Path
from posbias_kit.hold import hold_folder
with hold_folder(Path(sys.argv[1])):
    print(os.getpid(), flush=True)
    time.sleep(60)
"""


def mounted(folder, options):
    """Mount a small file system in memory, or skip."""
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    done = mount and subprocess.run(command, capture_output=True, text=True, check=False)
    if not done or done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip() if done else ''}")


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder on a disk of 256 KiB."""
    mounted(tmp_path / "small", "size=256k")
    yield tmp_path / "small"
    subprocess.run(["umount", str(tmp_path / "small")], check=True)


@pytest.fixture
def read_only(tmp_path):
    """Return a folder that cannot be written, by mount where root ignores permissions."""
    folder = tmp_path / "closed"
    mounted(folder, "size=256k")
    (folder / "outputs").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def short_files():
    """Let no file of this process grow beyond 100 KiB: an error, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 * 1024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def check_full(folder):
    """Write rows until it is full: said in words, what was acknowledged is there and readable."""
    path, kept = folder / "judgments.sqlite", []

    async def fill(log):
        for number in range(1000):
            await log.add(attempt_row(f"c{number}", raw="x" * 2000))
            kept.append(f"c{number}")

    with JudgmentLog(path) as log, pytest.raises(RunError, match=r"cannot be written") as caught:
        asyncio.run(fill(log))
    assert "free space" in str(caught.value)
    assert kept
    assert set(kept) <= set(read_log(path)["call"])
    return path, kept


def test_full_disk_loses_nothing(small_disk, tmp_path):
    """Once there is space again the log goes on where it was."""
    path, kept = check_full(small_disk)
    with pytest.raises(RunError, match=r"table\.csv: cannot be written: No space left"):
        write_csv(pd.DataFrame({"text": ["x" * 300_000]}), small_disk / "table.csv")
    assert not list(small_disk.glob("*table*"))
    for file in small_disk.glob("judgments*"):
        shutil.copy(file, tmp_path)
    write_rows(tmp_path / path.name, attempt_row("more"))
    assert {*kept, "more"} <= set(read_log(tmp_path / path.name)["call"])


def test_file_that_may_not_grow_loses_nothing(tmp_path, short_files):
    """A limit on the size of files ends the run in words, like a full disk."""
    check_full(tmp_path)


def test_run_on_a_full_disk_stops_asking(small_disk):
    """The judge is not asked on where no reply can be kept; each that was kept counts."""
    with FaultServer(steady(text="long " * 2000 + "[[A]]")) as server:
        with pytest.raises(RunError, match="cannot be written"):
            judge(live(server.url, limits={"concurrency": 4}), tables(200), small_disk)
        assert server.attempts.total() < 100


def test_read_only_folder_is_said(read_only, monkeypatch):
    """Nothing can be written: an error in words, before anybody is asked, and no lie of a rival."""
    with pytest.raises(RunError, match=r"cannot be written: ") as caught, JudgmentLog(
        read_only / "outputs" / "judgments.sqlite"
    ):  # fmt: skip
        pass
    assert "another process" not in str(caught.value)
    with pytest.raises(RunError, match="cannot be written: Read-only"), hold_folder(
        read_only / "outputs" / "run"
    ):  # fmt: skip
        pass
    with pytest.raises(RunError, match="cannot be written: Read-only"):
        write_text(read_only / "outputs" / "index.html", "x")


def test_read_only_project_ends_with_a_message(read_only, monkeypatch):
    """The command line ends with status 1 and one message, without a traceback."""
    monkeypatch.setattr("posbias_kit.report.chain.project_root", lambda: read_only)
    monkeypatch.setattr("posbias_kit.report.chain.plan_run", lambda *_: [])
    done = CliRunner().invoke(cli, ["run", str(ROOT / "params" / "demo.yaml"), "--yes"])

    assert done.exit_code == 1
    assert "cannot be written" in done.output
    assert "Traceback" not in done.output


def test_second_run_in_a_folder_is_told_by_whom(tmp_path):
    """The holder's process id is named; once it is gone, even killed, the folder is free."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "run")]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    number = int(holder.stdout.readline())
    said = f"another process runs a study in this folder: process {number}"
    with pytest.raises(RunError, match=said), hold_folder(tmp_path / "run"):
        pass
    holder.kill()
    holder.communicate()
    with hold_folder(tmp_path / "run"):
        pass


def test_second_writer_of_a_log_is_told_by_whom(tmp_path):
    """So it is with the judgment log, which a notebook run by hand may hold."""
    path = tmp_path / "judgments.sqlite"
    with JudgmentLog(path), closing(sqlite3.connect(tmp_path / f".{path.name}.lock")) as lock:
        (number,) = lock.execute("PRAGMA user_version").fetchone()
        with pytest.raises(RunError, match=rf"judging in this run: process {number}\n"):
            JudgmentLog(path).__enter__()


def test_somebody_who_reads_does_not_end_a_run(tmp_path):
    """A reader that holds the log at the end keeps it from being tidied, not from being whole."""
    path = write_rows(tmp_path / "judgments.sqlite", *(attempt_row(f"c{n}") for n in range(3)))
    with closing(sqlite3.connect(path)) as reader:
        with JudgmentLog(path) as log:
            asyncio.run(log.add(attempt_row("c9")))
            log._file.execute("PRAGMA busy_timeout=10")  # not to wait for it here
            rows = reader.execute("SELECT * FROM attempts")
            rows.fetchone()
        assert len(rows.fetchall()) == 3
    assert len(read_log(path)) == 4


def test_clock_that_goes_back_changes_no_verdict(tmp_path, monkeypatch):
    """Rows keep the order of writing, the best attempt is the state, deadlines still hold."""
    moments = iter(range(10_000))

    class Backwards(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime(2026, 1, 1, tzinfo=UTC) - timedelta(minutes=next(moments))

    with FaultServer(steady(text="[[A]]")) as server:
        expected = judge(
            live(server.url, limits={"concurrency": 1}), tables(5), tmp_path / "forwards"
        )
        monkeypatch.setattr(ask, "datetime", Backwards)
        told = judge(live(server.url, limits={"concurrency": 1}), tables(5), tmp_path / "backwards")
        again = judge(
            live(server.url, limits={"concurrency": 1}), tables(5), tmp_path / "backwards"
        )

    log = read_log(tmp_path / "backwards" / "judgments.sqlite")
    assert log["time"].is_monotonic_decreasing
    assert len(log) == 10
    assert told.equals(expected)
    assert told.equals(again)


@pytest.mark.parametrize(
    ("version", "cure"),
    [(VERSION + 1, "take the newer version of the kit"), (0, "move the file aside")],
    ids=["newer", "older"],
)
def test_log_of_another_version_is_refused_in_words(tmp_path, version, cure):
    """Neither read nor overwritten: its version, this kit's and the cure are named."""
    path = write_rows(tmp_path / "judgments.sqlite", attempt_row())
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA user_version={version}")
    before = path.read_bytes()
    for look in (lambda: read_log(path), lambda: JudgmentLog(path).__enter__()):
        with pytest.raises(ReadError, match=f"version {version}, this kit reads {VERSION}") as told:
            look()
        assert cure in str(told.value)

    assert path.read_bytes() == before


def test_other_errors_keep_their_own_words(tmp_path):
    """Only what means full or closed is reworded."""

    def fail(number):
        with replacing(tmp_path / "a.txt"):
            raise OSError(number, "so it is")

    with pytest.raises(RunError, match="cannot be written: No space left"):
        fail(errno.ENOSPC)
    with pytest.raises(OSError, match="so it is"):
        fail(errno.ENOTDIR)
