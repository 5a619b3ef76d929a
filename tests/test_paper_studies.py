"""The chain end to end on the real notebooks: the paper's two studies."""

import json

import numpy as np
import pandas as pd
import pytest
from browsing import look_on_a_desk, look_on_a_phone

from posbias_kit.report import run_study
from posbias_kit.report.files import read_csv
from posbias_kit.report.stages import STAGES


@pytest.fixture(scope="module", params=["MTBench", "DevBench"])
def paper(request, project, paper_data):
    """Return benchmark, run folder and expected folder of one of the paper's studies."""
    study = project / "params" / f"paper_{request.param.lower()}.yaml"
    path = f"data_preparation.path={paper_data}"
    return request.param, run_study(study, settings=[path, "draws=0"]), paper_data / "expected"


@pytest.mark.parametrize("paper", ["MTBench"], indirect=True)
def test_pages_of_the_paper(paper, browser):
    """As for the demo: every chapter of a study whose judgments were read, on desk and phone."""
    run = paper[1]
    read = {f"{stage.stem}.html" for stage in STAGES if stage.name != "judging"}

    assert {path.name for path in run.glob("*.html")} == {"index.html"} | read
    look_on_a_desk(run, browser)
    look_on_a_phone(run, browser)


RENAMED = {"run": "experiment", "pairs": "series", "invalid": "incomplete", "pf": "pf_paper"}


@pytest.mark.parametrize(
    ("table", "file", "keys"),
    [
        ("position_bias_by_judge", "position_bias", ["judge"]),
        ("position_bias_by_judge_task", "position_bias_by_task", ["judge", "task"]),
        (
            "position_bias_by_judge_candidate_task",
            "units_judge_candidate_task",
            ["judge", "candidate", "task"],
        ),
    ],
)
def test_position_bias_tables_equal_the_papers(paper, table, file, keys):
    """Every number of the expected tables, both experiments, to 1e-6."""
    benchmark, run, folder = paper
    expected = pd.read_csv(folder / f"{file}.csv", keep_default_na=False).rename(columns=RENAMED)
    expected = expected[expected["benchmark"] == benchmark]
    found = read_csv(run / "tables" / f"{table}.csv").query("convention == 'paper'")
    both = expected.merge(found, on=["experiment", *keys], suffixes=("_expected", ""))

    assert len(both) == len(expected)
    for column in expected.columns.difference(["benchmark", "experiment", *keys]):
        found, wanted = (pd.to_numeric(both[column + end]) for end in ("", "_expected"))
        np.testing.assert_allclose(found, wanted, atol=1e-6, rtol=0, err_msg=column)


def test_stability_table_equals_the_papers(paper):
    """Mean and sd of every judge, to 1e-6."""
    benchmark, run, folder = paper
    expected = pd.read_csv(folder / "repetition_stability.csv")
    expected = expected[expected["benchmark"] == benchmark]
    found = read_csv(run / "tables" / "repetition_stability_by_judge.csv")
    found = found.query("experiment == 'repetition'")
    both = expected.merge(found, on="judge", suffixes=("_expected", ""))

    assert len(both) == len(expected) == len(found)
    np.testing.assert_allclose(both["rs"], both["rs_mean"], atol=1e-6, rtol=0)
    np.testing.assert_allclose(both["rs_sd"], both["rs_sd_expected"], atol=1e-6, rtol=0)


@pytest.mark.parametrize(("response", "name"), [("pc", "pc"), ("pf_paper", "pf")])
def test_stepwise_tables_equal_r(paper, response, name):
    """Same path and terms as R, coefficients to 1e-5, AIC to 1e-4."""
    benchmark, run, folder = paper
    expected = json.loads((folder / f"step_{benchmark}_{name}.json").read_text())
    path, terms = (read_csv(run / "tables" / f"stepwise_{name}.csv") for name in ("path", "terms"))
    path, terms = path[path["response"] == response], terms[terms["response"] == response]

    assert path["step"].tolist() == [step["step"] for step in expected["path"]]
    aic = [step["aic"] for step in expected["path"]]
    assert path["aic"].to_numpy() == pytest.approx(aic, abs=1e-4)
    assert terms["term"].tolist() == [term["term"] for term in expected["coefficients"]]
    estimates = [term["estimate"] for term in expected["coefficients"]]
    assert terms["estimate"].to_numpy() == pytest.approx(estimates, abs=1e-5)


def test_rule_differences_are_listed(paper):
    """The replies that the two rules read differently stand in the report, one by one."""
    benchmark, run, _ = paper
    table = read_csv(run / "tables" / "parse_differences.csv")

    assert len(table) == {"MTBench": 8, "DevBench": 4}[benchmark]
    assert table["excerpt"].str.len().gt(0).all()


def test_nobody_is_asked_where_judgments_are_read(paper):
    """The judging stage is skipped, and the index says so."""
    _, run, _ = paper
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))

    statuses = {record["name"]: record["status"] for record in manifest["stages"]}
    assert statuses["judging"] == "skipped"
    assert not (run / "02_judging.ipynb").exists()
