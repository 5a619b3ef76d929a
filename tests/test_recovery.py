"""What is planted is found: every metric against its expectation by exact enumeration.

The planted judges' verdict probabilities are known. The expectation of each metric follows from
them by enumerating all outcomes, in code that shares nothing with the metrics. A study is run
with many seeds; the mean estimate must lie within 4 Monte Carlo standard errors of the
expectation.
"""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from posbias_kit import analysis
from posbias_kit.data import STARTER_QUALITY, prepare_study
from posbias_kit.judging import PlantedJudge, judge_presentations
from posbias_kit.params import read_study

SEEDS, REPEATS, OPTIONS = 24, 3, 3  # options: TIE, first, second
CONVENTIONS = ("paper", "tie", "decisive", "half")


@pytest.fixture(scope="module")
def demo(request):
    """Two questions of every task, with the planted judges of the demo study."""
    study = read_study(request.config.rootpath / "params" / "demo.yaml")
    sample = {"questions_per_task": 2}
    prepared = prepare_study("starter", sample=sample, plan={"repeats": REPEATS}, seed=1)
    return prepared, [judge for judge in study.judging.judges if judge.kind == "planted"]


@pytest.fixture(scope="module")
def chances(demo):
    """Return verdict probabilities (comparison, order, option) and settings of each judge."""
    prepared, judges = demo
    plan = prepared.presentations.sort_values(["comparison", "order"])
    found = {}
    for params in judges:
        judge = PlantedJudge(params, STARTER_QUALITY)
        found[params.name] = judge.probabilities(plan, prepared.answers).reshape(-1, 2, OPTIONS)
    return found


@pytest.fixture(scope="module")
def runs(demo):
    """Return the verdict tables of all seeds."""
    prepared, judges = demo
    return [
        judge_presentations(
            [PlantedJudge(params, STARTER_QUALITY, seed) for params in judges],
            prepared.presentations,
            prepared.answers,
        )
        for seed in range(SEEDS)
    ]


def _assert_found(estimates, expected, name):
    """The mean over seeds lies within 4 Monte Carlo standard errors of the expectation."""
    estimates = np.asarray(estimates, dtype=float)
    error = estimates.std(ddof=1) / np.sqrt(len(estimates))
    assert abs(estimates.mean() - expected) <= 4 * error + 1e-12, (
        f"{name}: {estimates.mean():.5f} is not {expected:.5f} +- 4 x {error:.5f}"
    )


def _columns(runs, function, key="judge"):
    """Run a metric on each table; one frame a column, rows seeds, columns groups."""
    tables = [function(verdicts).set_index(key) for verdicts in runs]
    return {
        name: pd.DataFrame([table[name] for table in tables]).reset_index(drop=True)
        for name in tables[0].select_dtypes("number")
    }


def _series(p):
    """Joint probability of (verdict in AB, verdict in BA), averaged over comparisons."""
    return np.einsum("ci,cj->ij", p[:, 0], p[:, 1]) / len(p)


def _position(p):
    """Expected pc and pf under each convention; options 0 TIE, 1 first, 2 second."""
    joint = _series(p)
    yes = joint[1, 2] + joint[2, 1] + joint[0, 0]
    primacy, recency = joint[1, 1], joint[2, 2]
    half = joint[2, 0] + joint[0, 2] - joint[1, 0] - joint[0, 1]
    decisive = joint[1:, 1:].sum()
    single = p.mean(axis=(0, 1))
    return {
        "paper": (yes, recency - primacy + half),
        "tie": (yes, recency - primacy),
        "decisive": ((yes - joint[0, 0]) / decisive, (recency - primacy) / decisive),
        "half": (yes, single[2] - single[1]),
    }


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_consistency_and_fairness(runs, chances, convention):
    """Pc and pf of each judge, under each convention."""
    found = _columns(runs, lambda v: analysis.position_bias(v, convention=convention, draws=0))
    for judge, p in chances.items():
        pc, pf = _position(p)[convention]
        _assert_found(found["pc"][judge], pc, f"pc of {judge}")
        _assert_found(found["pf"][judge], pf, f"pf of {judge}")


