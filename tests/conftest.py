"""What all tests share."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("POSBIAS_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(autouse=True)
def _headless(monkeypatch):
    """Draw without a window; a test that starts kernels removes the variable again."""
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.fixture(scope="session")
def paper_data():
    """Return the folder of the seed paper's released files, or skip."""
    folder = SHARED / "data" / "paper"
    if not folder.is_dir():
        pytest.skip(f"the paper's files are not at {folder}; POSBIAS_SHARED names their folder")
    return folder
