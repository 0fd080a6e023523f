"""The first run: a hundred thousand games of four players, a table, and their data in runs/first.

    python3 scripts/first_run.py                    sets up .venv where that is not done yet
    python3 scripts/first_run.py --games 10k        a smaller one

Needs Python 3.11 or newer and, the first time, a network. To play again gives the same data again.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write("rcsim: error: Python 3.11 or newer is needed; this is " + sys.version.split()[0] + "\n")
    raise SystemExit(2)

import argparse
import json
import re
import subprocess

from environment import ROOT, fail, ready, say

FOLDER = "runs/first"


def command(games: str) -> list[str]:
    """The arguments of the sweep."""
    return ["sweep", "--games", games, "--players", "4", "--seed", "1", "--out", FOLDER]


def there() -> str | None:
    """The --games of the run of this script that the folder holds, finished or not; None if it holds none."""
    try:
        made_by = json.loads((ROOT / FOLDER / "run.json").read_text(encoding="utf-8"))["command"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    found = re.fullmatch(f"rcsim {' '.join(command(games='([^ ]+)'))}( --force)?", str(made_by))
    return None if found is None else found[1]


def number(games: str) -> float | str:
    """What a --games asks for, so that 1M and 1000000 are the same; the text itself if it is no number."""
    plain = games.replace("_", "").replace(",", "")
    for unit, zeros in (("k", "e3"), ("K", "e3"), ("M", "e6"), ("G", "e9")):
        plain = plain.replace(unit, zeros)
    try:
        return float(plain)
    except ValueError:
        return games


def main() -> int:
    """Set up, and play."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default="100000", metavar="N", help="games to play (default: a hundred thousand)")
    games = parser.parse_args().games
    before = there()
    again = before is not None
    if before is not None and number(before) != number(games):
        fail(f"{FOLDER} holds a run with --games {before}, not {games}; move or delete it, or ask for --games {before}")
    if not again and (ROOT / FOLDER).exists():
        fail(f"{FOLDER} holds something else than the first run; move or delete it")
    python = ready()
    if again:
        say(f"{FOLDER} is there already; the same games are played again")
    shown = " ".join(command(games))
    say(f"rcsim {shown}")
    force = ["--force"] if again else []
    code = subprocess.run([str(python), "-m", "rcsim", *command(games), *force], cwd=ROOT, check=False).returncode
    if code == 0:
        rcsim = python.with_name(python.name.replace("python", "rcsim")).relative_to(ROOT)
        say(f"to see one of the games: {rcsim} replay {FOLDER} --game 17")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
