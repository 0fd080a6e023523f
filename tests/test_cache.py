"""The cache of compiled code: used, renewed when it is damaged, done without where nothing may be written."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba.core import event

from rcsim.cli import progress

PROGRAM = """
from rcsim.engine.random import mix
print(hex(int(mix(1))), sum(mix.stats.cache_hits.values()))
"""


def run(cache: Path) -> tuple[str, str]:
    """What a fresh process prints on stdout and stderr with this cache folder."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr.strip()


def test_kept_and_used(tmp_path: Path) -> None:
    assert run(tmp_path) == ("0x5692161d100b05e5 0", "")
    assert run(tmp_path) == ("0x5692161d100b05e5 1", "")


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_damaged(tmp_path: Path, ending: str) -> None:
    run(tmp_path)
    files = [*tmp_path.rglob(f"*{ending}")]
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run(tmp_path) == ("0x5692161d100b05e5 0", "rcsim: the cache of compiled code cannot be read; compiling anew")
    assert run(tmp_path) == ("0x5692161d100b05e5 1", "")


def test_nowhere_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    out, err = run(tmp_path / "file")
    assert out == "0x5692161d100b05e5 0"
    assert err == "rcsim: no folder for compiled code can be written; every run compiles anew"


def test_other_sources_have_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    from rcsim.engine import jit

    digest = jit._digest()
    monkeypatch.setattr(jit, "SHARED_SOURCES", jit.SHARED_SOURCES[1:])
    assert jit._digest() != digest


def test_compiling_is_said_when_something_is_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "COMPILING_S", 0.05)
    with progress.compiling():
        time.sleep(0.3)  # a machine that is busy
    assert capsys.readouterr().err == ""
    with progress.compiling() as waiting:
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            time.sleep(0.3)
        waiting()
    assert capsys.readouterr().err.splitlines() == [
        "rcsim: compiling (once; half a minute or so) ...",
        "rcsim: waiting for another process that compiles ...",
    ]
