"""The kernels of a run: while one notebook runs, that of the next starts and imports the kit."""

import os
from contextlib import contextmanager

KEEP_MEMORY = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(2**30))
"""Variables of Linux's C library: what a large column took is kept for the next one.

By default it goes back to the system at once and comes anew, zeroed: with ten million verdicts
that takes a fifth of the time.
"""

_ARGUMENTS = [
    # A kernel tells of its local port when it starts and of the interrupt that ends it.
    "--log-level=CRITICAL",
    "--HistoryManager.hist_file=:memory:",
    # Views need all that notebooks need; the line leaves no name in the notebook.
    "--IPKernelApp.exec_lines=__import__('posbias_kit.report.views')",
]


class Kernels:
    """Hands out one kernel a notebook; each is new.

    Parameters
    ----------
    root : Path
        The project; kernels work in it.
    """

    def __init__(self, root):
        self._root, self._spare = root, None

    def prepare(self):
        """Start the next kernel, which then imports the kit beside whatever runs."""
        if self._spare is None:
            self._spare = _launch(self._root)

    @contextmanager
    def take(self, ahead=False):
        """Yield the manager of a kernel, started or starting; the kernel ends with the block.

        Parameters
        ----------
        ahead : bool
            Start the one after it meanwhile.
        """
        self.prepare()
        kernel, self._spare = self._spare, None
        if ahead:
            self.prepare()
        try:
            yield kernel
        finally:
            _end(kernel)

    def close(self):
        """End a kernel that nobody took."""
        if self._spare is not None:
            _end(self._spare)
            self._spare = None


def _launch(root):
    from jupyter_client.manager import AsyncKernelManager  # which only a run should import
    from jupyter_core.utils import run_sync

    class Kernel(AsyncKernelManager):
        """Knows its client: whoever is given a kernel does not stop the client that it asks for."""

        asked = None

        def client(self, **settings):
            self.asked = super().client(**settings)
            return self.asked

    kernel = Kernel(kernel_name="python3")  # this environment's
    run_sync(kernel.start_kernel)(
        extra_arguments=_ARGUMENTS, cwd=str(root), env={**KEEP_MEMORY, **os.environ}
    )
    return kernel


def _end(kernel):
    from jupyter_core.utils import run_sync

    if kernel.asked is not None:
        kernel.asked.stop_channels()
    run_sync(kernel.shutdown_kernel)(now=True)
