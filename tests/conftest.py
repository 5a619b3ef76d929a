"""What all tests share."""

import os
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import settings

# A busy machine must not fail a test: no deadline for a single example.
settings.register_profile("kit", deadline=None, max_examples=50)
settings.load_profile("kit")

SHARED = Path(os.environ.get("POSBIAS_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(autouse=True)
def _headless(monkeypatch):
    """Draw without a window; a test that starts kernels removes the variable again."""
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def _display():
    """Put pandas' display options back, which setting up a notebook changes."""
    yield
    pd.reset_option("^display")


@pytest.fixture(scope="session")
def paper_data():
    """Return the folder of the seed paper's released files, or skip."""
    folder = SHARED / "data" / "paper"
    if not folder.is_dir():
        pytest.skip(f"the paper's files are not at {folder}; POSBIAS_SHARED names their folder")
    return folder


@pytest.fixture(scope="session")
def public_data():
    """Return the function that finds a folder of published verdicts, or skips."""

    def find(name):
        path = SHARED / "data" / "public" / name
        if not path.exists():
            pytest.skip(f"no published verdicts at {path}; POSBIAS_SHARED names their folder")
        return path

    return find
