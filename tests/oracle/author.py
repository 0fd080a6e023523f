"""Writes traces by random play on the oracle's own rules, so that the oracle can be tested without an engine.

An Author stands where a Reader stands: what the Reader looks up in the next lines, the Author chooses and writes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from .options import options
from .replay import play
from .state import Game

# How eager the random player is; high enough for deliveries and claims that games come to an end.
EAGER = {"deliver": 12, "adorn": 6, "claim": 1, "move": 1, "take": 4, "workshop": 4, "influence": 2, "roll": 2}


class Author:
    """Makes every choice at random and writes the lines of the trace."""

    def __init__(self, game: Game, rng: random.Random) -> None:
        self.game = game
        self.rng = rng
        self.lines: list[dict[str, Any]] = [game.setup]
        self.turn = 0
        self.seat = 0

    def start_turn(self, turn: int, seat: int) -> None:
        self.turn = turn
        self.seat = seat

    def fail(self, expected: str) -> None:
        raise AssertionError(f"the author wrote nonsense: expected {expected} after {self.lines[-3:]}")

    def pause(self) -> None:
        pass

    def event(self, name: str, keys: dict[str, Any], seat: int | None = None) -> None:
        seat = self.seat if seat is None else seat
        self.whole({"type": "event", "turn": self.turn, "seat": seat, "event": name, **keys})

    def whole(self, line: dict[str, Any]) -> None:
        self.lines.append(_copy(line))

    def close(self) -> None:
        pass

    def step(self) -> tuple:
        steps = sorted(options(self.game), key=repr)
        by_name: dict[str, list[tuple]] = {}
        for step in steps:
            by_name.setdefault(step[0], []).append(step)
        names = list(by_name)
        weights = [EAGER.get(name, 3 if name == "end" else 0.3) for name in names]
        return self.rng.choice(by_name[self.rng.choices(names, weights)[0]])

    def choose(
        self, event: str, keys: tuple[str, ...], why: str, candidates: list[tuple], optional: bool = False
    ) -> tuple | None:
        if optional and self.rng.random() < 0.3:
            return None
        return self.rng.choice(candidates)

    def roll(self, dice: list[str]) -> dict[str, int]:
        return {die: self.rng.randint(1, 6) for die in dice}

    def card(self, left: set[str]) -> str:
        return self.rng.choice(sorted(left))

    def want(self, good: str, allowed: dict[int, int]) -> int:
        return self.rng.choice([n for n in sorted(allowed) if n] or [0])

    def amounts(
        self,
        event: str,
        why: str,
        total: int,
        legal: Callable[[dict[str, int]], bool],
        conceivable: Callable[[], Iterable[dict[str, int]]],
    ) -> dict[str, int]:
        while True:  # rejection: draw until the rules agree
            kinds = [self.rng.choice(self.game_kinds) for _ in range(total)]
            drawn = {m: kinds.count(m) for m in self.game_kinds if m in kinds}
            if legal(drawn):
                return drawn

    game_kinds = ("wood", "brick", "stone", "gold", "green_gem", "purple_gem")


def _copy(value: Any) -> Any:
    """The line as it is now: the table's lists and maps go on changing."""
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_copy(v) for v in value]
    return value


def write(setup: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """The trace of one game of random play."""
    game = Game(setup)
    author = Author(game, random.Random(seed))
    play(game, author)  # type: ignore[arg-type]
    return author.lines
