"""Interactive cells: what is chosen is what is shown, and nothing where nobody can choose."""

import base64
import io
import re
from types import SimpleNamespace

import IPython
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from PIL import Image
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis, report
from posbias_kit.report import style
from posbias_kit.report.exploring import Explorer, can_choose, explore

HOSTILE = '<script>alert("1")</script>'
MATH, CODE = {"task": "math", "questions": list("wxyz")}, {"task": "code", "questions": ["u", "v"]}
# judge one: 2 of 4 consistent on math, the others to the first slot, one of them with a tie;
# on code 1 of 2, the other to the last slot. Judge two: all 4; on code none, all to the first.
VERDICTS = stack(
    pairs(["FS", "FS", "FF", "FT"], judge="one", **MATH),
    pairs(["FS", "SS"], judge="one", **CODE),
    pairs(["FS", "FS", "SF", "SF"], judge="two", **MATH),
    pairs(["FF", "FF"], judge="two", **CODE),
)
BIAS = {"figure": report.BIAS_FIGURES, "convention": ["paper", "decisive"]}
SHOWN = ["judge", "pc_n", "pc", "pf"]


@pytest.fixture(autouse=True)
def _style():
    style.apply()
    yield
    assert plt.get_fignums() == []


def shown(explorer):
    """Return judge, series, consistency and fairness as they are shown."""
    return explorer.table[SHOWN].round(6).values.tolist()


def picture(explorer):
    """Return the picture as it is shown, and its alt text."""
    found = re.fullmatch(r'<img alt="([^"]*)" .*;base64,([^"]+)">', explorer.figure.value)
    return Image.open(io.BytesIO(base64.b64decode(found[2]))), found[1]


def test_everything_is_chosen_to_begin_with():
    """All judges and tasks, the first figure and convention."""
    explorer = Explorer(report.view_bias, VERDICTS, choices=BIAS)

    assert shown(explorer) == [["one", 6, 0.5, -0.166667], ["two", 6, 0.666667, -0.333333]]
    assert picture(explorer)[1].startswith("Position consistency by judge. From one 0.50")
    assert "<td>0.667</td>" in explorer.numbers.value


def test_judges_tasks_and_convention_are_chosen():
    """Judge one on math: 2 of 4 and both flips to the first slot; 2 of 3 without the tie."""
    explorer = Explorer(report.view_bias, VERDICTS, choices=BIAS)
    explorer.subsets["judge"].value = ("one",)
    explorer.subsets["task"].value = ("math",)

    assert shown(explorer) == [["one", 4, 0.5, -0.5]]
    explorer.settings["convention"].value = "decisive"
    assert shown(explorer) == [["one", 3, 0.666667, -0.333333]]


@pytest.mark.parametrize("figure", report.BIAS_FIGURES)
@pytest.mark.parametrize("convention", ["paper", "tie", "decisive", "half"])
def test_numbers_are_those_of_the_chapter(figure, convention):
    """Table equals `position_bias` of the chosen subset, whichever figure is beside it."""
    choices = {"figure": report.BIAS_FIGURES, "convention": ["paper", convention]}
    explorer = Explorer(report.view_bias, VERDICTS, choices=choices)
    explorer.subsets["judge"].value = ("two",)
    explorer.settings["figure"].value = figure
    explorer.settings["convention"].value = convention

    by = ("judge", "task") if "task" in figure else ("judge",)
    subset = VERDICTS[VERDICTS["judge"] == "two"]
    expected = analysis.position_bias(subset, by=by, convention=convention)
    columns = [name for name in explorer.table if name != "arm"]
    assert_frame_equal(explorer.table[columns], expected[columns])
    assert picture(explorer)[0].width > 300


