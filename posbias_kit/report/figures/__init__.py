"""Figures: each function takes a tidy frame and returns Axes or a grid, with its alt text."""

from posbias_kit.report.figures.agreement import (
    plot_agreement,
    plot_disagreement,
    plot_reliability,
)
from posbias_kit.report.figures.arms import plot_arms, plot_scores
from posbias_kit.report.figures.costs import plot_cost
from posbias_kit.report.figures.noise import plot_noise, plot_slot_wins
from posbias_kit.report.figures.order_effect import plot_order_effect
from posbias_kit.report.figures.planning import plot_planning
from posbias_kit.report.figures.position import (
    plot_consistency,
    plot_consistency_fairness,
    plot_fairness,
    plot_stability,
    plot_tasks,
)
from posbias_kit.report.figures.quality_gap import plot_quality_gap
from posbias_kit.report.figures.scalability import plot_scalability
from posbias_kit.report.figures.win_rates import plot_rank_change

__all__ = [
    "plot_agreement",
    "plot_arms",
    "plot_consistency",
    "plot_consistency_fairness",
    "plot_cost",
    "plot_disagreement",
    "plot_fairness",
    "plot_noise",
    "plot_order_effect",
    "plot_planning",
    "plot_quality_gap",
    "plot_rank_change",
    "plot_reliability",
    "plot_scalability",
    "plot_scores",
    "plot_slot_wins",
    "plot_stability",
    "plot_tasks",
]