def test_kinds(runs, chances):
    """The four kinds of inconsistency as shares of complete series."""
    found = _columns(runs, lambda v: analysis.position_bias(v, draws=0))
    for judge, p in chances.items():
        joint = _series(p)
        kinds = {
            "primacy_full": joint[1, 1],
            "primacy_half": joint[1, 0] + joint[0, 1],
            "recency_full": joint[2, 2],
            "recency_half": joint[2, 0] + joint[0, 2],
        }
        for kind, share in kinds.items():
            estimates = found[kind][judge] / found["complete"][judge]
            _assert_found(estimates, share, f"{kind} of {judge}")


def test_task_lean_is_found(runs, demo, chances):
    """The recency judge leans to the first slot in math, as planted, and to the last elsewhere."""
    prepared, _ = demo
    tasks = prepared.presentations.sort_values(["comparison", "order"])["task"].to_numpy()[::2]
    by = ("judge", "task")
    found = _columns(runs, lambda v: analysis.position_bias(v, by=by, draws=0), list(by))
    for task in np.unique(tasks):
        pf = _position(chances["recency"][tasks == task])["paper"][1]
        assert (pf < 0) == (task == "math")
        _assert_found(found["pf"]["recency", task], pf, f"pf of recency on {task}")


def test_win_rates(runs, demo, chances):
    """Overall win rate of each candidate: wins and half of ties and inconsistent series."""
    prepared, _ = demo
    plan = prepared.presentations.sort_values(["comparison", "order"])
    shown = plan["shown"].str.strip('["]').str.split('","').to_numpy()[::2]  # AB: first, second
    key = ["judge", "candidate"]
    found = _columns(runs, lambda v: analysis.win_rates(v, by=key), key)
    for judge, p in chances.items():
        first = p[:, 0, 1] * p[:, 1, 2]
        second = p[:, 0, 2] * p[:, 1, 1]
        for candidate in STARTER_QUALITY:
            sides = [s.index(candidate) if candidate in s else -1 for s in shown]
            win = np.select([np.equal(sides, 0), np.equal(sides, 1)], [first, second])
            loss = np.select([np.equal(sides, 0), np.equal(sides, 1)], [second, first])
            told = np.not_equal(sides, -1)
            owr = (win + (1 - win - loss) / 2)[told].mean()
            _assert_found(found["owr"][judge, candidate], owr, f"owr of {candidate} by {judge}")
            tie = (p[:, 0, 0] * p[:, 1, 0])[told].mean()
            consistent = win[told].mean() + loss[told].mean() + tie
            rate = (win[told].mean() + tie / 2) / consistent
            estimates = found["consistent_win_rate"][judge, candidate]
            _assert_found(estimates, rate, f"consistent win rate of {candidate} by {judge}")


def _repeats(p, settings):
    """Joint probability of the outcomes of three repeats, (presentation, r1, r2, r3).

    Outcome 3 is a call without a verdict. The settled verdict is common to all repeats.
    """
    p = p.reshape(-1, OPTIONS)
    lost = settings.failure_rate + (1 - settings.failure_rate) * settings.invalid_rate
    noise = settings.repeat_noise
    joint = np.zeros((len(p), *[OPTIONS + 1] * REPEATS))
    for settled in range(OPTIONS):
        call = noise * p
        call[:, settled] += 1 - noise
        call = np.column_stack([(1 - lost) * call, np.full(len(p), lost)])
        joint += p[:, settled, None, None, None] * np.einsum("ci,cj,ck->cijk", call, call, call)
    return joint


def test_repetition_stability(runs, demo, chances):
    """rs, rs_valid, repeat agreement and chance level by enumerating three repeats."""
    found = _columns(runs, lambda v: analysis.repetition_stability(v, draws=0))
    settings = {params.name: params for params in demo[1]}
    outcomes = np.array(list(product(range(OPTIONS + 1), repeat=REPEATS)))
    counts = np.stack([(outcomes == option).sum(axis=1) for option in range(OPTIONS)], axis=1)
    modal, valid = counts.max(axis=1), counts.sum(axis=1)
    several = valid > 1
    pairs = (counts * (counts - 1)).sum(axis=1)[several] / (valid * (valid - 1))[several]
    for judge, p in chances.items():
        weight = _repeats(p, settings[judge]).reshape(len(p) * 2, -1).mean(axis=0)
        rs = (weight * modal).sum() / REPEATS / weight[valid > 0].sum()
        _assert_found(found["rs_sd"][judge], _sd(weight, modal, valid), f"rs_sd of {judge}")
        told = weight[several] / weight[several].sum()
        _assert_found(found["rs"][judge], rs, f"rs of {judge}")
        _assert_found(found["repeat_agreement"][judge], told @ pairs, f"agreement of {judge}")
        share = told @ (modal / np.maximum(valid, 1))[several]
        _assert_found(found["rs_valid"][judge], share, f"rs_valid of {judge}")
        chance = told @ np.select([valid[several] == 3], [17 / 27], 2 / 3)
        _assert_found(found["rs_chance"][judge], chance, f"chance of {judge}")
        corrected = (rs - chance) / (1 - chance)
        _assert_found(found["rs_corrected"][judge], corrected, f"rs_corrected of {judge}")