def test_gap_is_that_of_the_chosen_judges():
    """Others are the others among the chosen: a judge alone has none, and the note says so."""
    three = stack(VERDICTS, pairs(["FS"] * 4, judge="three", **MATH))
    choices = {"gap_source": ["own", "other_judges"], "response": ["pc", "pf"]}
    explorer = Explorer(report.view_gap, three, (None,), choices)
    explorer.settings["gap_source"].value = "other_judges"
    explorer.settings["response"].value = "pf"
    explorer.subsets["judge"].value = ("one", "two")

    units = analysis.build_units(three[three["judge"] != "three"])
    expected = analysis.quality_gap_fits(units, ["other_judges"], ["pf"])
    columns = [name for name in explorer.table if name != "arm"]
    assert_frame_equal(explorer.table[columns], expected[columns])

    explorer.subsets["judge"].value = ("one",)
    assert explorer.table["note"].tolist() == ["not estimable: no other judge"]


def test_agreement_with_ties_and_without():
    """On math they agree on 2 of 4 in order AB and 3 of 4 in BA, one of the rest a tie."""
    choices = {"figure": ["agreement", "disagreement"], "ties": [True, False]}
    explorer = Explorer(report.view_agreement, VERDICTS, ({"both": ["one", "two"]},), choices)
    explorer.subsets["task"].value = ("math",)
    math = VERDICTS[VERDICTS["task"] == "math"]

    assert explorer.table["agreement"].tolist() == [5 / 8] * 2
    assert_frame_equal(explorer.table, analysis.judge_agreement(math, ties=True))
    explorer.settings["ties"].value = False
    assert explorer.table["agreement"].tolist() == [5 / 7] * 2
    assert_frame_equal(explorer.table, analysis.judge_agreement(math, ties=False))
    explorer.settings["figure"].value = "disagreement"
    distribution = analysis.disagreement_distribution(analysis.disagreement(math))
    assert_frame_equal(explorer.table, distribution)


def test_order_effect_by_judge_and_by_task():
    """One flip of judge one on code, two on math, one of them half: as in the chapter."""
    choices = {"by": ["judge", "judge and task"]}
    explorer = Explorer(report.view_order, VERDICTS, choices=choices)
    explorer.settings["by"].value = "judge and task"
    explorer.subsets["judge"].value = ("one",)

    one = VERDICTS[VERDICTS["judge"] == "one"]
    expected = analysis.order_effect(one, by=("judge", "task"), pooled=False)
    columns = [name for name in explorer.table if name != "arm"]
    assert_frame_equal(explorer.table[columns], expected[columns])
    assert explorer.table["flips"].tolist() == [1, 2]


def test_verdicts_are_counted_without_a_figure():
    """Judge one on math: 8 calls, slot 1 five times (FS twice, FF, FT), one TIE."""
    choices = {"by": ["judge", "judge and task"]}
    explorer = Explorer(report.view_counts, VERDICTS, choices=choices)
    explorer.settings["by"].value = "judge and task"
    explorer.subsets["judge"].value = ("one",)
    explorer.subsets["task"].value = ("math",)

    row = explorer.table.iloc[0]
    assert row[["asked", "slot_1", "slot_2", "tie"]].tolist() == [8, 5, 2, 1]
    assert explorer.figure.value == ""


def test_plan_of_the_chosen_tasks():
    """Math is asked about in two orders; there are no judges to choose from."""
    plan = pd.DataFrame({"benchmark": "B", "experiment": "", "task": ["math", "math", "code"],
                         "order": ["AB", "BA", "AB"], "comparison": "c", "identical": False,
                         "repeats": 3})  # fmt: skip
    explorer = Explorer(report.view_plan, plan)
    explorer.subsets["task"].value = ("math",)

    assert list(explorer.subsets) == ["task"]
    assert explorer.table["calls"].tolist() == [3, 3]


