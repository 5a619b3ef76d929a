"""Every figure of the kit for three judges and for fifteen, drawn from simulated verdicts.

    python docs/gallery.py FOLDER

writes ``<plot function>_<judges>.png``; `make docs` and the tests call :func:`draw`.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from posbias_kit import analysis, data, report
from posbias_kit.report.pictures import figure_of

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
        "arms": _arms(verdicts),
        "sizes": _sizes(verdicts),
        "scores": _scores(verdicts),
        "costs": _costs(analysis.position_bias(verdicts, **quick)),
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
        "plot_arms": ("arms",),
        "plot_scalability": ("sizes",),
        "plot_scores": ("scores",),
        "plot_cost": ("costs",),
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


def _arms(verdicts):
    """Two arms beside the plain one: every tie gone, and half of the verdicts to the first slot."""
    choice = verdicts["choice"]
    pushed = np.arange(len(verdicts)) % 2 == 0
    arms = {
        "": choice,
        "two-options": choice.where(choice > 0, 1),
        "pushed": choice.mask(pushed, 1),
    }
    parts = [verdicts.assign(arm=name, choice=told) for name, told in arms.items()]
    table = pd.concat([part.assign(winner=_winner(part)) for part in parts], ignore_index=True)
    return analysis.arm_differences(table, flips=99)


def _winner(part):
    return data.build_verdicts(
        part.assign(shown=[tuple(json.loads(text)) for text in part["shown"]])
    )["winner"].array


def _sizes(verdicts):
    """Consistency and fairness by set size, made up: falling from .8 and from a lean of .3."""
    sizes, judges = range(2, 6), verdicts["judge"].unique()
    rows = [
        (judge, size, (n + 1) / len(judges)) for n, judge in enumerate(judges) for size in sizes
    ]
    table = pd.DataFrame(rows, columns=["judge", "slots", "steady"])
    p = table["slots"]
    table["pc"], table["pc_chance"] = 0.8 * table["steady"] ** (p - 2), p.astype(float) ** (1 - p)
    table["pf_first"], table["pf_last"] = 0.3 / (p - 1), -0.3 / (p - 1)
    for name in ("pc", "pf_first", "pf_last"):
        table[f"{name}_low"], table[f"{name}_high"] = table[name] - 0.05, table[name] + 0.05
    return table


def _scores(verdicts):
    """Scores on two scales, made up: each judge a little kinder than the one before."""
    rng = np.random.default_rng(0)
    tables = []
    for scale in (5, 100):
        for number, judge in enumerate(verdicts["judge"].unique()):
            score = np.ceil(scale * rng.beta(3, 2 - number / 20, size=200)).astype(int)
            tables.append(pd.DataFrame({"judge": judge, "scale": scale, "score": score}))
    table = pd.concat(tables, ignore_index=True)
    arm = "points-" + table["scale"].astype(str)
    from posbias_kit.judging import count_scores

    return count_scores(table.assign(benchmark="simulated", arm=arm))


def _costs(bias):
    """Prices and tokens, made up: each judge dearer than the one before."""
    number = np.arange(len(bias))
    return bias.assign(
        calls=400,
        tokens_per_call=900.0 + 50 * number,
        money_per_1000_calls=0.2 * 1.5**number,
        currency="USD",
    )


def _questions(verdicts):
    told = verdicts[["benchmark", "question", "task", "cluster"]].drop_duplicates()
    return told.assign(turns='["?"]', reference_answer=None, guidance=None)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
