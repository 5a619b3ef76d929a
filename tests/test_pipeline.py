"""The chain end to end on the real notebooks: a small demo."""

import json

import nbformat
import pytest
from browsing import HEIGHT, look_on_a_desk, look_on_a_phone, open_page, serious_findings

from posbias_kit.params import read_study
from posbias_kit.report import run_study
from posbias_kit.report.files import read_csv
from posbias_kit.report.index import HEADLINES
from posbias_kit.report.stages import STAGES

SMALL = ("data_preparation.sample={questions_per_task: 2}", "draws=200", "disagreement.splits=20")


@pytest.fixture(scope="module")
def demo(project):
    """Return the run folder of a small demo study."""
    return run_study(project / "params" / "demo.yaml", settings=SMALL)


FIGURES = {
    "repetition_stability",
    "position_consistency",
    "preference_fairness",
    "consistency_fairness",
    "position_consistency_by_task",
    "preference_fairness_by_task",
    "consistency_against_win_rate",
    "fairness_against_win_rate",
    "agreement_with_ties",
    "agreement_without_ties",
    "disagreement_distribution",
    "majority_reliability",
    "noise_or_position",
    "slot_wins",
    "planning",
    "rank_change",
    "order_effect",
    "summary",
}


def test_every_stage_leaves_an_executed_notebook_and_a_page(demo):
    """No stage is missing, and nothing is left under a partial name."""
    for stage in STAGES:
        assert (demo / stage.notebook).is_file()
        assert (demo / stage.notebook).with_suffix(".html").is_file()
    assert not list(demo.glob("*.partial.*")) + list(demo.glob("*.failed.*"))


def test_interactive_cells_leave_nothing(demo):
    """Nobody chooses under papermill: no output of the cells, no state of widgets."""
    for stage in STAGES:
        notebook = nbformat.read(demo / stage.notebook, as_version=4)
        cells = [cell for cell in notebook.cells if "report.explore(" in cell.source]

        assert len(cells) == 1
        assert [cell.id for cell in cells if cell.outputs] == []
        assert "widgets" not in notebook.metadata
        assert "widget" not in (demo / stage.notebook).with_suffix(".html").read_text("utf-8")


def test_index_leads_to_every_figure_table_and_limit(demo):
    """Each figure and table is linked, the headline ones are shown, each chapter has limits."""
    page = (demo / "index.html").read_text(encoding="utf-8")

    assert {path.stem for path in (demo / "figures").glob("*.png")} == FIGURES
    for name in FIGURES:
        for ending in ("png", "svg", "pdf"):
            assert f"figures/{name}.{ending}" in page
    for table in (demo / "tables").glob("*.csv"):
        assert f"tables/{table.name}" in page
    assert page.count("data:image/png") == len(HEADLINES)
    assert page.count("<summary>limits") == len(STAGES)
    assert 'alt=""' not in page


def test_site_is_light(demo):
    """All pages of the demo together stay below 5 MB."""
    assert sum(page.stat().st_size for page in demo.glob("*.html")) < 5_000_000


def test_pages_on_a_desk(demo, browser):
    """Every page loads alone, fits the screen, its links lead somewhere; axe finds nothing."""
    look_on_a_desk(demo, browser)


def test_pages_on_a_phone(demo, browser):
    """No page scrolls to the side on a narrow screen."""
    look_on_a_phone(demo, browser)


@pytest.mark.parametrize("name", ["index", "02_judging"])
def test_pages_in_the_dark(demo, browser, name):
    """Dark colours have contrast enough, those of code included."""
    page = open_page(browser, demo / f"{name}.html", 1440, "dark")
    assert serious_findings(page) == []
    page.close()


def test_answers_stand_in_the_first_view(demo, browser):
    """The four answers are in sight when the first page opens on a common screen."""
    page = open_page(browser, demo / "index.html", 1440)

    boxes = [box.bounding_box() for box in page.query_selector_all(".answers section")]
    titles = [title.inner_text() for title in page.query_selector_all(".answers h2")]

    assert titles == [
        "Which judge is most consistent?",
        "Which way does it lean?",
        "Is that noise?",
        "What was not tested?",
    ]
    assert max(box["y"] + box["height"] for box in boxes) <= HEIGHT
    page.close()


def test_code_and_contents_work_by_keyboard(demo, browser):
    """Enter unfolds a cell's code, and follows the contents to a heading."""
    page = open_page(browser, demo / "03_metrics.html", 1440)
    code = page.locator("details.code").first
    code.locator("summary").focus()
    page.keyboard.press("Enter")
    assert code.get_attribute("open") is not None

    page.locator("nav.contents a").nth(2).focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#position-consistency-and-preference-fairness")
    assert page.locator("h2#position-consistency-and-preference-fairness").bounding_box()["y"] < 100
    page.close()


def test_chapters_are_walked_by_keyboard_and_not_printed(demo, browser):
    """Enter on the link at the foot opens the next chapter; on paper there are no links to it."""
    page = open_page(browser, demo / "03_metrics.html", 1440)
    page.locator("nav[aria-label=chapters] [rel=next]").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/04_quality_gap.html")
    assert page.locator("[rel=prev]").first.inner_text() == "Stability, consistency, fairness"

    page.emulate_media(media="print")
    assert not any(nav.is_visible() for nav in page.locator("nav").all())
    page.close()


def test_planted_leans_are_in_the_summary(demo):
    """The planted judges are called by their lean; on 16 questions one is not beyond Holm."""
    table = read_csv(demo / "tables" / "summary.csv").set_index("judge")
    tests = read_csv(demo / "tables" / "direction_by_judge.csv").set_index("judge")
    later = tests["p"][tests["p"] >= tests.loc["recency", "p"]]
    holm = tests.loc["recency", "p"] * len(later)  # of the p-values not below its own

    assert table.loc["primacy", "finding"] == "leans to the first slot"
    assert holm > 0.05
    assert table.loc["recency", "finding"] == (
        "leans to the last slot by its own interval; not after Holm over judges "
        f"(p {holm:.2f})".replace("0.", ".")
    )
    assert table.loc["noisy", "finding"] == "no lean shown (unstable: RS of valid repeats .78)"


def test_manifest_tells_where_it_comes_from(demo):
    """Versions, seed, times and the parameters in force are kept."""
    manifest = json.loads((demo / "manifest.json").read_text(encoding="utf-8"))

    assert manifest["seed"] == 20240607
    assert {"pandas", "papermill", "statsmodels"} <= set(manifest["packages"])
    assert [record["status"] for record in manifest["stages"]] == ["run"] * len(STAGES)
    assert read_study(demo / "params.yaml").draws == 200


def test_page_has_no_traceback_or_stray_warning(demo):
    """Executed pages hold results only."""
    for page in demo.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "Warning:" not in text, page.name
        assert "Traceback (most recent" not in text, page.name
