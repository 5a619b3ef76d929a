"""What breaks the models of a study, in words, with places as they stand in the user's file."""

from typing import get_args

from pydantic import BaseModel

_SECTION = "Input should be a section: keys with their values"
_IN_YAML = {"model_type": _SECTION, "model_attributes_type": _SECTION, "dict_type": _SECTION}
"""What pydantic says in words of Python."""


def explain(error, model, tree):
    """Return what is wrong as one line of text.

    Pydantic puts the branch of a union into the place of an error; here only keys of the file
    are named, and a value that fits no branch is told once.

    Parameters
    ----------
    error : pydantic.ValidationError
    model : type
        The model that was to be made.
    tree : dict
        What it was to be made of.
    """
    told = {}
    for item in error.errors():
        place = _place(item, tree)
        told.setdefault(place, []).append(_say(item, ".".join(place) or "study", model))
    deeper = [place for place in told if not _has_inner(place, told)]
    return "; ".join(_join(told[place]) for place in deeper)


def _place(item, tree):
    """Keep the parts of an error's place that are keys, or numbers in a list, of the tree."""
    place, at, parts = [], tree, item["loc"]
    for part in parts:
        inner = _inner(at, part)
        if inner is not None:
            place.append(str(part))
            at = inner[0]
    if item["type"] == "missing":
        place.append(str(parts[-1]))
    elif item["type"].startswith("union_tag"):
        place.append(item["ctx"]["discriminator"].strip("'"))
    return tuple(place)


def _inner(at, part):
    """Return what stands under a key or number, in a tuple; None where nothing does."""
    if isinstance(at, list | tuple):
        return (at[part],) if isinstance(part, int) and part < len(at) else None
    if isinstance(at, dict):
        return next(((value,) for key, value in at.items() if str(key) == str(part)), None)
    return None


def _has_inner(place, told):
    """Tell whether another branch of a union got further than to this place."""
    return any(len(other) > len(place) and other[: len(place)] == place for other in told)


def _say(item, where, model):
    """Return the start of a message, which branches share, and what is wrong."""
    if item["type"] == "extra_forbidden":
        return "", f"unknown key {where!r}{_known(model, item['loc'])}"
    if item["type"] in ("missing", "union_tag_not_found"):
        return "", f"key {where!r} is missing"
    if item["type"] == "union_tag_invalid":
        told = item["ctx"]
        return f"{where} = {told['tag']!r}: ", f"Input should be one of {told['expected_tags']}"
    if item["type"] == "value_error":
        return f"{where}: ", f"{item['ctx']['error']}"
    return f"{where} = {item['input']!r}: ", _IN_YAML.get(item["type"], item["msg"])


def _join(branches):
    start = branches[0][0]
    return start + ", or: ".join(dict.fromkeys(said for _, said in branches))


def _known(model, location):
    """Name the keys that the section of a misspelt key knows."""
    models = [model]
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        inner = [one.model_fields[part].annotation for one in models if part in one.model_fields]
        branch = [one for one in models if part in (one.__name__, _kind(one))]
        models = [one for each in inner for one in _models(each)] or branch or models
    known = list(dict.fromkeys(key for one in models for key in one.model_fields))
    return f" (known: {', '.join(known)})" if len(models) == 1 else ""


def _models(annotation):
    """Return the models that stand anywhere in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]


def _kind(model):
    """Return the word by which a union tells the model, if it has one."""
    field = model.model_fields.get("kind")
    return next(iter(get_args(field.annotation)), None) if field else None
