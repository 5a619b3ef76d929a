"""Prompt templates from files: the kit's own by name, the user's by path."""

import json
from pathlib import Path
from string import Formatter

import yaml
from pydantic import ValidationError

from posbias_kit._yaml import load_yaml
from posbias_kit.errors import ParamsError, check_choice
from posbias_kit.judging.modes import adapt_template
from posbias_kit.judging.template import NUMBERED_TEXT, TEXTS, WORDS, Prompt, Template
from posbias_kit.parsing import find_format
from posbias_kit.study_arms import PLAIN

__all__ = ["TEMPLATES", "Prompt", "Template", "load_template"]

_FOLDER = Path(__file__).with_name("templates")
TEMPLATES = tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))
"""The templates that come with the kit."""


def load_template(name_or_path, arm=PLAIN):
    """Read a prompt template.

    Parameters
    ----------
    name_or_path : str or Path
        One of :data:`TEMPLATES`; the path of a YAML file; or a prompt of a file in FastChat's
        layout, as ``judge_prompts.jsonl#pair-v2``. docs/prompts.md says what each may hold.
    arm : posbias_kit.study_arms.Arm
        How to ask; see :func:`posbias_kit.judging.modes.adapt_template`.

    Returns
    -------
    Template

    Raises
    ------
    ParamsError
        The file is missing or cannot be read, a key is unknown or missing, or a placeholder is
        unknown, missing or not plain.

    Examples
    --------
    >>> template = load_template("brackets")
    >>> template.format, template.options
    ('mtbench_brackets', 3)
    """
    text = str(name_or_path)
    if text in TEMPLATES:
        return adapt_template(_check(_read_yaml(_FOLDER / f"{text}.yaml"), text), arm)
    path, _, prompt = text.partition("#") if ".jsonl" in text else (text, "", "")
    if not Path(path).is_file():
        raise ParamsError(
            "no such prompt template",
            place=text,
            allowed=f"{', '.join(TEMPLATES)}, or the path of a file",
            cure="check the name or the path",
        )
    tree = _read_fastchat(path, prompt) if path.endswith(".jsonl") else _read_yaml(path)
    return adapt_template(_check(tree, text), arm)


def _read(path):
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ParamsError(f"cannot be read: {error}", place=str(path)) from None


def _read_yaml(path):
    try:
        return load_yaml(_read(path))
    except yaml.YAMLError as error:
        raise ParamsError(f"not readable as YAML: {error}", place=str(path)) from None


def _read_fastchat(path, wanted):
    """Read one pairwise prompt of a file in FastChat's layout as the content of a template."""
    try:
        rows = [json.loads(line) for line in _read(path).splitlines() if line.strip()]
        pairs = {row["name"]: row for row in rows if row["type"] == "pairwise"}
    except (ValueError, KeyError, TypeError) as error:
        raise ParamsError(
            f"not a file of prompts: {error!r}",
            place=path,
            allowed="a JSON object a line, with name, type, system_prompt and prompt_template",
        ) from None
    row = pairs[check_choice(wanted, pairs, f"{path}#")]
    literal = str.maketrans({"{": "{{", "}": "}}"})
    return {
        "name": wanted,
        "version": 1,
        "format": "mtbench_brackets",
        "system": row.get("system_prompt", "").translate(literal),  # FastChat fills only the other
        "user": row.get("prompt_template"),
    }


def _check(tree, place):
    """Validate the content of a template file."""
    try:
        template = Template.model_validate(tree)
    except ValidationError as error:
        raise ParamsError(
            "; ".join(f"key {'.'.join(map(str, e['loc']))!r}: {e['msg']}" for e in error.errors()),
            place=place,
            allowed=", ".join(Template.model_fields),
            cure="see docs/prompts.md",
        ) from None
    _check_format(template.format, place)
    check_choice(template.options, (2, 3, 4), f"{place}: options")
    lists, modes = template.lists, template.modes
    words = (*WORDS, *(_MODES if modes else ()))
    each = (
        [*modes.verdict.values(), *modes.lists.values(), *modes.reasoning.values()] if modes else ()
    )
    for key, text, allowed, needed in (
        ("system", template.system, words, ()),
        ("user", template.user, (*TEXTS, *words), ("question", "answers")),
        ("lists.system", lists.system if lists else "", words, ()),
        ("lists.user", lists.user if lists else None, (*TEXTS, *words), ("question", "answers")),
        *(("modes", text, WORDS, ()) for text in each),
        ("answer", template.answer, ("letter", "text"), ("text",)),
        ("turn", template.turn, ("number", "text"), ("text",)),
    ):
        if text is not None:
            _check_placeholders(text, allowed, needed, f"{place}: {key}")
    return template


_MODES = ("verdict", "reasoning")
"""Placeholders for the texts of `modes`."""


def _check_format(name, place):
    try:
        find_format(name)
    except ParamsError as error:
        raise ParamsError(error.problem, place=f"{place}: format", allowed=error.allowed,
                          cure=error.cure) from None  # fmt: skip


def _check_placeholders(text, allowed, needed, place):
    advice = {
        "place": place,
        "allowed": ", ".join(f"{{{name}}}" for name in allowed),
        "cure": "see docs/prompts.md; a brace that is meant literally is written twice",
    }
    try:
        pieces = [piece for piece in Formatter().parse(text) if piece[1] is not None]
    except ValueError as error:
        raise ParamsError(f"braces do not match: {error}", **advice) from None
    names = {name for _, name, _, _ in pieces}
    numbered = {name for name in names if "question" in allowed and NUMBERED_TEXT.fullmatch(name)}
    for _, name, spec, conversion in pieces:
        if name not in allowed and name not in numbered:
            raise ParamsError(f"unknown placeholder {{{name}}}", **advice)
        if spec or conversion:
            raise ParamsError(f"placeholder {{{name}}} has a format", **advice)
    for name in needed:
        stem = name.removesuffix("s")
        if name not in names and not any(other.startswith(stem + "_") for other in numbered):
            raise ParamsError(f"missing placeholder {{{name}}}", **advice)
