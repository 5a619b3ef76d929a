"""What all tests share."""

import shutil

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from shared_data import paper

# A busy machine must not fail a test: no deadline for a single example, none for drawing it.
settings.register_profile(
    "kit", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kit")


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
    return paper()


@pytest.fixture(scope="module")
def project(request, tmp_path_factory):
    """A project folder with the real notebooks and studies, and an empty outputs/."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("notebooks", "params"):
        (folder / name).symlink_to(request.config.rootpath / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MPLBACKEND", raising=False)  # kernels draw inline, as for a user
        yield folder


@pytest.fixture(scope="module")
def browser():
    """Return headless Chromium, the machine's own, or skip; it loads nothing but files.

    Playwright leaves its event loop running in this thread until it is stopped, and no other can
    run beside it: so the browser ends with the module that asked for it.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
    if path is None:
        pytest.skip("no Chromium here: the pages are not looked at in a browser")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-quic", "--disable-background-networking"]
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()
