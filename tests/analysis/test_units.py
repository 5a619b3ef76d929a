"""Win rates, units, quality gap and lengths, by hand and against the paper."""

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit.analysis import build_units, explain_bias, quality_gap_fits, win_rates
from posbias_kit.data import build_benchmark, build_verdicts, prepare_study
from posbias_kit.errors import TableError

B07 = ["FS"] * 4 + ["SF"] * 2 + ["TT"] + ["FF"] * 2 + ["SS", "FT", "IF"]


def test_win_rates_by_hand():
    """A wins 4, loses 2, ties 1; 4 inconsistent: owr (4 + 5/2) / 11, consistent 4.5 / 7."""
    row = win_rates(pairs(B07)).iloc[0]

    assert row[["candidate", "complete", "wins", "losses", "ties"]].tolist() == ["a", 11, 4, 2, 1]
    assert row["owr"] == pytest.approx(6.5 / 11)
    assert row["consistent_win_rate"] == pytest.approx(4.5 / 7)


def test_gap_by_source_and_bound():
    """Own gap |owr - 1/2| is at most pc / 2; the other's comes from the other judges' mean."""
    verdicts = stack(
        pairs(["FS"] * 3 + ["FF"]), pairs(["SF"] * 4, judge="k"), pairs(["FS"] * 4, judge="l")
    )
    units = build_units(verdicts).set_index("judge")

    assert units["owr"].to_dict() == {"j": 3.5 / 4, "k": 0.0, "l": 1.0}
    assert units.loc["j", ["gap_own", "gap_bound"]].tolist() == [0.375, 0.375]
    assert units["owr_other"].to_dict() == {"j": 0.5, "k": (3.5 / 4 + 1) / 2, "l": 3.5 / 8}


def test_single_judge_has_no_other():
    """Missing, with the reason in the fit."""
    units = build_units(pairs(B07))
    fits = quality_gap_fits(units, responses=["pc"]).set_index("source")

    assert units["gap_other_judges"].isna().all()
    assert fits.loc["other_judges", "note"] == "not estimable: no other judge"
    assert np.isnan(fits.loc["other_judges", "r_squared"])


def _sets(slots, judges=1):
    """Verdicts at random on 30 sets of candidates a, b, .. in all cyclic orders."""
    rng = np.random.default_rng(slots)
    names = [*"abcde"[:slots]]
    table = pd.MultiIndex.from_product(
        [range(judges), [f"q{k}" for k in range(30)], range(slots)],
        names=["judge", "question", "turned"],
    ).to_frame(index=False)
    table["shown"] = [tuple(names[k:] + names[:k]) for k in table["turned"]]
    table["order"] = "r" + table.pop("turned").astype(str)
    choice = rng.integers(0, slots + 1, size=len(table))
    choice[rng.random(len(table)) < 0.6] = 1
    about = {"benchmark": "B", "task": "t", "repeat": 1, "status": "ok"}
    return build_verdicts(table.assign(**about, choice=pd.array(choice, dtype="Int64")))


@pytest.mark.parametrize("slots", [2, 3, 5])
def test_own_win_rate_is_bound_to_pc(slots):
    """-pc / p <= owr - 1/p <= pc (1 - 1/p) for every unit, pairwise and list-wise."""
    units = build_units(_sets(slots, judges=20))
    low, high = -units["pc"] / slots, units["pc"] * (1 - 1 / slots)
    lead = units["owr"] - 1 / slots

    assert len(units) == 20 * slots
    assert (units["chance"] == 1 / slots).all()
    assert ((low - 1e-12 <= lead) & (lead <= high + 1e-12)).all()
    assert (units["gap_own"] <= units["gap_bound"] + 1e-12).all()


@pytest.mark.parametrize(("code", "owr"), [("FS", 1.0), ("SF", 0.0)])
def test_bound_is_reached(code, owr):
    """Always winning and always losing lie on the bound."""
    unit = build_units(pairs([code] * 4)).iloc[0]

    assert unit["owr"] == owr
    assert unit["gap_own"] == unit["gap_bound"] == 0.5


