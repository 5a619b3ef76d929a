"""The findings about each judge, in one table of plain words."""

import pandas as pd

from posbias_kit.errors import check_choice

HEADLINE_TABLES = (
    "position_bias_by_judge", "repetition_stability_by_judge", "verdict_counts",
    "direction_by_judge", "slot_wins", "listwise_fairness",
)  # fmt: skip
"""The tables that :func:`summarise_judges` reads, in its order."""

_KEY = ["benchmark", "experiment", "judge"]


def summarise_judges(bias, stability, counts, threshold=0.85, direction=None, slots=None,
                     fairness=None, level=0.95):  # fmt: skip
    """Say for each judge how stable it is, how consistent, and where it leans.

    A lean needs two things: an interval of preference fairness that leaves out 0, and a test that
    finds it, corrected for the number of judges: the test of direction for pairs, that of slot
    wins for sets. Where only one of them speaks, the finding says so and gives p. Sets are spoken
    of by the slot furthest from fair. A judge whose stability over valid repeats is below
    `threshold` is marked unstable: it may lean all the same, and
    :func:`posbias_kit.analysis.inconsistency_split` says how much of its inconsistency is noise.

    Parameters
    ----------
    bias : DataFrame
        From :func:`posbias_kit.analysis.position_bias` by judge, one convention.
    stability : DataFrame
        From :func:`posbias_kit.analysis.repetition_stability` by judge.
    counts : DataFrame
        From :func:`posbias_kit.analysis.verdict_counts` by judge, or by judge and order.
    threshold : float
    direction : DataFrame, optional
        From :func:`posbias_kit.analysis.direction_test` by judge; rows of another convention do
        not count. Its interval stands in where `bias` was made without draws.
    slots, fairness : DataFrame, optional
        From :func:`posbias_kit.analysis.slot_wins` and
        :func:`posbias_kit.analysis.listwise_fairness` by judge.
    level : float
        A test finds something where p is at most 1 - level.

    Returns
    -------
    DataFrame
        One row a benchmark, experiment and judge (arm and slots, where there are several):
        finding, asked, without_verdict (invalid + failed), stability (chance level beside it, and
        the stability of valid repeats where some were not), consistency and fairness (with
        intervals). All but the counts are text.
    """
    tables = (bias, stability, counts)
    keys = [*_KEY, *(key for key in ("arm", "slots") if all(key in table for table in tables))]
    told = counts.groupby(keys)[["asked", "invalid", "failed"]].sum()
    repeated = [name for name in ("rs", "rs_chance", "rs_valid", "repeats") if name in stability]
    table = bias.merge(stability[[*keys, *repeated]], on=keys, validate="1:1")
    table = table.merge(told.reset_index(), on=keys, validate="1:1")
    table = _add_tests(table, keys, direction, slots, fairness)
    rows = list(table.itertuples())
    return pd.DataFrame(
        {
            **{key: table[key] for key in keys},
            "finding": [_finding(row, threshold, 1 - level) for row in rows],
            "asked": table["asked"],
            "without_verdict": table["invalid"] + table["failed"],
            "stability": [_stability(row) for row in rows],
            "consistency": [_consistency(row) for row in rows],
            "fairness": [_fairness(row) for row in rows],
        }
    )


_FOR_SETS = "slot_wins and listwise_fairness"
_ADDED = ["rs_valid", "repeats", "complete", "pf_n", "p_holm", "p_slots", "slot", "slots_shown"]


def _add_tests(table, keys, direction, slots, fairness):
    """Add p of each judge's test, the interval it rests on, and the slot furthest from fair."""
    if direction is not None:
        place = [*keys, *({"convention"} & {*table} & {*direction})]
        more = direction[[*place, "pf_low", "pf_high", "p_holm"]]
        table = table.merge(more, "left", on=place, suffixes=("", "_tested"), validate="1:1")
        for end in ("pf_low", "pf_high"):
            table[end] = table[end].fillna(table.pop(f"{end}_tested"))
    if slots is not None:
        tests = slots.drop_duplicates(keys)[[*keys, "p_holm"]]
        table = table.merge(tests.rename(columns={"p_holm": "p_slots"}), "left", on=keys)
    if fairness is not None:
        far = fairness.assign(
            _far=fairness["pf"].abs(), slots_shown=fairness.groupby(keys)["slot"].transform("max")
        )
        far = far[far["slots_shown"] > 2].sort_values("_far", ascending=False, kind="stable")
        far = far.drop_duplicates(keys)[[*keys, "slot", "slots_shown", "pf", "pf_low", "pf_high"]]
        table = table.merge(far, "left", on=keys, suffixes=("", "_slot"), validate="1:1")
        for name in ("pf", "pf_low", "pf_high"):
            table[name] = table[name].astype(float).fillna(table.pop(f"{name}_slot"))
    return table.reindex(columns=[*dict.fromkeys([*table.columns, *_ADDED])])


