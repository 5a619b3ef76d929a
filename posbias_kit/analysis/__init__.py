"""Metrics, intervals, quality gap, stepwise search and agreement: verdicts in, tables out."""

from posbias_kit.analysis.adjusted import adjusted_win_rates
from posbias_kit.analysis.agreement import (
    agreement_matrix,
    judge_agreement,
    judge_clusters,
    judge_linkage,
)
from posbias_kit.analysis.arms import arm_differences, arm_values
from posbias_kit.analysis.betting import betting_sequence
from posbias_kit.analysis.coefficients import agreement_coefficients
from posbias_kit.analysis.components import variance_components
from posbias_kit.analysis.coupling import coupling_null, quality_gap_sources
from posbias_kit.analysis.credits import CELL
from posbias_kit.analysis.decision import decide
from posbias_kit.analysis.differences import judge_differences
from posbias_kit.analysis.direction import direction_test
from posbias_kit.analysis.disagreement import (
    disagreement,
    disagreement_distribution,
    extreme_instances,
    majority_reliability,
)
from posbias_kit.analysis.estimate import Estimate, estimate_metric
from posbias_kit.analysis.factors import explain_bias
from posbias_kit.analysis.fairness import listwise_fairness
from posbias_kit.analysis.fixed_width import fixed_width_sequence
from posbias_kit.analysis.formats import answer_features, match_lengths
from posbias_kit.analysis.labels import label_accuracy, label_agreement, majority_labels
from posbias_kit.analysis.mentions import flag_mentions, model_mentions
from posbias_kit.analysis.missing import missing_bounds
from posbias_kit.analysis.noise import inconsistency_split
from posbias_kit.analysis.order_differences import order_differences
from posbias_kit.analysis.order_effect import order_effect
from posbias_kit.analysis.parser_audit import labels_in_answers, parser_audit, reread_replies
from posbias_kit.analysis.partitions import PartitionTables, partition_tables
from posbias_kit.analysis.pilot import judge_pilot, sum_pilot
from posbias_kit.analysis.planning import cheapest_designs, planning_table
from posbias_kit.analysis.pooled import pooled_order
from posbias_kit.analysis.position import position_bias
from posbias_kit.analysis.quality_gap import OWR, quadratic_curve, quality_gap_fits
from posbias_kit.analysis.rank_changes import largest_moves, rank_changes
from posbias_kit.analysis.review_queue import review_queue
from posbias_kit.analysis.reviews import (
    compare_reviews,
    count_reviews,
    reviewer_agreement,
    reviewer_coefficients,
    reviewers_and_judges,
    settle_reviews,
)
from posbias_kit.analysis.run_differences import run_differences
from posbias_kit.analysis.scalability import scalability
from posbias_kit.analysis.scored import drop_scored, scored_arms
from posbias_kit.analysis.sequential import StoppingRule, stopping_rule
from posbias_kit.analysis.series import build_series, choose_experiment, name_families
from posbias_kit.analysis.slot_effects import slot_effects
from posbias_kit.analysis.slot_or_label import slot_or_label, turned_arms
from posbias_kit.analysis.slots import slot_wins
from posbias_kit.analysis.stability import chance_stability, repetition_stability
from posbias_kit.analysis.stepwise import stepwise_aic
from posbias_kit.analysis.stopped import stopped_consistency, take_rule_intervals
from posbias_kit.analysis.task_directions import task_directions
from posbias_kit.analysis.tasks import task_differences
from posbias_kit.analysis.two_way import two_way_intervals
from posbias_kit.analysis.units import build_units, win_rates
from posbias_kit.analysis.verdict_counts import verdict_counts
from posbias_kit.analysis.verdict_sheet import verdict_sheet
from posbias_kit.analysis.worksheet import class_counts, worksheet

__all__ = [
    "CELL",
    "OWR",
    "Estimate",
    "PartitionTables",
    "StoppingRule",
    "adjusted_win_rates",
    "agreement_coefficients",
    "agreement_matrix",
    "answer_features",
    "arm_differences",
    "arm_values",
    "betting_sequence",
    "build_series",
    "build_units",
    "chance_stability",
    "cheapest_designs",
    "choose_experiment",
    "class_counts",
    "compare_reviews",
    "count_reviews",
    "coupling_null",
    "decide",
    "direction_test",
    "disagreement",
    "disagreement_distribution",
    "drop_scored",
    "estimate_metric",
    "explain_bias",
    "extreme_instances",
    "fixed_width_sequence",
    "flag_mentions",
    "inconsistency_split",
    "judge_agreement",
    "judge_clusters",
    "judge_differences",
    "judge_linkage",
    "judge_pilot",
    "label_accuracy",
    "label_agreement",
    "labels_in_answers",
    "largest_moves",
    "listwise_fairness",
    "majority_labels",
    "majority_reliability",
    "match_lengths",
    "missing_bounds",
    "model_mentions",
    "name_families",
    "order_differences",
    "order_effect",
    "parser_audit",
    "partition_tables",
    "planning_table",
    "pooled_order",
    "position_bias",
    "quadratic_curve",
    "quality_gap_fits",
    "quality_gap_sources",
    "rank_changes",
    "repetition_stability",
    "reread_replies",
    "review_queue",
    "reviewer_agreement",
    "reviewer_coefficients",
    "reviewers_and_judges",
    "run_differences",
    "scalability",
    "scored_arms",
    "settle_reviews",
    "slot_effects",
    "slot_or_label",
    "slot_wins",
    "stepwise_aic",
    "stopped_consistency",
    "stopping_rule",
    "sum_pilot",
    "take_rule_intervals",
    "task_differences",
    "task_directions",
    "turned_arms",
    "two_way_intervals",
    "variance_components",
    "verdict_counts",
    "verdict_sheet",
    "win_rates",
    "worksheet",
]
