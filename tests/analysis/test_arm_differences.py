"""Arms against the plain one: by hand, and planted pulls of slot and label told apart."""

import numpy as np
import pandas as pd
import pytest
from verdict_tables import pairs, sets, stack

from posbias_kit import analysis
from posbias_kit.analysis.slot_or_label import mirror
from posbias_kit.data import prepare_study
from posbias_kit.errors import ParamsError
from posbias_kit.judging import describe_arms, judge_presentations, make_judges

SETTINGS = {"flips": 200}
ARMS = [
    {"name": "turned", "reversed": True},
    {"name": "words", "labels": "words"},
    {"name": "words-turned", "labels": "words", "reversed": True},
    {"name": "same", "identical": True},
    {"name": "points", "scale": 10},
]
PLANTED = {"slot": {"slot_effect": 0.8}, "label": {"label_effect": 0.8},
           "both": {"slot_effect": 0.7, "label_effect": -0.5, "ties": 0.4}}  # fmt: skip


@pytest.fixture(scope="module")
def planted():
    """Three judges in six arms on the starter benchmark, and how the arms ask."""
    study = prepare_study("starter", plan={"repeats": 1}, seed=2)
    judges = [{"name": name, "kind": "planted", **about} for name, about in PLANTED.items()]
    panel = make_judges(judges, 7, ARMS)
    verdicts = judge_presentations(panel, study.presentations, study.answers)
    return verdicts, describe_arms(panel)


def value(table, metric, column, **where):
    for name, wanted in (where | {"metric": metric}).items():
        table = table[table[name] == wanted]
    return table[column].item()


def test_differences_by_hand():
    """Plain FS FF FT, arm FS FS TT: consistent 1 and 3 of 3, ties 1/6 and 2/6 of verdicts."""
    both = stack(pairs(["FS", "FF", "FT"]), pairs(["FS", "FS", "TT"], arm="a"))
    table = analysis.arm_differences(both, **SETTINGS)

    assert value(table, "pc", "value") == pytest.approx(1)
    assert value(table, "pc", "difference") == pytest.approx(2 / 3)
    assert value(table, "pf", "plain_value") == pytest.approx(-2 / 3)
    assert value(table, "pf", "difference") == pytest.approx(2 / 3)
    assert value(table, "ties", "difference") == pytest.approx(1 / 6)
    # first: (1 + 2 + 1 + .5) / 6 in the plain arm, (1 + 1 + .5 + .5) / 6 in the other
    assert value(table, "first", "plain_value") == pytest.approx(4.5 / 6)
    assert value(table, "first", "difference") == pytest.approx(-1.5 / 6)


def test_pairs_keep_fairness_and_pull_beside_other_sizes():
    """What pairs say is the same whether or not sets of three stand beside them."""
    codes = ["FS", "FF", "FT", "SF", "FF", "SS"]
    alone = stack(pairs(codes), pairs(codes[::-1], arm="a"))
    mixed = stack(alone, sets(["123", "111"]), sets(["111", "123"], arm="a"))
    table = analysis.arm_differences(mixed, **SETTINGS)
    two = table[table["slots"] == 2].drop(columns=["slots", "p_holm"]).reset_index(drop=True)
    expected = analysis.arm_differences(alone, **SETTINGS).drop(columns="p_holm")

    pd.testing.assert_frame_equal(two, expected)
    assert two.set_index("metric").loc[["pf", "beta"], "n"].tolist() == [6, 6]


def test_only_what_both_arms_completed_is_compared():
    """The second series is incomplete in the arm: one pair is left, and `incomplete` says so."""
    both = stack(pairs(["FS", "FF"]), pairs(["FF", "FX"], arm="a"))
    table = analysis.arm_differences(both, **SETTINGS)
    values = analysis.arm_values(both)

    assert value(table, "pc", "n") == 1
    assert value(table, "pc", "plain_value") == 1
    assert value(values, "pc", "incomplete", arm="a") == 1
    assert value(values, "pc", "n", arm="a") == 1
    assert value(values, "pc", "estimate", arm="") == 0.5


def test_values_are_those_of_the_metrics(planted):
    verdicts, _ = planted
    values = analysis.arm_values(verdicts)
    bias = analysis.position_bias(verdicts, draws=2).set_index(["judge", "arm"])
    beta = analysis.order_effect(verdicts, pooled=False).set_index(["judge", "arm"])

    for place in bias.index:
        where = dict(zip(("judge", "arm"), place, strict=True))
        for name in ("pc", "pf"):
            found = [value(values, name, column, **where) for column in ("estimate", "low", "high")]
            told = bias.loc[place, [name, f"{name}_low", f"{name}_high"]].tolist()
            assert found == pytest.approx(told, nan_ok=True)
        assert value(values, "beta", "estimate", **where) == pytest.approx(
            beta.loc[place, "beta"], nan_ok=True
        )


