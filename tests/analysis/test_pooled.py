"""The pooled logit on verdict tables: R's Bradley-Terry fits, scores, features, separation."""

import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from flip_studies import flip_study
from verdict_tables import pairs, stack

from posbias_kit.analysis.formats import answer_features
from posbias_kit.analysis.pooled import fit_pooled, pooled_order
from posbias_kit.analysis.position import position_bias
from posbias_kit.data import STARTER_QUALITY, build_verdicts, prepare_study
from posbias_kit.errors import ParamsError, TableError
from posbias_kit.judge_kinds import PlantedParams
from posbias_kit.judging import PlantedJudge, judge_presentations

VERDICT = {"first": 1, "tie": 0, "second": 2}
KEYS = ["benchmark", "experiment", "judge"]


@pytest.fixture
def refs(request):
    """Return the folder of R's results and their data."""
    return request.config.rootpath / "tests" / "data" / "refs"


@pytest.fixture
def order_verdicts(refs):
    """R's Bradley-Terry data as a verdict table."""
    data = pd.read_csv(refs / "bt_order.csv")
    return build_verdicts(
        pd.DataFrame(
            {
                "benchmark": "B",
                "task": "t",
                "judge": "j",
                "status": "ok",
                "question": data["question"],
                "shown": list(zip(data["first"], data["second"], strict=True)),
                "repeat": data.groupby(["question", "first", "second"]).cumcount() + 1,
                "choice": data["verdict"].map(VERDICT).astype("Int64"),
            }
        )
    )


@pytest.mark.parametrize("name", ["bt_drop", "bt_davidson"])
def test_equals_r_bradley_terry(refs, order_verdicts, name):
    """Order effect, abilities against m1 and log_nu, with R's sandwich errors (HC1) beside CR2."""
    terms = pd.DataFrame(json.loads((refs / f"{name}.json").read_text())["coefficients"])
    terms = terms.set_index("term").rename({"order": "first"})
    used = order_verdicts[order_verdicts["choice"] != 0] if name == "bt_drop" else order_verdicts

    table = pooled_order(used).set_index("term")

    assert set(table.index) == set(terms.index)
    found = table.loc[terms.index]
    assert found["estimate"].tolist() == pytest.approx(terms["estimate"].tolist(), abs=1e-6)
    fit = fit_pooled(used, KEYS)[0].fit
    errors = pd.Series(fit.sandwich_errors, index=table.index).loc[terms.index]
    assert errors.tolist() == pytest.approx(terms["se_cluster_G_n"].tolist(), abs=1e-6)
    assert table["se"].tolist() == fit.errors.tolist()
    assert table["df"].tolist() == fit.df.tolist()
    assert found["se"].tolist() == pytest.approx(errors.tolist(), rel=0.005)  # 50 even clusters


def test_known_scores_replace_abilities(refs):
    """R's offset model, one judge at a time: the estimates are those of the joint fit.

    The errors differ by its correction (n - 1) / (n - k), 1079 / 1077 against 359 / 359.
    """
    data = pd.read_csv(refs / "order_logit.csv")
    terms = json.loads((refs / "logit_offset.json").read_text())["coefficients"]
    swapped = (data["shown"] == "BA").to_numpy()
    frame = data[["question", "judge"]].assign(
        benchmark="B",
        task="t",
        status="ok",
        repeat=1,
        cluster=data["question"],
        question=data["pair"],
        shown=[("b", "a") if flip else ("a", "b") for flip in swapped],
        choice=(2 - data["first_won"]).astype("Int64"),
    )
    worth = data["known_logit"] * np.where(swapped, -1, 1)
    scores = pd.DataFrame({"benchmark": "B", "question": data["pair"], "log_odds": worth})
    scores = scores.round(9).drop_duplicates().assign(candidate="a")
    scores = pd.concat([scores, scores.assign(candidate="b", log_odds=0.0)])

    verdicts = build_verdicts(frame)
    table = pooled_order(verdicts, scores=scores)

    assert table["kind"].tolist() == ["order"] * 3
    expected = [row["estimate"] for row in terms]
    assert table["estimate"].tolist() == pytest.approx(expected, abs=1e-7)
    errors = [row["se_cluster_G_n"] * np.sqrt(1077 / 1079) for row in terms]
    fits = [model.fit.sandwich_errors[0] for model in fit_pooled(verdicts, KEYS, scores)]
    assert fits == pytest.approx(errors, abs=1e-6)


def test_known_scores_undo_the_attenuation():
    """Planted .5 at quality sd 4: .5 with the answers' worth known, about .2 without."""
    verdicts, scores = flip_study(np.random.default_rng(3), 150, 8, 0.5, spread=4.0)

    known = pooled_order(verdicts, scores=scores).iloc[0]
    free = pooled_order(verdicts).iloc[0]

    assert abs(known["estimate"] - 0.5) < 4 * known["se"]
    assert known["se"] < 0.1
    assert free["estimate"] < 0.3


def _weak(codes):
    """One more candidate of the planted study's judge, against the same reference."""
    table = pairs(codes).assign(judge="s0", candidate="weak", reference="ref")
    for old, new in (('"a"', '"weak"'), ('"b"', '"ref"')):
        for column in ("shown", "comparison"):
            table[column] = table[column].str.replace(old, new)
    return table


