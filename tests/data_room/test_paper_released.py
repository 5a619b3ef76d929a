"""The files that the seed paper released, where they are at hand."""

import json
import warnings

import pandas as pd
import pytest

from posbias_kit.data import rule_differences
from posbias_kit.data.paper import read_paper_benchmark, read_paper_verdicts
from posbias_kit.schema import PRESENTATION_KEY

KINDS = {
    ("candidate", "candidate"): "consistent_win",
    ("reference", "reference"): "consistent_loss",
    ("TIE", "TIE"): "consistent_tie",
    ("candidate", "reference"): "primacy_full",  # the candidate is shown first in AB
    ("reference", "candidate"): "recency_full",
    ("candidate", "TIE"): "primacy_half",
    ("TIE", "reference"): "primacy_half",
    ("reference", "TIE"): "recency_half",
    ("TIE", "candidate"): "recency_half",
}


@pytest.fixture(scope="module")
def released(paper_data):
    with warnings.catch_warnings(action="error"):
        return read_paper_verdicts(paper_data, rule="first_match")


def count_kinds(verdicts):
    """Count each kind of series, straight from the winners in orders AB and BA."""
    said = verdicts["winner"].where(verdicts["winner"] != verdicts["candidate"], "candidate")
    said = said.where(verdicts["winner"] != verdicts["reference"], "reference")
    series = ["experiment", "benchmark", "judge", "repeat", "comparison"]
    wide = verdicts.assign(said=said).pivot(index=series, columns="order", values="said")
    kind = [KINDS.get(pair, "invalid") for pair in zip(wide["AB"], wide["BA"], strict=True)]
    counts = wide.assign(kind=kind).groupby([*series[:3], "kind"]).size().unstack(fill_value=0)
    return counts.assign(pairs=counts.sum(axis=1)).reset_index()


def test_released_rows_and_clusters(released):
    verdicts, replies = released

    assert len(verdicts) == len(replies) == 24_384
    assert not verdicts.duplicated([*PRESENTATION_KEY, "judge", "repeat"]).any()
    groups = verdicts.groupby(["benchmark", "experiment"])
    assert groups[["question", "cluster"]].nunique().to_dict("index") == {
        ("DevBench", "full"): {"question": 112, "cluster": 24},
        ("DevBench", "repetition"): {"question": 18, "cluster": 9},
        ("MTBench", "full"): {"question": 80, "cluster": 80},
        ("MTBench", "repetition"): {"question": 24, "cluster": 24},
    }
    assert verdicts.groupby("benchmark")["reference"].unique().str.join(",").to_dict() == {
        "DevBench": "human",
        "MTBench": "vicuna-13b-v1.3",
    }
    assert (verdicts["status"] == "failed").sum() == 6
    assert (verdicts["status"] == "identical").sum() == 0


def test_released_counts_equal_the_expected_ones(released, paper_data):
    expected = pd.read_csv(paper_data / "expected" / "position_bias.csv")
    kinds = ["pairs", "invalid", *dict.fromkeys(KINDS.values())]
    # The repetition runs are counted over all their repeats.
    found = count_kinds(released[0]).rename(columns={"experiment": "run"})
    keys = ["run", "benchmark", "judge"]

    pd.testing.assert_frame_equal(
        found.sort_values(keys)[keys + kinds].reset_index(drop=True),
        expected.sort_values(keys)[keys + kinds].reset_index(drop=True),
        check_dtype=False,
        check_names=False,
    )


def test_released_rule_differences(released):
    table = rule_differences(released[1])

    assert len(table) > 0
    assert (table["strict"].fillna(-1) != table["first_match"].fillna(-1)).all()
    assert (table["excerpt"].str.len() <= 120).all()


@pytest.mark.parametrize(
    ("benchmark", "questions", "candidates", "clusters"),
    [("MTBench", 80, 31, 80), ("DevBench", 112, 11, 24)],
)
def test_released_spreadsheets(paper_data, benchmark, questions, candidates, clusters):
    read = read_paper_benchmark(paper_data, benchmark)

    assert len(read.questions) == questions
    assert len(read.answers) == questions * candidates
    assert read.questions["cluster"].nunique() == clusters


def test_released_example(paper_data):
    path = paper_data / "QA_data" / "example" / "MTBench_data_sliced.xlsx"
    read = read_paper_benchmark(path, "MTBench")

    assert read.questions["question"].tolist() == ["81", "82", "83"]
    assert all(len(json.loads(text)) == 2 for text in read.answers["turns"])
