"""The reviewer's page in a real browser, by the keyboard alone."""

import csv

import pandas as pd
import pytest

from posbias_kit.report.blind import blind_items
from posbias_kit.report.review_files import write_sheets
from posbias_kit.report.review_import import read_sheet
from posbias_kit.report.worksheet import sheet_html

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

HOSTILE = "</script><script>document.title='hit'</script>"
HOSTILE += "<img src=x onerror=\"document.title='hit'\">"


def tables(count=3):
    """Return queue, questions and answers of so many hostile comparisons."""
    ids = [f"q{n}" for n in range(count)]
    place = {"benchmark": "B", "experiment": "", "arm": "", "turn": ""}
    queue = pd.DataFrame({**place, "comparison": ids, "question": ids,
                          "candidates": '["a", "b"]'})  # fmt: skip
    questions = pd.DataFrame({"benchmark": "B", "question": ids, "turns": '["Ask {} \\u2028"]',
                              "reference_answer": None, "guidance": HOSTILE})  # fmt: skip
    text = HOSTILE.replace('"', '\\"')
    questions["turns"] = [f'["Ask {name} {text}"]' for name in ids]
    answers = pd.DataFrame([
        {"benchmark": "B", "question": name, "candidate": who, "digest": "d",
         "turns": f'["{who.upper()} on {name} {text}"]'}
        for name in ids for who in "ab"
    ])  # fmt: skip
    return queue, questions, answers


@pytest.fixture
def sheet(tmp_path):
    """Write the sheets of one reviewer; return the items and the page's path."""
    items, _ = blind_items(*tables(), "Look.", "anna", 1, "secret")
    write_sheets(items, "anna", tmp_path)
    return items, tmp_path / "review_anna.html"


def open_page(context, path):
    """Open a page, and note every message, error and request of it."""
    page = context.new_page()
    page.noted = []
    page.on("console", lambda message: page.noted.append(message.text))
    page.on("pageerror", lambda error: page.noted.append(str(error)))
    page.on("dialog", lambda dialog: page.noted.append(dialog.message))
    page.on("request", lambda request: request.url.startswith(("file:", "blob:"))
            or page.noted.append(request.url))  # fmt: skip
    page.goto(path.as_uri())
    return page