def test_decision_under_another_rule():
    """Judges of the rule that were not chosen are left out; what a pair counts is changed."""
    choices = {"estimate": ["order_averaged", "both_agree"], "unresolved": ["half", "leave_out"]}
    tables = None, {"judges": ["one", "two"], "margin": 0.1}
    explorer = Explorer(report.view_decision, VERDICTS, tables, choices)
    explorer.subsets["judge"].value = ("two",)
    explorer.settings["unresolved"].value = "leave_out"

    rule = {"judges": ["two"], "margin": 0.1, "unresolved": "leave_out"}
    assert_frame_equal(explorer.table, analysis.decide(VERDICTS, **rule).rivals)


def test_ranks_of_the_chosen_judges():
    """Rates are those of the chapter, of the chosen alone."""
    choices = {"adjusted": ["order_averaged", "both_agree"]}
    explorer = Explorer(report.view_ranks, VERDICTS, choices=choices)
    explorer.subsets["judge"].value = ("one",)
    explorer.settings["adjusted"].value = "both_agree"

    one = analysis.adjusted_win_rates(VERDICTS[VERDICTS["judge"] == "one"], draws=0)
    rates = explorer.table["win_rate"].to_numpy()
    assert rates == pytest.approx(one["win_rate"].to_numpy(), nan_ok=True)
    assert "both orders agree" in picture(explorer)[1]


def test_nothing_chosen_shows_nothing():
    """Neither the numbers nor the picture of an earlier choice stay in sight."""
    explorer = Explorer(report.view_bias, VERDICTS, choices=BIAS)
    explorer.subsets["task"].value = ()

    assert explorer.figure.value == "<p>Choose at least one task.</p>"
    assert (explorer.numbers.value, explorer.table) == ("", None)


def test_an_error_is_told_in_place_of_the_figure():
    """As text: a name cannot act."""

    def view(verdicts, kind):
        if kind == "bad":
            raise ValueError(HOSTILE)
        return report.view_bias(verdicts)

    explorer = Explorer(view, VERDICTS, choices={"kind": ["good", "bad"]})
    explorer.settings["kind"].value = "bad"

    assert "<script" not in explorer.figure.value
    assert "ValueError: &lt;script&gt;" in explorer.figure.value
    assert (explorer.numbers.value, explorer.table) == ("", None)


def test_names_cannot_act():
    """A judge's name stands escaped in table and alt text."""
    verdicts = stack(VERDICTS, pairs(["FF", "FS"], judge=HOSTILE))
    explorer = Explorer(report.view_bias, verdicts, choices=BIAS)

    assert "<script" not in explorer.figure.value + explorer.numbers.value
    assert picture(explorer)[1].count("&lt;script&gt;") == 1


def test_arms_begin_with_the_plain_one():
    """Arms are never pooled: another one is chosen, and has a row of its own."""
    arms = stack(VERDICTS, pairs(["FF", "FF"], judge="one", arm="turned", **CODE))
    explorer = Explorer(report.view_bias, arms, choices=BIAS)
    assert explorer.table["judge"].tolist() == ["one", "two"]

    explorer.subsets["arm"].value = ("", "turned")
    assert explorer.table[["judge", "arm"]].values.tolist() == [
        ["one", ""],
        ["one", "turned"],
        ["two", ""],
    ]


def test_lists_say_what_they_lack():
    """Sets have no fairness of pairs: the figure is a sentence, the table has a gap."""
    explorer = Explorer(report.view_bias, sets(["132", "111"]), choices=BIAS)
    explorer.settings["figure"].value = "fairness"

    assert picture(explorer)[1] == "Preference fairness: not estimable for any judge here."
    assert explorer.table["pf"].isna().all()


@pytest.mark.parametrize(("allowed", "kind"), [(True, Explorer), (False, type(None))])
def test_it_shows_itself_only_where_someone_can_choose(monkeypatch, allowed, kind):
    """A front end lets a cell ask for input; papermill and nbconvert do not."""
    shell = SimpleNamespace(get_parent=lambda: {"content": {"allow_stdin": allowed}})
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)

    assert can_choose() is allowed
    assert type(explore(report.view_bias, VERDICTS, **BIAS)) is kind
