"""Golden games: a few whole games a player, kept as hashes, so that no change of the rules goes unnoticed.

`tests/golden/<player>.json` holds, for each game, its totals and one short hash for the setup and for each turn of
its trace; where a game changed, the first hash that differs names the turn. `scripts/golden.py` renews them.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rcsim.rules.pack import pack
from rcsim.trace import trace_game
from tests.positions import loaded

FOLDER = Path(__file__).resolve().parent / "golden"
SEED = 1961
GAMES = 1  # of each kind
NOT_THE_GAME = ("version", "rcsim", "ruleset", "preset")  # of the setup line: they change without the game

Game = dict[str, Any]


def kinds() -> Iterator[tuple[int, str, str]]:
    """Every player count, board and preset."""
    for players in (1, 2, 3, 4):
        for board in ("basic", "advanced"):
            for preset in ("fr2022", "en") if players > 1 else ("fr2022",):
                yield players, board, preset


def names() -> list[str]:
    """Names of the games that are kept of each player."""
    return [f"{players}-{board}-{preset}-{n}" for players, board, preset in kinds() for n in range(GAMES)]


def play(policy: str, name: str) -> Game:
    """A golden game as it is played now."""
    players, board, preset, n = name.split("-")
    ruleset = loaded(preset)
    tables = pack(ruleset, players=int(players), board=board)
    hashes: list[Any] = []
    turns: dict[int, Any] = {}
    for line in trace_game(ruleset, tables, [policy] * int(players), SEED, int(n)):
        if line["type"] == "setup":
            turn, line = -1, {key: value for key, value in line.items() if key not in NOT_THE_GAME}
        elif line["type"] == "score":
            score = line
            continue
        else:
            turn = line["turn"]
        if turn not in turns:
            turns[turn] = hashlib.sha256()
            hashes.append(turns[turn])
        turns[turn].update(json.dumps(line, sort_keys=True).encode())
    return {
        "turns": score["turns"],
        "truncated": score["truncated"],
        "finisher": score["finisher"],
        "totals": [seat["total"] for seat in score["seats"]],
        "score": hashlib.sha256(json.dumps(score, sort_keys=True).encode()).hexdigest()[:8],
        "hashes": "".join(h.hexdigest()[:5] for h in hashes),  # the setup, then every turn
    }


def kept() -> list[str]:
    """The players whose games are kept."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(policy: str) -> dict[str, Game]:
    """The kept games of a player, by name."""
    games: dict[str, Game] = json.loads((FOLDER / f"{policy}.json").read_text(encoding="utf-8"))
    return games


def write(policy: str, games: dict[str, Game]) -> None:
    """Keep the games of a player, one a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(game)}" for name, game in games.items())
    (FOLDER / f"{policy}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def difference(before: Game, now: Game) -> str | None:
    """Where two plays of a game part, in words; None if they are the same."""
    if before == now:
        return None
    if before["hashes"][:5] != now["hashes"][:5]:
        where = "at the setup"
    else:
        pairs = zip(_cut(before["hashes"]), _cut(now["hashes"]), strict=False)
        turn = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
        same = len(before["hashes"]) == len(now["hashes"])
        where = f"in turn {turn - 1}" if turn is not None else "in the score" if same else "in where it ends"
    return f"parts {where}; totals {before['totals']} -> {now['totals']}, turns {before['turns']} -> {now['turns']}"


def _cut(hashes: str) -> list[str]:
    return [hashes[i : i + 5] for i in range(0, len(hashes), 5)]