def _scores(**answers):
    rows = [(f"q{k}", name, v) for name, values in answers.items() for k, v in enumerate(values)]
    return pd.DataFrame(rows, columns=["question", "candidate", "score"])


def test_gap_from_scores_by_hand():
    """A scores 7 and 4, b 5 and 8: mean difference -1, gap 1; wins and losses do not matter."""
    unit = build_units(pairs(["FS", "FS"]), scores=_scores(a=[7, 4], b=[5, 8])).iloc[0]

    assert unit[["scored", "score_difference", "gap_scores"]].tolist() == [2, -1, 1]


def test_grades_of_one_answer_are_averaged():
    """Two grades 6 and 8 of the same answer count as 7."""
    scores = pd.concat([_scores(a=[6], b=[5]), _scores(a=[8])])

    assert build_units(pairs(["FS"]), scores=scores)["score_difference"].tolist() == [2]


def test_unscored_answers_are_left_out_and_counted():
    """A comparison with one score only says nothing; without any score the gap is missing."""
    some = build_units(pairs(["FS", "FS"]), scores=_scores(a=[7, 4], b=[5])).iloc[0]
    none = build_units(pairs(["FS", "FS"])).iloc[0]

    assert some[["scored", "gap_scores"]].tolist() == [1, 2]
    assert none["scored"] == 0
    assert none[["score_difference", "gap_scores"]].isna().all()


def test_scores_of_a_set_stand_against_the_mean_of_the_others():
    """A 9, b 5, c 1: a leads by 9 - 3, b by 5 - 5, c by 1 - 7."""
    scores = pd.concat([_scores(a=[9] * 30, b=[5] * 30, c=[1] * 30)])
    units = build_units(_sets(3), scores=scores).set_index("candidate")

    assert units["score_difference"].to_dict() == {"a": 6, "b": 0, "c": -6}


def test_sizes_shown_in_one_order_have_units_without_rates():
    """Sets of 3 and 4, each seen once: no win rate, and the chance of each size stands."""
    three = sets(["1--", "2--"])
    four = sets(["1---", "3---"], candidates=("a", "b", "c", "d"))
    units = build_units(stack(three, four))

    assert units[["owr", "gap_own", "gap_bound", "pc"]].isna().all(axis=None)
    chance = units.groupby("slots")["chance"].unique().map(list).to_dict()
    assert chance == {3: [1 / 3], 4: [0.25]}


def test_scores_without_a_column():
    """The message names the missing column."""
    with pytest.raises(TableError, match="missing column 'score'"):
        build_units(pairs(["FS"]), scores=pd.DataFrame({"question": ["q0"], "candidate": ["a"]}))


def test_counts_of_the_null_stand_in_the_units():
    """Complete, consistent, wins and losses of B07, as in the win rates."""
    unit = build_units(pairs(B07)).iloc[0]

    assert unit[["complete", "consistent", "wins", "losses"]].tolist() == [11, 7, 4, 2]


def test_lengths_by_hand():
    """Log of the mean over questions; output is both answers, turns summed."""
    questions = pd.DataFrame(
        {"question": ["q0", "q1"], "task": "t", "turns": [["abcd"], ["ab", "cd"]]}
    )
    answers = pd.DataFrame(
        [
            ("q0", "a", ["x" * 3]),
            ("q0", "b", ["x" * 5]),
            ("q1", "a", ["x", "yy"]),
            ("q1", "b", ["z"]),
        ],
        columns=["question", "candidate", "turns"],
    )
    benchmark = build_benchmark("B", questions, answers)
    unit = build_units(pairs(["FS", "FS"]), *benchmark).iloc[0]

    assert unit["log_task_input_length"] == pytest.approx(np.log(4))
    assert unit["log_task_output_length"] == pytest.approx(np.log((8 + 4) / 2))


def test_families_name_the_judge_series():
    """A judge in no family is its own."""
    units = build_units(stack(pairs(["FS"]), pairs(["FS"], judge="k")), families={"fam": ["j"]})

    assert units["judge_series"].tolist() == ["fam", "k"]


