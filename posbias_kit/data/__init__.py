"""Questions and answers in; comparisons, orders and repeats planned; judgments read."""

from posbias_kit.data.benchmark import Benchmark, build_benchmark
from posbias_kit.data.detect import detect_layout
from posbias_kit.data.finished import read_runs
from posbias_kit.data.judgments import read_judgments
from posbias_kit.data.layouts import LAYOUTS
from posbias_kit.data.partitions import partition_verdicts
from posbias_kit.data.pilot_pairs import read_pilot
from posbias_kit.data.plan import plan_presentations, sample_benchmark
from posbias_kit.data.prepare import (
    describe_benchmark,
    describe_plan,
    prepare_study,
    presentations_of,
)
from posbias_kit.data.presentations import identify, name_comparison
from posbias_kit.data.read import read_benchmark, read_verdicts
from posbias_kit.data.reading_report import describe_reading, what_can_be_computed
from posbias_kit.data.replies import rule_differences
from posbias_kit.data.starter import STARTER_QUALITY
from posbias_kit.data.verdicts import build_verdicts
from posbias_kit.data.write import write_verdicts

__all__ = [
    "LAYOUTS",
    "STARTER_QUALITY",
    "Benchmark",
    "build_benchmark",
    "build_verdicts",
    "describe_benchmark",
    "describe_plan",
    "describe_reading",
    "detect_layout",
    "identify",
    "name_comparison",
    "partition_verdicts",
    "plan_presentations",
    "prepare_study",
    "presentations_of",
    "read_benchmark",
    "read_judgments",
    "read_pilot",
    "read_runs",
    "read_verdicts",
    "rule_differences",
    "sample_benchmark",
    "what_can_be_computed",
    "write_verdicts",
]
