"""What the judgment log says of each judge as a whole: versions, settings, dates, costs."""

import json
from contextlib import closing
from pathlib import Path

import pandas as pd

from posbias_kit.judging.log_table import open_to_read

_WHOLE = """
SELECT judge, COUNT(*), SUM(status = 'failed'), COUNT(DISTINCT "call"), MIN(time), MAX(time)
FROM attempts GROUP BY judge
"""
_SEEN = {
    "model": "SELECT DISTINCT judge, model FROM attempts WHERE status <> 'failed'",
    "template": "SELECT DISTINCT judge, template FROM attempts",
    "sent": "SELECT DISTINCT judge, json_remove(sent, '$.seed') FROM attempts "
            "WHERE status <> 'failed'",
}  # fmt: skip
_COSTS = """
SELECT benchmark, experiment, arm, judge, COUNT(DISTINCT "call"), COUNT(*), SUM(input_tokens),
    SUM(output_tokens), SUM(cost),
    SUM(status <> 'failed' AND (input_tokens IS NULL OR output_tokens IS NULL)),
    SUM(status <> 'failed' AND cost IS NULL)
FROM attempts GROUP BY benchmark, experiment, arm, judge
"""
_COST_COLUMNS = ["benchmark", "experiment", "arm", "judge", "calls", "attempts", "input_tokens",
                 "output_tokens", "money", "untold", "unpriced"]  # fmt: skip
_COLUMNS = ["judge", "attempts", "failed_attempts", "calls", "first", "last", *_SEEN]


def summarise_log(path):
    """Say of each judge in a log which model answered, what was sent, and when.

    Parameters
    ----------
    path : str or Path
        ``judgments.sqlite`` of a run; without a file the table is empty.

    Returns
    -------
    DataFrame
        One row a judge: attempts, failed_attempts, calls, first and last (times of attempts, ISO
        8601 in UTC), model (as returned), template, sent (settings as sent, the seed of each call
        left out); several values are parted by ``" | "``.
    """
    if not Path(path).is_file():
        return pd.DataFrame(columns=_COLUMNS)
    with closing(open_to_read(path)) as file:
        rows = file.execute(_WHOLE).fetchall()
        seen = {name: file.execute(query).fetchall() for name, query in _SEEN.items()}
    table = pd.DataFrame(rows, columns=_COLUMNS[:6]).set_index("judge")
    for name, pairs in seen.items():
        values = {}
        for judge, value in pairs:
            values.setdefault(judge, set()).add(_plain(value))
        table[name] = pd.Series({k: " | ".join(sorted(v - {""})) for k, v in values.items()},
                                dtype="str")  # fmt: skip
    return table.reset_index()


def count_costs(path):
    """Sum up calls, tokens and money of each judge in a log, failed attempts included.

    Parameters
    ----------
    path : str or Path
        ``judgments.sqlite`` of a run; without a file the table is empty.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, arm and judge: calls, attempts, input_tokens,
        output_tokens, money (in the currency of the judge's prices), and how many replies came
        without tokens (untold) or without a price (unpriced): the sums leave these out.
    """
    if not Path(path).is_file():
        return pd.DataFrame(columns=_COST_COLUMNS)
    with closing(open_to_read(path)) as file:
        return pd.DataFrame(file.execute(_COSTS).fetchall(), columns=_COST_COLUMNS)


def _plain(value):
    """Write settings as ``key: value`` pairs, and other values as they are."""
    if not value or not value.startswith("{"):
        return value or ""
    return ", ".join(f"{key}: {told}" for key, told in json.loads(value).items() if told != [])
