"""Decisions of reviewers: agreement, what they settle, and human votes as published."""

import pandas as pd
import pytest
import yaml
from shared_data import public

from posbias_kit.analysis import (
    compare_reviews,
    count_reviews,
    decide,
    reviewer_agreement,
    reviewer_coefficients,
    reviewers_and_judges,
    settle_reviews,
)
from posbias_kit.analysis.reviews import latest_reviews, reviews_from_labels
from posbias_kit.data.judgments import read_judgments
from posbias_kit.report.review_store import read_reviews
from posbias_kit.review_schema import INSUFFICIENT, validate_reviews
from tests.verdict_tables import pairs

VERDICTS = pairs(["FS", "FF", "SF", "FS"])


def reviews(words, reviewer="u", version=1):
    """Return a reviewer's decisions on q0, q1, ...; None leaves a question out."""
    places = VERDICTS.drop_duplicates("comparison").reset_index(drop=True)
    table = places[["benchmark", "experiment", "arm", "turn", "comparison", "question"]]
    table = table.assign(reviewer=reviewer, version=version, explanation="because", file="f")
    table = table.assign(row=range(2, 2 + len(table)), decision=words)
    return table[table["decision"].notna()]


def both(one, two):
    """Return the decisions of reviewers u and v as one table."""
    return validate_reviews(pd.concat([reviews(one, "u"), reviews(two, "v")], ignore_index=True))


def test_agreement_by_hand():
    """u: a b TIE a, v: a a TIE ?: two of three shared decisions agree, kappa (2/3 - 4/9 ..)."""
    told = both(["a", "b", "TIE", "a"], ["a", "a", "TIE", INSUFFICIENT])
    row = reviewer_agreement(told).iloc[0]

    # u says a, b, TIE once each; v a twice and TIE once: chance = 1/3 2/3 + 1/3 0 + 1/3 1/3 = 1/3
    assert row[["reviewer", "other", "instances"]].tolist() == ["u", "v", 3]
    assert row["agreement"] == pytest.approx(2 / 3)
    assert row["kappa"] == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert settle_reviews(told)["winner"].fillna("").tolist() == ["a", "", "TIE", ""]
    assert settle_reviews(told)["insufficient"].tolist() == [0, 0, 0, 1]


def test_insufficient_evidence_is_a_vote():
    """One names a and two cannot tell: nothing is settled; two against one name a."""
    words = [["a", "a"], [INSUFFICIENT, "a"], [INSUFFICIENT, INSUFFICIENT]]
    told = [reviews([*word, None, None], name) for word, name in zip(words, "uvw", strict=True)]
    table = settle_reviews(validate_reviews(pd.concat(told, ignore_index=True)))

    assert table["winner"].fillna("").tolist() == ["", "a"]
    assert table[["votes", "insufficient"]].values.tolist() == [[1, 2], [2, 1]]


def test_a_reviewer_has_one_vote_over_all_arms():
    """U says a in both arms, v says b in one: one against one, and nothing is settled."""
    alone = [None, None, None]
    told = [reviews(["a", *alone]), reviews(["a", *alone]), reviews(["b", *alone], "v")]
    told[1]["arm"] = "other"
    told = validate_reviews(pd.concat(told, ignore_index=True))
    table = settle_reviews(told)

    assert table["winner"].isna().tolist() == [True]
    assert table[["votes", "reviewers"]].values.tolist() == [[2, 2]]
    assert reviewers_and_judges(VERDICTS, told)["instances"].tolist() == [2, 2]


def test_disagreement_is_kept_beside_the_judges():
    """Both decisions stand there, nothing is settled, and the verdicts are as they were."""
    table = compare_reviews(VERDICTS, both(["a", "b", "TIE", "a"], ["a", "a", "TIE", "b"]))
    row = table.set_index("question").loc["q1"]

    assert row[["reviewers", "settled", "judges"]].tolist() == ["u: b; v: a", "", "a 1, b 1"]
    assert table["reviewers_differ"].tolist() == [False, True, False, True]


