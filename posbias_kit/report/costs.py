"""What each judge cost, beside the consistency that it brought."""

import pandas as pd

from posbias_kit.judging.log_summary import count_costs
from posbias_kit.report.cards import judges_of

_COLUMNS = [
    "calls", "attempts", "input_tokens", "output_tokens", "tokens_per_call", "money", "currency",
    "money_per_1000_calls", "pc", "pc_low", "pc_high", "note",
]  # fmt: skip


def judge_costs(run, bias):
    """Put the cost of each judge's calls, from the judgment log, beside its consistency.

    tokens_per_call = (input + output tokens) / calls, and money_per_1000_calls likewise. Attempts
    that were repeated are paid for and count; calls do not count twice. Where a reply came
    without tokens or without a price, the sum would be too small: it is missing instead.

    Parameters
    ----------
    run : Run
        Its judgment log and params.yaml are read.
    bias : DataFrame
        Table `position_bias_by_judge`, one convention.

    Returns
    -------
    DataFrame
        One row a row of `bias`: its keys; calls, attempts, input_tokens, output_tokens,
        tokens_per_call, money, currency, money_per_1000_calls, pc with its interval, and note:
        why a number is missing. A judge that made no call has neither tokens nor money.
    """
    names = ("benchmark", "experiment", "judge", "arm")
    keys = [name for name in names if name in bias]
    costs = count_costs(run.folder / "judgments.sqlite")
    costs = costs.groupby(keys)[list(costs.columns[4:])].sum(min_count=1).reset_index()
    sizes = ["slots"] if "slots" in bias else []
    table = bias[[*keys, *sizes, "pc", "pc_low", "pc_high"]].merge(costs, "left", on=keys)
    numbers = costs.columns.difference(keys)
    table[numbers] = table[numbers].astype(float)
    table[["calls", "attempts"]] = table[["calls", "attempts"]].fillna(0).astype(int)
    table["note"] = [_note(row) for row in table.itertuples()]
    table.loc[table["untold"] > 0, ["input_tokens", "output_tokens"]] = float("nan")
    table.loc[table["unpriced"] > 0, "money"] = float("nan")
    told = table["input_tokens"] + table["output_tokens"]
    table["tokens_per_call"] = told / table["calls"]
    table["money_per_1000_calls"] = 1000 * table["money"] / table["calls"]
    currency = table["judge"].map(_currencies(run))
    table["currency"] = currency.where(table["money"].notna(), "").fillna("").astype("str")
    return table[[*keys, *sizes, *_COLUMNS]]


def _currencies(run):
    prices = {judge["name"]: judge.get("prices") for judge in judges_of(run)}
    return pd.Series({name: told["currency"] for name, told in prices.items() if told}, dtype="str")


def _note(row):
    """Say why a number is missing, and what one that stands there covers."""
    if not row.calls:
        return "no call was made"
    if row.untold == 0 and pd.isna(row.input_tokens):
        return "no reply came"
    said = []
    if row.untold > 0:
        replies = "1 reply" if row.untold == 1 else f"{row.untold:.0f} replies"
        said.append(f"{replies} came without tokens")
    if row.unpriced > 0:
        said.append("no price is known" if pd.isna(row.money) else "the price is not known of all")
    if hasattr(row, "slots"):
        said.append("cost of all set sizes together")
    return "; ".join(said)
