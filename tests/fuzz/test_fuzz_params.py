"""The parameter models: any study is accepted as it is, or refused by the kit's own error."""

import tempfile
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st
from lasting import in_words, lasting
from notebook_files import ROOT

from posbias_kit.errors import ParamsError, PosbiasError
from posbias_kit.params import apply_setting, check_study, read_study
from posbias_kit.study import Study

STUDIES = [path.read_text("utf-8") for path in sorted((ROOT / "params").glob("*.yaml"))]
words = st.text(max_size=10) | st.sampled_from(["", "~", "NA", "../x", "a b", "\ud800", "1e3"])
plain = st.none() | st.booleans() | st.integers() | st.floats() | words
values = st.recursive(
    plain | st.dates(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(words | plain, part, max_size=3),
)


def places(tree, at=()):
    """Yield the way to each value of a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield (*at, key)
        if isinstance(value, dict | list) and value:
            yield from places(value, (*at, key))


@lasting
@given(data=st.data())
def test_any_study_is_taken_or_refused_in_words(data):
    """Values replaced anywhere: a Study, or a ParamsError that says where."""
    tree = yaml.safe_load(data.draw(st.sampled_from(STUDIES)))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from([*places(tree)]))
        part = tree
        for key in way:
            part = part[key]
        if data.draw(st.booleans()) and isinstance(part, dict):
            part[data.draw(words)] = part.pop(last)
        else:
            part[last] = data.draw(values)
    try:
        study = check_study(tree)
    except ParamsError as error:
        in_words(error)
        return
    assert isinstance(study, Study)
    assert check_study(study.model_dump()) == study


@lasting
@given(data=st.data())
def test_any_file_and_setting_is_read_or_refused_in_words(data):
    """Bytes of a study file and texts after --set are anything."""
    whole = data.draw(st.sampled_from(STUDIES)).encode()
    at, gone = data.draw(st.integers(0, len(whole))), data.draw(st.integers(0, 9))
    setting = data.draw(
        words
        | st.builds("{}={}".format, words, words)
        | st.builds("metrics.{}={}".format, words, words)
        | st.sampled_from(["judging.judges.0.name=x", "a.b.c=1", "draws=!!python/object:os.x {}"])
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.yaml")
        path.write_bytes(whole[:at] + data.draw(st.binary(max_size=9)) + whole[at + gone :])
        try:
            read_study(path, [setting])
        except PosbiasError as error:
            in_words(error)
    try:
        apply_setting({}, setting)
    except ParamsError as error:
        in_words(error)
