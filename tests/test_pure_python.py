"""The engine as plain Python (`NUMBA_DISABLE_JIT=1`) plays the same games as the compiled one."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numba

from rcsim.rules.pack import pack
from tests.positions import loaded
from tests.rulesets import random_ruleset

ROOT = Path(__file__).resolve().parent.parent
SETS = ("options.turn_cap=20",)
OWN = f"{ROOT / 'rcsim' / 'policies' / 'data' / 'template.py'}:choose"


def games() -> list[str]:
    """A hash of the rows of some games of every kind, a line each."""
    from tests.test_invariants import rows

    kinds = []
    for players in (1, 2, 3, 4):
        for board in ("basic", "advanced"):
            for policy, preset in (("random", "fr2022"), ("builder", "en"), ("greedy", "fr2022")):
                ruleset = loaded("fr2022" if players == 1 else preset, SETS)
                kinds.append((ruleset, players, board, policy))
    for number in range(8):
        players, board = 1 + number % 4, ("basic", "advanced")[number // 4]
        ruleset = random_ruleset(random.Random(number), solo=players == 1)
        short = ruleset.model_copy(update={"options": ruleset.options.model_copy(update={"turn_cap": 15})})
        kinds += [(short, players, board, policy) for policy in ("builder", "greedy")]
    quick = loaded("fr2022", ("options.turn_cap=10",))
    kinds += [(quick, players, "basic", policy) for players in (1, 2) for policy in ("search:2", OWN)]
    kinds += [(quick, players, board, "planner") for players, board in ((1, "advanced"), (2, "basic"), (4, "advanced"))]
    told = []
    for ruleset, players, board, policy in kinds:
        parts = rows(pack(ruleset, players=players, board=board), [policy] * players, 2**63 + 5, 10**6, 1)
        told.append(hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12])
    return told


def test_plain_python_plays_the_same_games() -> None:
    script = "import numba; from tests.test_pure_python import games; print(numba.config.DISABLE_JIT, *games())"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    env["NUMBA_DISABLE_JIT"] = "0" if numba.config.DISABLE_JIT else "1"
    command = [sys.executable, "-W", "error", "-c", script]
    other = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert other.returncode == 0, other.stderr
    disabled, *told = other.stdout.split()
    assert disabled == env["NUMBA_DISABLE_JIT"]
    assert told == games()
