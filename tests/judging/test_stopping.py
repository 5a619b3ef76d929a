"""Asking under a stopping rule: whole comparisons, no call too many, and going on after a break."""

import pytest
from fault_server import FaultServer, Meeting, steady
from live_studies import judge, live, said, tables

from posbias_kit.analysis import StoppingRule, stopped_consistency
from posbias_kit.data import prepare_study
from posbias_kit.errors import ParamsError
from posbias_kit.judging import count_statuses, judge_presentations, make_judges
from posbias_kit.params import check_study

RULE = StoppingRule(half_width=0.15, batch=10, seed=3)


def test_live_judge_is_asked_until_enough_is_known(tmp_path):
    """As many calls as the verdicts tell afterwards that the rule needed, and not one more."""
    study = tables(80)
    with FaultServer(steady()) as server:
        asked = live(server.url, limits={"concurrency": 8})
        verdicts = judge(asked, study, tmp_path, stop=RULE)
        made = server.attempts.total()
        again = judge(live(server.url), study, tmp_path, stop=RULE)
        assert server.attempts.total() == made, "a second run asks nothing"
    told = stopped_consistency(verdicts, study.presentations, RULE).iloc[0]

    assert told["reached"]
    assert 0 < told["asked"] < 80
    assert made == len(verdicts) == 2 * told["asked"]
    assert told["asked"] % RULE.batch == 0
    assert RULE.stop(RULE.arrange(study.presentations, "j")[0], verdicts) == told["asked"]
    assert again.equals(verdicts)
    status = count_statuses([asked], verdicts, study.presentations).iloc[0]
    assert status["not_made"] == 160 - made


def test_capped_run_goes_on_as_if_it_had_not_been(tmp_path):
    """A cap in the middle of a batch: the calls of both runs together are those of one."""
    study = tables(80)
    with FaultServer(steady()) as server:
        with pytest.warns(UserWarning, match="cap of 26 on calls reached"):
            first = judge(live(server.url), study, tmp_path, caps={"calls": 26}, stop=RULE)
        assert len(first) == 26
        then = judge(live(server.url), study, tmp_path, stop=RULE)
        (folder := tmp_path / "whole").mkdir()
        whole = judge(live(server.url), study, folder, stop=RULE)

    assert sorted(then["comparison"]) == sorted(whole["comparison"])


def test_failed_calls_are_incomplete_and_the_rule_goes_on(tmp_path):
    """Where one order always fails nothing is ever complete: all is asked, nothing is known."""

    def script(key, attempt, body):
        return Meeting("http_400") if said(body)[1] == "m1" else Meeting()

    study = tables(20)
    with FaultServer(script) as server:
        verdicts = judge(live(server.url), study, tmp_path, stop=RULE)
    told = stopped_consistency(verdicts, study.presentations, RULE).iloc[0]

    assert told[["asked", "complete"]].tolist() == [20, 0]


def test_simulation_is_cut_where_the_rule_ends():
    """A planted judge's rows are those it gives without a rule, as far as they were drawn."""
    study = prepare_study("starter", plan={"repeats": 2})
    judges = make_judges([{"name": "fair", "kind": "planted", "invalid_rate": 0.02}])
    given = (judges, study.presentations, study.answers)
    rule = StoppingRule(half_width=0.1)
    whole, cut = judge_presentations(*given), judge_presentations(*given, stop=rule)
    told = stopped_consistency(cut, study.presentations, rule).iloc[0]

    assert told["reached"]
    assert len(cut) == 4 * told["asked"] < len(whole)
    both = cut.merge(whole, how="left", indicator=True)
    assert (both["_merge"] == "both").all()


def test_recorded_judges_have_no_use_for_a_rule():
    study = {
        "run_name": "mine", "data_preparation": {},
        "judging": {"judges": [{"name": "old", "kind": "recorded", "path": "x"}], "stop": {}},
    }  # fmt: skip
    with pytest.raises(ParamsError, match="no use with recorded judges: old"):
        check_study(study)
