"""Where work is done: in this process, or on the workers of a Dask cluster.

Dask is an extra (``pip install posbias-kit[cluster]``) and is imported only where a study asks
for it. Draws are seeded by what they are drawn for, never by who draws them, and parts are put
together in the order in which they were handed out: the numbers are those of one process.
"""

import re
from contextlib import ExitStack, contextmanager
from typing import Literal

from pydantic import model_validator

from posbias_kit.errors import ParamsError, RunError
from posbias_kit.section import Section

PATIENCE = 15.0
"""Seconds that a scheduler may take to answer."""
QUEUE = 24 * 3600.0
"""Seconds that parts wait for a first worker: jobs of a batch system start when they may."""
_ADDRESS = re.compile(r"(tcp|tls|ws|wss)://[^\s/@]+")
_SAME = ("posbias-kit", "numpy", "scipy", "pandas")
"""Packages whose versions decide on the last digit."""
_USED = ExitStack()


class Compute(Section):
    """Where resampling, live judges and several studies at once are worked on."""

    backend: Literal["local", "dask"] = "local"
    """This process (local), or the workers of a Dask cluster (dask, the extra `cluster`)."""
    scheduler: str | None = None
    """Address of the cluster's scheduler, as Dask prints it; dask only."""

    @model_validator(mode="after")
    def _check(self):
        if (self.backend == "dask") != (self.scheduler is not None):
            needs = "needs" if self.scheduler is None else "takes no"
            raise ValueError(f"backend {self.backend!r} {needs} `scheduler`")
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise ValueError(f"scheduler {self.scheduler!r} is no address like tcp://host:8786")
        return self


HERE = Compute()
"""This process alone."""


def spread(function, parts):
    """Call a function with each part's arguments, where :func:`workers` says, else here.

    Parameters
    ----------
    function : callable
        Its result depends on its arguments alone.
    parts : iterable of tuple
        The arguments of each call.

    Returns
    -------
    list
        Results in the order of the parts.

    Examples
    --------
    >>> spread(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    from joblib import Parallel, delayed

    return Parallel(pre_dispatch="all")(delayed(function)(*part) for part in parts)


@contextmanager
def workers(compute):
    """Let :func:`spread` use a study's workers meanwhile.

    Parameters
    ----------
    compute : Compute

    Yields
    ------
    distributed.Client or None
        None where the work is done in this process.

    Raises
    ------
    ParamsError
        Dask is not installed.
    RunError
        No scheduler answers, or a worker's packages are not those here.
    """
    if compute.backend == "local":
        yield None
        return
    from joblib import parallel_config

    wait = {"wait_for_workers_timeout": QUEUE}
    with connect(compute) as client, parallel_config(backend="dask", client=client, **wait):
        yield client


def use(compute):
    """Let :func:`spread` use a study's workers from here on: for a notebook, which ends itself.

    Parameters
    ----------
    compute : Compute
        Backend `local` takes an earlier choice back.
    """
    _USED.close()
    _USED.enter_context(workers(compute))


def connect(compute):
    """Return a client of a study's scheduler, to be closed by the caller.

    Parameters
    ----------
    compute : Compute

    Returns
    -------
    distributed.Client

    Raises
    ------
    ParamsError, RunError
        As for :func:`workers`.
    """
    with _in_words(compute):
        client = _client_class()(compute.scheduler, timeout=PATIENCE, set_as_default=False)
    try:
        _check_versions(client.get_versions(packages=_SAME), compute)
    except RunError:
        client.close()
        raise
    return client


async def connect_async(compute):
    """Return a client like that of :func:`connect`, for use in an event loop."""
    with _in_words(compute):
        client = await _client_class()(
            compute.scheduler, timeout=PATIENCE, set_as_default=False, asynchronous=True
        )
    try:
        _check_versions(await client.get_versions(packages=_SAME), compute)
    except RunError:
        await client.close()
        raise
    return client


def _client_class():
    try:
        from distributed import Client
    except ImportError:
        raise ParamsError(
            "Dask is not installed",
            place="compute.backend",
            cure="pip install 'posbias-kit[cluster]', or leave `compute` away",
        ) from None
    return Client


@contextmanager
def _in_words(compute):
    try:
        yield
    except (OSError, TimeoutError) as error:
        raise RunError(
            f"no scheduler answers at {compute.scheduler} ({type(error).__name__})",
            place="compute.scheduler",
            cure="start one (`dask scheduler`) with its workers, or mend the address",
        ) from None


def _check_versions(told, compute):
    """Refuse a worker whose packages are others: its numbers could be others, too."""
    here = told["client"]["packages"]
    for worker, its in told["workers"].items():
        other = {name: its["packages"].get(name) for name in ("python", *_SAME)}
        for name, version in other.items():
            if version != here.get(name):
                raise RunError(
                    f"worker {worker} has {name} {version}, and here it is {here.get(name)}",
                    place=f"compute.scheduler {compute.scheduler}",
                    cure="install the same requirements.lock on every worker",
                )