def test_judges_against_reviewers_by_hand():
    """The judge names a in both orders of q0 and q3, b in q2, and each once in q1."""
    told = reviews(["a", "a", "b", "b"])
    row = reviewers_and_judges(VERDICTS, told).set_index("labeller").loc["u"]

    assert row["instances"] == 8
    assert row["agreement"] == pytest.approx((2 + 1 + 2 + 0) / 8)


def test_the_last_version_counts_and_the_first_is_kept():
    """A decision that was revised: one counts, both are there."""
    one, two = (reviews([word, None, None, None], version=v) for v, word in ((1, "a"), (2, "b")))
    told = pd.concat([one, two])

    assert latest_reviews(told)["decision"].tolist() == ["b"]
    assert count_reviews(told)[["comparisons", "revised"]].values.tolist() == [[1, 1]]


def test_no_review_gives_empty_tables(tmp_path):
    """Before anybody has reviewed, every table is there and empty."""
    none = read_reviews(tmp_path)

    for table in (
        settle_reviews(none), count_reviews(none), reviewer_agreement(none),
        reviewer_coefficients(none), reviewers_and_judges(VERDICTS, none),
        compare_reviews(VERDICTS, none),
    ):  # fmt: skip
        assert table.empty
    assert decide(VERDICTS, settled=settle_reviews(none)).decision["reviewed"].tolist() == [0]


HUMANS = yaml.safe_load("""
question: idx
candidate_names: [response1, response2]
verdict: [annotator1, annotator2, annotator3]
labels: {first: [1], second: [2], tie: [0]}
labeller: true
""")
JUDGES = yaml.safe_load("""
question: idx
candidate_names: [response1, response2]
judge_name: pandalm-7b
verdict: pandalm_result
labels: {first: [1], second: [2], tie: [0, Tie], invalid: [garbage]}
""")
WORKERS = yaml.safe_load("""
question: prompt
candidates: [left, right]
judge: worker
verdict: winner
labels: {first: [left], second: [right], tie: [tie]}
labeller: true
""")
MODELS = {key: value for key, value in WORKERS.items() if key not in ("judge", "labeller")}


def read(mapping, *parts):
    """Read published judgments as the kit does."""
    return read_judgments("table", public(*parts), mapping=mapping, benchmark="published")


def test_pandalm_annotators_as_reviewers():
    """999 items, three annotators: P-bar .9199, Fleiss .8642, 879 unanimous, none split in three.

    A model's agreement with their majority: pandalm-7b 667 of 999.
    """
    people = reviews_from_labels(read(HUMANS, "pandalm", "data", "testset-v1.json").labels)
    judge = read(JUDGES, "pandalm", "data", "pandalm-7b-testset-v1.json").verdicts
    pairwise = reviewer_agreement(people)
    fleiss = reviewer_coefficients(people).set_index("coefficient").loc["fleiss"]
    against = reviewers_and_judges(judge, people).set_index("labeller").loc["majority"]
    distinct = people.groupby("comparison")["decision"].nunique().value_counts()

    assert pairwise["instances"].tolist() == [999] * 3
    assert round(pairwise["agreement"].mean(), 4) == 0.9199
    assert (fleiss["judges"], round(fleiss["estimate"], 4)) == (3, 0.8642)
    assert distinct.to_dict() == {1: 879, 2: 120}
    assert settle_reviews(people)["winner"].notna().all()
    assert against["instances"] == 999
    assert round(against["agreement"] * 999) == 667


@pytest.mark.parametrize(("judge", "agree"), [("gpt3", 691), ("gpt4", 817)])
def test_llmfao_workers_as_reviewers(judge, agree):
    """8931 votes, 1831 of 2139 pairs settled by strict plurality; agreement as published."""
    people = reviews_from_labels(read(WORKERS, "llmfao", "crowd-comparisons.csv").labels)
    settled = settle_reviews(people)
    said = read(MODELS | {"judge_name": judge}, "llmfao", f"{judge}-crowd-comparisons.csv").verdicts
    row = reviewers_and_judges(said, people).set_index("labeller").loc["majority"]

    assert (len(people), len(settled), settled["winner"].notna().sum()) == (8931, 2139, 1831)
    assert row["instances"] == 1831
    assert round(row["agreement"] * 1831) == agree
