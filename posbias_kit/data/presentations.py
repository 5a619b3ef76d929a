"""Identity of a presentation: comparison, order, slots, candidate and reference."""

import json

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
    keys = pd.DataFrame({"question": frame["question"], "shown": frame["shown"]})
    keys["reference"] = reference
    codes, unique = pd.factorize(pd.MultiIndex.from_frame(keys))
    described = pd.DataFrame([_describe(*key) for key in unique], columns=_COLUMNS)
    result = described.take(codes).set_axis(frame.index)
    if "order" in frame:
        result["order"] = result["order"].where(result["slots"] == 2, frame["order"])
    return result


_COLUMNS = ["comparison", "slots", "order", "shown", "candidate", "reference"]


def _describe(question, shown, reference):
    ids = sorted(shown)
    if len(ids) < 2 or len(set(ids)) < len(ids):
        raise TableError(
            f"question {question!r} shows {list(shown)}",
            place="shown",
            allowed="two or more different candidates",
            cure="set these rows aside, or give the answers different candidate ids",
        )
    comparison, text = _json([question, *ids]), _json(list(shown))
    if len(ids) > 2:
        return comparison, len(ids), "", text, "", ""
    if reference not in ids:
        return comparison, 2, "AB" if shown[0] == ids[0] else "BA", text, "", ""
    candidate = next(name for name in shown if name != reference)
    return comparison, 2, "AB" if shown[0] == candidate else "BA", text, candidate, reference


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
