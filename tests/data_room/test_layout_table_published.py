"""Published tables read with a mapping: Auto-J, llmfao and PandaLM."""

import pytest
import yaml
from layout_writers import tally
from shared_data import public

from posbias_kit.analysis import agreement_coefficients
from posbias_kit.data.judgments import read_judgments

AUTOJ = yaml.safe_load("""
candidate_names: [response 1, response 2]
judge_name: autoj
verdict: output
labels: {first: [0], second: [1], tie: [2]}
order: {files: "*exchange*"}
""")
CROWD = yaml.safe_load("""
question: prompt
candidates: [left, right]
judge_name: crowd
verdict: winner
labels: {first: [left], second: [right], tie: [tie]}
""")
WORKERS = {key: value for key, value in CROWD.items() if key != "judge_name"} | {"judge": "worker"}
MODELS = {key: value for key, value in CROWD.items() if key != "judge_name"}
MODELS |= {"file_name": "(?P<judge>gpt[34])(-crowd)?-comparisons"}
HUMANS = yaml.safe_load("""
question: idx
candidate_names: [response1, response2]
verdict: [annotator1, annotator2, annotator3]
labels: {first: [1], second: [2], tie: [0]}
question_text: [instruction, input]
answer_texts: [response1, response2]
""")
JUDGES = yaml.safe_load("""
question: idx
candidate_names: [response1, response2]
file_name: (?P<judge>[^/]+)-testset-v1
verdict: gpt_result
labels: {first: [1], second: [2], tie: [0, Tie], invalid: [garbage]}
""")


def read(mapping, *parts):
    return read_judgments("table", public(*parts), mapping=mapping)


def plurality(verdicts):
    """Return comparison -> the choice that more verdicts have than any other."""
    counts = verdicts.groupby(["comparison", "choice"]).size().rename("votes").reset_index()
    counts = counts.sort_values("votes", ascending=False)
    top = counts.groupby("comparison").nth(0).set_index("comparison")
    second = counts.groupby("comparison").nth(1).set_index("comparison")["votes"]
    return top["choice"][top["votes"] > second.reindex(top.index, fill_value=0)]


def choices(verdicts):
    """Return comparison -> choice, -1 where there is no verdict."""
    return verdicts.set_index("comparison")["choice"].fillna(-1).astype(int)


def test_autoj():
    """Two files aligned row by row, the second in exchanged places; equals the source's 83.41%."""
    reading = read(AUTOJ, "autoj_swap", "eval")

    assert tally(reading.verdicts) == (
        1392, 0, 1392, 1161, 55, 121, 21, 34, 30, 1262, 1407, 115, 0
    )  # fmt: skip
    assert reading.files[["rows", "kept"]].values.tolist() == [[1392, 1392]] * 2
    assert round(100 * 1161 / 1392, 2) == 83.41


def test_llmfao_crowd():
    """8931 votes of one judge in up to five repeats."""
    verdicts = read(CROWD, "llmfao", "crowd-comparisons.csv").verdicts
    votes = verdicts.groupby("comparison").size().value_counts()

    assert verdicts["choice"].value_counts().to_dict() == {1: 2911, 2: 2549, 0: 3471}
    assert votes.to_dict() == {5: 998, 4: 658, 3: 358, 2: 110, 1: 15}
    assert round(2911 / (2911 + 2549), 4) == 0.5332
    assert verdicts.groupby("comparison")["repeat"].max().value_counts().to_dict() == dict(votes)
    # No pair was shown in both orders.
    assert verdicts.groupby("comparison")["order"].nunique().eq(1).all()


def test_llmfao_workers():
    """The same votes, each worker a judge, or a labeller."""
    verdicts = read(WORKERS, "llmfao", "crowd-comparisons.csv").verdicts
    labelled = read(WORKERS | {"labeller": True}, "llmfao", "crowd-comparisons.csv")

    assert len(verdicts) == len(labelled.labels) == 8931
    assert set(verdicts["judge"]) == set(labelled.labels["labeller"])
    assert "58" in set(verdicts["judge"])
    assert verdicts["repeat"].unique().tolist() == [1]
    assert len(labelled.verdicts) == 0
    assert labelled.labels["winner"].tolist() == verdicts["winner"].tolist()


