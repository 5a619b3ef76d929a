"""Disputed comparisons out to reviewers and back: blinded, checked row by row, nothing lost."""

import csv
import json
import zipfile

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from openpyxl import load_workbook

from posbias_kit.__main__ import cli
from posbias_kit.report import run_study
from posbias_kit.report.files import read_csv
from posbias_kit.report.review_store import read_reviews

NAMES = ("zeta-9b-chat", "omicron-instruct", "judge-kappa", "judge-lambda", "unblinded-run")
HOSTILE = "=HYPERLINK(1) </script><script>document.title='hit'</script><img src=x onerror=alert(1)>"


def study(folder):
    """Write a benchmark of eight questions, and return a study of two leaning judges on it."""
    bench = folder / "bench"
    (bench / "model_answer").mkdir(parents=True)
    ids = [f"q{n}" for n in range(8)]
    asked = [{"question_id": name, "category": "t", "turns": [f"What is {name}?"],
              "reference": [f"It is {name}, by the book."]} for name in ids]  # fmt: skip
    _lines(bench / "question.jsonl", asked)
    for name, texts in (("zeta-9b-chat", HOSTILE), ("omicron-instruct", "As ChatGPT I say: ")):
        told = [{"question_id": q, "model_id": name, "choices": [{"turns": [f"{texts} {q}"]}]}
                for q in ids]  # fmt: skip
        _lines(bench / "model_answer" / f"{name}.jsonl", told)
    quality = {"zeta-9b-chat": 0.0, "omicron-instruct": 0.0}
    planted = {"kind": "planted", "slot_effect": 6.0, "quality": quality}
    return {
        "run_name": "unblinded-run",
        "draws": 0,
        "data_preparation": {"format": "fastchat", "path": str(bench), "plan": {"repeats": 2}},
        "judging": {"judges": [{"name": name, **planted} for name in NAMES[2:4]]},
    }


def _lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def project(request, tmp_path_factory):
    """Work in a project with a run that has judged and queued its disputed comparisons."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "notebooks").symlink_to(request.config.rootpath / "notebooks")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MPLBACKEND", raising=False)
        patch.setenv("PYTHONPATH", str(request.config.rootpath))
        path = folder / "study.yaml"
        path.write_text(yaml.safe_dump(study(folder)), encoding="utf-8")
        for stage in ("data_preparation", "judging", "review"):
            run_study(path, only=stage)
        yield folder


def posbias(*words):
    """Run the command line in this process; return exit status and what was printed."""
    done = CliRunner().invoke(cli, list(map(str, words)))
    return done.exit_code, done.output


@pytest.fixture
def sheets(project, tmp_path):
    """Export to two reviewers."""
    status, printed = posbias("review", "export", "unblinded-run", "-o", tmp_path / "out",
                              "--reviewers", "anna,ben")  # fmt: skip
    assert status == 0, printed
    return tmp_path / "out"


def rows_of(path):
    """Return the rows of a CSV sheet as dicts."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(sheet, target, entries):
    """Write a copy of a CSV sheet with (decision, explanation) by row."""
    rows = rows_of(sheet)
    for row, (decision, explanation) in zip(rows, entries, strict=True):
        row.update(decision=decision, explanation=explanation)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return target


def key_of(project):
    """Return (reviewer, item, candidate) -> opaque id."""
    key = pd.read_parquet(project / "outputs/unblinded-run/review/key.parquet")
    return key.set_index(["reviewer", "item", "candidate"])["answer"].sort_index()


def test_sheets_are_blind(sheets):
    """No name of a candidate, judge or run in a field, a file's name, a page or a spreadsheet."""
    files = sorted(sheets.iterdir())
    texts = {}
    for file in files:
        if file.suffix == ".xlsx":
            with zipfile.ZipFile(file) as book:
                texts[file.name] = "".join(
                    book.read(part).decode("utf-8", "replace") for part in book.namelist()
                )
        else:
            texts[file.name] = file.read_text(encoding="utf-8-sig")

    assert [file.name for file in files] == [
        f"review_{name}{end}" for name in ("anna", "ben") for end in (".csv", ".html", ".xlsx")
    ]
    for name, text in texts.items():
        found = [word for word in NAMES if word.casefold() in (name + text).casefold()]
        assert found == [], name
        assert "What is q3?" in text
        assert "by the book" in text
        assert "Is it right?" in text


def test_every_reviewer_has_its_own_order_and_ids(sheets, project, tmp_path):
    """Both see the same comparisons, in another order; a second export is the same."""
    anna, ben = (rows_of(sheets / f"review_{name}.csv") for name in ("anna", "ben"))
    requests = [[row["request"] for row in rows] for rows in (anna, ben)]
    first = [{row["request"]: row["answer_1"] for row in rows} for rows in (anna, ben)]
    before = {file.name: file.read_bytes() for file in sheets.glob("*.[ch]*")}
    out = tmp_path / "again"
    posbias("review", "export", "unblinded-run", "-o", out, "--reviewers", "anna,ben")

    assert sorted(requests[0]) == sorted(requests[1])
    assert requests[0] != requests[1]
    assert first[0] != first[1]
    assert {row["item"] for row in anna} & {row["item"] for row in ben} == set()
    assert {f.name: f.read_bytes() for f in out.glob("*.[ch]*")} == before


