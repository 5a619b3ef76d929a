"""The mapping of a table: what is refused, and how labels are compared."""

import pytest

from posbias_kit.errors import ParamsError
from posbias_kit.params import parse_section
from posbias_kit.table_mapping import TableMapping, Verdicts

LABELS = {"first": [1], "second": [2]}
GOOD = {"question": "q", "candidates": ["a", "b"], "judge": "j", "verdict": "v", "labels": LABELS}


def test_columns_name_their_keys():
    """All columns that a file must have, in the order of the keys."""
    order = {"column": "swap", "exchanged": [1], "kept": [0]}
    mapping = TableMapping(**GOOD | {"question": ["set", "q"], "task": "t", "order": order})

    assert mapping.columns() == [
        ("question", "set"), ("question", "q"), ("candidates", "a"), ("candidates", "b"),
        ("judge", "j"), ("verdict", "v"), ("task", "t"), ("order.column", "swap"),
    ]  # fmt: skip


def test_words_are_spelt_alike():
    """Outer space is forgiven; 1, 1.0 and "1" are one label."""
    labels = Verdicts(first=["Left "], second=[1.0], further=[["c"]], tie=[True], invalid=[""])

    assert labels.words().exact == {"Left": 1, "1": 2, "c": 3, "true": 0, "": None}


def test_case_counts_where_it_tells_labels_apart():
    """Two labels, m and M; a spelling that is neither is none of them, LEFT is left."""
    words = Verdicts(first=["m", "left"], second=["M"]).words()

    assert [words.find(label) for label in ("m", "M", " M ", "LEFT")] == [1, 2, 2, 1]
    words = Verdicts(first=["Ab"], second=["aB"]).words()
    with pytest.raises(KeyError):
        words.find("AB")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"questoin": "q"}, "unknown key 'questoin' (known: question, candidates,"),
        ({"labels": {"frist": [1]}}, "unknown key 'labels.frist' (known: first, second, further"),
        ({"verdict": None}, "verdict"),
        ({"candidates": ["a"]}, "candidates = ['a']"),
        ({"candidates": None}, "tell the candidates in one way"),
        ({"candidate_names": ["x", "y"]}, "tell the candidates in one way"),
        ({"file_name": "(?P<first>.)(?P<second>.)"}, "tell the candidates in one way"),
        ({"file_name": "(?P<who>.)"}, "file_name has groups who; known: first, second, third"),
        ({"file_name": "(?P<judge>"}, "is no regular expression"),
        ({"candidates": None, "candidate_column": "p"}, "need each other"),
        ({"candidates": None, "candidate_column": "p", "candidate_pattern": "(.+)"},
         "candidate_pattern needs a group for each candidate"),
        ({"judge": None}, "tell the judge in one way"),
        ({"judge_name": "gpt"}, "tell the judge in one way"),
        ({"file_name": "(?P<judge>.)"}, "tell the judge in one way"),
        ({"verdict": ["v", "w"], "repeat": "k"}, "are repeats already"),
        ({"labels": {}}, "labels needs first and second"),
        ({"labels": {"first": ["A"], "second": ["A "]}}, "labels stand twice: A"),
        ({"labels": LABELS | {"tie": [None]}}, "null is no label: an empty cell is always"),
        ({"scores": ["s", "t"]}, "tell the verdict in one way: verdict or scores"),
        ({"verdict": None, "scores": ["s"]}, "scores"),
        ({"verdict": None, "scores": ["s", "t"], "judge": None}, "tell the judge in one way"),
        ({"verdict": None, "scores": ["s", "t"], "candidates": ["a", "b", "c"]},
         "scores tells of pairs"),
        ({"separator": "and"}, "separator = 'and'"),
        ({"labels": {"first": [1], "second": ["1"]}}, "labels stand twice"),
        ({"labels": LABELS | {"tie": [""]}}, "an empty cell is always invalid"),
        ({"labels": LABELS | {"further": [[" "]]}}, "an empty cell is always invalid"),
        ({"labels_name": "ids"}, "labels that are ids need no first, second or further"),
        ({"labels_name": "both"}, "labels_name = 'both'"),
        ({"answer_texts": ["t"]}, "answer_texts needs a column for each candidate"),
        ({"order": {}}, "order: give one of `files` and `column`"),
        ({"order": {"files": "*", "column": "k"}}, "give one of `files` and `column`"),
        ({"order": {"column": "k", "exchanged": [1]}}, "a column needs both lists"),
        ({"order": {"column": "k", "exchanged": [1], "kept": ["1"]}}, "stands in both lists"),
        ({"candidates": ["a", "b", "c"], "order": {"files": "*"}}, "order tells of pairs"),
    ],
)  # fmt: skip
def test_what_is_refused(keys, told):
    """Each with a sentence that says why."""
    with pytest.raises(ParamsError) as caught:
        parse_section(TableMapping, GOOD | keys, "mapping")

    assert told in str(caught.value)


def test_every_key_has_its_line():
    """As for all sections of a study."""
    for model in (TableMapping, Verdicts):
        assert all(field.description for field in model.model_fields.values())