def _stability(row):
    if pd.isna(row.rs):
        return "no verdict where asked again" if row.repeats > 1 else "not asked twice"
    if pd.isna(row.rs_chance):
        return f"{row.rs:.3f} (no two valid repeats)"
    if pd.isna(row.rs_valid) or abs(row.rs_valid - row.rs) < 5e-4:
        return f"{row.rs:.3f} (chance {row.rs_chance:.3f})"
    return f"{row.rs:.3f}; of valid repeats {row.rs_valid:.3f} (chance {row.rs_chance:.3f})"


def with_interval(row, name, sign):
    """Write an estimate of a row, with its interval where it has one."""
    value, low, high = (getattr(row, name + end) for end in ("", "_low", "_high"))
    if pd.isna(value):
        return "not estimable"
    text = f"{value:{sign}.3f}"
    return text if pd.isna(low) else f"{text} [{low:{sign}.3f}, {high:{sign}.3f}]"


def _consistency(row):
    text = with_interval(row, "pc", "")
    stopped = getattr(row, "pc_interval", "clusters") != "clusters"
    return f"{text} (this benchmark only: stopped early)" if stopped else text


def _fairness(row):
    text = with_interval(row, "pf", "+")
    return text if pd.isna(row.slot) or pd.isna(row.pf) else f"slot {row.slot:g}: {text}"


def _finding(row, threshold, alpha):
    if pd.isna(row.pf):
        return f"no lean estimable: {_why_not(row)}"
    if pd.isna(row.pf_low):
        return "no interval, so no claim"
    lean = _lean(row, alpha)
    stable = row.rs if pd.isna(row.rs_valid) and pd.isna(row.repeats) else row.rs_valid
    if pd.isna(stable):
        return f"{lean}; stability not measured"
    name = "RS" if abs(stable - row.rs) < 5e-4 else "RS of valid repeats"
    return f"{lean} (unstable: {name} {_floor(stable)})" if stable < threshold else lean


def _why_not(row):
    if row.asked == row.invalid + row.failed:
        return "no verdict"
    if row.complete > 0:
        decided = pd.isna(row.pf_n) or row.pf_n > 0
        return f"see {_FOR_SETS}" if decided else "every complete series has a tie"
    return "no complete series" if row.slots_shown > 2 else "no complete series of two orders"


def _lean(row, alpha):
    """What the interval says, and whether the test over all judges says the same."""
    sets = not pd.isna(row.slot)
    p = row.p_slots if sets else row.p_holm
    where = f"slot {row.slot:g} of {row.slots_shown:g}" if sets else ""
    lean = "no lean shown"
    if row.pf_low > 0:
        lean = f"leans to {where or 'the last slot'}"
    elif row.pf_high < 0:
        lean = f"leans away from {where}" if sets else "leans to the first slot"
    claimed = lean != "no lean shown"
    if pd.isna(p) or claimed == (p <= alpha):
        return lean
    more = "not after" if claimed else "yet a test finds one after"
    return f"{lean} by its own interval; {more} Holm over judges ({_p(p)})"


def _p(p):
    return f"p {max(p, 0.001):.2g}".replace("0.", ".") if p < 1 else "p 1"


def _floor(rs):
    """Write a stability below 1 with two digits, never rounded up to the threshold."""
    return f".{int(100 * rs + 1e-9):02d}"


def choose_rows(frame, **values):
    """Keep the rows whose columns have the given values; None keeps all, and no rows stay none.

    Examples
    --------
    >>> choose_rows(pd.DataFrame({"a": ["x", "y"], "n": [1, 2]}), a="y", n=None)["n"].tolist()
    [2]
    """
    for column, value in values.items():
        if value is not None and len(frame):
            check_choice(value, frame[column].unique(), column)
            frame = frame[frame[column] == value]
    return frame


def show_rows(frame, otherwise):
    """Return `frame`, or where it has no row a sentence for the page, or nothing, in its place.

    Examples
    --------
    >>> show_rows(pd.DataFrame({"beta": []}), "No pairs.").data
    'No pairs.'
    """
    from IPython.display import Markdown

    return frame if len(frame) else Markdown(otherwise)


def show_once(sentences, otherwise):
    """Show each different sentence once, as a list, or where there is none another sentence.

    Examples
    --------
    >>> show_once(["Labels are slots.", "Labels are slots."], "Nothing was read.").data
    '- Labels are slots.'
    """
    from IPython.display import Markdown

    return Markdown("\n".join(f"- {text}" for text in dict.fromkeys(sentences)) or otherwise)
