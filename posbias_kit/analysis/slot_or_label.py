"""Is it the slot, or the label that the slot bears?"""

import json

import pandas as pd

from posbias_kit.analysis.arms import swap_arms
from posbias_kit.analysis.checks import check_settings
from posbias_kit.analysis.order_differences import order_differences
from posbias_kit.errors import ParamsError


def slot_or_label(verdicts, turned, level=0.95):
    """Tell the pull of the slot from the pull of its label.

    With s the log-odds for the first slot and l those for the first label between equal answers,
    the order effect is s + l where the first slot bears the first label, and s - l in the arm
    that turns the labels round. Half the sum and half the difference of the two order effects
    are s and l. Both are taken on the pairs that both arms judged in both orders, by
    :func:`posbias_kit.analysis.order_differences`; for the sum, the turned arm's slots are
    numbered by their labels, which changes the sign of its order effect.

    *Source: ours; the estimator as in order_effect.*

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.
    turned : mapping of str to str
        Arm with reversed labels -> the arm that differs in nothing else.
    level : float

    Returns
    -------
    DataFrame
        One row a judge, turned arm and effect (``slot``, ``label``): other_arm, comparisons,
        estimate (log-odds), low, high, clusters, p, note.

    Raises
    ------
    ParamsError
        An arm that no verdict has.

    Examples
    --------
    A judge that takes the first slot three times in four, whatever it is called.

    >>> from posbias_kit.data import build_verdicts
    >>> codes = [1, 1, 1, 1, 1, 1, 2, 2]
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "repeat": 1, "status": "ok",
    ...     "arm": [""] * 8 + ["turned"] * 8, "question": list("00112233") * 2,
    ...     "shown": [("a", "b"), ("b", "a")] * 8, "choice": pd.array(codes * 2, dtype="Int64")}))
    >>> found = slot_or_label(verdicts, {"turned": ""})
    >>> found[["effect", "estimate"]].round(3).values.tolist()
    [['slot', 0.549], ['label', 0.0]]
    """
    check_settings("slot_or_label", level=level)
    known = set(verdicts["arm"])
    if lost := sorted({*turned, *turned.values()} - known):
        raise ParamsError(f"no verdict of arm {', '.join(map(repr, lost))}",
                          place="slot_or_label", allowed=", ".join(sorted(known)))  # fmt: skip
    pairs = verdicts[verdicts["slots"] == 2]
    tables = []
    for arm, other in turned.items():
        one, two = (pairs[pairs["arm"] == name] for name in (arm, other))
        if one.empty or two.empty:
            continue
        for effect, told in (("slot", mirror(one)), ("label", one)):
            both = swap_arms(pd.concat([told, two], ignore_index=True))
            found = order_differences(both, other, ("arm",), level)
            half = {name: 0.0 - found[name] / 2 for name in ("difference", *_ENDS)}
            found = found.assign(estimate=half["difference"], low=half[_ENDS[1]])
            found = found.assign(high=half[_ENDS[0]], effect=effect, turned_arm=arm)
            tables.append(found)
    columns = ["benchmark", "experiment", "judge", "arm", "other_arm", "effect", "comparisons",
               "estimate", "low", "high", "clusters", "p", "note"]  # fmt: skip
    if not tables:
        return pd.DataFrame(columns=columns)
    table = pd.concat(tables, ignore_index=True).drop(columns="judge")
    table = table.rename(columns={"arm": "judge", "turned_arm": "arm", "other": "other_arm"})
    keys = ["benchmark", "experiment", "judge", "arm"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[columns]


_ENDS = ("difference_low", "difference_high")


def mirror(verdicts):
    """Number the slots of pairs from the other end; who won stays.

    Examples
    --------
    >>> from posbias_kit.data import build_verdicts
    >>> verdicts = build_verdicts(pd.DataFrame({
    ...     "benchmark": "B", "task": "t", "judge": "j", "question": "q", "status": "ok",
    ...     "shown": [("a", "b")], "repeat": 1, "choice": pd.array([1], dtype="Int64")}))
    >>> mirror(verdicts)[["shown", "order", "choice", "winner"]].values.tolist()
    [['["b","a"]', 'BA', 2, 'a']]
    """
    shown = [json.loads(text)[::-1] for text in verdicts["shown"]]
    choice = verdicts["choice"]
    return verdicts.assign(
        shown=[json.dumps(names, ensure_ascii=False, separators=(",", ":")) for names in shown],
        order=verdicts["order"].map({"AB": "BA", "BA": "AB"}),
        choice=choice.mask(choice.gt(0).fillna(False), 3 - choice),
        margin=-verdicts["margin"],
    )


def turned_arms(arms):
    """Find, for each arm with reversed labels, the arm that differs in nothing else.

    Parameters
    ----------
    arms : DataFrame
        From :func:`posbias_kit.judging.describe_arms`.

    Returns
    -------
    dict of str to str
        For :func:`slot_or_label`; a reversed arm without such a partner is left out.
    """
    how = [name for name in arms if name not in ("arm", "judges", "about", "reversed")]
    same = arms[how].apply(lambda row: str(row.tolist()), axis=1)
    turned = arms["reversed"].astype(bool)
    plain = dict(zip(same[~turned], arms["arm"][~turned], strict=True))
    found = zip(same[turned], arms["arm"][turned], strict=True)
    return {arm: plain[key] for key, arm in found if key in plain}
