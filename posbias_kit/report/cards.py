"""A card for each judge: what was asked of whom, how, when, and what may be read from it."""

import pandas as pd

from posbias_kit.errors import PosbiasError
from posbias_kit.judging.log_summary import summarise_log
from posbias_kit.judging.prompts import load_template
from posbias_kit.report.files import read_params
from posbias_kit.report.summary import with_interval
from posbias_kit.report.tables import GAP

NOT_READABLE = "not interpretable"
"""What PC and PF of an unstable judge are marked with."""

_CARD = [
    "kind", "model", "settings", "template", "template_digest", "questions", "comparisons",
    "orders", "repeats", "asked", "invalid", "failed", "identical", "policy", "first", "last",
    "rs", "rs_chance", "readable", "pc", "pf", "order_effect",
]  # fmt: skip


def judge_cards(run, bias, stability, counts, effect, threshold=0.85):
    """Put together what is known of each judge, its stability before anything else.

    Parameters
    ----------
    run : Run
        Its verdicts, params.yaml and judgment log are read.
    bias, stability, counts, effect : DataFrame
        Tables `position_bias_by_judge` (one convention), `repetition_stability_by_judge`,
        `verdict_counts` and `order_effect`.
    threshold : float
        A judge whose valid repeats agree less than this has PC and PF marked as not
        interpretable: they hold noise beside position.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment and judge (arm and slots, where there are several): kind,
        model (as returned), settings (as sent), template (name@version), template_digest,
        questions, comparisons, orders (that a comparison was shown in), repeats, asked, invalid,
        failed, identical, policy, first and last (dates), rs, rs_chance, readable, pc, pf,
        order_effect (of pairs; text, with intervals).
    """
    names = ("benchmark", "experiment", "judge", "arm", "slots")
    keys = [name for name in names if all(name in table for table in (bias, stability, counts))]
    verdicts = run.load("verdicts")
    table = bias[[*keys, "pc", "pc_low", "pc_high", "pf", "pf_low", "pf_high"]]
    told = counts.groupby(keys)[["asked", "invalid", "failed", "identical"]].sum().reset_index()
    table = table.merge(told, on=keys).merge(_shown(verdicts, keys), on=keys)
    repeated = [n for n in ("rs", "rs_chance", "rs_valid") if n in stability]
    table = table.merge(stability[[*keys, *repeated]], on=keys)
    shared = [name for name in keys if name in effect]
    betas = effect[[*shared, "beta", "beta_low", "beta_high", "p_first", "note"]]
    table = table.merge(betas, "left", on=shared)
    if "slots" in keys:  # the order effect is that of pairs
        sets = table["slots"] > 2
        table = table.assign(beta=table["beta"].mask(sets), note=table["note"].mask(sets, _SETS))
    table = table.merge(_who(run), "left", on="judge")
    rows, section = list(table.itertuples()), _judging_of(run)
    table = table.assign(
        policy=[_policy(section, row) for row in rows],
        readable=[_readable(row, threshold) for row in rows],
        pc=[_number(row, "pc", "", threshold) for row in rows],
        pf=[_number(row, "pf", "+", threshold) for row in rows],
        order_effect=[_effect(row) for row in rows],
    )
    return table[[*keys, *_CARD]]


_SETS = "of sets, see the slots in chapter 06"


def show_cards(cards):
    """Turn the cards on their side: a column for each judge, RS before what hangs on it.

    A gap is a dash with its reason; what is empty on every card for want of several is left out.

    Parameters
    ----------
    cards : DataFrame
        From :func:`judge_cards`.

    Returns
    -------
    DataFrame
        about; card 1, card 2, ...: texts.
    """
    told = cards.drop(columns=[name for name in ("experiment", "arm") if _unnamed(cards, name)])
    rows = [told.loc[index] for index in told.index]
    texts = {
        f"card {number}": [_card_text(name, row) for name in told.columns]
        for number, row in enumerate(rows, start=1)
    }
    return pd.DataFrame({"about": list(told.columns), **texts}, dtype="str")


def _unnamed(cards, name):
    return name in cards and not cards[name].fillna("").astype("str").any()


