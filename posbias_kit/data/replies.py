"""Raw replies to verdicts, each distinct reply parsed once; where the two rules differ."""

import json

import pandas as pd

from posbias_kit.parsing import parse_verdict

EXCERPT = 120
"""Characters of a reply's end that are quoted: the verdict stands there."""


def parse_replies(raw, format, options, slots, rule):
    """Parse each reply by the named rule.

    Parameters
    ----------
    raw, format : Series of str
    options, slots : Series of int
    rule : {"strict", "first_match"}

    Returns
    -------
    DataFrame
        choice : Int64, 0 = TIE, missing where the reply has no verdict
        reason : str, empty where there is nothing to explain

    Examples
    --------
    >>> raw = pd.Series(["[[B]]", "Both are fine."])
    >>> parse_replies(raw, "mtbench_brackets", 3, 2, "strict")["choice"].tolist()
    [2, <NA>]
    """
    keys = pd.DataFrame({"raw": raw}).assign(format=format, options=options, slots=slots)
    first = ~keys.duplicated()
    keys["code"] = keys.groupby(list(keys), sort=False, dropna=False).ngroup()
    parsed = [
        parse_verdict(row.raw, row.format, rule, slots=row.slots, options=row.options)
        for row in keys[first].itertuples()
    ]
    table = pd.DataFrame(
        {
            "choice": pd.array([verdict.choice for verdict in parsed], dtype="Int64"),
            "reason": pd.array([str(verdict.reason) for verdict in parsed], dtype="str"),
        }
    )
    return table.take(keys["code"]).set_axis(raw.index)


def rule_differences(replies):
    """List the replies that rule `strict` reads otherwise than rule `first_match`.

    Parameters
    ----------
    replies : DataFrame
        The table of :data:`posbias_kit.schema.REPLIES`.

    Returns
    -------
    DataFrame
        benchmark, experiment, judge, question, comparison, order, repeat : the presentation
        first_match, strict : Int64, the choice by each rule, missing where invalid
        strict_reason : str
        excerpt : str, the end of the reply

    Examples
    --------
    >>> replies = pd.DataFrame({"raw": ["First [[A]]. On reflection, [[B]]"]}).assign(
    ...     benchmark="b", experiment="", judge="j", comparison='["q","x","y"]', order="AB",
    ...     repeat=1, format="mtbench_brackets", options=3)
    >>> rule_differences(replies)[["question", "first_match", "strict"]].values.tolist()
    [['q', 1, 2]]
    """
    told = replies[replies["raw"].notna()]
    comparisons = told["comparison"].astype(object).map(json.loads)
    slots = comparisons.map(len).astype("int64") - 1  # the question stands first
    columns = [told["raw"], told["format"], told["options"], slots]
    strict, first = (parse_replies(*columns, rule) for rule in ("strict", "first_match"))
    table = told[["benchmark", "experiment", "judge", "comparison", "order", "repeat"]].assign(
        question=comparisons.str[0],
        first_match=first["choice"],
        strict=strict["choice"],
        strict_reason=strict["reason"],
        excerpt=told["raw"].str[-EXCERPT:],
    )
    names = [*table.columns[:3], "question", *table.columns[3:6], *table.columns[7:]]
    return table.loc[table["strict"].fillna(-1) != table["first_match"].fillna(-1), names]
