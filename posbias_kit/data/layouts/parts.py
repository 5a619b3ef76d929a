"""Lists of candidates, and texts that must be there."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.records import reserved_name
from posbias_kit.errors import ReadError
from posbias_kit.schema import TIE


def distinct_ids(values, key):
    """Return the ids of two or more different candidates.

    Parameters
    ----------
    values : list
    key : str
        Where they stand, for the message.

    Examples
    --------
    >>> distinct_ids(["x", 7], "order")
    ('x', '7')
    """
    if not isinstance(values, list | tuple) or len(values) < 2:
        raise ReadError(
            f"{key} is {values!r:.60}",
            allowed="a list of two or more candidates",
            cure=f"give the row its {key}",
        )
    ids = tuple(id_of(value, key) for value in values)
    if len(set(ids)) < len(ids):
        raise ReadError(
            f"{key} names a candidate twice: {', '.join(ids)}",
            allowed="different candidates",
            cure="give the answers different names, or leave the row out",
        )
    if TIE in ids:
        raise reserved_name()
    return ids


def order_label(shown):
    """Name the order of three or more candidates: the place of each in the alphabet.

    >>> order_label(("c", "a", "b")), order_label(("y", "x"))
    ('3-1-2', '')
    """
    if len(shown) == 2:
        return ""  # a pair's order follows from what is shown
    place = {name: str(number) for number, name in enumerate(sorted(shown), start=1)}
    return "-".join(place[name] for name in shown)


def needed_text(value, key):
    """Return a text, or say that there is none."""
    if isinstance(value, str):
        return value
    raise ReadError(f"{key} is {value!r:.60}", allowed="a text", cure=f"mend {key}")
