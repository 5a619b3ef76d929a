"""Judges and how they are asked: presentations in, verdicts out."""

from posbias_kit.judging.arms import plan_arm, plan_singles
from posbias_kit.judging.bill import estimate_calls
from posbias_kit.judging.live import LiveJudge
from posbias_kit.judging.planted import PlantedJudge
from posbias_kit.judging.points import count_scores, describe_scores
from posbias_kit.judging.recorded import RecordedJudge
from posbias_kit.judging.replies import read_replies
from posbias_kit.judging.run import judge_presentations, make_judges, read_scores
from posbias_kit.judging.status import count_statuses, describe_arms

__all__ = [
    "LiveJudge",
    "PlantedJudge",
    "RecordedJudge",
    "count_scores",
    "count_statuses",
    "describe_arms",
    "describe_scores",
    "estimate_calls",
    "judge_presentations",
    "make_judges",
    "plan_arm",
    "plan_singles",
    "read_replies",
    "read_scores",
]
