"""Notebook set-up, figures, the papermill chain and the HTML pages."""

from importlib import import_module

_HOMES = {
    "arms": ["load_arms", "pick", "plain_arm"],
    "cards": ["judge_cards", "show_cards"],
    "chain": ["run_study"],
    "costs": ["judge_costs"],
    "decisions": ["tell_decision"],
    "exploring": ["explore"],
    "figures": [
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
    ],
    "folder": ["Run", "start"],
    "methods": ["methods_paragraph", "show_methods", "tested_limits"],
    "pilot_check": ["check_pilot"],
    "review_store": ["load_if_there", "read_refused", "read_reviews"],
    "runs": ["compare_runs"],
    "summary": ["HEADLINE_TABLES", "choose_rows", "show_once", "show_rows", "summarise_judges"],
    "views": [
        "BIAS_FIGURES",
        "view_agreement",
        "view_bias",
        "view_counts",
        "view_decision",
        "view_gap",
        "view_order",
        "view_plan",
        "view_ranks",
    ],
    "worksheet": ["write_worksheet"],
}
"""Module -> what it gives to notebooks; each is imported when something of it is asked for."""

_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name):
    """Import a name's module when the name is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"posbias_kit.report.{_HOME[name]}"), name)
    return value


def __dir__():
    return sorted({*globals(), *__all__})
