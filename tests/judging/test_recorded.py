"""The recorded judge replays what was said, and says what it has not got."""

import json

import pandas as pd
import pytest

from posbias_kit.data import prepare_study
from posbias_kit.errors import ReadError
from posbias_kit.judging import count_statuses, judge_presentations, make_judges
from posbias_kit.judging.local import missing_extra
from posbias_kit.judging.recorded import RECORDINGS
from posbias_kit.schema import PRESENTATION_KEY

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


def test_partial_judge_leaves_out_what_was_not_recorded(study, recording):
    """With `partial` the calls that are there come back, and the others are counted."""
    judge = {"name": "j", "kind": "recorded", "path": str(recording), "partial": True}
    whole = prepare_study("starter", plan={"repeats": 3})
    missing = whole.presentations["repeats"].sum() - study.presentations["repeats"].sum()
    judges = make_judges([judge])
    found = judge_presentations(judges, whole.presentations, whole.answers)
    counts = count_statuses(judges, found, whole.presentations).iloc[0]

    assert counts[["what", "planned", "not_made"]].tolist() == ["recorded", 2880, missing]
    assert len(found) == study.presentations["repeats"].sum()
    assert set(found["task"]) == {"math"}
    other = prepare_study("starter", sample={"tasks": ["coding"]}, plan={"repeats": 1})
    with pytest.raises(ReadError, match="planned calls were not recorded"):
        judge_presentations(make_judges([judge]), other.presentations, other.answers)


def test_unknown_judge_and_missing_file_are_named(recording, tmp_path):
    """The message lists the judges of the file, or names the path."""
    with pytest.raises(ReadError, match="no verdict of judge 'k'\n  allowed: j"):
        _recorded(recording, "k")
    with pytest.raises(ReadError, match="no such recorded verdict table"):
        _recorded(tmp_path / "none.parquet")


needs_recording = pytest.mark.skipif("starter" not in RECORDINGS, reason="no recording yet")
LOCAL = {
    "qwen-1.5b-fewshot": {"model": "qwen-coder-1.5b", "template": "fewshot-letters"},
    "qwen-1.5b-zeroshot": {"model": "qwen-coder-1.5b", "template": "zeroshot-letters"},
    "qwen-0.5b-fewshot": {"model": "qwen-coder-0.5b", "template": "fewshot-letters"},
    "smollm2-135m-fewshot": {"model": "smollm2-135m", "template": "fewshot-letters"},
}
KEY = [*PRESENTATION_KEY, "repeat"]
SAMPLE = {"candidates": ["careful", "restated", "flawed"]}


@needs_recording
@pytest.mark.parametrize("judge", LOCAL)
def test_starter_recording_is_whole(judge):
    """Every question, three candidates, both orders, three times, nothing failed."""
    study = prepare_study("starter", sample=SAMPLE, plan={"repeats": 3})
    found = judge_presentations(_recorded("starter", judge), study.presentations, study.answers)

    assert len(found) == 864
    assert set(found["status"]) <= {"ok", "invalid"}
    assert found["margin"].notna().mean() > 0.9


@needs_recording
@pytest.mark.parametrize("judge", LOCAL)
def test_recorded_verdicts_are_in_the_raw_replies(judge):
    """Verdict and margin are what the stored reply says."""
    rows = pd.read_parquet(RECORDINGS["starter"])
    rows = rows[(rows["judge"] == judge) & (rows["status"] == "ok")].sample(50, random_state=1)
    for row in rows.itertuples():
        said = json.loads(row.body)["choices"][0]["message"]["content"]
        assert said == row.raw
        assert "CAB".index(said) == row.choice


@needs_recording
@pytest.mark.parametrize("judge", LOCAL)
def test_live_model_says_what_was_recorded(judge, tmp_path):
    """Ten pairs asked anew: the margins are the recorded ones.

    The arithmetic of a prompt read at once differs from that of one read in part, so margins
    agree to about 0.1 nats, not to the last digit.
    """
    if lacking := missing_extra(LOCAL[judge]["model"]):
        pytest.skip(lacking)
    sample = {"tasks": ["reasoning"], **SAMPLE}
    study = prepare_study("starter", sample=sample, plan={"repeats": 1})
    plan = study.presentations.head(20)
    live = make_judges([{"name": judge, "kind": "local", "threads": 1, **LOCAL[judge]}])
    log = tmp_path / "judgments.sqlite"
    found = judge_presentations(live, plan, study.answers, study.questions, log)
    told = judge_presentations(_recorded("starter", judge), plan, study.answers)
    both = found.merge(told, on=KEY, suffixes=("", "_told"), validate="1:1")

    assert len(both) == 20
    gap = (both["margin"] - both["margin_told"]).abs()
    assert gap.median() < 0.1
    assert gap.max() < 0.5
