"""Judge cards, the methods paragraph, the pilot of a study, and runs read together."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from posbias_kit import analysis, report
from posbias_kit.data import prepare_study, read_runs
from posbias_kit.errors import ReadError
from posbias_kit.judging import judge_presentations, make_judges
from posbias_kit.report.decisions import tell_decision
from posbias_kit.report.tree import read_tree
from tests.verdict_tables import pairs

sys.path.insert(0, str(Path(__file__).parents[1] / "judging"))

from fault_server import FaultServer, Meeting, steady

FIRST = '{"reason": "It came first.", "choice": "FIRST"}'
SAMPLE = {"tasks": ["math"], "questions_per_task": 3, "candidate_count": 2}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Work in an empty project."""
    (tmp_path / "outputs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_KEY", "sk-PLANTED-0a1b2cQZXW")
    return tmp_path


def hosted(url, name="live", **settings):
    """Return the settings of a judge at the fault server."""
    told = {"name": name, "kind": "openai", "model": "m-1", "base_url": url, "template": "json"}
    told |= {"key_env": "JUDGE_KEY", "limits": {"first_wait": 0.01, "attempts": 2}}
    return told | settings


def judged(name, judges, prepare=None, repeats=2, **study):
    """Judge a study into a run folder, without notebooks; return the run."""
    prepare = prepare or {"sample": SAMPLE, "plan": {"repeats": repeats}}
    tree = read_tree({"run_name": name, "data_preparation": prepare,
                      "judging": {"judges": judges}, **study})  # fmt: skip
    run = report.Run(name)
    run.folder.mkdir()
    (run.folder / "params.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")
    tables = prepare_study(**tree["data_preparation"], seed=1)
    for table in ("questions", "answers", "presentations", "labels"):
        run.store(getattr(tables, table), table)
    panel = make_judges(tree["judging"]["judges"], seed=1)
    told = (tables.presentations, tables.answers, tables.questions)
    run.store(judge_presentations(panel, *told, run.folder / "judgments.sqlite"), "verdicts")
    return run


def cards_of(run, threshold=0.85):
    """Return the cards of a run."""
    verdicts = run.load("verdicts")
    return report.judge_cards(
        run,
        analysis.position_bias(verdicts, draws=200),
        analysis.repetition_stability(verdicts, draws=0),
        analysis.verdict_counts(verdicts),
        analysis.order_effect(verdicts),
        threshold,
    )


@pytest.fixture
def live(project):
    """Return a run of a live judge that always names the first slot."""
    with FaultServer(lambda *_: Meeting(text=FIRST, options={"model": "m-1-2026"})) as server:
        return judged("asked", [hosted(server.url, temperature=0.3)])


def test_sets_bear_no_order_effect_of_pairs(project):
    """With several sizes the effect stands on the pairs' card alone, and says so elsewhere."""
    plan = {"design": "sets", "set_size": [2, 3], "sets_per_question": 2, "repeats": 2}
    told = {"name": "first", "kind": "planted", "slot_effect": 0.5}
    run = judged("sizes", [told], {"sample": {"candidate_count": 3}, "plan": plan})
    verdicts = run.load("verdicts")
    effect = analysis.order_effect(verdicts[verdicts["slots"] == 2])
    tables = [analysis.position_bias(verdicts, draws=0), analysis.repetition_stability(verdicts),
              analysis.verdict_counts(verdicts)]  # fmt: skip
    cards = report.judge_cards(run, *tables, effect).set_index("slots")

    assert cards["orders"].to_dict() == {2: 2, 3: 3}
    assert "log-odds" in cards.loc[2, "order_effect"]
    assert cards.loc[3, "order_effect"] == "of sets, see the slots in chapter 06"


def test_half_designs_show_one_order_each(project):
    """Though both orders occur, no comparison has been seen in both."""
    plan = {"orders": "balanced_half", "repeats": 2}
    run = judged("half", [{"name": "p", "kind": "planted"}], {"plan": plan})
    cards = cards_of(run)

    assert run.load("verdicts")["order"].nunique() == 2
    assert cards["orders"].tolist() == [1]
    assert "in one order each, 2 times each" in report.methods_paragraph(cards)