def test_answers_that_name_a_model_are_counted_on_export(project, tmp_path):
    """All eight answers of one candidate name ChatGPT."""
    _, printed = posbias("review", "export", "unblinded-run", "-o", tmp_path, "--reviewers", "cleo")
    table = read_csv(project / "outputs/unblinded-run/tables/model_mentions.csv")

    assert "8 answers name a model themselves" in printed
    assert set(table["mention"]) == {"ChatGPT"}


def test_round_trip(sheets, project, tmp_path):
    """One reviewer disagrees, one leaves rows empty, one enters a wrong id; the report tells."""
    ids, count = key_of(project), 8
    anna, ben = (rows_of(sheets / f"review_{name}.csv") for name in ("anna", "ben"))
    zeta = [(ids["anna", row["item"], "zeta-9b-chat"], f"=why {n}") for n, row in enumerate(anna)]
    omicron = {row["request"]: ids["ben", row["item"], "omicron-instruct"] for row in ben}
    other = [(omicron[row["request"]], "no") for row in ben]
    other[0] = (zeta[0][0], "an id of another sheet")
    other[1] = other[2] = ("", "")
    other[3] = ("TIE", "")
    other[4] = ("insufficient evidence", "cannot tell")
    verdicts = (project / "outputs/unblinded-run/verdicts.parquet").read_bytes()
    filled = [fill(sheets / f"review_{name}.csv", tmp_path / f"{name}.csv", told)
              for name, told in (("anna", zeta), ("ben", other))]  # fmt: skip
    status, printed = posbias("review", "import", "unblinded-run", *filled)

    assert status == 1
    assert "12 new decisions, 0 revised, 0 as before, 2 rows still open, 2 refused" in printed
    assert f"ben.csv, row 2: the decision is no answer of this item: {zeta[0][0]!r}" in printed
    assert all(answer in printed for answer in ids["ben", ben[0]["item"]])
    assert "ben.csv, row 5: no explanation of the decision" in printed
    assert "cure: mend this row" in printed
    table = read_reviews(project / "outputs/unblinded-run")
    assert table["reviewer"].value_counts().to_dict() == {"anna": count, "ben": 4}
    assert set(table.loc[table["reviewer"] == "anna", "decision"]) == {"zeta-9b-chat"}
    assert set(table.loc[table["reviewer"] == "anna", "explanation"]) == {
        f"=why {n}" for n in range(count)
    }
    assert (project / "outputs/unblinded-run/verdicts.parquet").read_bytes() == verdicts

    run_study(project / "study.yaml", only="review")
    tables = project / "outputs/unblinded-run/tables"
    beside = read_csv(tables / "reviews.csv")
    assert beside["reviewers_differ"].sum() == 4
    assert (beside["settled"] == "").sum() == 4  # insufficient against an answer settles nothing
    pair = read_csv(tables / "reviewer_agreement.csv")
    assert pair[["reviewer", "other", "instances", "agreement"]].values.tolist() == [
        ["anna", "ben", 3, 0.0]
    ]
    page = (project / "outputs/unblinded-run/07_review.html").read_text(encoding="utf-8")
    assert "the decision is no answer of this item" in page


def test_a_sheet_of_the_old_texts_is_refused(sheets, project, tmp_path):
    """Texts that changed get ids of their own, so that no word on the old ones counts for them."""
    ids = key_of(project)
    rows = rows_of(sheets / "review_ben.csv")
    told = [(ids["ben", row["item"], "zeta-9b-chat"] if n else "TIE", "old")
            for n, row in enumerate(rows)]  # fmt: skip
    filled = fill(sheets / "review_ben.csv", tmp_path / "ben.csv", told)
    path = project / "outputs/unblinded-run/answers.parquet"
    before = path.read_bytes()
    answers = pd.read_parquet(path)
    answers["turns"], answers["digest"] = '["new"]', "new " + answers["candidate"]
    answers.to_parquet(path)
    posbias("review", "export", "unblinded-run", "-o", tmp_path / "new", "--reviewers", "ben")
    status, printed = posbias("review", "import", "unblinded-run", filled)
    path.write_bytes(before)

    assert status == 1
    assert printed.startswith("0 new decisions, 0 revised, 0 as before, 0 rows still open, 8 refu")
    assert "the answer is not the text that was shown" in printed


