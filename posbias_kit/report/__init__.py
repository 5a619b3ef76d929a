"""Notebook set-up, figures, the papermill chain and the HTML pages."""

from posbias_kit.report.figures import (
    plot_agreement,
    plot_consistency,
    plot_consistency_fairness,
    plot_disagreement,
    plot_fairness,
    plot_noise,
    plot_order_effect,
    plot_planning,
    plot_quality_gap,
    plot_rank_change,
    plot_reliability,
    plot_slot_wins,
    plot_stability,
    plot_tasks,
)
from posbias_kit.report.folder import Run, start
from posbias_kit.report.summary import (
    HEADLINE_TABLES,
    choose_rows,
    show_once,
    show_rows,
    summarise_judges,
)

__all__ = [
    "HEADLINE_TABLES",
    "Run",
    "choose_rows",
    "plot_agreement",
    "plot_consistency",
    "plot_consistency_fairness",
    "plot_disagreement",
    "plot_fairness",
    "plot_noise",
    "plot_order_effect",
    "plot_planning",
    "plot_quality_gap",
    "plot_rank_change",
    "plot_reliability",
    "plot_slot_wins",
    "plot_stability",
    "plot_tasks",
    "run_study",
    "show_once",
    "show_rows",
    "start",
    "summarise_judges",
]


def __getattr__(name):
    """Import the chain when it is asked for: a notebook needs neither papermill nor nbformat."""
    if name == "run_study":
        from posbias_kit.report.chain import run_study

        return run_study
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
