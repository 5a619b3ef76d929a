"""Where each judge's verdicts will come from: simulated, replayed, or asked live."""

import json

import pandas as pd

from posbias_kit.errors import check_choice
from posbias_kit.judging import PlantedJudge, RecordedJudge

_KINDS = {"simulated": " (no call)", "replayed": " from a recording (no call)", "asked live": ""}
_PROMPT_ONLY = {"template", "reference", "reasoning"}


def tell_judges(judges, views):
    """Say what each judge will give, in all its arms.

    Parameters
    ----------
    judges : list of judges
        From :func:`posbias_kit.judging.make_judges`.
    views : dict of str to View
        What they see, from :func:`posbias_kit.judging.views.see_arms`.

    Returns
    -------
    DataFrame
        One row a judge: judge, kind (simulated, replayed, asked live), verdicts (that it will
        give), planned (that the plan asks for; less is given where a recording is partial),
        unknown_tasks (names in its `by_task` that no comparison has).

    Raises
    ------
    ParamsError, ReadError
        A judge cannot judge what it would see.
    """
    rows = [_row(judge, views[judge.arm.name]) for judge in judges]
    columns = ["judge", "kind", "verdicts", "planned", "unknown_tasks"]
    table = pd.DataFrame(rows, columns=columns)
    how = {"kind": "first", "verdicts": "sum", "planned": "sum", "unknown_tasks": "first"}
    return table.groupby("judge", sort=False).agg(how).reset_index()


def _row(judge, view):
    calls = view.calls
    planned = int(calls["repeats"].sum())
    if isinstance(judge, RecordedJudge):
        given = len(judge.judge(calls, view.answers)) if len(calls) else 0
        return judge.name, "replayed", given, planned, ""
    if not isinstance(judge, PlantedJudge):
        return judge.name, "asked live", planned, planned, ""
    if len(calls) and not judge.arm.scale:  # raises where a quality or a slot's effect is missing
        judge.probabilities(calls.drop_duplicates(["slots", "task", "shown"]), view.answers)
    unknown = sorted(set(judge.params.by_task) - set(calls["task"]))
    return judge.name, "simulated", planned, planned, ", ".join(map(repr, unknown))


def check_decision(decision, presentations):
    """Refuse a decision between candidates that the plan never shows.

    Chapter 07 would refuse it, too, but after everybody was asked.

    Parameters
    ----------
    decision : dict
        The section of a study.
    presentations : DataFrame
        Its plan.

    Raises
    ------
    ParamsError
    """
    known = {name for text in presentations["shown"].unique() for name in json.loads(text)}
    for name in decision["candidates"] or ():
        check_choice(name, sorted(known), "decision.candidates")


def idle_arms(judges, arms):
    """Say which arms change nothing, or are asked of nobody.

    A simulated judge reads no prompt: what only the prompt says acts on it by its `by_arm`, and
    labels by its `label_effect`.

    Parameters
    ----------
    judges : list of judges
    arms : list of dict
        As the key `judging.arms` of a study.

    Returns
    -------
    list of str
    """
    said = []
    for name in (arm["name"] for arm in arms):
        asked = [judge for judge in judges if judge.arm.name == name]
        if not asked:
            said.append(f"arm {name}: nobody is asked, no recording has it")
        elif not any(map(_feels_its_arm, asked)):
            differs = ", ".join(sorted(_differs(asked[0].arm)))
            said.append(
                f"arm {name}: {differs} changes nothing for simulated judges, which read no "
                "prompt; `by_arm` can, and `label_effect` with other labels"
            )
    return said


def _feels_its_arm(judge):
    if not isinstance(judge, PlantedJudge) or judge.arm.name in judge.params.by_arm:
        return True
    effects = [bias.label_effect for bias in (judge.params, *judge.params.by_task.values())]
    felt = {
        "labels": any(isinstance(effect, dict) for effect in effects),
        "reversed": any(effects),
        **dict.fromkeys(_PROMPT_ONLY, False),
    }
    return any(felt.get(key, True) for key in _differs(judge.arm))


def _differs(arm):
    return {key for key, value in arm if value} - {"name", "judges", "repeats"}


def describe_judges(table):
    r"""Return the judges of :func:`tell_judges` as lines of text, one a kind.

    Examples
    --------
    >>> rows = [("a", "simulated", 6, 6, ""), ("b", "replayed", 2, 6, "")]
    >>> columns = ["judge", "kind", "verdicts", "planned", "unknown_tasks"]
    >>> print("\n".join(describe_judges(pd.DataFrame(rows, columns=columns))))
    simulated (no call): a
    replayed from a recording (no call): b (2 of 6 verdicts are recorded)
    """
    lines = []
    for kind, more in _KINDS.items():
        rows = table[table["kind"] == kind]
        if len(rows):
            lines.append(f"{kind}{more}: {', '.join(map(_name, rows.itertuples()))}")
    odd = table[table["unknown_tasks"] != ""]
    lines += [
        f"judge {row.judge!r}: `by_task` names {row.unknown_tasks}, no task of the plan, "
        "and does not act"
        for row in odd.itertuples()
    ]
    return lines


def _name(row):
    if row.verdicts == row.planned:
        return row.judge
    return f"{row.judge} ({row.verdicts:,} of {row.planned:,} verdicts are recorded)"
