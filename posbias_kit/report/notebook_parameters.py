"""The parameters that a notebook of the chain declares, and what a study gives them."""

import ast
import json

from posbias_kit.errors import ParamsError, ReadError
from posbias_kit.study import SHARED


def declared_parameters(path):
    """List the names that the notebook's cell tagged `parameters` assigns.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of str

    Raises
    ------
    ReadError
        There is no such notebook.
    ParamsError
        Not exactly one cell has the tag, or it is not Python.
    """
    if not path.is_file():
        raise ReadError("no such notebook", place=str(path), cure="run inside the project")
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if "parameters" in cell_tags(cell)]
    except (UnicodeDecodeError, ValueError, LookupError, TypeError) as error:
        raise ReadError(
            f"no notebook ({type(error).__name__}: {error})",
            place=str(path),
            cure="take it from the kit again",
        ) from None
    if len(cells) != 1:
        raise ParamsError(
            f"{len(cells) or 'no'} cells are tagged 'parameters'",
            place=path.name,
            allowed="exactly one",
            cure="tag the cell that assigns the parameters, and no other",
        )
    try:
        statements = ast.parse("".join(cells[0]["source"])).body
    except SyntaxError as error:
        raise ParamsError(
            f"the parameters cell is not Python: {error.msg}", place=path.name
        ) from None
    targets = []
    for node in statements:
        targets += getattr(node, "targets", [getattr(node, "target", None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def cell_tags(cell):
    """Return the tags of a notebook's cell."""
    return cell["metadata"].get("tags", [])


def stage_parameters(stage, study, notebooks):
    """Return what a stage's notebook is given: its section, and the shared keys it declares.

    Parameters
    ----------
    stage : Stage
    study : dict
        The whole study.
    notebooks : Path
        Folder that holds the notebook.

    Returns
    -------
    dict

    Raises
    ------
    ParamsError
        The notebook declares other names than the section has, or a value would not arrive as
        it is.
    """
    declared = declared_parameters(notebooks / stage.notebook)
    section = study[stage.name]
    lacking = [name for name in ("run_name", *section) if name not in declared]
    unknown = [name for name in declared if name not in section and name not in SHARED]
    if lacking or unknown:
        said = [f"does not declare {', '.join(lacking)}"] if lacking else []
        said += [f"declares {', '.join(unknown)}, which the study does not have"] if unknown else []
        raise ParamsError(
            f"the parameters cell {' and '.join(said)}",
            place=stage.notebook,
            allowed=f"run_name and the keys of section {stage.name!r} ({', '.join(section)}), and "
            f"of the shared keys those it uses ({', '.join(SHARED)}); "
            f"the notebook declares {', '.join(declared)}",
            cure="let the notebook and posbias_kit.study name the same keys",
        )
    parameters = {name: section[name] if name in section else study[name] for name in declared}
    for name, value in parameters.items():
        check_plain(value, f"{stage.name}.{name}")
    return parameters


def check_plain(value, place):
    """Refuse a value that would not reach a notebook as it is.

    Examples
    --------
    >>> check_plain({"k": [1, None, 0.5, "text", True]}, "metrics.k")
    >>> check_plain((1, 2), "metrics.k")
    Traceback (most recent call last):
    posbias_kit.errors.ParamsError: metrics.k: (1, 2) has type tuple
      allowed: text, whole and decimal numbers, true and false, none, lists, dicts with text keys
    """
    if type(value) is list:
        for item in value:
            check_plain(item, place)
    elif type(value) is dict and all(type(key) is str for key in value):
        for key, item in value.items():
            check_plain(item, f"{place}.{key}")
    elif value is not None and type(value) not in (str, int, float, bool):
        raise ParamsError(
            f"{value!r} has type {type(value).__name__}",
            place=place,
            allowed="text, whole and decimal numbers, true and false, none, lists, dicts with "
            "text keys",
        )