def test_card_of_a_live_judge(live):
    """Model as returned, settings as sent, prompt with digest, counts, dates, stability."""
    card = cards_of(live).iloc[0]

    assert card["kind"] == "openai"
    assert card["model"] == "m-1-2026"
    assert "temperature: 0.3" in card["settings"]
    assert "max_tokens: 1024" in card["settings"]
    assert card["template"] == "json@1"
    assert re.fullmatch(r"[0-9a-f]{12}", card["template_digest"])
    assert card[["questions", "comparisons", "orders", "repeats", "asked"]].tolist() == [
        3,
        3,
        2,
        2,
        12,
    ]
    assert re.match(r"20\d\d-\d\d-\d\dT", card["first"])
    assert card["policy"].startswith("invalid kept, not asked again; failed asked again")
    assert card["rs"] == 1.0
    assert card["readable"].startswith("interpretable: RS of valid repeats 1.000")
    assert "sk-PLANTED" not in "".join(map(str, card))


def test_unstable_judge_is_not_interpretable(project):
    """A judge that decides each call anew: PC and PF are marked, and methods do not claim them."""
    run = judged("noisy", [{"name": "coin", "kind": "planted", "discernment": 0.0}], repeats=4)
    cards = cards_of(run, threshold=0.99)
    text = report.methods_paragraph(cards)

    assert cards["readable"].item().startswith("not interpretable: RS of valid repeats 0.")
    assert cards["pc"].item().endswith("(not interpretable)")
    assert cards["pf"].item().endswith("(not interpretable)")
    assert "too unstable to read PC and PF as position bias" in text
    assert cards["pc"].item().split(" ")[0] not in text


def test_stability_that_was_not_measured_is_said(project):
    """One call each: nothing is known of the noise."""
    run = judged("once", [{"name": "j", "kind": "planted"}], repeats=1)

    assert cards_of(run)["readable"].item() == "stability not measured: PC and PF may hold noise"


def test_every_number_of_the_methods_stands_in_the_cards(live):
    """The paragraph can be pasted: no number is its own, and none is a percentage of bias."""
    cards = cards_of(live)
    text = report.methods_paragraph(cards, level=0.95)
    known = " ".join(cards.astype("str").to_numpy().ravel()) + " 0.95 CR2"
    known += f" {cards['rs'].item():.3f} {cards['rs_chance'].item():.3f}"
    numbers = set(re.findall(r"\d+(?:\.\d+)?", text))

    assert numbers - set(re.findall(r"\d+(?:\.\d+)?", known)) == set()
    assert "%" not in text
    for words in ("json@1", "3 comparisons on 3 questions", "in both orders, 2 times each"):
        assert words in text


def test_methods_tell_rule_outcome_convention_and_pilot(live):
    """Each in a sentence of its own; a pilot has no decision to tell."""
    decision = analysis.decide(pairs(["FS"] * 8), margin=0.125).decision
    said = "its prompt passed the pilot: 6 of 6 pairs"
    checked = pd.DataFrame({"judge": ["i", "j"], "said": said})
    text = report.methods_paragraph(cards_of(live), 0.95, "decisive", decision, checked)
    pilot = report.methods_paragraph(cards_of(live), 0.95, "paper", None, checked.iloc[:0])

    assert decision["rule"].item() in text
    assert "Outcome: decided on " in text
    assert f"Pilot of the prompt: i, j: {said}." in text
    assert "convention 'decisive': pairs with a tie are left out." in text
    assert "Outcome" not in pilot
    assert "Pilot" not in pilot


def test_arms_are_no_judges(live):
    """One judge in two arms is one judge, and each arm is named."""
    cards = cards_of(live)
    arms = pd.concat([cards.assign(arm=name, slots=size) for name, size in (("p", 2), ("r", 3))])
    text = report.methods_paragraph(arms)

    assert "one judge in 2 arms compared answers" in text
    assert ", arm p, slots 2: 3 comparisons" in text
    assert ", arm r, slots 3: 3 comparisons" in text


