"""The rooms of the package: who imports whom, and how large things are."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "posbias_kit"
ROOMS = ("data", "judging", "analysis", "report")
CONFINED = {
    "papermill": {"report"},
    "nbconvert": {"report"},
    "seaborn": {"report"},
    "matplotlib": {"report"},
    "statsmodels": {"analysis"},
    "openai": {"judging"},
    "anthropic": {"judging"},
    "joblib": {None},
    "distributed": {None, "judging", "report"},
}
NETWORK = {"openai", "anthropic", "httpx", "httpx2", "requests", "aiohttp", "urllib3", "socket"}
NETWORK |= {"urllib.request", "http.client", "distributed", "dask"}
LONGEST_FILE, LONGEST_BODY = 250, 40


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {_name(p): ast.parse(p.read_text("utf-8")) for p in sorted(PACKAGE.rglob("*.py"))}


def _level(module):
    """Return 0 for the ground floor, 1 to 4 for a room, 5 for the command line."""
    part = module.split(".")[1] if "." in module else ""
    if part == "__main__":
        return len(ROOMS) + 1
    return ROOMS.index(part) + 1 if part in ROOMS else 0


def _imports(module, nodes):
    """Yield the dotted name of everything that is imported, relative imports resolved."""
    is_package = any(other.startswith(f"{module}.") for other in TREES)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = module.split(".")
            up = up[: len(up) - node.level + is_package] if node.level else []
            base = ".".join([*up, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _own(dotted):
    """Return the module of the package that an imported name lies in, or None."""
    while dotted.startswith("posbias_kit") and dotted not in TREES:
        dotted = dotted.rpartition(".")[0]
    return dotted if dotted in TREES else None


def _all_imports(module):
    return set(_imports(module, ast.walk(TREES[module])))


def _eager(node):
    """Yield the statements that run on import: not those inside functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _eager(child)


def test_folders_are_rooms():
    """Code lives in the four rooms or on the ground floor."""
    folders = {name.split(".")[1] for name in TREES if name.count(".") > 1}

    assert folders <= set(ROOMS)


@pytest.mark.parametrize("module", TREES)
def test_imports_go_one_way(module):
    """A module imports only its own room, rooms to the left, and the ground floor."""
    own = {_own(dotted) for dotted in _all_imports(module)} - {None}

    assert sorted(o for o in own if _level(o) > _level(module)) == []


@pytest.mark.parametrize("module", TREES)
def test_libraries_stay_in_their_room(module):
    """Papermill, plotting, statsmodels and the labs' clients are confined."""
    room = (*ROOMS, None)[_level(module) - 1] if _level(module) else None
    tops = {dotted.split(".")[0] for dotted in _all_imports(module)}

    assert sorted(top for top in tops if room not in CONFINED.get(top, {room})) == []


@pytest.mark.parametrize("module", TREES)
def test_network_is_imported_late(module):
    """No module reaches for a network library when it is imported."""
    eager = set(_imports(module, _eager(TREES[module])))
    loaded = {n for n in NETWORK for dotted in eager if f"{dotted}.".startswith(f"{n}.")}

    assert sorted(loaded) == []


def test_no_import_cycle():
    """The modules can be ordered so that each imports only earlier ones."""
    graph = {m: {_own(d) for d in _all_imports(m)} - {None, m} for m in TREES}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def _definitions(tree):
    """Yield (name, node) of functions, classes and methods, nested functions left out."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield node.name, node
            yield from ((f"{node.name}.{name}", sub) for name, sub in _definitions(node))


@pytest.mark.parametrize("module", TREES)
def test_public_names_have_docstrings(module):
    """Every module and every public function, class and method says what it is."""
    public = [
        (name, node)
        for name, node in _definitions(TREES[module])
        if not any(part.startswith("_") for part in name.split("."))
    ]

    assert ast.get_docstring(TREES[module]), module
    assert [name for name, node in public if not ast.get_docstring(node)] == []


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=_name)
def test_file_is_short(path):
    """A file holds one thing and stays within 250 lines."""
    lines = len(path.read_text("utf-8").splitlines())

    assert lines <= LONGEST_FILE


@pytest.mark.parametrize("module", TREES)
def test_functions_are_short(module):
    """A function's body, docstring left out, stays within 40 lines."""
    functions = [
        (name, node)
        for name, node in _definitions(TREES[module])
        if not isinstance(node, ast.ClassDef)
    ]

    assert [name for name, node in functions if _body_lines(node) > LONGEST_BODY] == []


def _body_lines(node):
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0
