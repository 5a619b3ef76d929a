"""Where the published judgments lie that some tests read; without them these tests are skipped."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("POSBIAS_SHARED", Path(__file__).parents[2] / "shared"))


def paper():
    """Return the folder of the seed paper's released files, or skip."""
    return _find("paper")


def public(*parts):
    """Return a folder of other published judgments, or skip."""
    return _find("public", *parts)


def _find(*parts):
    folder = SHARED.joinpath("data", *parts)
    if not folder.exists():
        pytest.skip(f"no published judgments at {folder}; POSBIAS_SHARED names their folder")
    return folder
