"""The shipped study files, their schema and the page of keys say the same."""

import json
from pathlib import Path

import pytest

from posbias_kit.params import read_study
from posbias_kit.report.html import TEMPLATE
from posbias_kit.report.stages import STAGES, active_stages
from posbias_kit.report.studies import study_keys, study_schema
from posbias_kit.report.tree import read_tree
from posbias_kit.study import Study

PARAMS = Path(__file__).parents[2] / "params"
FILES = sorted(PARAMS.glob("*.yaml"))


def test_schema_file_is_current():
    """`posbias schema > params/study.schema.json` has been run."""
    assert (PARAMS / "study.schema.json").read_text("utf-8") == study_schema()


def test_page_of_keys_is_current():
    """`posbias schema --markdown > params/README.md` has been run."""
    assert (PARAMS / "README.md").read_text("utf-8") == study_keys()


def test_page_names_every_key():
    """Every key of every section stands on the page, with its notebook."""
    rows = [line.split(" | ") for line in study_keys().splitlines() if line.startswith("| `")]
    keys = {row[0].strip("| `"): row[-1].strip("| `") for row in rows}

    assert set(Study.model_fields) <= set(keys)
    for stage in STAGES:
        own = [notebook for key, notebook in keys.items() if key.startswith(f"{stage.name}.")]
        assert set(own) == {stage.notebook}
    assert all(len(row) == 5 for row in rows)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_study_names_its_schema(path):
    """Editors find the schema by the first line, and every key has a comment or a section."""
    text = path.read_text("utf-8")

    assert text.startswith("# yaml-language-server: $schema=study.schema.json\n")
    assert "\t" not in text
    assert read_study(path).run_name == path.stem


def test_template_is_the_demo():
    """`posbias init` starts from the demo study."""
    assert (TEMPLATE / "study.yaml").read_text("utf-8") == (PARAMS / "demo.yaml").read_text("utf-8")


def test_schema_refuses_unknown_keys():
    """The schema is as strict as the models."""
    assert json.loads(study_schema())["additionalProperties"] is False


def test_stages_are_the_sections():
    """Each stage has its section, and needs only stages before it."""
    seen = set()
    for stage in STAGES:
        assert stage.name in Study.model_fields
        assert set(stage.needs) <= seen
        assert stage.stem.partition("_")[2] == stage.name
        seen.add(stage.name)


def test_needs_pass_through_a_skipped_stage():
    """Who needs a skipped stage needs what that one needs."""
    needs = {stage.name: stage.needs for stage in active_stages({"judging"})}

    assert needs["metrics"] == ("data_preparation",)
    assert "judging" not in needs


def test_what_a_task_or_arm_leaves_out_is_the_judges_own():
    """Only the keys that are named go to the notebooks, so that no default stands in for them."""
    own = {"ties": 0.3, "by_task": {"math": {"slot_effect": 1.0}}}
    judge = {"name": "j", "kind": "planted", **own, "by_arm": {"last": {"discernment": 0.5}}}
    arms = [{"name": "last", "reference": "last"}]
    study = {"run_name": "a", "data_preparation": {}, "judging": {"judges": [judge], "arms": arms}}
    (told,) = read_tree(study)["judging"]["judges"]

    assert told["by_task"] == {"math": {"slot_effect": 1.0}}
    assert told["by_arm"] == {"last": {"discernment": 0.5}}
