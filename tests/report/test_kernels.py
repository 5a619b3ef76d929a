"""Kernels are started ahead, are new for each notebook, and end."""

import pytest
from jupyter_core.utils import run_sync

from posbias_kit.report.kernels import Kernels


def _is_alive(kernel):
    return run_sync(kernel.is_alive)()


def test_every_kernel_ends(tmp_path):
    """Where a notebook fails, its kernel ends, and so does the one that was started ahead."""
    kernels, seen = Kernels(tmp_path), []

    def stop():
        with kernels.take(ahead=True) as kernel:
            seen.append((kernel, _is_alive(kernel)))
            raise ValueError("the notebook stopped")

    with pytest.raises(ValueError, match="the notebook stopped"):
        stop()
    ((first, alive),), second = seen, kernels._spare

    assert alive
    assert second is not first
    assert not _is_alive(first)
    assert _is_alive(second)
    kernels.close()
    assert not _is_alive(second)


def test_only_the_kit_is_there(tmp_path, monkeypatch):
    """The kit is imported, under no name, in the project's folder, without the user's history.

    Memory is kept as the kit sets it, or as the user does.
    """
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "9")
    asked = {
        "kit": "'posbias_kit.report.views' in __import__('sys').modules",
        "names": "[name for name in dir() if 'posbias' in name]",
        "history": "get_ipython().history_manager.hist_file",
        "count": "get_ipython().execution_count",
        "folder": "__import__('os').getcwd()",
        "mapped": "__import__('os').environ['MALLOC_MMAP_THRESHOLD_']",
        "trimmed": "__import__('os').environ['MALLOC_TRIM_THRESHOLD_']",
    }
    with Kernels(tmp_path).take() as kernel:
        client = kernel.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=120)
        reply = client.execute("", user_expressions=asked, reply=True, timeout=60)
        client.stop_channels()
    told = reply["content"]["user_expressions"]

    assert {name: one["data"]["text/plain"] for name, one in told.items()} == {
        "kit": "True",
        "names": "[]",
        "history": "':memory:'",
        "count": "1",
        "folder": repr(str(tmp_path)),
        "mapped": "'1073741824'",
        "trimmed": "'9'",
    }
