"""The recorded judge replays what was said, and says what it has not got."""

import pandas as pd
import pytest

from posbias_kit.data import prepare_study
from posbias_kit.errors import ReadError
from posbias_kit.judging import judge_presentations, make_judges

PLANTED = {"name": "j", "kind": "planted", "slot_effect": 1.0, "ties": 0.5, "invalid_rate": 0.1}


@pytest.fixture(scope="module")
def study():
    """One task of the starter benchmark, two repeats."""
    return prepare_study("starter", sample={"tasks": ["math"]}, plan={"repeats": 2})


@pytest.fixture(scope="module")
def recording(study, tmp_path_factory):
    """Verdicts of a planted judge in a file."""
    path = tmp_path_factory.mktemp("recording") / "verdicts.parquet"
    judges = make_judges([PLANTED], seed=5)
    judge_presentations(judges, study.presentations, study.answers).to_parquet(path)
    return path


def _recorded(path, name="j"):
    return make_judges([{"name": name, "kind": "recorded", "path": str(path)}])


def test_replay_is_the_recording(study, recording):
    """Every verdict, status and reason comes back."""
    found = judge_presentations(_recorded(recording), study.presentations, study.answers)

    key = ["comparison", "order", "repeat"]
    pd.testing.assert_frame_equal(
        found.sort_values(key, ignore_index=True),
        pd.read_parquet(recording).sort_values(key, ignore_index=True),
    )


def test_fewer_repeats_can_be_replayed(study, recording):
    """A plan with one repeat takes the first."""
    plan = study.presentations.assign(repeats=1)
    found = judge_presentations(_recorded(recording), plan, study.answers)

    assert found["repeat"].unique().tolist() == [1]


def test_more_than_was_recorded_is_refused(study, recording):
    """Nothing is made up: the first missing call is named."""
    plan = study.presentations.assign(repeats=3)
    with pytest.raises(ReadError, match=r"120 planned calls were not recorded.*repeat 3"):
        judge_presentations(_recorded(recording), plan, study.answers)


def test_unknown_judge_and_missing_file_are_named(recording, tmp_path):
    """The message lists the judges of the file, or names the path."""
    with pytest.raises(ReadError, match="no verdict of judge 'k'\n  allowed: j"):
        _recorded(recording, "k")
    with pytest.raises(ReadError, match="no such recorded verdict table"):
        _recorded(tmp_path / "none.parquet")