def test_export_and_import_again_lose_nothing(sheets, project, tmp_path):
    """What was decided stands in the next sheets, of each kind, and coming back it is as before."""
    anna = rows_of(sheets / "review_anna.csv")
    told = [("TIE", f"=1+1 \"{n}\"\nand é, 'more'") for n in range(len(anna))]
    filled = fill(sheets / "review_anna.csv", tmp_path / "anna.csv", told)
    posbias("review", "import", "unblinded-run", filled)
    before = read_reviews(project / "outputs/unblinded-run")
    out = tmp_path / "again"
    posbias("review", "export", "unblinded-run", "-o", out, "--reviewers", "anna,ben")
    for name in ("review_anna.csv", "review_anna.xlsx", "review_ben.csv"):
        status, printed = posbias("review", "import", "unblinded-run", out / name)
        assert (status, printed.split(",")[0]) == (0, "0 new decisions"), name
        assert " 0 revised" in printed
    again = read_reviews(project / "outputs/unblinded-run")

    pd.testing.assert_frame_equal(again, before)
    assert [row["decision"] for row in rows_of(out / "review_anna.csv")] == ["TIE"] * len(anna)


def test_a_broken_file_keeps_no_other_out(sheets, project, tmp_path):
    """It is refused as a whole, with its name; the rows of the sheet beside it are looked at."""
    broken, gone = tmp_path / "broken.xlsx", tmp_path / "gone.csv"
    broken.write_bytes(b"no spreadsheet")
    status, printed = posbias(
        "review", "import", "unblinded-run", broken, gone, sheets / "review_ben.csv"
    )

    assert status == 1
    *looked_at, unread = (int(part.split()[0]) for part in printed.splitlines()[0].split(", "))
    assert (sum(looked_at), unread) == (8, 2)
    assert "broken.xlsx, the whole file: not readable as a sheet" in printed
    assert "gone.csv, the whole file: no such file" in printed
    refused = read_csv(project / "outputs/unblinded-run/review/refused.csv")
    assert refused["file"].tolist() == ["broken.xlsx", "gone.csv"]


def test_a_filled_spreadsheet_is_taken(sheets, project, tmp_path):
    """Entered in the cells; a decision changed later is the next version."""
    book = load_workbook(sheets / "review_ben.xlsx")
    sheet = book.active
    head = [cell.value for cell in sheet[1]]
    sheet.cell(2, head.index("decision") + 1).value = "tie"
    sheet.cell(2, head.index("explanation") + 1).value = 42
    book.save(tmp_path / "ben.xlsx")
    status, printed = posbias("review", "import", "unblinded-run", tmp_path / "ben.xlsx")
    item = sheet.cell(2, head.index("item") + 1).value
    ids = key_of(project)["ben", item]
    table = read_reviews(project / "outputs/unblinded-run")
    last = table[table["file"] == "ben.xlsx"].iloc[-1]

    assert status == 0, printed
    assert len(ids) == 2
    assert last[["reviewer", "decision", "explanation"]].tolist() == ["ben", "TIE", "42"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "reviewer,item\nanna,x\n", "no column 'decision', 'explanation'"),
        ("a.csv", "", "not readable as a sheet: the file is empty"),
        ("a.xlsx", "no zip", "not readable as a sheet"),
        ("a.txt", "x", "a file that ends in '.txt'"),
        ("missing.csv", None, "no such file"),
    ],
)
def test_files_that_are_no_sheets_are_refused(sheets, tmp_path, name, text, words):
    """Whole files are refused with their name, and nothing is taken."""
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    status, printed = posbias("review", "import", "unblinded-run", path)

    assert status == 1
    assert words in printed
    assert name in printed


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("zoe,x,TIE,y", "row 2: unknown reviewer: 'zoe'"),
        ("anna,x,TIE,y", "row 2: no item of this reviewer: 'x'"),
    ],
)
def test_rows_of_nobody_are_refused(sheets, tmp_path, row, words):
    """A reviewer or an item that was never exported."""
    path = tmp_path / "a.csv"
    path.write_text(f"reviewer,item,decision,explanation\n{row}\n", encoding="utf-8")
    status, printed = posbias("review", "import", "unblinded-run", path)

    assert status == 1
    assert words in printed


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("anna,anna", "'anna' stands twice"),
        ("judge-kappa", "'judge-kappa' is a candidate or judge of this run"),
        ("zeta-9b-chat", "'zeta-9b-chat' is a candidate or judge of this run"),
        ("a/b", "'a/b' cannot stand in the name of a file"),
    ],
)
def test_reviewers_need_names_of_their_own(project, tmp_path, names, words):
    """A name twice, a judge's, a candidate's, or one that is no file's name."""
    command = ("review", "export", "unblinded-run", "-o", tmp_path, "--reviewers", names)
    status, printed = posbias(*command)

    assert status == 1
    assert words in printed
    assert list(tmp_path.iterdir()) == []
