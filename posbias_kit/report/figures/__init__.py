"""Figures: each function takes a tidy frame and returns Axes or a grid, with its alt text."""

from posbias_kit.report.figures.agreement import (
    plot_agreement,
    plot_disagreement,
    plot_reliability,
)
from posbias_kit.report.figures.position import (
    plot_consistency,
    plot_consistency_fairness,
    plot_fairness,
    plot_stability,
    plot_tasks,
)
from posbias_kit.report.figures.quality_gap import plot_quality_gap

__all__ = [
    "plot_agreement",
    "plot_consistency",
    "plot_consistency_fairness",
    "plot_disagreement",
    "plot_fairness",
    "plot_quality_gap",
    "plot_reliability",
    "plot_stability",
    "plot_tasks",
]