def test_identical_answers_are_no_pairs_of_the_plain_arm(planted):
    """Nothing is compared, the reason is given, and the lean stands in its own values."""
    verdicts, _ = planted
    table = analysis.arm_differences(verdicts, **SETTINGS)
    same = table[table["arm"] == "same"]
    values = analysis.arm_values(verdicts)
    low, high = (value(values, "beta", end, judge="slot", arm="same") for end in ("low", "high"))

    assert same[["value", "plain_value", "difference", "p"]].isna().all(axis=None)
    assert same["note"].str.contains("other comparisons").all()
    assert low < 0.8 < high
    assert value(values, "first", "low", judge="slot", arm="same") > 0.5


def test_answers_scored_alone_show_no_order_effect(planted):
    """By construction, so that it is no finding: only ties are measured, with the reason."""
    verdicts, _ = planted
    values = analysis.arm_values(verdicts)
    for judge in PLANTED:
        where = {"judge": judge, "arm": "points"}
        assert value(values, "pc", "estimate", **where) == 1
        assert value(values, "pf", "estimate", **where) == 0
        assert value(values, "first", "estimate", **where) == 0.5
    told = analysis.arm_values(verdicts, scored=["points"])
    alone, free = told["arm"] == "points", told["metric"] == "ties"
    numbers = ["estimate", "low", "high"]

    assert told.loc[alone & ~free, numbers].isna().all(axis=None)
    assert told.loc[alone & ~free, "note"].str.contains("scored alone").all()
    same = ~alone | free
    pd.testing.assert_frame_equal(told.loc[same, numbers], values.loc[same, numbers])


def test_what_scoring_fixes_is_no_difference(planted):
    """Its rows stay without numbers, and the others are corrected for fewer tests."""
    verdicts, _ = planted
    whole = analysis.arm_differences(verdicts, **SETTINGS)
    told = analysis.arm_differences(verdicts, scored=["points"], **SETTINGS)
    alone, free = told["arm"] == "points", told["metric"] == "ties"

    assert len(told) == len(whole)
    assert told.loc[alone & ~free, ["difference", "p", "p_holm"]].isna().all(axis=None)
    assert told.loc[alone & ~free, "note"].str.contains("scored alone").all()
    assert told.loc[alone & free, "difference"].notna().all()
    without = analysis.arm_differences(verdicts[verdicts["arm"] != "points"], **SETTINGS)
    kept = told[~alone & ~free].reset_index(drop=True)
    without = without[without["metric"] != "ties"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, without)


def test_a_plain_arm_that_was_scored_has_nothing_to_differ_from(planted):
    verdicts, _ = planted
    few = verdicts[verdicts["arm"].isin(["points", "same"])]
    for table in (verdicts, few):
        found = analysis.arm_differences(table, "points", scored=["points"], **SETTINGS)
        fixed = found[found["metric"] != "ties"]
        assert fixed["difference"].isna().all()
        assert fixed["note"].str.contains("scored alone").all()


def test_slot_and_label_are_told_apart(planted):
    """Six planted truths, each within its interval, in letters and in words."""
    verdicts, arms = planted
    turned = analysis.turned_arms(arms)
    table = analysis.slot_or_label(verdicts, turned).set_index(["judge", "arm", "effect"])

    assert turned == {"turned": "", "words-turned": "words"}
    assert len(table) == 3 * 2 * 2
    for judge, about in PLANTED.items():
        for effect in ("slot", "label"):
            truth = about.get(f"{effect}_effect", 0.0)
            for arm in turned:
                row = table.loc[(judge, arm, effect)]
                assert abs(row["estimate"] - truth) < 2 * (row["high"] - row["low"]) / 2, judge
    # over all twelve, at most two of the 95% intervals may miss
    missed = sum(
        not row.low <= PLANTED[judge].get(f"{effect}_effect", 0.0) <= row.high
        for (judge, _, effect), row in table.iterrows()
    )
    assert missed <= 2


def test_slot_and_label_by_hand():
    """Flips 3:1 to the first slot plain, 1:3 turned round: all label, log(3) / 2."""
    both = stack(
        pairs(["FF", "FF", "FF", "SS"]), pairs(["SS", "SS", "SS", "FF"], arm="turned")
    )  # fmt: skip
    found = analysis.slot_or_label(both, {"turned": ""}).set_index("effect")["estimate"]

    assert found.to_dict() == pytest.approx({"slot": 0.0, "label": np.log(3) / 2})


