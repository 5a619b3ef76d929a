"""The judgment log: append-only, one writer, complete after a kill, readable anywhere."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys

import pytest
from log_rows import attempt_row as row
from log_rows import write_rows as write

from posbias_kit.errors import ReadError, RunError
from posbias_kit.judging.log import JudgmentLog
from posbias_kit.judging.log_table import iterate_log, read_log, read_states


@pytest.fixture
def path(tmp_path):
    """Return the path of a log with three attempts of two calls."""
    failed = row("c1", 1, "failed", reason="timeout", input_tokens=None)
    return write(
        tmp_path / "judgments.sqlite",
        failed,
        row("c1", 2, input_tokens=10, output_tokens=2, cost=0.5),
        row("c2", 1, "invalid", reason="empty", output_tokens=3),
    )


@pytest.mark.parametrize("command", ["UPDATE attempts SET choice = 2", "DELETE FROM attempts"])
def test_nothing_is_changed_or_deleted(path, command):
    """Triggers refuse it, whoever asks."""
    with sqlite3.connect(path) as file, pytest.raises(sqlite3.DatabaseError, match="append-only"):
        file.execute(command)

    assert len(read_log(path)) == 3


def test_best_attempt_is_the_state(path):
    """A verdict comes before a reply without one, a reply before a failure, the last of equals."""
    write(path, row("c1", 3, "failed", reason="timeout"), row("c2", 2, "invalid", reason="refusal"))
    states = read_states(path)

    assert states["c1"] == ("ok", "", 1, None, 3)
    assert states["c2"] == ("invalid", "refusal", None, None, 2)
    assert read_states(path.with_name("none.sqlite")) == {}


def test_call_has_one_verdict(path):
    """A second verdict of a call is refused by the file itself, and so is an attempt twice."""
    for again in (row("c1", 3), row("c2", 1, "invalid")):
        with pytest.raises(sqlite3.IntegrityError):
            write(path, again)


def test_failing_row_does_not_stop_later_ones(path):
    """Whoever handed in a bad row hears of it; the log goes on."""

    async def add():
        with pytest.raises(sqlite3.IntegrityError):
            await log.add(row("c1", 1))
        await log.add(row("c3"))

    with JudgmentLog(path) as log:
        asyncio.run(add())
    assert "c3" in read_states(path)


def test_totals_are_counted(path):
    """Attempts, tokens and money add up; what is not known counts nothing."""
    with JudgmentLog(path) as log:
        assert log.totals() == (3, 15, 0.5)


def test_second_process_is_refused(path):
    """While one process judges, another is turned away, and free to start afterwards."""
    code = (
        "import sys\nfrom posbias_kit.judging.log import JudgmentLog\n"
        "with JudgmentLog(sys.argv[1]): print('open')"
    )
    command = [sys.executable, "-c", code, str(path)]
    with JudgmentLog(path):
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        with pytest.raises(RunError, match="another process is judging"), JudgmentLog(path):
            pass

    assert "another process is judging in this run" in refused.stderr
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "open\n"


def test_copy_opens_from_a_read_only_folder(path, tmp_path):
    """After the run no companion file is needed and nothing has to be written."""
    folder = tmp_path / "copy"
    folder.mkdir()
    shutil.copy(path, folder)
    assert [file.name for file in tmp_path.glob("*.sqlite-*")] == []
    for mode, entry in ((0o444, folder / path.name), (0o555, folder)):
        entry.chmod(mode)
    try:
        assert len(read_log(folder / path.name)) == 3
        with sqlite3.connect(folder / path.name) as file:
            assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    finally:
        folder.chmod(0o755)


def test_log_is_readable_while_it_is_written(path):
    """A plan or an export does not disturb the run."""
    with JudgmentLog(path) as log:
        asyncio.run(log.add(row("c9")))
        assert len(list(iterate_log(path))) == 4


def test_types_survive(path):
    """Text stays text, whole numbers stay whole beside gaps."""
    frame = read_log(path)

    assert frame["input_tokens"].tolist()[1] == 10
    assert str(frame["choice"].dtype) == "Int64"
    assert frame["raw"].tolist() == ['é "🙂"'] * 3


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be one" * 20, None])
def test_foreign_file_is_refused(tmp_path, content):
    """Something else under the log's name is neither read nor overwritten."""
    path = tmp_path / "judgments.sqlite"
    if content is None:
        with sqlite3.connect(path) as file:
            file.execute("CREATE TABLE mine (x)")
    else:
        path.write_bytes(content)
    before = path.read_bytes()

    with pytest.raises(ReadError, match="not readable as a judgment log"), JudgmentLog(path):
        pass
    with pytest.raises(ReadError, match="not readable as a judgment log"):
        read_log(path)
    assert path.read_bytes() == before
