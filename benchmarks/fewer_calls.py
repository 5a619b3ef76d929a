"""How many calls would have done? The seed paper's full runs, replayed call by call.

    python -m benchmarks.fewer_calls [FOLDER] [--replays 200] [--seed 20240607] [--write]
        [--scheduler ADDRESS]

FOLDER holds the files that the paper released (by default ../shared/data/paper, or
`data/paper` under the folder that POSBIAS_SHARED names). In a replay the comparisons of one
judge arrive in a new random order, and a rule that was fixed before says when to stop; what it
then says of PC is held against PC of all comparisons. `--write` renews docs/fewer_calls.md. With
`--scheduler` the workers of a Dask cluster share the replays; the numbers are the same.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from benchmarks.half_design import ALIKE, NEAR, SHARES, SURE, Replays, replay_half
from benchmarks.sharing import add_scheduler, shared
from posbias_kit.analysis import build_series, position_bias
from posbias_kit.analysis.betting import betting_sequence
from posbias_kit.analysis.fixed_width import fixed_width_sequence
from posbias_kit.cluster import spread
from posbias_kit.data import read_verdicts
from posbias_kit.data.arrival import arrival_order

HALF, LEVEL, BATCH, Z = 0.03, 0.95, 20, special.ndtri(0.975)
RULES = {"betting": None, "fixed width, by task": "task", "fixed width, by cluster": "cluster"}
WANTED = {"betting": 0.40, "fixed width, by task": 0.32, "fixed width, by cluster": 0.32}
COVERED = 0.93
SHARED = Path(os.environ.get("POSBIAS_SHARED", Path(__file__).parents[2] / "shared"))
PAGE = Path(__file__).parents[1] / "docs" / "fewer_calls.md"


def read_full(folder):
    """Return the verdicts of the full runs, a table for each benchmark and judge."""
    parts = [read_verdicts("paper", folder, benchmark=name) for name in ("MTBench", "DevBench")]
    table = pd.concat(parts, ignore_index=True)
    full = table[table["experiment"] == "full"]
    groups = full.groupby(["benchmark", "judge"], sort=False)
    return dict(sorted(groups, key=lambda pair: ([*"MD"].index(pair[0][0][0]), pair[0][1])))


def follow(rule, series, seed, name):
    """Return what a rule knows at every look of one replay."""
    strata = RULES[rule]
    kinds = series[strata] if strata else None
    drawn = series.iloc[arrival_order(len(series), kinds, seed, name)]
    looks = [*range(BATCH, len(series), BATCH), len(series)]
    given = {"level": LEVEL, "looks": looks}
    came = drawn["consistent"], drawn["complete"]
    if strata is None:
        return betting_sequence(*came, len(series), half_width=HALF, **given)
    planned = kinds.value_counts().to_dict()
    return fixed_width_sequence(*came, drawn[strata], planned, **given)


def replay(rule, series, replays, seed, name):
    """Return one row: calls needed and coverage of one rule over all replays of a judge."""
    truth = series["consistent"].sum() / series["complete"].sum()
    found, always = [], []
    for number in range(replays):
        path = follow(rule, series, seed + number, name)
        held = (path["pc_low"] <= truth + 1e-12) & (truth - 1e-12 <= path["pc_high"])
        stop = int((path["half_width"] <= HALF).to_numpy().argmax())
        found.append((path["asked"].iloc[stop] / len(series), held.iloc[stop]))
        always.append((held | path["pc_low"].isna()).all())
    share, held = np.transpose(found)
    sizes = {"comparisons": len(series), "pc": truth, "fixed": fixed_size(truth, len(series))}
    return {
        "rule": rule, **sizes, "calls": share.mean(), "calls_90": np.quantile(share, 0.9),
        "covered": held.mean(), "always": np.mean(always),
    }  # fmt: skip


def fixed_size(pc, planned):
    """Share of the comparisons that one simple random sample needs, were PC known beforehand."""
    size = pc * (1 - pc) * (Z / HALF) ** 2
    return 1 / (1 + planned / size)


def questions_needed(verdicts):
    """What the full run says of other questions like these: half-width, and clusters for .03."""
    found = position_bias(verdicts).iloc[0]
    half = (found["pc_high"] - found["pc_low"]) / 2
    return {
        "clusters": found["clusters"], "half_width": half,
        "needed": int(np.ceil(found["clusters"] * (half / HALF) ** 2)),
    }  # fmt: skip


def run(folder, replays, seed):
    """Return the tables of the page; every replay has a stream of its own, whoever makes it."""
    full, drawn = read_full(folder), {}
    for benchmark in dict.fromkeys(name for name, _ in full):
        parts = [table for (name, _), table in full.items() if name == benchmark]
        drawn[benchmark] = Replays(pd.concat(parts), replays, seed)
    series = {key: build_series(verdicts) for key, verdicts in full.items()}
    asked = [(rule, series[key], replays, seed, key[1]) for key in full for rule in RULES]
    replayed = spread(replay, asked)
    dealt = spread(replay_half, [(verdicts, drawn[key[0]]) for key, verdicts in full.items()])
    tables = [], [], [], []
    for number, (key, verdicts) in enumerate(full.items()):
        rules = replayed[number * len(RULES) : (number + 1) * len(RULES)]
        found = (rules, *dealt[number], [questions_needed(verdicts)])
        for table, rows_of in zip(tables, found, strict=True):
            table += [dict(zip(("benchmark", "judge"), key, strict=True)) | row for row in rows_of]
    return tuple(map(pd.DataFrame, tables))


def rows(table, write):
    """Return the lines of a Markdown table, one a row."""
    return "\n".join("| " + " | ".join(write(row)) + " |" for row in table.itertuples())


def write_stop(row):
    bad = " *" if row.calls > WANTED[row.rule] else ""
    low = " *" if row.covered < COVERED else ""
    return [
        row.benchmark, row.judge, f"{row.pc:.3f}", f"{row.comparisons:,}", row.rule,
        f"{row.calls:.1%}{bad}", f"{row.calls_90:.1%}", f"{row.covered:.1%}{low}",
        f"{row.always:.1%}", f"{row.fixed:.1%}",
    ]  # fmt: skip


def write_half(row):
    return [
        row.benchmark, row.judge, row.design, f"{row.half_width:.3f}",
        f"{row.full_half_width:.3f}", f"{row.off:.3f}", f"{row.worst:.3f}", f"{row.held:.1%}",
        f"{row.tau:.2f}", f"{row.same_rank:.0%}", f"{row.largest_move:.1f}", f"{row.first:.0%}",
    ]  # fmt: skip


def write_needed(row):
    most = max(SHARES[row.design])
    shares = (row.rates, row.ranks, row.winner)
    told = [f"over {most:.0%}" if np.isnan(share) else f"{share:.0%}" for share in shares]
    return [row.benchmark, row.judge, row.design.removeprefix("half, "), *told]


def write_questions(row):
    needed = str(row.needed) if row.needed > row.clusters else f"{row.needed} (enough)"
    return [row.benchmark, row.judge, str(row.clusters), f"{row.half_width:.3f}", needed]


def worth(half):
    """Say what the half design is worth in calls of both orders, judge by judge."""
    square = half.pivot(index=["benchmark", "judge"], columns="design", values="square")
    ratio = square["one order of each"] / square["half, both orders"]
    equal = 1 / (1 + ratio)  # the error of a share f falls as 1/f - 1, and is known at one half
    return ", ".join(
        f"{share:.0%} ({judge}, {benchmark})" for (benchmark, judge), share in equal.items()
    )


def verdict(table):
    """Say what is reached and what is not."""
    lines = []
    for rule, part in table.groupby("rule", sort=False):
        met = part["calls"] <= WANTED[rule]
        names = [f"{row.judge} on {row.benchmark}" for row in part[~met].itertuples()]
        reached = f"{met.sum()} of {len(part)} runs stay within {WANTED[rule]:.0%} of the calls"
        missed = f"; over it: {', '.join(names)}" if names else ""
        low = part["covered"].min()
        cover = f"coverage is {low:.1%} at least" + ("" if low >= COVERED else ": too low")
        lines.append(f"- **{rule}**: {reached}{missed}. Its {cover}.")
    return "\n".join(lines)


def page(sequential, half, needed, questions, replays, seed):
    """Return docs/fewer_calls.md."""
    first = sequential[sequential["rule"] == "betting"]
    return TEMPLATE.format(
        replays=replays, seed=seed, batch=BATCH, half=HALF, covered=COVERED,
        verdict=verdict(sequential), stops=rows(sequential, write_stop),
        floor=", ".join(f"{share:.0%}" for share in first["fixed"]),
        halves=rows(half, write_half), worth=worth(half),
        near=NEAR, alike=ALIKE, sure=SURE, needed=rows(needed, write_needed),
        questions=rows(questions, write_questions),
    )  # fmt: skip


TEMPLATE = Path(__file__).with_name("fewer_calls_page.md").read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED / "data" / "paper")
    parser.add_argument("--replays", type=int, default=200, help="of each judge and rule")
    parser.add_argument("--seed", type=int, default=20240607)
    parser.add_argument("--write", action="store_true", help="renew docs/fewer_calls.md")
    add_scheduler(parser)
    given = parser.parse_args()
    start = time.perf_counter()
    with shared(given):
        tables = run(given.folder, given.replays, given.seed)
    text = page(*tables, given.replays, given.seed)
    print(text, *(table.round(4).to_string() for table in tables), sep="\n\n")
    print(f"{time.perf_counter() - start:.0f} s")
    if given.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
