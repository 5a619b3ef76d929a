"""LLMBar's released judgments: every number that was counted without this project."""

import pytest
from layout_writers import tally
from shared_data import public
from sklearn.metrics import cohen_kappa_score

from posbias_kit.analysis import judge_agreement
from posbias_kit.data.judgments import read_judgments

# As tally counts: pairs, error pairs, valid, consistent, both first, both second, first with
# tie, second with tie, both tie; then first, second, tie, error of the single verdicts.
PUBLISHED = {
    ("Natural", "GPT-4"): (100, 0, 100, 95, 3, 2, 0, 0, 0, 101, 99, 0, 0),
    ("Adversarial/Neighbor", "GPT-4"): (134, 0, 134, 125, 6, 3, 0, 0, 0, 137, 131, 0, 0),
    ("Adversarial/GPTInst", "GPT-4"): (92, 0, 92, 87, 3, 2, 0, 0, 0, 93, 91, 0, 0),
    ("Adversarial/GPTOut", "GPT-4"): (47, 0, 47, 44, 2, 1, 0, 0, 0, 48, 46, 0, 0),
    ("Adversarial/Manual", "GPT-4"): (46, 0, 46, 38, 6, 2, 0, 0, 0, 50, 42, 0, 0),
    ("", "GPT-4"): (419, 0, 419, 389, 20, 10, 0, 0, 0, 429, 409, 0, 0),
    ("Natural", "ChatGPT"): (100, 0, 100, 71, 25, 4, 0, 0, 0, 121, 79, 0, 0),
    ("Adversarial/Neighbor", "ChatGPT"): (134, 0, 134, 96, 35, 3, 0, 0, 0, 166, 102, 0, 0),
    ("Adversarial/GPTInst", "ChatGPT"): (92, 0, 92, 57, 33, 2, 0, 0, 0, 123, 61, 0, 0),
    ("Adversarial/GPTOut", "ChatGPT"): (47, 0, 47, 28, 18, 1, 0, 0, 0, 64, 30, 0, 0),
    ("Adversarial/Manual", "ChatGPT"): (46, 0, 46, 24, 22, 0, 0, 0, 0, 68, 24, 0, 0),
    ("", "ChatGPT"): (419, 0, 419, 276, 133, 10, 0, 0, 0, 542, 296, 0, 0),
    ("Natural", "PaLM2"): (100, 2, 98, 78, 15, 5, 0, 0, 0, 108, 88, 0, 4),
    ("Adversarial/Neighbor", "PaLM2"): (134, 0, 134, 90, 31, 13, 0, 0, 0, 152, 116, 0, 0),
    ("Adversarial/GPTInst", "PaLM2"): (92, 1, 91, 62, 16, 13, 0, 0, 0, 94, 88, 0, 2),
    ("Adversarial/GPTOut", "PaLM2"): (47, 0, 47, 31, 16, 0, 0, 0, 0, 63, 31, 0, 0),
    ("Adversarial/Manual", "PaLM2"): (46, 1, 45, 39, 5, 1, 0, 0, 0, 49, 41, 0, 2),
    ("", "PaLM2"): (419, 4, 415, 300, 83, 32, 0, 0, 0, 466, 364, 0, 8),
}


@pytest.fixture(scope="module")
def published():
    """Return all of LLMBar that is here, read once."""
    return read_judgments("llmbar", public("llmbar"))


@pytest.mark.parametrize(("subset", "judge"), PUBLISHED)
def test_published_pairs(published, subset, judge):
    """Each subset, and all five together, under the prompt Vanilla."""
    verdicts = published.verdicts
    verdicts = verdicts[(verdicts["judge"] == judge) & (verdicts["arm"] == "Vanilla")]
    verdicts = verdicts[verdicts["task"].str.startswith(subset)]

    assert tally(verdicts) == PUBLISHED[subset, judge]


@pytest.mark.parametrize(
    ("strategy", "judge", "stage", "expected"),
    [
        ("Vanilla_NoRules", "PaLM2", "final", (100, 3, 97, 81, 11, 5, 0, 0, 0, 103, 91, 0, 6)),
        ("Swap", "GPT-4", "first", (100, 0, 100, 93, 6, 1, 0, 0, 0, 105, 95, 0, 0)),
        ("Swap", "GPT-4", "final", (100, 0, 100, 97, 3, 0, 0, 0, 0, 103, 97, 0, 0)),
    ],
)
def test_published_strategies(strategy, judge, stage, expected):
    """Other prompts, and both rounds of Swap."""
    folder = public("llmbar", "Dataset", "LLMBar", "Natural", "evaluators", judge, strategy)

    assert tally(read_judgments("llmbar", folder, stage=stage).verdicts) == expected


def test_published_ratings_are_ties_where_they_are_equal(published):
    """The source says 38 of 46 equal: 8 equal ratings, which it writes down as flips."""
    verdicts = published.verdicts
    ratings = verdicts[verdicts["arm"] == "Rating"]

    assert tally(ratings) == (46, 0, 46, 46, 0, 0, 0, 0, 8, 38, 38, 16, 0)


def test_published_texts_and_labels_stand_once(published):
    """419 items in 19 files: a text and a label each, whoever judged them."""
    assert len(published.questions) == len(published.labels) == 419
    assert len(published.answers) == 838
    assert len(published.set_aside) == 0
    assert published.files["rows"].sum() == 5 * 100 + 3 * (134 + 92 + 47 + 46) + 2 * 46 == 1549


def test_published_agreement(published):
    """Judges on the same presentations; kappa is that of the outputs named, not of slots."""
    verdicts = published.verdicts[published.verdicts["arm"] == "Vanilla"]
    table = judge_agreement(verdicts).set_index(["judge", "other"])
    winners = verdicts.pivot(index=["comparison", "order"], columns="judge", values="winner")
    found = {}
    for pair in (("ChatGPT", "GPT-4"), ("GPT-4", "PaLM2"), ("ChatGPT", "PaLM2")):
        both = winners[list(pair)].dropna()
        kappa = cohen_kappa_score(*(both[name] for name in pair))
        row = table.loc[pair]
        found[pair] = (row["instances"], round(row["agreement"], 4), round(kappa, 4))

    assert found == {
        ("ChatGPT", "GPT-4"): (838, 0.5239, 0.0481),
        ("GPT-4", "PaLM2"): (830, 0.7554, 0.5112),
        ("ChatGPT", "PaLM2"): (830, 0.5795, 0.1567),
    }


@pytest.mark.parametrize("parts", [(), ("Adversarial",), ("Adversarial", "Manual")])
def test_published_folder_may_be_given_at_any_height(parts):
    """Subset, judge and strategy are found by their place beside evaluators."""
    folder = public("llmbar", "Dataset", "LLMBar", *parts)
    verdicts = read_judgments("llmbar", folder).verdicts

    manual = verdicts[verdicts["task"] == "Adversarial/Manual"]
    assert set(manual["judge"]) == {"GPT-4", "ChatGPT", "PaLM2"}
    assert "Adversarial/Manual/45" in set(manual["question"])
