"""Finished runs of earlier versions are read, with what could not act in them forgotten."""

from types import SimpleNamespace

import pytest
import yaml

from posbias_kit.errors import ParamsError
from posbias_kit.report.tree import load_study, read_tree

PLANTED = {"name": "p", "kind": "planted"}
LIVE = {"name": "l", "kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9"}
OLD = {"design": "all_pairs", "reference": None, "set_size": 3, "sets_per_question": 1}


def stored(folder, study):
    (folder / "params.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    return load_study(SimpleNamespace(folder=folder))


def study(plan, **judging):
    judging = {"judges": [PLANTED]} | judging
    return {"run_name": "x", "data_preparation": {"plan": plan}, "judging": judging}


@pytest.mark.parametrize(
    ("plan", "judging"),
    [
        ({**OLD, "repeats": 3}, {}),
        ({"reference": "careful"}, {}),
        ({"repeats": 1, "repeated_share": 0.5}, {}),
        ({}, {"caps": {"calls": 10}}),
        ({}, {"judges": [LIVE], "caps": {"money": 1.0}}),
    ],
)
def test_what_cannot_act_is_refused_in_a_new_study_and_forgotten_in_a_finished_one(
    plan, judging, tmp_path
):
    with pytest.raises(ParamsError, match="cannot act"):
        read_tree(study(plan, **judging))
    read = stored(tmp_path, study(plan, **judging))["data_preparation"]["plan"]
    assert (read["set_size"], read["reference"], read["repeated_share"]) == (None, None, 1.0)


def test_a_finished_run_keeps_what_acts(tmp_path):
    plan = {"design": "sets", "set_size": 2, "sets_per_question": 4, "repeats": 2}
    read = stored(tmp_path, study({**plan, "repeated_share": 0.5}))["data_preparation"]["plan"]
    assert (read["set_size"], read["sets_per_question"], read["repeated_share"]) == (2, 4, 0.5)
