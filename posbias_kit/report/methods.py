"""What may be said: the limits of what was tested, and a methods paragraph to paste."""

import pandas as pd
from IPython.display import Markdown

from posbias_kit.report.cards import NOT_READABLE
from posbias_kit.report.decisions import escape_markdown
from posbias_kit.report.files import write_text

_HALF_FLIPS = {
    "paper": "one tie beside a verdict makes a pair inconsistent, and it leans",
    "tie": "one tie beside a verdict makes a pair inconsistent, without a lean",
    "decisive": "pairs with a tie are left out",
    "half": "PF is taken from single verdicts",
}


def methods_paragraph(cards, level=0.95, convention="paper", decision=None, checked=None,
                      arms=None):  # fmt: skip
    """Write the methods and the headline numbers as text to paste.

    Every number stands in the table of cards; none is a percentage of bias, for there is no such
    number that would hold beyond these questions and answers.

    Parameters
    ----------
    cards : DataFrame
        From :func:`posbias_kit.report.cards.judge_cards`.
    level : float
    convention : str
        Of the headline numbers.
    decision : DataFrame, optional
        The table `decision`, whose rule and outcome are told. A pilot has none to tell.
    checked : DataFrame, optional
        The table `pilot_check`.
    arms : DataFrame, optional
        From :func:`posbias_kit.report.load_arms`: the ways of asking beside the one of the cards.

    Returns
    -------
    str
    """
    parts = []
    for place, block in cards.groupby(["benchmark", "experiment"], observed=True, sort=False):
        name = " ".join(filter(None, place))
        parts.append(_design(name, block) + " " + " ".join(map(_judge, block.itertuples())))
    tail = (
        f"Intervals are at level {level:g}, over questions (or questions that share answer "
        "texts), with CR2 errors and Bell-McCaffrey degrees of freedom. PC is the share of "
        "complete series that name the same answer in every order; PF is positive where a judge "
        "leans to the last slot; the order effect is the conditional estimate from flips. Calls "
        "without a usable verdict are left out of both and counted. "
        f"Half flips by the convention {convention!r}: {_HALF_FLIPS[convention]}. "
        "The numbers hold for these questions, answers, prompts and model versions."
    )
    said = [*parts, _others(cards, arms), _rule(decision), _tried(checked), tail]
    return "\n\n".join(filter(None, said))


def _others(cards, arms):
    """Tell the ways of asking that the numbers above are not about."""
    told = _beside(cards, arms)
    if not len(told):
        return ""
    ways = "; ".join(f"{row.arm} ({row.about})" for row in told.itertuples())
    return (
        f"Judges were also asked in {_ways(told)}, which the numbers and calls above "
        f"leave out: {ways}. Where a scale is named, each answer was scored alone, and verdicts "
        "follow from the scores."
    )


def _beside(cards, arms):
    """Return the arms that no card is about."""
    if arms is None:
        return pd.DataFrame()
    mine = set(cards["arm"].fillna("")) if "arm" in cards else {""}
    return arms[~arms["arm"].isin(mine)]


def _ways(told):
    return "one other way" if len(told) == 1 else f"{len(told)} other ways"


def _rule(decision):
    """Tell the rule and what came of it."""
    if decision is None:
        return ""
    told = [f"{row.outcome} on {row.benchmark}, for {row.why}" for row in decision.itertuples()]
    rule = "; ".join(decision["rule"].unique())
    return f"The rule set before the run: {rule}. Outcome: {'; '.join(told)}."


def _tried(checked):
    if checked is None or checked.empty:
        return ""
    told = checked.groupby("said", sort=False)["judge"].agg(", ".join)
    return "Pilot of the prompt: " + "; ".join(f"{who}: {said}" for said, who in told.items()) + "."


def show_methods(run, text):
    """Keep the paragraph as ``methods.md`` of the run, and show it."""
    write_text(run.folder / "methods.md", text + "\n")
    return Markdown(escape_markdown(text))


