"""The same template asked in another way: with other options, labels, places, or a scale."""

from posbias_kit.errors import ParamsError
from posbias_kit.parsing import REVERSED, label_words, name_format
from posbias_kit.study_arms import PLAIN

_BASES = ("mtbench_brackets", "letters")
"""Formats whose labels can be renamed."""


def adapt_template(template, arm=PLAIN):
    """Return the template as an arm asks.

    Whoever compares an arm with the plain one wants them to differ in the one thing that the arm
    names, so all other words stay.

    Parameters
    ----------
    template : Template
    arm : posbias_kit.study_arms.Arm

    Returns
    -------
    Template
        Its texts are whole: {verdict} and {reasoning} are put in.

    Raises
    ------
    ParamsError
        The template cannot be asked in this way.

    Examples
    --------
    >>> from posbias_kit.judging.prompts import load_template
    >>> from posbias_kit.study_arms import Arm
    >>> load_template("brackets", Arm(name="turned", reversed=True)).format
    'mtbench_brackets:reversed'
    """
    changed = _choose_texts(template, arm)
    if arm.labels or arm.reversed:
        changed |= _rename(template, changed.get("options", template.options), arm)
    adapted = template.model_copy(update=changed)
    if arm.scale:
        adapted = adapted.model_copy(update={"scale": arm.scale})
    return _move_reference(adapted, arm) if arm.reference else adapted


def _choose_texts(template, arm):
    """Put in the texts for the options and for the place of the reasons."""
    modes, options = template.modes, arm.options or template.options
    if modes is None:
        asked = [key for key, same in (("options", options == template.options),
                 ("labels", arm.labels in (None, "letters")), ("reasoning", not arm.reasoning))
                 if not same]  # fmt: skip
        if asked:
            raise _unfit(template, arm, f"has one text, so that {', '.join(asked)} cannot change")
        return {}
    if options not in modes.verdict:
        told = ", ".join(map(str, modes.verdict))
        raise _unfit(template, arm, f"has no text for {options} options, only for {told}")
    if arm.reasoning and arm.reasoning not in modes.reasoning:
        raise _unfit(template, arm, f"has no text for reasons {arm.reasoning} the verdict")
    reasons = modes.reasoning.get(arm.reasoning or "before", "")

    def fill(text, verdict):
        return text.replace("{verdict}", verdict).replace("{reasoning}", reasons)

    verdict, listed, lists = modes.verdict[options], modes.lists.get(options), template.lists
    if lists:
        told = {"system": fill(lists.system, listed or ""), "user": fill(lists.user, listed or "")}
        lists = lists.model_copy(update=told) if listed else None
    told = {"system": fill(template.system, verdict), "user": fill(template.user, verdict)}
    return {**told, "lists": lists, "options": options}


def _rename(template, options, arm):
    base = template.format.partition(":")[0]
    if base not in _BASES:
        raise _unfit(template, arm, f"has replies in format {base!r}, whose labels are fixed")
    format = name_format(base, arm.labels or "letters", [REVERSED] * arm.reversed)
    shots = []
    for shot in template.shots:
        old, new = (label_words(f, len(shot.answers), options) for f in (template.format, format))
        reply = dict(zip(old, new, strict=True)).get(shot.reply)
        if reply is None:
            raise _unfit(template, arm, f"has the worked reply {shot.reply!r}, which is no label")
        shots.append(shot.model_copy(update={"reply": reply}))
    return {"format": format, "shots": tuple(shots)}


def _move_reference(template, arm):
    """Put the paragraphs with the reference right before the answers, or right after them."""
    changed = {"user": _moved(template.user, template, arm)}
    if template.lists:
        told = {"user": _moved(template.lists.user, template, arm)}
        changed["lists"] = template.lists.model_copy(update=told)
    return template.model_copy(update=changed)


def _moved(text, template, arm):
    paragraphs = text.split("\n\n")
    told = [part for part in paragraphs if "{reference}" in part or "{ref_answer_" in part]
    rest = [part for part in paragraphs if part not in told]
    shown = [n for n, part in enumerate(rest) if "{answer" in part]
    if not told or not shown:
        raise _unfit(template, arm, "shows no reference answer in a paragraph of its own")
    at = shown[0] if arm.reference == "first" else shown[-1] + 1
    return "\n\n".join([*rest[:at], *told, *rest[at:]])


def _unfit(template, arm, problem):
    return ParamsError(
        f"template {template.name!r} {problem}",
        place=f"arm {arm.name!r}",
        cure="let the judge take the template compare or compare-letters, or one of yours with "
        "`modes`: then the plain arm differs in nothing else",
    )
