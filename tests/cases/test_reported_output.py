"""Reported faults of what comes out: pages, encodings, exports, secrets: B27 to B30."""

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from fault_server import FaultServer, Meeting, steady
from live_studies import judge, live, tables
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from openpyxl import load_workbook

from posbias_kit.__main__ import cli
from posbias_kit.errors import ParamsError, RunError
from posbias_kit.judging.protocol import read_key
from posbias_kit.params import read_study
from posbias_kit.report.cells import write_xlsx
from posbias_kit.report.html import page_html
from posbias_kit.report.judgments import export_judgments
from posbias_kit.report.tables import table_html
from posbias_kit.report.worksheet import sheet_html, write_safe_csv

ROOT = Path(__file__).parents[2]
HOSTILE = "ok <script>alert(1)</script><img src=x onerror=alert(2)></div><b>[[A]]"
LONG, CONTROL, FORMULA = "long " * 8_000, "a\vb", '=HYPERLINK("http://x.example","c")'
SECRET = "sk-TEST-1234"  # noqa: S105, planted


@pytest.mark.parametrize("kind", ["text/html", "text/markdown", "text/plain"])
def test_b27_model_text_is_no_live_html(kind):
    """Whichever way the reply reaches a page it is text, and what follows is intact."""
    cells = [
        new_code_cell("1", outputs=[new_output("display_data", data={kind: HOSTILE})]),
        new_markdown_cell("After it."),
    ]
    soup = BeautifulSoup(page_html(new_notebook(cells=cells), "r"), "html.parser")

    assert soup.find_all(["script", "img"]) == []
    assert not [name for tag in soup.find_all(True) for name in tag.attrs if name.startswith("on")]
    assert "ok <script>alert(1)</script><img src=x onerror=alert(2)>" in soup.get_text()
    assert soup.find(string="After it.").find_parent(["b", "pre"]) is None


def test_b27_tables_show_it_as_text():
    """In a table of a page and in the worksheet alike; nothing is cut."""
    frame = pd.DataFrame({"judge": [HOSTILE], "raw": [f"{HOSTILE}{'x' * 200}"]})
    for html in (table_html(frame), sheet_html(frame, HOSTILE)):
        soup = BeautifulSoup(html, "html.parser")

        assert soup.find_all("img") == []
        assert "alert(1)" not in "".join(tag.get_text() for tag in soup.find_all("script"))
        assert f"{HOSTILE}{'x' * 200}" in soup.get_text()


def test_b28_encoding_of_the_platform_makes_no_difference(tmp_path):
    """A C locale and UTF-8 mode off: the same bytes, and a byte-order mark is no part of a key."""
    row = {"question_id": "Was heißt 你好 🙂?", "model_a": "é", "model_b": "y", "judge_id": "🙂"}
    row |= {"winner_ab": "A", "winner_ba": "B"}
    path = tmp_path / "judgments.jsonl"
    path.write_text("\ufeff" + json.dumps(row, ensure_ascii=False), encoding="utf-8")
    written = []
    for name, locale in (("c.csv", "C"), ("utf8.csv", "C.UTF-8")):
        words = ["-m", "posbias_kit", "read", "swap_columns", str(path), "-o", name]
        environment = os.environ | {"LC_ALL": locale, "PYTHONPATH": str(ROOT)}
        environment |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        written.append((tmp_path / name).read_bytes())

    assert written[0] == written[1]
    assert "Was heißt 你好 🙂?".encode() in written[0]


def test_b29_export_of_the_log_is_complete(tmp_path, monkeypatch):
    """Long texts, control characters and formulas stand in the JSON lines as they came."""
    monkeypatch.chdir(tmp_path)
    raw = f"{LONG}{CONTROL}{FORMULA} [[A]]"
    with FaultServer(steady(text=raw)) as server:
        judge(live(server.url), tables(1), tmp_path / "outputs" / "run")
    path = export_judgments("run")

    assert [json.loads(line)["text"] for line in path.open(encoding="utf-8")] == [raw] * 2
    assert pd.read_parquet(export_judgments("run", "parquet"))["text"].tolist() == [raw] * 2


def test_b29_spreadsheet_says_what_it_cannot_hold(tmp_path):
    """Cut cells say how long the text is and where it stands whole; nothing acts."""
    frame = pd.DataFrame({"raw": [LONG, CONTROL, FORMULA]})
    write_xlsx(frame, tmp_path / "sheet.xlsx", "sheet")
    cells = [row[0] for row in load_workbook(tmp_path / "sheet.xlsx").active.iter_rows(min_row=2)]

    assert cells[0].value.startswith("long long")
    assert cells[0].value.endswith("[cut: 40000 characters, see the page or the CSV]")
    assert cells[1].value == "a\N{REPLACEMENT CHARACTER}b"
    assert (cells[2].value, cells[2].data_type) == (FORMULA, "s")
    write_safe_csv(frame, tmp_path / "sheet.csv")
    lines = (tmp_path / "sheet.csv").read_text("utf-8-sig")
    assert LONG in lines
    assert "\"'=HYPERLINK" in lines


@pytest.mark.parametrize("setting", ["api_key", "judging.api_key", "families.secret", "run_name"])
def test_b30_secrets_are_no_parameters(tmp_path, monkeypatch, setting):
    """Refused by name or by look, with no part of the value in the message; nothing is written."""
    monkeypatch.chdir(tmp_path)
    study = ROOT / "params" / "demo.yaml"
    done = CliRunner().invoke(cli, ["run", str(study), "--set", f"{setting}={SECRET}"])

    assert done.exit_code == 1
    assert "looks like a secret" in done.output
    assert "environment variables" in done.output
    assert not {SECRET, SECRET[:4], SECRET[-4:]} & set(done.output.split())
    assert SECRET[-4:] not in done.output
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ParamsError, match="looks like a secret"):
        read_study(study, [f"{setting}={SECRET}"])


def test_b30_key_comes_from_a_file_that_the_environment_names(tmp_path, monkeypatch):
    """JUDGE_KEY_FILE names the file; what cannot be read is said without its text."""
    (tmp_path / "key").write_text(f"{SECRET}\n", encoding="utf-8")
    monkeypatch.setenv("JUDGE_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.delenv("JUDGE_KEY", raising=False)

    assert read_key("JUDGE_KEY", "j") == SECRET
    monkeypatch.setenv("JUDGE_KEY_FILE", str(tmp_path))
    with pytest.raises(ParamsError, match="JUDGE_KEY_FILE names cannot be read"):
        read_key("JUDGE_KEY", "j")


@pytest.mark.parametrize("fault", ["http_401", "http_400", "http_500"])
def test_b30_key_is_in_no_traceback(tmp_path, monkeypatch, fault):
    """An endpoint that repeats the key, whole or masked: neither message nor traceback has it."""
    monkeypatch.setenv("JUDGE_KEY", SECRET)
    masked = f"{SECRET[:4]}****{SECRET[-4:]}"
    met = Meeting(fault, options={"message": f"bad key {SECRET} or {masked}"})
    with FaultServer(lambda *_: met) as server, pytest.raises(RunError) as caught:
        judge(live(server.url, key_env="JUDGE_KEY", limits={"attempts": 1}), tables(1), tmp_path)

    told = "".join(traceback.format_exception(caught.value))
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "[key]" in files.decode("utf-8", "replace")
    for part in (SECRET, masked, SECRET[-4:]):
        assert part not in told
        assert part.encode() not in files