def _card_text(name, row):
    value = row[name]
    if pd.isna(value) or value == "":
        return "plain" if name == "arm" else f"{GAP} ({_why(name, row)})"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _why(name, row):
    """Say why a card has a gap."""
    if name in ("rs", "rs_chance"):
        return "not asked twice" if row["repeats"] < 2 else "no two valid repeats"
    if pd.isna(row["kind"]) or row["kind"] == "":
        return "the judgments were read"
    return {"planted": "a simulation", "recorded": "recorded earlier"}.get(row["kind"], "not told")


def judges_of(run):
    """Return the judges that a run's study names; none where judgments were read."""
    return (_judging_of(run) or {}).get("judges", [])


def format_of(run):
    """Return the format that a run's study read; none where nothing is kept of it."""
    return (read_params(run.folder) or {}).get("data_preparation", {}).get("format")


def _judging_of(run):
    return (read_params(run.folder) or {}).get("judging")


def _shown(verdicts, keys):
    orders = verdicts[[*keys, "comparison", "order"]].drop_duplicates()
    orders = orders.groupby([*keys, "comparison"], observed=True).size()
    groups = verdicts.groupby(keys, observed=True)
    told = groups.agg(
        questions=("question", "nunique"),
        comparisons=("comparison", "nunique"),
        repeats=("repeat", "max"),
    )
    most = orders.groupby(level=keys, observed=True).max()
    return told.assign(orders=most).reset_index()


def _who(run):
    """Kind, model, settings, template and dates of each judge that the study names."""
    log = summarise_log(run.folder / "judgments.sqlite").set_index("judge")
    rows = []
    for judge in judges_of(run):
        row = {"judge": judge["name"], "kind": judge["kind"], "model": "", "settings": "",
               "template": "", "template_digest": "", "first": "", "last": ""}  # fmt: skip
        if judge["kind"] == "planted":
            row["settings"] = _planted(judge)
        if judge["kind"] == "recorded":
            row["settings"] = f"recorded in {judge['path']}"
        if judge["name"] in log.index:
            told = log.loc[judge["name"]]
            row |= {"model": told["model"], "settings": told["sent"], "template": told["template"]}
            row |= {"first": told["first"], "last": told["last"]}
            row["template_digest"] = template_digest(judge)
        rows.append(row)
    columns = ["judge", "kind", "model", "settings", "template", "template_digest", "first", "last"]
    return pd.DataFrame(rows, columns=columns)


def template_digest(judge):
    """Return the first twelve signs of the digest of a judge's template; empty without one.

    Parameters
    ----------
    judge : dict
        As in the study.
    """
    try:
        return load_template(judge["template"]).digest[:12]
    except (KeyError, PosbiasError):
        return ""


def _planted(judge):
    left_out = ("name", "kind", "quality", "by_task")
    told = [f"{key}: {value}" for key, value in judge.items() if key not in left_out]
    return ", ".join([*told, *(["by_task"] if judge.get("by_task") else [])])


def _policy(section, row):
    """What became of calls without a verdict."""
    if not section:
        return "as the files hold them; left out of PC and PF, counted here"
    again = "asked again" if section.get("ask_invalid_again") else "kept, not asked again"
    kept = f"invalid {again}; failed asked again in the next run; both left out of PC and PF"
    return kept if row.kind not in ("planted", "recorded") else "left out of PC and PF"


def _stable(row):
    valid = getattr(row, "rs_valid", float("nan"))
    return row.rs if pd.isna(valid) else valid


def _readable(row, threshold):
    stable = _stable(row)
    if pd.isna(stable):
        return "stability not measured: PC and PF may hold noise"
    if stable < threshold:
        return f"{NOT_READABLE}: RS of valid repeats {stable:.3f} is below {threshold:g}"
    return f"interpretable: RS of valid repeats {stable:.3f}, at least {threshold:g} asked for"


def _number(row, name, sign, threshold):
    text = with_interval(row, name, sign)
    if pd.isna(getattr(row, name)):
        nothing = "no series has a verdict in every order"
        return f"{text}: {nothing if pd.isna(row.pc) else 'of sets, see the slots in chapter 03'}"
    return f"{text} ({NOT_READABLE})" if _stable(row) < threshold else text


def _effect(row):
    text = with_interval(row, "beta", "+")
    if pd.isna(row.beta):
        return text if pd.isna(row.note) else row.note.split(";")[0]
    return f"{text} log-odds; P(first | equal answers) {row.p_first:.3f}"
