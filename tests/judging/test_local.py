"""Weights are joined and checked, and the server always stops."""

import hashlib
import subprocess
import sys
import time
import urllib.request

import pytest

from posbias_kit.errors import JudgeError, ParamsError
from posbias_kit.judging import local
from posbias_kit.judging.local import Weights, find_weights, missing_extra, serve

MODEL = "smollm2-135m"
TEXT = b"one two three"


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Two packages of parts whose code must not run, and a cache folder."""
    for number, content in enumerate((TEXT[:5], TEXT[5:]), 1):
        folder = tmp_path / f"made_up_part{number}"
        (folder / "data").mkdir(parents=True)
        (folder / "__init__.py").write_text("raise RuntimeError('code of a package ran')")
        (folder / "data" / f"part0{number}.bin").write_bytes(content)
    known = Weights(local._parts("made_up_part", 2), hashlib.sha256(TEXT).hexdigest(), "make local")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("POSBIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(local.WEIGHTS, "made-up", known)
    return tmp_path


def test_parts_are_joined_once(parts):
    """The joined file is checked and used again; nothing else is left in the cache."""
    path, digest = find_weights("made-up")
    before = path.stat().st_mtime_ns

    assert path.read_bytes() == TEXT
    assert digest == hashlib.sha256(TEXT).hexdigest()
    assert find_weights("made-up")[0].stat().st_mtime_ns == before
    assert [file.name for file in (parts / "cache").iterdir()] == ["made-up.gguf"]


def test_spoilt_file_is_joined_anew(parts):
    """A file of the cache that has changed is not used."""
    path, _ = find_weights("made-up")
    path.write_bytes(b"something else")

    assert find_weights("made-up")[0].read_bytes() == TEXT


def test_other_weights_are_refused(parts):
    """Parts that are not the pinned ones leave no file and name both hashes."""
    (parts / "made_up_part2" / "data" / "part02.bin").write_bytes(b"other")
    with pytest.raises(JudgeError, match=r"are not the pinned ones.*\n.*allowed: SHA-256"):
        find_weights("made-up")

    assert list((parts / "cache").iterdir()) == []


def test_missing_parts_name_the_cure(parts):
    """One missing part is enough."""
    (parts / "made_up_part2" / "data" / "part02.bin").unlink()
    with pytest.raises(
        JudgeError, match=r"'made-up' are not installed\n(.|\n)*cure: run `make local`"
    ):
        find_weights("made-up")


def test_unknown_model_is_refused():
    """The known names are listed."""
    with pytest.raises(ParamsError, match=r"qwen-coder-1\.5b, qwen-coder-0\.5b, smollm2-135m"):
        find_weights("gpt-17")


def test_missing_server_names_the_cure(monkeypatch, tmp_path):
    """Without llama.cpp nothing starts."""
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    model = tmp_path / "any.gguf"
    model.write_bytes(b"x")
    said = "server is not installed\n  cure: run `make local`"
    with pytest.raises(JudgeError, match=said), serve(str(model)):
        pass


def test_cache_folder_is_the_platforms(monkeypatch, tmp_path):
    """POSBIAS_CACHE goes first, then the platform's folder."""
    monkeypatch.setenv("POSBIAS_CACHE", str(tmp_path))
    assert local.cache_folder() == tmp_path
    monkeypatch.delenv("POSBIAS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert local.cache_folder() == tmp_path / "posbias-kit"


@pytest.fixture
def installed():
    """Skip where the extra is missing."""
    if lacking := missing_extra(MODEL):
        pytest.skip(lacking)


def _answers(url):
    try:
        with urllib.request.urlopen(f"{url.removesuffix('/v1')}/health", timeout=5) as reply:  # noqa: S310
            return reply.status == 200
    except OSError:
        return False


def test_server_stops(installed):
    """At the end of the block it is gone."""
    with serve(MODEL, threads=1, context=512) as url:
        assert url.startswith("http://127.0.0.1:")
        assert _answers(url)

    assert not _answers(url)


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt])
def test_server_stops_on(installed, problem):
    """After an error and on Ctrl-C, too."""
    with pytest.raises(problem), serve(MODEL, threads=1, context=512) as url:
        raise problem

    assert not _answers(url)


def test_server_stops_with_a_kit_that_is_killed(installed):
    """SIGKILL closes the server's input, and that ends it."""
    code = "import time; from posbias_kit.judging.local import serve\n"
    code += f"with serve({MODEL!r}, 1, 512) as url: print(url, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as kit:
        url = kit.stdout.readline().strip()
        assert _answers(url)
        kit.kill()
    end = time.monotonic() + 10
    while _answers(url) and time.monotonic() < end:
        time.sleep(0.1)

    assert not _answers(url)


def test_file_that_is_no_model(installed, tmp_path):
    """The server's own words, and the cure."""
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    with pytest.raises(JudgeError, match="did not start"), serve(str(tmp_path / "bad.gguf")):
        pass