def test_candidate_that_never_wins_leaves_the_others():
    """Its row is gone and named; all other estimates are as if it had not been shown."""
    verdicts, _ = flip_study(np.random.default_rng(5), 30, 3, 0.3, spread=1.0)

    table, alone = pooled_order(stack(verdicts, _weak(["SF"] * 30))), pooled_order(verdicts)

    assert "no ability for weak: never won" in table["note"].iloc[0]
    assert table["term"].tolist() == alone["term"].tolist()
    assert table["estimate"].tolist() == pytest.approx(alone["estimate"].tolist(), abs=1e-6)


def test_ties_keep_a_loser_in():
    """A candidate that never wins but ties has an ability where others fix the tie parameter."""
    verdicts, _ = flip_study(np.random.default_rng(5), 30, 3, 0.3, tie=0.5)

    table = pooled_order(stack(verdicts, _weak(["SF", "TF", "ST", "SF", "TT"] * 6)))

    assert table.set_index("term").loc["weak", "high"] < 0
    assert table["note"].eq("").all()


def test_names_are_never_formulas():
    """The feature named len-gap is the one fitted, beside columns len and gap; judges keep names.

    Expected: statsmodels' GLM on the same column.
    """
    judges = ["gpt-4-0613", "claude-3.5", "org/model"]
    rng = np.random.default_rng(2)
    verdicts = stack(
        *(flip_study(rng, 40, 4, 0.4, spread=1.0)[0].assign(judge=name) for name in judges)
    )
    answers = verdicts[["benchmark", "question", "candidate"]].drop_duplicates()
    answers = pd.concat([answers, answers.assign(candidate="ref")]).drop_duplicates()
    values = rng.standard_normal((len(answers), 3))
    features = answers.assign(**dict(zip(["len-gap", "len", "gap"], values.T, strict=True)))

    table = pooled_order(verdicts, features=features.drop(columns=["len", "gap"]))

    assert table["judge"].unique().tolist() == sorted(judges)
    found = table.query("judge == 'org/model'").set_index("term")["estimate"]
    used = verdicts[verdicts["judge"] == "org/model"]
    side = np.where(used["order"] == "AB", 1.0, -1.0)
    value = features.set_index(["question", "candidate"])["len-gap"]
    own = value.loc[pd.MultiIndex.from_frame(used[["question", "candidate"]])].to_numpy()
    other = value.loc[[(q, "ref") for q in used["question"]]].to_numpy()
    columns = np.column_stack([np.ones(len(used)), side * (own - other)])
    abilities = pd.get_dummies(used["candidate"]).to_numpy(float) * side[:, None]
    won = (used["choice"] == 1).to_numpy(float)
    fit = sm.GLM(won, np.c_[columns, abilities], family=sm.families.Binomial()).fit(tol=1e-12)
    assert found.tolist() == pytest.approx(fit.params.tolist(), abs=1e-7)


def test_feature_without_variation_is_left_out():
    """A constant feature has no coefficient, and changes nothing else."""
    verdicts, scores = flip_study(np.random.default_rng(4), 30, 3, 0.3)
    features = scores.drop(columns="log_odds").assign(headings=2.0)

    table, alone = pooled_order(verdicts, features=features), pooled_order(verdicts)

    assert table.set_index("term").loc["headings", "note"] == "not estimable: no variation"
    kept = table[table["kind"] != "feature"]["estimate"]
    assert kept.tolist() == pytest.approx(alone["estimate"].tolist(), abs=1e-8)


def test_missing_features_are_counted():
    """Verdicts on answers without features leave the fit, and the note says how many."""
    verdicts, scores = flip_study(np.random.default_rng(4), 30, 3, 0.3)
    features = scores[scores["question"] != "q7"].rename(columns={"log_odds": "x"})

    row = pooled_order(verdicts, features=features).iloc[0]

    assert row["verdicts"] == 29 * 6
    assert row["note"] == "6 verdicts without scores or features left out"


def test_length_taste_is_consistent_but_not_quality():
    """A judge that only likes length: PC near 1, no order effect, a large length coefficient."""
    prepared = prepare_study("starter", plan={"repeats": 1}, seed=1)
    params = PlantedParams(name="long", kind="planted", discernment=0, length_taste=100)
    judge = PlantedJudge(params, STARTER_QUALITY, seed=3)
    verdicts = judge_presentations([judge], prepared.presentations, prepared.answers)
    features = answer_features(prepared.answers)[
        ["benchmark", "question", "candidate", "log_length"]
    ]

    terms = pooled_order(verdicts, features=features).set_index("term")

    assert position_bias(verdicts, draws=0)["pc"].item() > 0.95
    length = terms.loc["log_length"]
    assert length["low"] > 20
    assert length["low"] < 100 < length["high"]
    assert terms.loc["first", "low"] < 0 < terms.loc["first", "high"]


def test_wrong_arguments_are_named():
    """The message holds the value, the place and what is allowed."""
    verdicts = pairs(["FS", "FF"])
    with pytest.raises(ParamsError, match="level 95 is outside"):
        pooled_order(verdicts, level=95)
    with pytest.raises(TableError, match="scores: missing column 'question', 'log_odds'"):
        pooled_order(verdicts, scores=pd.DataFrame({"benchmark": ["B"], "candidate": "a"}))
    twice = pd.DataFrame({"benchmark": ["B"] * 2, "question": "q0", "candidate": "a", "x": 1.0})
    with pytest.raises(TableError, match="stands twice"):
        pooled_order(verdicts, features=twice)
