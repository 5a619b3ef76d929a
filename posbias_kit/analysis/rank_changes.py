"""How much the order changes a ranking: each single order against the average, and each other."""

from itertools import combinations

import pandas as pd

from posbias_kit.analysis.adjusted import ADJUSTED

_PLACE = ("benchmark", "experiment", "judge", "arm", "slots")


def rank_changes(rates):
    """Compare the ranking of each single order with the order-averaged one, and with the others.

    `kendall` is tau-b between the two rankings: 1 the same, 0 unrelated, -1 turned round; equal
    ranks count as in neither order. A candidate moves where the ranks it holds in the one and in
    the other do not meet; equal ones hold several, so that a tie that parts or forms moves nobody.

    *Source: M. G. Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3).*

    Parameters
    ----------
    rates : DataFrame
        From :func:`posbias_kit.analysis.adjusted_win_rates`.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment, judge (arm and slots, where there are several) and two
        rankings: method; against; candidates (with a rank in both); moved; largest_change (ranks,
        in the ranking `method` less in `against`), by which candidate (the first of several);
        kendall; note (why it is missing).

    Examples
    --------
    >>> rates = pd.DataFrame({
    ...     "benchmark": "B", "experiment": "", "judge": "j", "candidate": list("abc") * 2,
    ...     "method": ["order_AB"] * 3 + ["order_averaged"] * 3, "rank": [1, 2, 3, 3, 1, 2]})
    >>> rank_changes(rates)[["moved", "largest_change", "candidate"]].values.tolist()
    [[3, -2, 'a']]
    """
    keys = [name for name in _PLACE if name in rates]
    rows = []
    for group, block in rates.groupby(keys, observed=True):
        ranks = block.pivot(index="candidate", columns="method", values="rank").astype("Int64")
        orders = [name for name in ranks if name.startswith("order_") and name != ADJUSTED]
        orders = [name for name in orders if ranks[name].notna().any()]
        pairs = [(name, ADJUSTED) for name in orders] + list(combinations(orders, 2))
        for pair in pairs:
            about = dict(zip((*keys, "method", "against"), (*group, *pair), strict=True))
            rows.append(about | _compare(ranks[list(pair)].dropna()))
    table = pd.DataFrame(rows, columns=[*keys, *_COLUMNS])
    return table.astype(dict.fromkeys(("candidates", "moved", "largest_change"), "Int64"))


_COLUMNS = [
    "method", "against", "candidates", "moved", "largest_change", "candidate", "kendall", "note",
]  # fmt: skip


def moves(ranks, usual):
    """Return the smallest move from a rank held in `usual` to one held in `ranks`.

    Parameters
    ----------
    ranks, usual : Series of Int64
        Ranks of the same candidates, equal ones the smallest that they hold.

    Examples
    --------
    >>> moves(pd.Series([1, 2, 3]), pd.Series([2, 1, 2])).tolist()
    [-1, 1, 0]
    """
    (first, last), (then, end) = (
        (rank, rank + rank.groupby(rank).transform("size") - 1) for rank in (ranks, usual)
    )
    return (first - end).clip(lower=0) + (last - then).clip(upper=0)


def largest_moves(rates, most=12):
    """List the candidates whose rank in a single order differs most from the averaged one.

    Parameters
    ----------
    rates : DataFrame
        From :func:`posbias_kit.analysis.adjusted_win_rates`.
    most : int
        Rows of the list.

    Returns
    -------
    DataFrame
        The rows of single orders that move, largest first.
    """
    moved = rates[
        rates["method"].str.startswith("order_") & rates["rank_change"].fillna(0).ne(0)
    ].sort_values("rank_change", key=abs, ascending=False, kind="stable")
    return moved.head(most)


def _compare(ranks):
    from scipy.stats import kendalltau  # heavy: only when called

    result = {"candidates": len(ranks), "note": ""}
    if len(ranks) < 2:
        return result | {"note": "fewer than two candidates with a rank"}
    move = moves(ranks.iloc[:, 0], ranks.iloc[:, 1])
    result |= {"moved": int((move != 0).sum()), "largest_change": 0}
    if result["moved"]:
        result["candidate"] = move.abs().idxmax()
        result["largest_change"] = int(move[result["candidate"]])
    flat = [name for name in ranks if ranks[name].nunique() < 2]
    if flat:
        return result | {"note": f"{' and '.join(flat)}: all candidates are equal"}
    return result | {"kendall": float(kendalltau(*ranks.to_numpy(dtype=float).T).statistic)}