def test_a_pilot_without_a_pair_to_pass_is_no_pass(project):
    """Every pair expects a tie that the prompt does not allow: not tested, and not passed."""
    judge = {"name": "sim", "kind": "planted"}
    names = ("right", "wrong", "plain", "padded", "honest", "instructing", "one", "other", "same",
             "copy")  # fmt: skip
    pilot = judged("pilot", [judge | {"quality": dict.fromkeys(names, 0)}], {"format": "pilot"})
    run = judged("study", [judge])
    pairs_ = analysis.judge_pilot(pilot.load("verdicts"), pilot.load("labels"))
    pilot.save(pairs_.assign(passed=pd.array([None] * len(pairs_), dtype="boolean")), "pilot")

    assert report.check_pilot(run, "pilot")["said"].tolist() == [
        "its prompt was not tested: no pair of the pilot could be passed"
    ]


def test_limits_name_what_was_not_tested(live):
    """Questions, tasks, versions and prompts, each beside what was tested."""
    cards, verdicts = cards_of(live), live.load("verdicts")
    arms = report.load_arms(live, verdicts)
    table = report.tested_limits(cards, verdicts, arms).set_index("aspect")

    assert "way of asking" not in table.index
    assert table.loc["questions", "tested"] == "3 of Starter"
    assert table.loc["tasks", "tested"] == "1: math"
    assert table.loc["prompts", "tested"] == "json@1"
    assert table["not_tested"].str.len().gt(0).all()


def test_other_ways_of_asking_are_named(live):
    """The cards are about one arm: methods and limits say what the others are."""
    cards, verdicts = cards_of(live), live.load("verdicts")
    arms = pd.DataFrame({"arm": ["", "five", "two"], "about": ["plain", "scale: 5", "options: 2"]})
    text = report.methods_paragraph(cards, arms=arms)
    row = report.tested_limits(cards, verdicts, arms).set_index("aspect").loc["way of asking"]

    assert "also asked in 2 other ways" in text
    assert "five (scale: 5); two (options: 2)" in text
    assert row["tested"] == "the plain one; chapter 06 has 2 other ways of asking: five, two"
    assert "other way" not in report.methods_paragraph(cards, arms=arms[:1])


def test_study_says_whether_its_rubric_passed(project):
    """Same prompt and model: the pilot counts, whatever the judge is called; else it does not."""
    with FaultServer(steady(text=FIRST)) as server:
        judges = [hosted(server.url, "tried"), {"name": "sim", "kind": "planted", "ties": 1000.0,
                  "quality": dict.fromkeys(["right", "plain", "honest"], 15)
                  | dict.fromkeys(["wrong", "padded", "instructing"], -15)
                  | dict.fromkeys(["one", "other", "same", "copy"], 0)}]  # fmt: skip
        pilot = judged("pilot", judges, {"format": "pilot"})
        run = judged("study", [hosted(server.url, "mine"), hosted(server.url, "other", model="m-2"),
                               hosted(server.url, "else", template="brackets"),
                               {"name": "sim", "kind": "planted"}])  # fmt: skip
    pairs_ = analysis.judge_pilot(pilot.load("verdicts"), pilot.load("labels"))
    pilot.save(pairs_, "pilot")
    table = report.check_pilot(run, "pilot").set_index("judge")
    itself = report.check_pilot(pilot, None).set_index("judge")

    assert table.loc["mine", ["pilot_judge", "pairs", "passed"]].tolist() == ["tried", 9, 0]
    assert table.loc["mine", "said"] == "its prompt failed the pilot: 0 of 9 pairs"
    assert table.loc["sim", "said"] == "its prompt passed the pilot: 9 of 9 pairs"
    for name in ("other", "else"):
        assert table.loc[name, "said"].startswith("its prompt was not piloted")
    assert itself.loc["sim", "passed"] == 9
    assert report.check_pilot(run, None)["said"].unique().tolist() == ["its prompt was not piloted"]


def test_runs_are_read_together_and_compared(project):
    """Two runs of a judge, one leaning; the shared comparisons only, each run an arm."""
    lean = {"name": "j", "kind": "planted", "slot_effect": 8.0}
    wide = {"sample": SAMPLE | {"questions_per_task": 4}, "plan": {"repeats": 2}}
    one = judged("a", [{"name": "j", "kind": "planted", "discernment": 9.0}], wide)
    two = judged("b", [lean])
    questions, answers, verdicts, files = read_runs([one.folder, two.folder])
    both = judged("c", [lean]).folder
    table = analysis.run_differences(verdicts, metrics=["pc"])

    assert set(verdicts["arm"]) == {"a", "b"}
    assert verdicts.groupby("arm")["comparison"].nunique().to_dict() == {"a": 3, "b": 3}
    assert files["set_aside"].tolist() == [4, 0]
    assert len(questions) == 3
    assert len(answers) == len(two.load("answers"))
    assert table[["run", "other_run", "series"]].values.tolist() == [["a", "b", 6]]
    assert table["difference"].item() > 0
    assert prepare_study("runs", [str(one.folder), str(both)]).verdicts["arm"].nunique() == 2


