"""Metrics, intervals, quality gap, stepwise search and agreement: verdicts in, tables out."""

from posbias_kit.analysis.agreement import (
    agreement_matrix,
    judge_agreement,
    judge_clusters,
    judge_linkage,
)
from posbias_kit.analysis.disagreement import (
    disagreement,
    disagreement_distribution,
    extreme_instances,
    majority_reliability,
)
from posbias_kit.analysis.factors import explain_bias
from posbias_kit.analysis.position import position_bias, verdict_counts
from posbias_kit.analysis.quality_gap import OWR, quadratic_curve, quality_gap_fits
from posbias_kit.analysis.series import build_series, choose_experiment
from posbias_kit.analysis.stability import chance_stability, repetition_stability
from posbias_kit.analysis.stepwise import stepwise_aic
from posbias_kit.analysis.units import build_units, win_rates

__all__ = [
    "OWR",
    "agreement_matrix",
    "build_series",
    "build_units",
    "chance_stability",
    "choose_experiment",
    "disagreement",
    "disagreement_distribution",
    "explain_bias",
    "extreme_instances",
    "judge_agreement",
    "judge_clusters",
    "judge_linkage",
    "majority_reliability",
    "position_bias",
    "quadratic_curve",
    "quality_gap_fits",
    "repetition_stability",
    "stepwise_aic",
    "verdict_counts",
    "win_rates",
]