def test_a_mirror_twice_is_the_table():
    table = pairs(["FS", "TF", "IX"])
    pd.testing.assert_frame_equal(mirror(mirror(table)), table)
    assert mirror(table)["winner"].equals(table["winner"])


def test_unknown_arms_are_refused():
    with pytest.raises(ParamsError, match="no verdict of arm 'x'"):
        analysis.slot_or_label(pairs(["FS"]), {"x": ""})
    with pytest.raises(ParamsError, match="plain: unknown value 'x'"):
        analysis.arm_differences(pairs(["FS"]), plain="x")


def test_one_arm_has_nothing_to_compare():
    assert analysis.arm_differences(pairs(["FS", "FF"])).empty
    assert analysis.slot_or_label(pairs(["FS"]), {}).empty


def test_sets_are_compared_without_pairwise_metrics():
    both = stack(sets(["123", "111"]), sets(["123", "132"], arm="a"))
    table = analysis.arm_differences(both, **SETTINGS)

    assert set(table["metric"]) == {"pc", "first", "ties"}
    values = analysis.arm_values(both)
    assert value(values, "pf", "note", arm="a") == "for pairs only"
    assert np.isnan(value(values, "pf", "estimate", arm="a"))


def judged(arm):
    """Two judges that agree on 2 of 4 presentations in the plain arm, on all in the other."""
    codes = {"": (["FS", "FF"], ["FF", "FS"]), "a": (["FS", "FF"], ["FS", "FF"])}[arm]
    return [pairs(code, judge=judge, arm=arm) for judge, code in zip("jk", codes, strict=True)]


def test_agreement_and_disagreement_keep_arms_apart():
    both = stack(*judged(""), *judged("a"))
    table = analysis.judge_agreement(both)
    instances = analysis.disagreement(both)
    shares = analysis.disagreement_distribution(instances)

    told = table[table["judge"] == "j"].set_index("arm")["agreement"]
    assert told.to_dict() == {"": 0.5, "a": 1.0}
    assert analysis.judge_agreement(stack(*judged(""))).columns.tolist()[:3] == [
        "benchmark", "experiment", "judge"
    ]  # fmt: skip
    assert shares[shares["dissenting"] == 0].set_index("arm")["share"].to_dict() == {
        "": 0.5,
        "a": 1.0,
    }
    assert analysis.agreement_coefficients(both)["arm"].unique().tolist() == ["", "a"]
    assert set(analysis.majority_reliability(both)["arm"]) == {"", "a"}
    assert analysis.judge_clusters(table)["arm"].tolist() == ["", "", "a", "a"]


def test_the_stepwise_search_keeps_arms_apart(planted):
    verdicts, _ = planted
    kept = verdicts[verdicts["arm"].isin(["", "turned"])]
    units = analysis.build_units(kept)
    path, terms, _ = analysis.explain_bias(units, ["judge", "task"], ["pc"])

    assert path.groupby("arm")["n"].nunique().to_dict() == {"": 1, "turned": 1}
    assert set(terms["arm"]) == {"", "turned"}
    alone = analysis.explain_bias(
        analysis.build_units(kept[kept["arm"] == ""]), ["judge", "task"], ["pc"]
    )
    assert path.loc[path["arm"] == "", "aic"].tolist() == pytest.approx(alone[0]["aic"].tolist())


def test_arms_of_half_a_design_have_nothing_to_pair():
    """One order each: every metric is missing, and the reason is given."""
    both = stack(pairs(["F-", "-S"]), pairs(["F-", "-F"], arm="a"))
    table = analysis.arm_differences(both, **SETTINGS)

    assert set(table["metric"]) == {"pc", "pf", "first", "ties", "beta"}
    assert table["n"].eq(0).all()
    assert table[["value", "difference", "low", "p"]].isna().all(axis=None)
    assert table["note"].ne("").all()


def test_an_arm_without_any_series_keeps_its_row():
    both = stack(pairs(["FS", "FF"]), pairs(["FS", "FF"], arm="a"), pairs(["XX", "XX"], arm="b"))
    table = analysis.arm_differences(both, **SETTINGS)

    assert value(table, "pc", "n", arm="b") == 0
    assert value(table, "pc", "note", arm="b") == "no series that both arms completed"
    assert value(table, "pc", "difference", arm="a") == 0


def test_arms_of_an_import_are_not_known_to_score():
    """Without a column `scale` none is."""
    assert analysis.scored_arms(pd.DataFrame({"arm": ["a"], "reversed": False})) == []
    arms = {"arm": ["", "five", "turned"], "scale": pd.array([None, 5, None], dtype="Int64")}
    assert analysis.scored_arms(pd.DataFrame(arms)) == ["five"]