@pytest.mark.parametrize(
    ("name", "judge", "first", "second", "tie"),
    [
        ("gpt3-crowd-comparisons.csv", "gpt3", 1352, 593, 194),
        ("gpt4-crowd-comparisons.csv", "gpt4", 943, 1130, 66),
        ("gpt3-comparisons.csv", "gpt3", 1965, 958, 313),
        ("gpt4-comparisons.csv", "gpt4", 1397, 1700, 139),
    ],
)
def test_llmfao_models(name, judge, first, second, tie):
    """The judge's name stands in the file's."""
    verdicts = read(MODELS, "llmfao", name).verdicts

    assert verdicts["judge"].unique().tolist() == [judge]
    assert verdicts["choice"].value_counts().to_dict() == {1: first, 2: second, 0: tie}


def test_llmfao_agreement_with_the_crowd():
    """On the 1831 pairs where one answer of the crowd has more votes than any other."""
    crowd = plurality(read(CROWD, "llmfao", "crowd-comparisons.csv").verdicts)
    agree = {}
    for judge in ("gpt3", "gpt4"):
        said = choices(read(MODELS, "llmfao", f"{judge}-crowd-comparisons.csv").verdicts)
        agree[judge] = (said.reindex(crowd.index) == crowd).sum()

    assert len(crowd) == 1831
    assert agree == {"gpt3": 691, "gpt4": 817}


def test_pandalm_humans():
    """Each column of annotators is a judge: 879 of 999 unanimous, Fleiss' kappa .8642."""
    reading = read(HUMANS, "pandalm", "data", "testset-v1.json")
    distinct = reading.verdicts.groupby("comparison")["choice"].nunique()
    table = agreement_coefficients(reading.verdicts, ties=[True]).set_index("coefficient")

    assert distinct.value_counts().to_dict() == {1: 879, 2: 120}  # never 3
    assert table.loc["fleiss", ["judges", "instances"]].tolist() == [3, 999]
    assert round(table.loc["fleiss", "estimate"], 4) == 0.8642
    # Of 3 pairs of annotators all agree on 879 items, and 1 on the other 120.
    assert round((879 + 120 / 3) / 999, 4) == 0.9199
    assert (len(reading.questions), len(reading.answers)) == (999, 1998)


def test_pandalm_humans_as_labels():
    """The same as labels, three an item, to compare judges with."""
    reading = read(HUMANS | {"labeller": True}, "pandalm", "data", "testset-v1.json")

    assert reading.labels["labeller"].value_counts().to_dict() == {
        "annotator1": 999, "annotator2": 999, "annotator3": 999
    }  # fmt: skip
    assert len(reading.verdicts) == 0
    assert reading.files["labels"].tolist() == [2997]


def test_pandalm_judges_against_the_majority():
    """Agreement with the humans, and of the two judges.

    The numbers to compare with were counted on the labels as spelt, where the model's "Tie" is
    not the humans' 0; so its ties count as no agreement.
    """
    majority = plurality(read(HUMANS, "pandalm", "data", "testset-v1.json").verdicts)
    gpt = read(JUDGES, "pandalm", "data", "gpt-3.5-turbo-testset-v1.json").verdicts
    mapping = JUDGES | {"verdict": "pandalm_result"}
    tuned = read(mapping, "pandalm", "data", "pandalm-7b-testset-v1.json").verdicts
    said, other = choices(gpt), choices(tuned)

    assert len(majority) == 999
    assert gpt["judge"].unique().tolist() == ["gpt-3.5-turbo"]
    assert (gpt["status"] == "invalid").sum() == 25
    assert gpt["choice"].value_counts().to_dict() == {1: 460, 2: 476, 0: 38}
    assert tuned["choice"].value_counts().to_dict() == {1: 433, 2: 459, 0: 107}
    assert ((said == majority.reindex(said.index)) & (said != 0)).sum() == 692
    assert (other == majority.reindex(other.index)).sum() == 667
    assert ((said == other.reindex(said.index)) & (said != 0)).sum() == 670