def _sd(weight, modal, valid):
    """Standard deviation of a presentation's stability among those with a verdict."""
    told = weight[valid > 0] / weight[valid > 0].sum()
    stable = modal[valid > 0] / REPEATS
    return np.sqrt(told @ stable**2 - (told @ stable) ** 2)


def test_counts_and_first_share(runs, demo, chances):
    """Rates of invalid and failed calls, and the share of the first slot, in each order."""
    key = ["judge", "order"]
    found = _columns(runs, analysis.verdict_counts, key)
    for params in demo[1]:
        p, asked = chances[params.name], found["asked"]
        for index, order in enumerate(("AB", "BA")):
            group = (params.name, order)
            failed = found["failed"][group] / asked[group]
            _assert_found(failed, params.failure_rate, f"failed of {group}")
            invalid = (1 - params.failure_rate) * params.invalid_rate
            _assert_found(found["invalid"][group] / asked[group], invalid, f"invalid of {group}")
            single = p[:, index].mean(axis=0)
            share = single[1] / (single[1] + single[2])
            _assert_found(found["first_share"][group], share, f"first share of {group}")


@pytest.mark.parametrize("ties", [True, False])
def test_agreement(runs, chances, ties):
    """Judges draw independently: the chance of the same choice is a sum of products."""
    key = ["judge", "other"]
    found = _columns(runs, lambda v: analysis.judge_agreement(v, ties=ties), key)
    options = slice(0 if ties else 1, None)
    for judge, other in combinations(chances, 2):
        one, two = chances[judge][..., options], chances[other][..., options]
        same = (one * two).sum(axis=-1).mean()
        both = (one.sum(axis=-1) * two.sum(axis=-1)).mean()
        _assert_found(found["agreement"][judge, other], same / both, f"{judge} with {other}")
        margins = [(side * rest.sum(axis=-1)[..., None]).mean(axis=(0, 1)) / both
                   for side, rest in ((one, two), (two, one))]  # fmt: skip
        chance = margins[0] @ margins[1]
        kappa = (same / both - chance) / (1 - chance)
        _assert_found(found["kappa"][judge, other], kappa, f"kappa of {judge} with {other}")


def _panel(chances):
    """Joint probability of all four judges' choices, over instances."""
    p = [chance.reshape(-1, OPTIONS) for chance in chances.values()]
    return np.einsum("na,nb,nc,nd->nabcd", *p).reshape(len(p[0]), -1).mean(axis=0)


def test_disagreement_and_majority_reliability(runs, chances):
    """Over instances with all four verdicts: dissent and agreement of halves, by enumeration."""
    choices = np.array(list(product(range(OPTIONS), repeat=len(chances))))
    counts = np.stack([(choices == option).sum(axis=1) for option in range(OPTIONS)], axis=1)
    dissent = len(chances) - counts.max(axis=1)
    halves = np.mean([_halves(choices, half) for half in combinations(range(4), 2)], axis=0)
    weight = _panel(chances)
    rows = []
    for verdicts in runs:
        table = analysis.majority_reliability(verdicts, splits=60).set_index("dissenting")
        shares = table["instances"] / table["instances"].sum()
        rows.append(pd.concat([shares.add_prefix("share "), table["reliability"]]))
    found = pd.DataFrame(rows)
    for count in range(3):
        group = dissent == count
        _assert_found(found[f"share {count}"], weight[group].sum(), f"{count} dissenting")
        expected = (weight * halves)[group].sum() / weight[group].sum()
        _assert_found(found[count], expected, f"reliability at {count} dissenting")


