"""Identity of a presentation: comparison, order, slots, candidate and reference."""

import json

import numpy as np
import pandas as pd

from posbias_kit.errors import TableError


def identify(frame):
    """Derive the identity columns of each row from what was shown.

    The comparison is the question with its candidate *set*, so it is the same in every order.
    For a pair, order AB shows the non-reference candidate first; without a reference, the one
    whose id sorts first.

    Parameters
    ----------
    frame : DataFrame
        question : str
        shown : tuple of str, the candidates in the order shown, slot 1 first
        reference : str, optional, empty where there is none
        order : str, for three or more slots; for pairs it is derived

    Returns
    -------
    DataFrame
        The columns comparison, slots, order, shown (JSON text), candidate, reference; same index.

    Raises
    ------
    TableError
        Fewer than two candidates are shown, or one of them stands twice.
    """
    reference = frame.get("reference", pd.Series("", index=frame.index))
    keys = pd.DataFrame({"shown": frame["shown"], "reference": reference})
    codes, unique = pd.factorize(pd.MultiIndex.from_frame(keys))
    described = [_describe(*key) for key in unique]
    for code, told in enumerate(described):
        if told is None:
            _refuse(frame.iloc[int(np.argmax(codes == code))])
    table = pd.DataFrame(described, columns=["ids", *_COLUMNS[1:]])
    result = table.take(codes).set_axis(frame.index)
    asked, questions = pd.factorize(frame["question"])
    named = pd.Series([f"[{_json(question)}," for question in questions], dtype="str").take(asked)
    result.insert(0, "comparison", named.set_axis(frame.index) + result.pop("ids").astype("str"))
    if "order" in frame:
        result["order"] = result["order"].where(result["slots"] == 2, frame["order"])
    return result


_COLUMNS = ["comparison", "slots", "order", "shown", "candidate", "reference"]


def name_comparison(question, candidates):
    """Return the id of a comparison: the question and the set of candidates.

    >>> name_comparison("81", ("y", "x"))
    '["81","x","y"]'
    """
    return _json([question, *sorted(candidates)])


def _describe(shown, reference):
    """Return the end of the comparison's id, then the columns; None where nothing is compared."""
    ids = sorted(shown)
    if len(ids) < 2 or len(set(ids)) < len(ids):
        return None
    comparison, text = f"{_json(ids)[1:-1]}]", _json(list(shown))
    if len(ids) > 2:
        return comparison, len(ids), "", text, "", ""
    if reference not in ids:
        return comparison, 2, "AB" if shown[0] == ids[0] else "BA", text, "", ""
    candidate = next(name for name in shown if name != reference)
    return comparison, 2, "AB" if shown[0] == candidate else "BA", text, candidate, reference


def _refuse(row):
    raise TableError(
        f"question {row['question']!r} shows {list(row['shown'])}",
        place="shown",
        allowed="two or more different candidates",
        cure="set these rows aside, or give the answers different candidate ids",
    )


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