def test_quadratic_is_recovered():
    """A planted parabola without noise comes back with R squared 1."""
    owr = np.linspace(0.1, 0.9, 9)
    units = pd.DataFrame({"benchmark": "B", "experiment": "", "judge": "j", "owr": owr})
    units["candidate"] = [*"abcabcabc"]
    units["owr_other"], units["pc"] = owr, 1 - 2 * owr + 2 * owr**2
    fit = quality_gap_fits(units, responses=["pc"]).iloc[0]

    assert fit[["intercept", "linear", "quadratic"]].tolist() == pytest.approx([1, -2, 2])
    assert fit["r_squared"] == pytest.approx(1)


def test_flat_response_is_said_in_words():
    """A response that does not vary has no R squared."""
    units = pd.DataFrame({"owr": [0.1, 0.3, 0.5, 0.7, 0.9], "owr_other": np.nan, "pc": 1.0})
    units = units.assign(benchmark="B", experiment="", judge="j", candidate="a")
    fit = quality_gap_fits(units, sources=["own"], responses=["pc"]).iloc[0]

    assert fit["note"] == "not estimable: the response does not vary"


UNITS = ["judge", "candidate", "task"]
R_SQUARED = {  # independently computed: own, other judges
    "DevBench": ((0.447, 0.530), (0.120, 0.361)),
    "MTBench": ((0.283, 0.411), (0.135, 0.270)),
}


@pytest.fixture(scope="module", params=["MTBench", "DevBench"])
def paper_units(request, paper_data):
    """Units of the paper's full experiment on one benchmark."""
    study = prepare_study("paper", paper_data, request.param, rule="first_match")
    units = build_units(study.verdicts, study.questions, study.answers, experiment="full")
    return request.param, units


def test_units_equal_the_papers(paper_data, paper_units):
    """pc, pf, gap and log lengths of every unit; the file is rounded to six digits."""
    benchmark, units = paper_units
    expected = pd.read_csv(paper_data / "expected" / "regression_units.csv", keep_default_na=False)
    expected = expected[expected["benchmark"] == benchmark]
    units = units.drop(columns="pf").rename(columns={"pf_paper": "pf", "gap_own": "quality_gap"})
    both = expected.merge(units, on=UNITS, suffixes=("_expected", ""), validate="1:1")

    assert len(both) == len(units) == len(expected)
    for column in ("pc", "pf", "quality_gap", "log_task_input_length", "log_task_output_length"):
        gap = both[column] - both[f"{column}_expected"].astype(float)
        assert gap.abs().max() <= 1e-6, column


def test_r_squared_of_the_paper(paper_units):
    """The smallest and largest R squared over judges, own and other, to three digits."""
    benchmark, units = paper_units
    fits = quality_gap_fits(units, responses=["pc"])
    found = tuple(
        tuple(fits.loc[fits["source"] == source, "r_squared"].agg(["min", "max"]).round(3))
        for source in ("own", "other_judges")
    )

    assert found == R_SQUARED[benchmark]


@pytest.mark.parametrize("response", ["pc", "pf"])
def test_stepwise_from_own_units_equals_r(paper_data, paper_units, response):
    """Same path and terms as R on the rounded units; coefficients to 1e-5, AIC to 1e-4."""
    benchmark, units = paper_units
    file = paper_data / "expected" / f"step_{benchmark}_{response}.json"
    expected = pd.read_json(file, typ="series")
    predictors = expected["formula"].partition("~")[2].split(" + ")
    name = {"pc": "pc", "pf": "pf_paper"}[response]

    path, terms, _ = explain_bias(units, [term.strip() for term in predictors], [name])

    assert path["step"].tolist() == [step["step"] for step in expected["path"]]
    assert path["aic"].to_numpy() == pytest.approx([s["aic"] for s in expected["path"]], abs=1e-4)
    estimates = [term["estimate"] for term in expected["coefficients"]]
    assert terms["estimate"].to_numpy() == pytest.approx(estimates, abs=1e-5)
