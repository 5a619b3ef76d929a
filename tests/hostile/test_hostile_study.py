"""A whole study of hostile names and texts: nothing runs, nothing leaves the run's folder."""

import json

import pandas as pd
import pytest
from browsing import open_page
from fault_server import FaultServer, Meeting
from hostile_texts import HALF, LONG, NAMES, TEXTS
from live_studies import judge, live, tables
from run_in_process import run_notebooks

from posbias_kit.analysis import labels_in_answers, position_bias
from posbias_kit.errors import ParamsError
from posbias_kit.judging.log_table import iterate_log
from posbias_kit.judging.prompts import load_template
from posbias_kit.params import check_study
from posbias_kit.report import run_study
from posbias_kit.report.files import read_csv
from posbias_kit.report.judgments import export_judgments

STUDY = {
    "run_name": "hostile", "draws": 20, "families": {NAMES[4]: [NAMES[0]]},
    "data_preparation": {"format": "swap_columns", "path": "judgments.jsonl"},
    "disagreement": {"splits": 5},
}  # fmt: skip


def write_judgments(path):
    """Write judgments whose every name and text is hostile: three judges, two candidates."""
    rows = [
        {"question_id": f"{text} {number}", "model_a": NAMES[3], "model_b": NAMES[6],
         "judge_id": name, "winner_ab": "AB"[number % 2], "winner_ba": "AB"[(number + at) % 2],
         "judgment_ab": text, "judgment_ba": f"{text} [[A]]", "category": NAMES[number % 2]}
        for at, name in enumerate((NAMES[0], NAMES[1], NAMES[2]))
        for number, text in enumerate(TEXTS)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory, request):
    """Run every chapter on them, the first one in a kernel; return the project's folder."""
    outside = tmp_path_factory.mktemp("around")
    folder = outside / "project"
    folder.mkdir()
    (folder / "notebooks").symlink_to(request.config.rootpath / "notebooks")
    write_judgments(folder / "judgments.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MPLBACKEND", "Agg")
        run_notebooks(check_study(STUDY), folder / "notebooks")
        patch.delenv("MPLBACKEND")
        patch.setenv("PYTHONPATH", str(request.config.rootpath))
        run_study(STUDY, only="data_preparation", progress=False)
    assert {path.name for path in outside.iterdir()} == {"project"}
    assert {path.name for path in folder.iterdir()} == {"notebooks", "judgments.jsonl", "outputs"}
    assert [path.name for path in (folder / "outputs").iterdir()] == ["hostile"]
    return folder


def test_names_can_be_anything(project):
    """Every judge has its row under its own name, and no file is called after anything read."""
    run = project / "outputs" / "hostile"
    table = read_csv(run / "tables" / "position_bias_by_judge.csv")

    assert set(table["judge"]) == {NAMES[0], NAMES[1], NAMES[2]}
    assert table["series"].eq(len(TEXTS)).all()
    names = [path.name for path in run.rglob("*")]
    assert [name for name in names if not name.isascii() or set(name) & set("<>\"'=/\\:*?")] == []


def test_nothing_runs_in_the_pages(project, browser):
    """Chromium opens each page: no script of the data's, no address asked, text shown as text."""
    pages = sorted((project / "outputs" / "hostile").rglob("*.html"))

    assert {"index.html", "01_data_preparation.html", "worksheet.html"} <= {p.name for p in pages}
    for path in pages:
        page = open_page(browser, path, 1200)
        assert page.evaluate("window.ran") is None, path.name
        assert page.messages == [], path.name
        assert page.locator("body").is_visible()
        assert page.eval_on_selector_all("iframe, object, embed, svg[onload]", "x => x.length") == 0
        links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
        assert [link for link in links if link.startswith(("javascript:", "http"))] == []
        page.close()


def test_hostile_texts_are_asked_about_and_kept(tmp_path, monkeypatch):
    """Answers and replies of every kind: each call has its verdict, and the log all of its text."""
    monkeypatch.chdir(tmp_path)
    study = tables(len(TEXTS))
    first = study.answers["candidate"] == "m1"
    study.answers.loc[first, "turns"] = [json.dumps([text]) for text in TEXTS]
    told = [*TEXTS[:-1], LONG]

    def script(key, attempt, body):
        return Meeting(text=f"{told[int(key[:6], 16) % len(told)]}\n\n[[B]]")

    brackets = load_template("brackets")
    with FaultServer(script, keep=True) as server:
        asked = live(server.url, template=brackets, name=NAMES[1], limits={"timeout": 60})
        verdicts = judge(asked, study, tmp_path / "outputs" / "run")
        assert all(len(body["messages"]) == 2 for body in server.bodies)
    assert set(verdicts["status"]) <= {"ok", "invalid"}
    assert set(verdicts.loc[verdicts["status"] == "ok", "choice"]) <= {1, 2}
    assert position_bias(verdicts, draws=0)["judge"].tolist() == [NAMES[1]]
    path = export_judgments("run")
    lines = path.read_text("utf-8").split("\n")
    assert len([*map(json.loads, filter(None, lines))]) == 2 * len(TEXTS)
    texts = [row["text"].removesuffix("\n\n[[B]]") for row in
             iterate_log(tmp_path / "outputs" / "run" / "judgments.sqlite")]  # fmt: skip
    assert set(texts) <= set(told)


def test_half_of_a_surrogate_pair(tmp_path):
    """In a reply it is kept as an escape that can be seen; in an answer it is refused in words."""
    study = tables(1)
    with FaultServer(lambda *_: Meeting(text=f"{HALF} [[A]]")) as server:
        verdicts = judge(live(server.url), study, tmp_path)
        assert verdicts["choice"].tolist() == [1, 1]
        (text,) = {row["text"] for row in iterate_log(tmp_path / "judgments.sqlite")}
        assert text == "half \\ud800 of a pair [[A]]"
        before = server.attempts.total()
        study.answers["turns"] = json.dumps([HALF])
        with pytest.raises(ParamsError, match=r"half of a surrogate pair, \\ud800"):
            judge(live(server.url, template=load_template("brackets")), study, tmp_path)
        assert server.attempts.total() == before, "nobody was asked"


def test_labels_planted_in_candidates_are_counted():
    """The report says how many texts of each candidate hold a label."""
    answers = pd.DataFrame({"benchmark": "B", "candidate": NAMES[0], "question": range(13),
                            "turns": [json.dumps([text]) for text in TEXTS]})  # fmt: skip
    (row,) = labels_in_answers(answers, ["mtbench_brackets"]).to_dict("records")

    assert (row["candidate"], row["answers"], row["with_label"]) == (NAMES[0], 13, 2)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_structure_of_the_prompt_stays(text):
    """The judge is shown two answers, each between its own marks, whatever they hold."""
    study = tables(1)
    question = next(study.questions.itertuples())
    prompt = load_template("brackets").render(question, [[text], ["plain"]])
    plain = load_template("brackets").render(question, [["plain"], ["plain"]])

    for mark in ("[The start of answer A]", "[The end of answer A]", "[The start of answer B]"):
        counts = [p.messages[-1][1].lower().count(mark.lower()) for p in (prompt, plain)]
        assert counts[0] == counts[1] == 1
