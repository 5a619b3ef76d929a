"""One row a list of answers: the order in which they were shown, and the winner."""

from posbias_kit.data.json_rows import id_of
from posbias_kit.data.layouts.parts import distinct_ids
from posbias_kit.data.layouts.records import Game, Layout, is_missing, lacking, need
from posbias_kit.data.layouts.values import why_none
from posbias_kit.errors import ReadError

_KEYS = ("pid", "judge", "rotation", "order", "winner_model")


def read_row(row, line, source):
    """Return the judgment of one list.

    Parameters
    ----------
    row : dict
    line : int
    source : posbias_kit.data.layouts.records.Source

    Returns
    -------
    list of Game

    Examples
    --------
    >>> row = {"pid": 3, "judge": "j", "rotation": 1, "order": ["y", "z", "x"]}
    >>> read_row(row | {"winner_model": "z"}, 1, None)[0][:4]
    ('3', ('y', 'z', 'x'), 'j', 2)
    """
    question, judge, rotation, order, winner = need(row, *_KEYS)
    shown = distinct_ids(order, "order")
    rotation = id_of(rotation, "rotation")
    return [
        Game(
            question=id_of(question, "pid"),
            shown=shown,
            judge=id_of(judge, "judge"),
            choice=_slot(winner, shown),
            reason=why_none(row.get("raw")) if is_missing(winner) else "",
            # A pair's order follows from what is shown; its rotations may repeat it.
            order=(f"r{rotation}" if rotation.isdecimal() else rotation) if len(shown) > 2 else "",
        )
    ]


def _slot(winner, shown):
    if is_missing(winner):
        return None
    winner = id_of(winner, "winner_model")
    if winner not in shown:
        raise ReadError(
            f"winner_model {winner!r} is not in the order",
            allowed=", ".join(shown),
            cure="name one of the candidates shown, or null where there is no verdict",
        )
    return shown.index(winner) + 1


def recognise(row, source):
    """Say what a row lacks to be of this layout."""
    return lacking(row, *_KEYS)


LISTWISE = Layout(
    name="listwise",
    title="one row a list of answers: pid, judge, rotation, order, winner_model",
    undoes="the winner is a candidate; its slot is its place in `order`. Nothing is mapped back. "
    "`rotation` names the order, unless two judges call different lists by one name",
    read=read_row,
    recognise=recognise,
)
