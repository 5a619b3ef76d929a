"""Which files are read, and what messages and tables call them."""

import fnmatch
import os
from pathlib import Path

from posbias_kit.errors import ParamsError, ReadError


def flat_paths(paths):
    """Return what was given as one list of paths; lists may stand among them.

    Examples
    --------
    >>> [path.name for path in flat_paths(("a.csv", ["b.csv"]))]
    ['a.csv', 'b.csv']
    """
    flat = []
    for path in paths:
        if isinstance(path, list | tuple):
            flat += flat_paths(path) if path else []
        elif isinstance(path, str | os.PathLike):
            flat.append(Path(path))
        else:
            raise ParamsError(
                f"{str(path)[:60]!r} is no path but of type {type(path).__name__}",
                place="paths",
                allowed="files and folders, as text or Path",
                cure="name the files; a table in memory is written to a file first",
            )
    if not flat:
        raise ParamsError("no path given", place="paths", cure="name a file or folder")
    return flat


def shared_folder(paths):
    """Return the deepest folder that holds all paths."""
    return Path(os.path.commonpath(list(paths)))


def find_files(layout, paths):
    """Return (file, name) of each file of a layout under `paths`, in order of their names.

    The name is the path below the folder that was given, of several the one that holds them all,
    with forward slashes. Hidden files and folders, and the locks of Excel, are passed over;
    a file is read once, however often it is given.
    """
    paths, found = [path.absolute() for path in flat_paths(paths)], {}
    folder = shared_folder(path if path.is_dir() else path.parent for path in paths)
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if _is_shown(file, path))
            fits = [f for f in inside if any(fnmatch.fnmatch(f.name, p) for p in layout.files)]
            if not fits:
                raise ReadError(
                    f"no file of layout {layout.name!r} here",
                    place=str(path),
                    allowed=", ".join(layout.files),
                    cure="check the folder, or name the file itself",
                )
        elif path.is_file():
            fits = [path]
        else:
            raise ReadError("no such file or folder", place=str(path), cure="check the path")
        for file in fits:
            # The folder alone: two links to one file may tell two judges by their names.
            found.setdefault(file.parent.resolve() / file.name, file)
    return [(file, file.relative_to(folder).as_posix()) for file in found.values()]


def _is_shown(file, folder):
    hidden = any(part.startswith((".", "~$")) for part in file.relative_to(folder).parts)
    return file.is_file() and not hidden
