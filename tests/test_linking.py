"""Internal functions become machine code once, within what calls them: games are those of Numba left to itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

from rcsim.engine import jit

ROOT = Path(__file__).resolve().parent.parent
ORDINARY = 'import sys; sys.modules["rcsim.engine.linking"] = None\n'  # as if it could not be imported

GAMES = """
import zlib
import numpy as np
from rcsim.engine.jit import linking
from rcsim.engine.run import carry_out, list_legal
from rcsim.engine.setup import setup
from rcsim.engine.state import ACTIONS, LOG, P_OVER, new_games, records, scratch_cards
from rcsim.rules.pack import pack
from tests.positions import loaded

told = []
for players, board in ((1, "advanced"), (2, "basic"), (4, "advanced")):
    tables = pack(loaded("fr2022", ("options.turn_cap=20",)), players=players, board=board).view(np.recarray)
    games, acts, logs = new_games(), records(ACTIONS, 1), records(LOG, 1)
    for deal in range(20):
        setup(games[0], tables[0], np.uint64(1), np.int64(deal), scratch_cards())
        while games[0].phase != P_OVER:
            list_legal(games, tables, acts)
            listed = acts[0].a[: acts[0].n]
            carry_out(games, tables, logs, int(listed[zlib.crc32(listed.tobytes()) % len(listed)]))
        told.append(zlib.crc32(games.tobytes()))
print(bool(linking), *told)
"""

FUNCTIONS = """
import numpy as np
from numba import njit
from rcsim.engine.jit import entry, jit, linking

TABLE = np.arange(5000) * 3


@jit
def weigh(x):
    if x > 3:
        raise ValueError("too much:", x)
    return TABLE[x]


@entry
def double(x):
    return 2 * weigh(x)


@njit
def of_a_user(x):
    print("asked for", x)
    return double(x)


@entry
def half(x):
    return double(x) // 4


for function in (half, double, of_a_user):
    print(function(np.int64(3)))
    try:
        function(np.int64(4))
    except ValueError as error:
        print(error)
print(bool(linking), sum(double.stats.cache_hits.values()))
"""


def output(script: Path, cache: Path | None = None) -> list[str]:
    """What a program prints in a process of its own, line by line, with another cache if that is given."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0"}
    if cache:
        env["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_same_games_as_compiled_the_ordinary_way(tmp_path: Path) -> None:
    script, ordinary = tmp_path / "games.py", tmp_path / "ordinary.py"
    script.write_text(GAMES)
    ordinary.write_text(ORDINARY + GAMES)
    linked, *games = output(script)[0].split()
    other, *ordinary_games = output(ordinary, jit.CACHE_DIR / "ordinary")[0].split()
    assert (linked, other) == ("True", "False")
    assert games == ordinary_games
    assert len(set(games)) == len(games) == 60


def test_errors_constants_and_printing_reach_python_compiled_and_from_the_cache(tmp_path: Path) -> None:
    """The last with one of the callers compiled anew, around what the cache holds."""
    script = tmp_path / "functions.py"
    script.write_text(FUNCTIONS)
    error = "('too much:', 4)"
    told = ["4", error, "18", error, "asked for 3", "18", "asked for 4", error]
    assert output(script, tmp_path / "cache") == [*told, "True 0"]
    assert output(script, tmp_path / "cache") == [*told, "True 1"]
    for file in (tmp_path / "cache").rglob("*half*"):
        file.unlink()
    assert output(script, tmp_path / "cache") == [*told, "True 1"]
