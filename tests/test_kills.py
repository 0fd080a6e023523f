"""A run that is killed and goes on: the short form of scripts/kills.py."""

import os
import random
import sys
import time
from pathlib import Path

import pytest

from rcsim.experiments.store.content import content_hash
from scripts import kills

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_five_kills(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    script = "import sys; from tests.fake import child; child(sys.argv[1])"

    def command(path):
        return [sys.executable, "-c", script, str(path)]

    with kills.begin(command(tmp_path / "whole")):
        start = time.monotonic()
    trial = kills.endure("threads", command, tmp_path, 5, time.monotonic() - start, random.Random(2))
    assert len(trial.moments) == 5
    assert set(trial.hashes) == {content_hash(tmp_path / "whole")}
