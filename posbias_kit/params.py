"""Reading a study file: YAML in, checked :class:`posbias_kit.study.Study` out."""

import re
from pathlib import Path

import yaml
from pydantic import ValidationError

from posbias_kit._params_errors import explain
from posbias_kit._yaml import load_yaml
from posbias_kit.errors import ParamsError
from posbias_kit.study import Study

_SECRET = re.compile(r"(api|access|secret|private)[_-]?(key|token)|passw|secret|^token$", re.I)
_KEY_SHAPED = re.compile(r"\b(sk|pk|rk|ghp|hf|xox[bap])[-_][A-Za-z0-9_-]{6,}|\bAIza[\w-]{20,}")


def read_study(path, settings=()):
    """Read, override and validate a study file.

    Parameters
    ----------
    path : str or Path
        The YAML file.
    settings : iterable of str
        Overrides, ``section.key=value`` each, the value in YAML.

    Returns
    -------
    Study

    Raises
    ------
    ParamsError
        The file is missing or no YAML mapping, a key is unknown or stands twice, a value has the
        wrong type or range, or something looks like a secret.
    """
    path = Path(path)
    if not path.is_file():
        raise ParamsError(
            "no such study file", place=str(path), cure="check the path, or `posbias init NAME`"
        )
    try:
        tree = load_yaml(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ParamsError(f"not readable as YAML: {error}", place=str(path)) from None
    if not isinstance(tree, dict):
        raise ParamsError("not a mapping of keys to values", place=str(path))
    for setting in settings:
        apply_setting(tree, setting)
    return check_study(tree, place=str(path))


def check_study(tree, place="study", context=None):
    """Validate a study given as a nested dict; see :func:`read_study`."""
    return parse_section(Study, tree, place, context)


def parse_section(model, tree, place, context=None):
    """Validate a nested dict against one of the models of this module."""
    _refuse_secrets(tree, place)
    try:
        return model.model_validate(tree, context=context)
    except ValidationError as error:
        told = explain(error, model, tree)
        raise ParamsError(told, place=place, cure="see params/README.md") from None


def apply_setting(tree, setting):
    """Write one ``section.key=value`` into a nested dict, in place."""
    key, found, text = setting.partition("=")
    *sections, name = key.strip().split(".")
    if not found or not name:
        raise ParamsError(
            f"cannot read {setting!r}",
            place="--set",
            allowed="section.key=value, the value in YAML",
        )
    for section in sections:
        tree = tree.setdefault(section, {})
        if not isinstance(tree, dict):
            raise ParamsError(
                f"{section!r} in {setting!r} is not a section, whose keys could be set",
                place="--set",
                cure="give its whole value, as YAML, or edit the file",
            )
    try:
        tree[name] = load_yaml(text)
    except yaml.YAMLError as error:
        raise ParamsError(f"value of {key!r} is not YAML: {error}", place="--set") from None


def _refuse_secrets(tree, place, path=""):
    """Refuse names and values that look like credentials, without repeating the value."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        where = f"{path}.{key}" if path else str(key)
        by_name = isinstance(key, str) and _SECRET.search(key)
        by_value = isinstance(value, str) and _KEY_SHAPED.search(value)
        if by_name or by_value:
            raise ParamsError(
                f"key {where!r} looks like a secret",
                place=place,
                cure="keep credentials in environment variables, never in a study",
            )
        if isinstance(value, dict | list):
            _refuse_secrets(value, place, where)
