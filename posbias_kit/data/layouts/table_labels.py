"""What the labels of a table mean: the slot chosen, and whether a pair is exchanged."""

from posbias_kit.data.layouts.records import is_missing
from posbias_kit.data.layouts.values import score_of
from posbias_kit.errors import ReadError
from posbias_kit.table_mapping import spelling

_BOOLEANS = ("yes", "no", "on", "off")


def is_exchanged(values, plan, candidates):
    """Whether the pair of a row is shown in exchanged places."""
    order = plan.mapping.order
    if order is None:
        return False
    if len(candidates) > 2:
        raise ReadError(
            f"{len(candidates)} candidates, but the mapping's `order` tells of pairs",
            allowed="two candidates",
            cure="leave the row out",
        )
    if order.column is None:
        return plan.exchanged
    return _meaning(values[order.column], order.column, plan.exchange)


def choice_of(value, column, plan, candidates, shown):
    """Return the slot that a label names, 0 for a tie, None where there is no verdict."""
    if is_empty(value):
        return None
    if plan.mapping.labels_name == "ids":
        name = rename(spelling(value), plan)
        if name in shown:
            return shown.index(name) + 1
        return _meaning(value, column, plan.words, shown)
    place = _meaning(value, column, plan.words)
    if not place:
        return place
    if place > len(shown):
        raise ReadError(
            f"{column} is {value!r}, number {place} of {len(shown)} candidates",
            allowed=", ".join(candidates),
            cure="mend the label, or the mapping's `labels`",
        )
    slots = plan.mapping.labels_name == "slots"
    return place if slots else shown.index(candidates[place - 1]) + 1


def _meaning(value, column, words, names=()):
    """Return what a label means; `names` are labels as well, for the message."""
    try:
        return words.find(value)
    except KeyError:
        cure = "mend the label, or say in the mapping what it means"
        if spelling(value).lower() in _BOOLEANS and {"true", "false"} & words.exact.keys():
            cure = "quote yes, no, on and off in the mapping: bare, YAML reads true and false"
        raise ReadError(
            f"{column} is {value!r:.60}", allowed=", ".join([*names, *words.exact]), cure=cure
        ) from None


def choice_of_scores(values, plan, candidates, shown):
    """Return (slot of the higher score, the two scores), 0 for equal ones; None without both."""
    told = [score_of(None if is_empty(values[c]) else values[c], c) for c in plan.mapping.scores]
    if None in told:
        return None, told
    if told[0] == told[1]:
        return 0, told
    return shown.index(candidates[told[0] < told[1]]) + 1, told


def rename(name, plan):
    """Return a name as the mapping wants it spelt."""
    if name not in plan.mapping.rename:
        return name
    plan.renamed.add(name)
    return plan.mapping.rename[name]


def is_empty(value):
    """Whether a cell holds nothing."""
    return is_missing(value) or value == ""