def _design(name, block):
    first = block.iloc[0]
    count = block["judge"].nunique()
    several = f"{count} judges" if count > 1 else "one judge"
    arms = block["arm"].nunique() if "arm" in block else 1
    several += f" in {arms} arms" if arms > 1 else ""
    counts = block[["questions", "comparisons", "orders", "repeats"]].drop_duplicates()
    if len(counts) > 1:
        return f"On {name}, {several} compared answers; the numbers differ by judge."
    return f"On {name}, {several} compared answers: {_asked(first)}."


def _asked(row):
    orders = {1: "one order each", 2: "both orders"}.get(row.orders, f"{row.orders} orders")
    times = f"{row.repeats} times each" if row.repeats > 1 else "once each"
    return (f"{row.comparisons} comparisons on {row.questions} questions, in {orders}, "
            f"{times}")  # fmt: skip


def _judge(row):
    how = ", ".join(filter(None, [
        {"planted": "a simulation", "recorded": "recorded earlier"}.get(row.kind, ""),
        f"model {row.model}" if _has(row.model) else "",
        f"prompt {row.template}" if _has(row.template) else "",
        f"digest {row.template_digest}" if _has(row.template_digest) else "",
        f"settings {row.settings}" if _has(row.model) and _has(row.settings) else "",
        f"asked from {row.first} to {row.last}" if _has(row.first) else "",
    ]))  # fmt: skip
    who = f"{row.judge} ({how})" if how else row.judge
    rs = "RS not measured" if pd.isna(row.rs) else f"RS {row.rs:.3f}"
    chance = "" if pd.isna(row.rs_chance) else f" (chance {row.rs_chance:.3f})"
    who += "".join(f", {name} {getattr(row, name)}" for name in ("arm", "slots")
                   if getattr(row, name, ""))  # fmt: skip
    said = f"{who}: {_asked(row)}; {row.asked} calls, {row.invalid} invalid and {row.failed} failed"
    if NOT_READABLE in row.readable:
        return f"{said}; {rs}{chance}, too unstable to read PC and PF as position bias."
    return f"{said}; {rs}{chance}, PC {row.pc}, PF {row.pf}, order effect {row.order_effect}."


def _has(value):
    return isinstance(value, str) and bool(value)


def tested_limits(cards, verdicts, arms):
    """List what was tested and what was not, so that no claim goes beyond it.

    Parameters
    ----------
    cards : DataFrame
        From :func:`posbias_kit.report.cards.judge_cards`.
    verdicts : DataFrame
    arms : DataFrame
        As for :func:`methods_paragraph`.

    Returns
    -------
    DataFrame
        aspect, tested, not_tested.
    """
    slots = sorted(verdicts["slots"].unique())
    sizes = " and ".join("pairs" if size == 2 else f"sets of {size}" for size in slots)
    tasks = sorted(verdicts["task"].unique())
    prompts = sorted({text for text in cards["template"] if _has(text)})
    models = sorted({text for text in cards["model"] if _has(text)})
    kinds = ", ".join(sorted({text for text in cards["kind"] if _has(text)})) or "read from files"
    where = ", ".join(cards["benchmark"].unique())
    rows = [
        ("questions", f"{verdicts['question'].nunique()} of {where}", "any other question"),
        ("tasks", f"{len(tasks)}: {', '.join(tasks)}", "any other task or language"),
        ("presentation", sizes, "other numbers of answers" if 2 in slots else "pairs"),
        ("judges", f"{cards['judge'].nunique()} ({kinds})", "any other judge"),
        ("model versions", ", ".join(models) or "none returned one", "any other version"),
        ("prompts", ", ".join(prompts) or "not known, or none", "any other wording or labels"),
        *_way(cards, arms),
        ("repeats", f"up to {cards['repeats'].max()} of one presentation",
         "stability" if cards["repeats"].max() < 2 else "drift over longer times"),
        ("correctness", "not looked at here", "a consistent judge can be wrong in every order"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["aspect", "tested", "not_tested"])


def _way(cards, arms):
    """One line on the ways of asking, where there are several."""
    told = _beside(cards, arms)
    if not len(told):
        return []
    here = next(iter(cards["arm"]), "") if "arm" in cards else ""
    beside = f"chapter 06 has {_ways(told)} of asking: {', '.join(told['arm'])}"
    return [("way of asking", f"{here or 'the plain one'}; {beside}", "any other way")]
