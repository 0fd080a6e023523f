"""A run that is killed and goes on: the short form of scripts/kills.py."""

import os
import random
import sys
import time
from pathlib import Path

import pytest

from rcsim.cli.playing import play
from rcsim.experiments import work
from rcsim.experiments.cells import design
from rcsim.experiments.content import content_hash
from rcsim.experiments.store import Folder
from rcsim.rules.loader import load
from scripts import kills
from tests.test_sweep import fake_kernel

ROOT = Path(__file__).resolve().parent.parent


def child(path):
    """Play a run with a kernel that plays nothing."""
    work.kernel, work.warm_up = lambda: fake_kernel, lambda run, rulesets: None
    ruleset = load()
    run = design(ruleset, seed=3, games=500, plan="all", policy=["random"])
    print("begun", flush=True)
    play(run, {ruleset.hash: ruleset}, threads=2, folder=Folder(path), part_games=100)


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_five_kills(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    script = "import sys; from tests.test_kills import Path, child; child(Path(sys.argv[1]))"

    def command(path):
        return [sys.executable, "-c", script, str(path)]

    with kills.begin(command(tmp_path / "whole")):
        start = time.monotonic()
    trial = kills.endure("threads", command, tmp_path, 5, time.monotonic() - start, random.Random(2))
    assert len(trial.moments) == 5
    assert set(trial.hashes) == {content_hash(tmp_path / "whole")}
