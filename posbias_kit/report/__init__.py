"""Notebook set-up, figures, the papermill chain and the HTML pages."""

from importlib import import_module

from posbias_kit.report.arms import load_arms, pick, plain_arm
from posbias_kit.report.costs import judge_costs
from posbias_kit.report.decisions import tell_decision
from posbias_kit.report.explore import explore
from posbias_kit.report.folder import Run, start
from posbias_kit.report.judge_cards import judge_cards, show_cards
from posbias_kit.report.methods import methods_paragraph, show_methods, tested_limits
from posbias_kit.report.pilot_check import check_pilot
from posbias_kit.report.review_store import load_if_there, read_refused, read_reviews
from posbias_kit.report.runs import compare_runs
from posbias_kit.report.summary import (
    HEADLINE_TABLES,
    choose_rows,
    show_once,
    show_rows,
    summarise_judges,
)
from posbias_kit.report.worksheet import write_worksheet

__all__ = [
    "BIAS_FIGURES",
    "HEADLINE_TABLES",
    "Run",
    "check_pilot",
    "choose_rows",
    "compare_runs",
    "explore",
    "judge_cards",
    "judge_costs",
    "load_arms",
    "load_if_there",
    "methods_paragraph",
    "pick",
    "plain_arm",
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
    "read_refused",
    "read_reviews",
    "run_study",
    "show_cards",
    "show_methods",
    "show_once",
    "show_rows",
    "start",
    "summarise_judges",
    "tell_decision",
    "tested_limits",
    "view_agreement",
    "view_bias",
    "view_counts",
    "view_decision",
    "view_gap",
    "view_order",
    "view_plan",
    "view_ranks",
    "write_worksheet",
]


_LATE = {"run_study": "chain", "BIAS_FIGURES": "views"}
_LATE |= {name: "figures" for name in __all__ if name.startswith("plot_")}
_LATE |= {name: "views" for name in __all__ if name.startswith("view_")}


def __getattr__(name):
    """Import late what is heavy: a notebook needs no papermill, and the chain no figures."""
    if name in _LATE:
        return getattr(import_module(f"posbias_kit.report.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