def _halves(choices, half):
    rest = [judge for judge in range(4) if judge not in half]
    one, two = (np.eye(OPTIONS)[choices[:, part]].sum(axis=1) for part in (list(half), rest))
    modal = [(side == side.max(axis=1, keepdims=True)) for side in (one, two)]
    one, two = (side / side.sum(axis=1, keepdims=True) for side in modal)
    return (one * two).sum(axis=1)


def test_quality_gap_units(runs, demo, chances):
    """Units of the gap regression: pc and owr; the gap is |owr - 1/2|."""
    prepared, _ = demo
    plan = prepared.presentations.sort_values(["comparison", "order"])
    task = plan["task"].to_numpy()[::2]
    first = plan["shown"].str.startswith('["careful"').to_numpy()[::2]
    key = ["judge", "candidate", "task"]
    found = _columns(runs, analysis.build_units, key)
    for judge, p in chances.items():
        unit = p[first & (task == "stem")]
        pc = _position(unit)["paper"][0]
        owr = (unit[:, 0, 1] * unit[:, 1, 2]).mean()
        owr += (1 - owr - (unit[:, 0, 2] * unit[:, 1, 1]).mean()) / 2
        group = (judge, "careful", "stem")
        _assert_found(found["pc"][group], pc, f"pc of {group}")
        _assert_found(found["owr"][group], owr, f"owr of {group}")
        gap = (found["owr"][group] - 0.5).abs()
        assert found["gap_own"][group].tolist() == pytest.approx(gap.tolist())


def test_incomplete_series_and_the_papers_fairness(runs, demo, chances):
    """A series is complete when both calls bring a verdict; pf_paper is pf times that chance."""
    found = _columns(runs, lambda v: analysis.position_bias(v, draws=0))
    for params in demo[1]:
        whole = ((1 - params.failure_rate) * (1 - params.invalid_rate)) ** 2
        share = found["incomplete"][params.name] / found["series"][params.name]
        _assert_found(share, 1 - whole, f"incomplete of {params.name}")
        pf = _position(chances[params.name])["paper"][1]
        _assert_found(found["pf_paper"][params.name], pf * whole, f"pf_paper of {params.name}")


def test_gap_by_the_other_judges(runs):
    """The other judges' win rate of a unit is the mean of their own win rates of it."""
    units = analysis.build_units(runs[0]).set_index(["judge", "candidate", "task"])["owr"]
    wide = units.unstack("judge")
    other = analysis.build_units(runs[0]).set_index(["judge", "candidate", "task"])["owr_other"]
    for judge in wide:
        expected = wide.drop(columns=judge).mean(axis=1)
        np.testing.assert_allclose(other.xs(judge), expected.loc[other.xs(judge).index])


def test_quadratic_fit_is_the_planted_curve(demo, chances):
    """With 300 repeats the fit is that of the expected pc and win rate of every unit."""
    prepared, judges = demo
    plan = prepared.presentations.assign(repeats=300)
    (noisy,) = (params for params in judges if params.name == "noisy")
    fits = []
    for seed in range(8):
        judge = PlantedJudge(noisy, STARTER_QUALITY, seed)
        units = analysis.build_units(judge_presentations([judge], plan, prepared.answers))
        fits.append(analysis.quality_gap_fits(units, sources=["own"], responses=["pc"]).iloc[0])
    order = prepared.presentations.sort_values(["comparison", "order"])
    task = order["task"].to_numpy()[::2]
    shown = order["shown"].str.strip('["]').str.split('","').to_numpy()[::2]
    p, points = chances["noisy"], []
    for candidate in STARTER_QUALITY:
        for name in np.unique(task):
            unit = np.array([candidate in s for s in shown]) & (task == name)
            second = np.array([s.index(candidate) == 1 for s in shown[unit]])
            one, two = p[unit, 0], p[unit, 1]
            win = np.where(second, one[:, 2] * two[:, 1], one[:, 1] * two[:, 2])
            loss = np.where(second, one[:, 1] * two[:, 2], one[:, 2] * two[:, 1])
            points.append((_position(p[unit])["paper"][0], (win + (1 - win - loss) / 2).mean()))
    pc, owr = np.array(points).T
    planted = np.polyfit(owr, pc, 2)
    for rate in (0.35, 0.5, 0.65):
        found = [analysis.quadratic_curve(fit, rate) for fit in fits]
        _assert_found(found, np.polyval(planted, rate), f"fitted pc at win rate {rate}")