def test_keyboard_alone_fills_saves_and_reloads(browser, sheet, tmp_path):
    """Keys choose, explain and go on; state outlives a reload; the saved file is importable."""
    items, path = sheet
    context = browser.new_context(accept_downloads=True)
    page = open_page(context, path)
    keys = page.keyboard
    keys.press("2")
    keys.press("e")
    keys.type('=1+1, "nts" 2\nand é')  # letters and digits of commands are text here
    keys.press("Escape")
    keys.press("n")
    keys.press("t")
    keys.press("ArrowRight")
    keys.press("i")
    keys.press("e")
    keys.type("cannot tell")
    keys.press("Escape")
    assert page.text_content("#number") == "3 of 3"
    assert page.text_content("#done") == "2 of 3 done, 1 without decision or explanation"
    page.reload()
    assert page.text_content("#number") == "3 of 3"
    assert page.input_value("#explanation") == "cannot tell"
    keys.press("u")
    assert page.text_content("#number") == "2 of 3"
    keys.press("p")
    assert page.text_content(".answer.chosen h2").startswith("Answer 2 (")
    with page.expect_download() as download:
        keys.press("s")
    download.value.save_as(tmp_path / "saved.csv")

    assert download.value.suggested_filename == "review_anna.filled.csv"
    assert page.text_content("#status").endswith("1 items are still open.")
    saved = [entry for _, entry in read_sheet(tmp_path / "saved.csv")]
    wanted = [
        (items[0]["item"], items[0]["answers"][1][0], '=1+1, "nts" 2\nand é'),
        (items[1]["item"], "TIE", ""),
        (items[2]["item"], "INSUFFICIENT", "cannot tell"),
    ]
    assert [(e["item"], e["decision"], e["explanation"]) for e in saved] == wanted
    assert {entry["reviewer"] for entry in saved} == {"anna"}
    with (tmp_path / "saved.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["explanation"].startswith("'=1+1")
    assert page.noted == []
    context.close()


def test_a_saved_file_opens_elsewhere(browser, sheet, tmp_path):
    """In a browser that knows nothing, the saved entries come back."""
    items, path = sheet
    rows = [["sheet", "reviewer", "item", "decision", "explanation"],
            ["x", "anna", items[1]["item"], "TIE", "'=a \"b\"\nc"],
            ["x", "ben", items[0]["item"], "TIE", "not mine"]]  # fmt: skip
    with (tmp_path / "saved.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)
    context = browser.new_context()
    page = open_page(context, path)
    page.keyboard.press("o")
    assert page.evaluate("document.activeElement.id") == "open"  # Enter opens the dialog here
    assert "Press Enter" in page.text_content("#status")
    page.set_input_files("#open", tmp_path / "saved.csv")
    playwright.expect(page.locator("#status")).to_contain_text("taken")
    page.keyboard.press("n")

    assert page.text_content("#done") == "1 of 3 done"
    assert page.input_value("#explanation") == '=a "b"\nc'
    assert page.is_checked("input[value=TIE]")
    context.close()


def test_every_text_is_shown_as_text(browser, sheet):
    """Request, rubric and answers stand there whole; nothing of them ran or was loaded."""
    items, path = sheet
    context = browser.new_context()
    page = open_page(context, path)

    for place, item in enumerate(items):
        assert page.text_content("#number") == f"{place + 1} of 3"
        assert page.text_content("#request") == item["request"]
        assert page.text_content("#rubric") == item["rubric"]
        assert HOSTILE in item["rubric"]
        shown = page.locator(".answer .text").all_text_contents()
        assert shown == [text for _, text in item["answers"]]
        page.keyboard.press("n")
    assert page.title() == "Review by anna"
    assert page.locator("main img, main script").count() == 0
    assert page.noted == []
    context.close()


def test_a_script_that_got_in_would_not_run(browser, sheet):
    """The page's policy lets only its own script run, should a text ever become HTML."""
    context = browser.new_context()
    page = open_page(context, sheet[1])
    page.evaluate("document.getElementById('request').innerHTML = "
                  "'<img src=x onerror=\"document.title=`hit`\">'")  # fmt: skip
    page.wait_for_timeout(200)

    assert page.title() == "Review by anna"
    context.close()


def test_what_was_decided_before_stands_there(browser, tmp_path):
    """A sheet exported again opens with the earlier decisions."""
    items, _ = blind_items(*tables(), "Look.", "anna", 1, "secret")
    write_sheets(items, "anna", tmp_path, {items[0]["item"]: ("TIE", "alike")})
    context = browser.new_context()
    page = open_page(context, tmp_path / "review_anna.html")

    assert page.is_checked("input[value=TIE]")
    assert page.input_value("#explanation") == "alike"
    assert page.text_content("#done") == "1 of 3 done"
    context.close()


def test_an_old_draft_does_not_hide_what_was_decided(browser, tmp_path):
    """The draft stays with the sheet on which it was made; one exported again opens as it is."""
    items, _ = blind_items(*tables(), "Look.", "anna", 1, "secret")
    write_sheets(items, "anna", tmp_path)
    context = browser.new_context()
    page = open_page(context, tmp_path / "review_anna.html")
    page.keyboard.press("t")
    write_sheets(items, "anna", tmp_path, {items[0]["item"]: ("INSUFFICIENT", "final word")})
    page.reload()

    assert page.is_checked("input[value=INSUFFICIENT]")
    assert page.input_value("#explanation") == "final word"
    context.close()


def test_opening_a_file_keeps_newer_work(browser, sheet, tmp_path):
    """Rows that are open in the file take nothing away; a file without columns takes nothing."""
    items, path = sheet
    context = browser.new_context()
    page = open_page(context, path)
    page.keyboard.press("t")
    files = {
        "open.csv": "reviewer,item,decision,explanation\n" + "".join(
            f"anna,{item['item']},,\n" for item in items),
        "short.csv": f"reviewer,item\nanna,{items[0]['item']}\n",
        "cut.csv": f"reviewer,item,decision,explanation\nanna,{items[1]['item']},TIE\n",
        "empty.csv": "",
    }  # fmt: skip
    said = {}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        page.evaluate("document.getElementById('status').textContent = ''")
        page.set_input_files("#open", tmp_path / name)
        playwright.expect(page.locator("#status")).not_to_be_empty()
        said[name] = page.text_content("#status")

    assert said == {
        "open.csv": "0 entries taken from the file.",
        "short.csv": "Nothing taken: the file has no column decision, explanation.",
        "cut.csv": "1 entries taken from the file.",
        "empty.csv": "Nothing taken: the file has no column "
                     "reviewer, item, decision, explanation.",
    }  # fmt: skip
    assert page.is_checked("input[value=TIE]")
    assert page.text_content("#done") == "0 of 3 done, 2 without decision or explanation"
    assert page.noted == []
    context.close()


def test_worksheet_sorts_by_keyboard(browser, tmp_path):
    """Enter on a head sorts, numbers as numbers; again, the other way round."""
    frame = pd.DataFrame({"judge": ["b", "a", "c"], "count": ["10", "9", "2"]})
    (tmp_path / "w.html").write_text(sheet_html(frame, "W"), encoding="utf-8")
    context = browser.new_context()
    page = open_page(context, tmp_path / "w.html")
    page.focus("th:nth-child(2) button")
    page.keyboard.press("Enter")
    first = page.locator("tbody td:nth-child(1)").all_text_contents()
    page.keyboard.press("Enter")

    assert first == ["c", "a", "b"]
    assert page.locator("tbody td:nth-child(1)").all_text_contents() == ["b", "a", "c"]
    assert page.get_attribute("th:nth-child(2)", "aria-sort") == "descending"
    assert page.noted == []
    context.close()
