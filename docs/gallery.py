"""Every figure of the kit for three judges and for fifteen, drawn from simulated verdicts.

    python docs/gallery.py FOLDER

writes ``<plot function>_<judges>.png``; `make docs` and the tests call :func:`draw`.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from posbias_kit import analysis, data, report

SIZES = {3: 4, 15: 22}
"""Judges -> tasks."""
NAMES = ("gpt-4-0125-preview", "claude-3-5-sonnet-20240620", "Meta-Llama-3.1-405B-Instruct-FP8")


def simulate(judges, tasks, questions=3, repeats=2, seed=0):
    """Make verdicts of judges that lean more and more, on four candidates in all pairs."""
    rng = np.random.default_rng(seed)
    rows = []
    quality = {"careful": 1.0, "restated": 0.8, "mediocre": 0.0, "flawed": -1.0}
    pairs = [(a, b) for a in quality for b in quality if a < b]
    for number in range(judges):
        lean = 1.2 * (number / (judges - 1) - 0.5)
        name = NAMES[number % 3] + ("" if number < 3 else f"-{number // 3}")
        for task in range(tasks):
            for question, pair in ((q, p) for q in range(questions) for p in pairs):
                for shown in (pair, pair[::-1]):
                    pull = quality[shown[0]] - quality[shown[1]] + lean
                    for repeat in range(1, repeats + 1):
                        first = rng.random() < 1 / (1 + np.exp(-pull))
                        choice = 0 if rng.random() < 0.1 else 1 if first else 2
                        place = (f"a task with number {task + 1}", f"{task}-{question}")
                        rows.append((*place, name, shown, repeat, choice))
    frame = pd.DataFrame(
        rows, columns=["task", "question", "judge", "shown", "repeat", "choice"]
    ).astype({"choice": "Int64"})
    return data.build_verdicts(frame.assign(benchmark="simulated", status="ok"))


def make_tables(verdicts):
    """Return the tables that the figures are drawn from."""
    quick = {"draws": 200}
    instances = analysis.disagreement(verdicts)
    units = analysis.build_units(verdicts, _questions(verdicts))
    components = analysis.variance_components(verdicts)
    return {
        "bias": analysis.position_bias(verdicts, **quick),
        "tasks": analysis.position_bias(verdicts, by=("judge", "task"), draws=0),
        "stability": analysis.repetition_stability(verdicts, **quick),
        "split": analysis.inconsistency_split(verdicts, permutations=99),
        "slots": analysis.slot_wins(verdicts, permutations=99),
        "plans": analysis.planning_table(components, questions=[20, 80], comparisons=[1, 10]),
        "rates": analysis.adjusted_win_rates(verdicts, **quick),
        "units": units,
        "fits": analysis.quality_gap_fits(units, ["own", "other_judges"], ["pc"]),
        "agreement": analysis.judge_agreement(verdicts),
        "distribution": analysis.disagreement_distribution(instances),
        "reliability": analysis.majority_reliability(verdicts, splits=20),
        "effect": analysis.order_effect(verdicts),
    }


def plots(tables):
    """Yield (plot function, what it drew)."""
    families = {"gpt": [name for name in tables["bias"]["judge"] if name.startswith("gpt")]}
    for name, arguments in {
        "plot_stability": ("stability",),
        "plot_consistency": ("bias",),
        "plot_fairness": ("bias",),
        "plot_consistency_fairness": ("bias",),
        "plot_tasks": ("tasks",),
        "plot_noise": ("split",),
        "plot_slot_wins": ("slots",),
        "plot_planning": ("plans",),
        "plot_rank_change": ("rates",),
        "plot_quality_gap": ("units", "fits"),
        "plot_order_effect": ("effect",),
        "plot_disagreement": ("distribution",),
        "plot_reliability": ("reliability",),
    }.items():
        yield name, getattr(report, name)(*(tables[argument] for argument in arguments))
    yield "plot_agreement", report.plot_agreement(tables["agreement"], families)


def draw(folder, sizes=SIZES):
    """Write every figure for every size."""
    from matplotlib import pyplot as plt

    from posbias_kit.report import style

    style.apply()
    folder.mkdir(parents=True, exist_ok=True)
    for judges, tasks in sizes.items():
        for name, plot in plots(make_tables(simulate(judges, tasks))):
            figure = figure_of(plot)
            figure.savefig(folder / f"{name}_{judges}.png", dpi=110, bbox_inches="tight")
            plt.close(figure)


def figure_of(plot):
    """Return the figure of whatever a plot function returns."""
    plot = plot.ravel()[0] if hasattr(plot, "ravel") else plot
    return plot.get_figure(root=True) if hasattr(plot, "get_figure") else plot.figure


def _questions(verdicts):
    told = verdicts[["benchmark", "question", "task", "cluster"]].drop_duplicates()
    return told.assign(turns='["?"]', reference_answer=None, guidance=None)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