def test_runs_on_other_answers_are_refused(project):
    """The same name with another text is no shared comparison."""
    one, two = (judged(name, [{"name": "j", "kind": "planted"}]) for name in "ab")
    answers = two.load("answers")
    two.store(answers.assign(digest=answers["digest"] + "x"), "answers")

    with pytest.raises(ReadError, match="are not the same text as in run 'a'"):
        read_runs([one.folder, two.folder])
    with pytest.raises(ReadError, match="no finished run"):
        read_runs([one.folder, project / "outputs" / "none"])
    with pytest.raises(ReadError, match="two or more run folders"):
        read_runs([one.folder])


def test_decision_is_told_in_plain_words():
    """The outcome leads, the reason and the rule follow; names are no markup."""
    flipped = analysis.decide(pairs(["FF"] * 8 + ["FS"] * 2)).decision
    won = analysis.decide(pairs(["FS"] * 8)).decision
    hostile = won.assign(winner="<b>*a*", why="<b>*a* leads")
    nobody, pilot = (pd.DataFrame({"labeller": names}) for names in ([], ["pilot"]))
    told = [tell_decision(table, nobody).data for table in (flipped, won, hostile)]

    assert "**Not decided.** Why: the order decides: order BA alone names b" in told[0]
    assert "**Decided: `a` wins.**" in told[1]
    assert "All 8 pairs are resolved." in told[1]
    assert "\\<b\\>\\*a\\* leads" in told[2]
    assert "it decides nothing" in tell_decision(won, pilot).data
    assert "wins" not in tell_decision(won, pilot).data


def test_summary_names_a_pilot_that_ran(project):
    """`summary.pilot` is one plain run name, and its table must be there."""
    from posbias_kit.errors import ParamsError
    from posbias_kit.report.provenance import digest_inputs

    study = read_tree({"run_name": "s", "data_preparation": {}, "summary": {"pilot": "tried"},
                       "judging": {"judges": [{"name": "j", "kind": "planted"}]}})  # fmt: skip
    with pytest.raises(ReadError, match=r"pilot\.csv"):
        digest_inputs(study, project)
    with pytest.raises(ParamsError, match=r"summary\.pilot"):
        read_tree({**study, "summary": {"pilot": "../up"}})


def test_cards_show_stability_before_what_hangs_on_it(live):
    """On their side, a column for each judge."""
    table = report.show_cards(cards_of(live))
    order = table["about"].tolist()

    assert order.index("rs") < order.index("rs_chance") < order.index("pc") < order.index("pf")
    assert table.set_index("about").loc["rs", "card 1"] == "1.000"
    assert isinstance(table, pd.DataFrame)


def test_a_gap_of_a_card_is_a_dash_with_its_reason(project):
    """A simulation asked once: no model, no repeats, no flips; nothing reads nan, none is empty."""
    run = judged("once", [{"name": "coin", "kind": "planted", "ties": 1e9}], repeats=1)
    card = report.show_cards(cards_of(run)).set_index("about")["card 1"]

    assert card[["model", "first"]].tolist() == ["– (a simulation)"] * 2
    assert card[["rs", "rs_chance"]].tolist() == ["– (not asked twice)"] * 2
    assert card["order_effect"] == "not estimable: no flips"
    assert card.str.len().min() > 0
    assert not card.str.contains(r"\bnan\b|None").any()


def test_a_card_of_judgments_that_were_read(project):
    """Nothing is known of model and settings, and the card says why."""
    run = judged("once", [{"name": "coin", "kind": "planted"}], repeats=1)
    path = run.folder / "params.yaml"
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump(study | {"judging": None}), encoding="utf-8")

    card = report.show_cards(cards_of(run)).set_index("about")["card 1"]

    assert card[["kind", "settings", "model"]].tolist() == ["– (the judgments were read)"] * 3
    assert card["policy"].startswith("as the files hold them")
