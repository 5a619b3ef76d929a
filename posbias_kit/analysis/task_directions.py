"""Does an aggregate hide tasks that lean opposite ways?"""

import pandas as pd

from posbias_kit.errors import check_choice

_COLUMNS = ["tasks", "lean_first", "lean_last", "pf", "opposite", "said"]


def task_directions(by_task, bias, convention="paper"):
    """Say for each judge which tasks lean to which slot, and whether they lean opposite ways.

    A task leans where its interval of preference fairness leaves out 0. Opposite directions are
    called out whatever the aggregate says: near 0 it hides them, and far from 0 it holds for the
    other tasks only.

    *Source: ours.*

    Parameters
    ----------
    by_task, bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias`, by judge and task and by judge.
    convention : str
        Whose rows count.

    Returns
    -------
    DataFrame
        One row a judge: benchmark, experiment, judge (arm and slots, where there are several),
        tasks, lean_first and lean_last (tasks with their fairness, as text), pf (over all tasks),
        opposite (bool), said (in words; empty unless opposite).

    Examples
    --------
    >>> about = {"benchmark": "B", "experiment": "", "judge": "j", "convention": "paper"}
    >>> rows = [("math", -0.4, -0.6, -0.2), ("prose", 0.3, 0.1, 0.5)]
    >>> by_task = pd.DataFrame([about | dict(zip(("task", "pf", "pf_low", "pf_high"), row))
    ...                         for row in rows])
    >>> task_directions(by_task, pd.DataFrame([about | {"pf": -0.05}]))["said"].item()
    'opposite directions: math leans to the first slot, prose to the last; -0.05 over all hides it'
    """
    check_choice(convention, sorted(bias["convention"].unique()), "convention")
    bias, by_task = (table[table["convention"] == convention] for table in (bias, by_task))
    names = ("benchmark", "experiment", "judge", "arm", "slots")
    keys = [name for name in names if name in bias and name in by_task]
    rows = []
    for key, whole in bias.groupby(keys, observed=True, sort=False):
        about = dict(zip(keys, key, strict=True))
        block = by_task[(by_task[keys] == pd.Series(about)).all(axis=1)].dropna(subset="pf")
        first, last = block[block["pf_high"] < 0], block[block["pf_low"] > 0]
        opposite = bool(len(first) and len(last))
        pf = whole["pf"].iloc[0]
        said = _say(first, last, pf) if opposite else ""
        told = (len(block), _list(first), _list(last), pf, opposite, said)
        rows.append(about | dict(zip(_COLUMNS, told, strict=True)))
    return pd.DataFrame(rows, columns=[*keys, *_COLUMNS])


def _list(block):
    return ", ".join(
        f"{row.task} {row.pf:+.2f} [{row.pf_low:+.2f}, {row.pf_high:+.2f}]"
        for row in block.sort_values("pf").itertuples()
    )


def _say(first, last, pf):
    names = [", ".join(block["task"]) for block in (first, last)]
    verbs = ["leans" if len(block) == 1 else "lean" for block in (first, last)]
    return (f"opposite directions: {names[0]} {verbs[0]} to the first slot, {names[1]} to the "
            f"last; {pf:+.2f} over all hides it")  # fmt: skip
