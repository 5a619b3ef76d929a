"""A study file: its keys are the notebooks' parameters, and mistakes are refused in words."""

import re
import types
import typing

import pytest
import yaml
from notebook_files import NOTEBOOKS, ROOT, parameters, read, stage

from posbias_kit.errors import ParamsError
from posbias_kit.params import check_study, read_study
from posbias_kit.report import notebook_parameters
from posbias_kit.report import stages as report_stages
from posbias_kit.section import Section
from posbias_kit.study import DataPreparation, Metrics, Study

STAGES = [stage.name for stage in report_stages.STAGES]
SHARED = set(Study.model_fields) - set(STAGES)
STUDIES = sorted((ROOT / "params").glob("*.yaml"))
SMALL = {
    "run_name": "small",
    "data_preparation": {},
    "judging": {"judges": [{"name": "first", "kind": "planted", "slot_effect": 1.0}]},
}


def _section(name):
    """Return the model of a section, `None` taken out of a union."""
    annotation = Study.model_fields[name].annotation
    kinds = (
        typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    )
    return next(kind for kind in kinds if kind is not types.NoneType)


@pytest.fixture
def small(tmp_path):
    """Return the path of the smallest study."""
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump(SMALL), encoding="utf-8")
    return path


def test_sections_are_the_notebooks():
    """A study has the shared keys and one section for each notebook, in their order."""
    assert [n for n in Study.model_fields if n in STAGES] == [stage(p) for p in NOTEBOOKS]
    assert [stage.notebook for stage in report_stages.STAGES] == [p.name for p in NOTEBOOKS]
    assert set(notebook_parameters.SHARED) == SHARED


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_section_has_the_keys_of_its_notebook(path):
    """A section's keys are what the notebook declares, shared keys apart."""
    declared = set(parameters(read(path)))

    assert declared - SHARED == set(_section(stage(path)).model_fields)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_defaults_are_the_demo_study(path):
    """A notebook run by hand does what `make run` does."""
    demo = read_study(ROOT / "params" / "demo.yaml")
    values = parameters(read(path))
    own = {name: value for name, value in values.items() if name not in SHARED}

    for name in values.keys() & SHARED:
        there = getattr(demo, name)
        given = values[name]
        assert (type(there)(**given) if isinstance(there, Section) else given) == there, name
    assert _section(stage(path)).model_validate(own) == getattr(demo, stage(path))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_shipped_study_is_valid(path):
    """Every study under params/ can be read, and its run is named after it."""
    assert read_study(path).run_name == path.stem


@pytest.mark.parametrize(
    ("setting", "place", "known"),
    [
        ("metrics.conventons=[tie]", "'metrics.conventons'", Metrics.model_fields),
        ("metrix.conventions=[tie]", "'metrix'", Study.model_fields),
        ("data_preparation.pathh=x", "'data_preparation.pathh'", DataPreparation.model_fields),
    ],
)
def test_misspelt_key_is_refused_with_the_known_keys(small, setting, place, known):
    """An unknown key is named, and so is every key that its section knows."""
    with pytest.raises(ParamsError, match="unknown key") as caught:
        read_study(small, [setting])

    message = str(caught.value)
    assert str(small) in message
    assert place in message
    assert set(known) <= set(re.findall(r"\w+", message))


def test_misspelt_key_of_a_judge_is_refused():
    """A judge's unknown key is named with its place."""
    judge = {"name": "a", "kind": "planted", "slot_efect": 1.0}

    with pytest.raises(ParamsError, match=r"unknown key 'judging\.judges\.0\.\S*slot_efect'"):
        check_study(SMALL | {"judging": {"judges": [judge]}})


@pytest.mark.parametrize(
    "judge",
    [
        {"name": "a", "kind": "planted", "api_key": "x"},
        {"name": "a", "kind": "planted", "password": "x"},
        {"name": "sk-abcdefghijklmnop", "kind": "planted"},
    ],
    ids=["key by name", "password by name", "key by value"],
)
def test_secret_is_refused_and_not_repeated(judge):
    """A credential is refused wherever it stands, and the message does not repeat it."""
    with pytest.raises(ParamsError, match="looks like a secret") as caught:
        check_study(SMALL | {"judging": {"judges": [judge]}})

    assert "sk-abcdefghijklmnop" not in str(caught.value)
    assert "environment variables" in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "where"),
    [
        ("draws=many", "draws = 'many'"),
        ("draws='2000'", "draws = '2000'"),
        ("draws=-1", "draws = -1"),
        ("level=1.0", "level = 1.0"),
        ("metrics.conventions=[papr]", "papr"),
        ("run_name=../up", "run_name"),
    ],
)
def test_wrong_type_or_range_is_refused(small, setting, where):
    """A value of the wrong type or range is refused with its key and value."""
    with pytest.raises(ParamsError, match=re.escape(where)):
        read_study(small, [setting])


def test_settings_override_the_file(small):
    """`--set` values are YAML, may open a section, and the last one wins."""
    study = read_study(small, ["draws=10", "draws=20", "metrics.conventions=[tie, paper]"])

    assert study.draws == 20
    assert study.metrics.conventions == ["tie", "paper"]
    assert study.seed == Study.model_fields["seed"].default


@pytest.mark.parametrize(
    "setting",
    ["draws", "=3", "draws.deep=3", "draws=[1", "metrics=3", "judging.judges.0.ties=0.5"],
)
def test_unreadable_setting_is_refused(small, setting):
    """A setting that is no `section.key=value` is refused, naming it or its key."""
    with pytest.raises(ParamsError) as caught:
        read_study(small, ["draws=5", setting])

    assert setting.partition("=")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("text", "match"),
    [(None, "no such study file"), ("a: [", "not readable as YAML"), ("- a", "not a mapping")],
)
def test_unreadable_file_is_refused(tmp_path, text, match):
    """A missing file, broken YAML and a list are told apart."""
    path = tmp_path / "study.yaml"
    if text is not None:
        path.write_text(text, encoding="utf-8")

    with pytest.raises(ParamsError, match=match):
        read_study(path)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"judging": None}, "`judging` is missing"),
        ({"data_preparation": {"format": "fastchat"}}, "needs `path`"),
        ({"data_preparation": {"plan": {"design": "reference"}}}, "needs `reference`"),
        ({"judging": {"judges": SMALL["judging"]["judges"] * 2}}, "stand twice: first"),
    ],
)
def test_contradicting_keys_are_refused(change, match):
    """Keys that do not go together are refused, naming the key to add or drop."""
    with pytest.raises(ParamsError, match=match):
        check_study(SMALL | change)


@pytest.mark.parametrize(
    ("section", "values", "words"),
    [
        ("metrics", {"conventions": ["paper", "paper"]}, "'paper' stands twice"),
        ("metrics", {"conventions": []}, "conventions"),
        ("quality_gap", {"gap_sources": []}, "gap_sources"),
        ("quality_gap", {"responses": []}, "responses"),
        ("quality_gap", {"responses": ["pc", "pc"]}, "'pc' stands twice"),
    ],
)
def test_lists_hold_something_and_each_once(section, values, words):
    """An empty list would leave a chapter without its subject; a doubled one a table."""
    with pytest.raises(ParamsError, match=words):
        check_study(SMALL | {section: values})
