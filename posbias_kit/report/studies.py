"""Study files: a first one to edit, their JSON Schema, and the table of their keys."""

import json

from posbias_kit.errors import ParamsError
from posbias_kit.report.files import write_text
from posbias_kit.report.folder import check_run_name, project_root
from posbias_kit.report.html import TEMPLATE
from posbias_kit.report.stages import STAGES
from posbias_kit.study import Study

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "none",
}
_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "minItems": "entries: at least",
}
_HEAD = """\
# Study files

One YAML file describes one study: `posbias run params/demo.yaml`. `posbias init NAME` writes a
new one to edit. Unknown keys and wrong types are refused before anything runs, and any key can
be given on the command line: `--set data_preparation.plan.repeats=5`.

Relative paths start at the project's folder. Keep no credentials here.

This table is made from the models in `posbias_kit/study.py` by `posbias schema --markdown`;
`study.schema.json` by `posbias schema`. Editors that know YAML schemas read it and complete keys.

| key | type | default | meaning | notebook |
| --- | --- | --- | --- | --- |
"""


def init_study(name):
    """Write a commented study file to start from.

    Parameters
    ----------
    name : str
        The run's name; the file is ``params/<name>.yaml`` of the project.

    Returns
    -------
    Path

    Raises
    ------
    ParamsError
        The name is not a plain one, or the file is there already.
    """
    path = project_root() / "params" / f"{check_run_name(name)}.yaml"
    if path.exists():
        raise ParamsError(
            "there is a study file already", place=str(path), cure="take another name"
        )
    text = (TEMPLATE / "study.yaml").read_text(encoding="utf-8")
    write_text(path, text.replace("run_name: demo ", f"run_name: {json.dumps(name)} ", 1))
    return path


def study_schema():
    """Return the JSON Schema of a study file, as text.

    Examples
    --------
    >>> json.loads(study_schema())["title"]
    'Study'
    """
    return json.dumps(Study.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def study_keys():
    """Return a Markdown page with every key of a study file: type, default, meaning, notebook.

    Examples
    --------
    >>> print([line for line in study_keys().splitlines() if "| `seed`" in line][0])
    | `seed` | whole number | `20240607` | Seed of everything random. | those that use it |
    """
    schema = Study.model_json_schema()
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in _rows(schema, schema, ""))


def _rows(schema, model, prefix, notebook=""):
    notebooks = {stage.name: f"`{stage.notebook}`" for stage in STAGES}
    for key, about in model["properties"].items():
        read_by = notebook or notebooks.get(
            key, "all" if key == "run_name" else "those that use it"
        )
        inner = [option for option in _options(schema, about) if "properties" in option]
        yield (
            f"`{prefix}{key}`",
            "section" if inner else _kind(schema, about).replace("|", "\\|"),
            "" if inner else _default(model, key, about),
            about.get("description") or inner[0]["description"],
            read_by,
        )
        for option in inner or _options(schema, about.get("items", {})):
            if "properties" in option:
                below = f"{prefix}{key}{'' if inner else _which(option)}."
                yield from _rows(schema, option, below, read_by)


def _which(option):
    """Tell the kinds of a list's sections apart."""
    kind = option["properties"].get("kind", {}).get("const")
    return f"[{kind}]" if kind else "[]"


def _options(schema, about):
    options = about.get("anyOf") or about.get("oneOf") or [about]
    return [
        schema["$defs"][option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        for option in options
    ]


def _kind(schema, about):
    return ", or ".join(_one_kind(schema, option) for option in _options(schema, about))


def _one_kind(schema, about):
    if "enum" in about:
        return "one of " + ", ".join(f"`{value}`" for value in about["enum"])
    if "const" in about:
        return f"`{about['const']}`"
    if "properties" in about:
        kind = about["properties"].get("kind", {}).get("const")
        return f"section of kind `{kind}`" if kind else f"section: {about['description']}"
    if "type" not in about:
        return "any value"
    bounds = [f"{word} {about[key]}" for key, word in _BOUNDS.items() if key in about]
    if about["type"] == "array":
        kind = f"list of {_kind(schema, about['items'])}"
    elif about["type"] == "object":
        kind = f"name -> {_kind(schema, about['additionalProperties'])}"
    else:
        kind = _WORDS[about["type"]]
    return f"{kind} ({', '.join(bounds)})" if bounds else kind


def _default(model, key, about):
    if key in model.get("required", ()):
        return "(required)"
    if about.get("default") is None:
        return "none"
    return f"`{json.dumps(about['default'], ensure_ascii=False)}`"
