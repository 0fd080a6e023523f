"""Reads the lines of a trace one by one and compares each with what the rules expect there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .vocab import GOODS, MATERIALS, OracleError, is_int

# The steps a turn is made of, and the keys of their lines that say what was chosen.
STEPS: dict[str, tuple[str, ...]] = {
    "sell": (),
    "reroll": ("space",),
    "claim": ("tower", "level", "space", "face"),
    "deliver": ("tower", "level", "material"),
    "adorn": ("tower", "level", "gems"),
    "move": ("die", "steps"),
    "take": (),
    "influence": ("action",),
    "workshop": ("space",),
    "roll": (),
}


def same(expected: Any, found: Any) -> bool:
    """Equal, down to the types: 1, 1.0 and true are three different things. (The quick answer of `difference`.)"""
    return expected == found and _same_types(expected, found)


def _same_types(one: Any, other: Any) -> bool:
    """Whether two equal values are of the same types all through."""
    if type(one) is not type(other):
        return False
    pairs = ((one[k], other[k]) for k in one) if type(one) is dict else zip(one, other, strict=True)
    for a, b in pairs:
        if type(a) is not type(b) or ((type(a) is dict or type(a) is list) and not _same_types(a, b)):
            return False
    return True


def difference(expected: Any, found: Any, path: str = "") -> str | None:
    """Where two JSON values differ, in words; None if nowhere.

    Only where a fraction is expected (a win share), any number close to it will do.
    """
    if type(expected) is float:
        if type(found) in (int, float) and math.isclose(expected, found, abs_tol=1e-9):
            return None
    elif type(expected) is type(found):
        if isinstance(expected, dict):
            if expected.keys() != found.keys():
                return f"{path or 'line'}: expected keys {sorted(expected)}, found {sorted(map(str, found))}"
            return next((d for k in expected if (d := difference(expected[k], found[k], f"{path}.{k}"))), None)
        if isinstance(expected, list) and len(expected) == len(found):
            pairs = enumerate(zip(expected, found, strict=True))
            return next((d for i, (e, f) in pairs if (d := difference(e, f, f"{path}[{i}]"))), None)
        if expected == found:
            return None
    return f"{path or 'line'}: expected {expected!r}, found {found!r}"


# Told of every choice inside a step, before it is read: the index of the next line, the event or good that is chosen,
# and everything that would be accepted. That is a set of: tuples of the event's keys, and None for declining or
# stopping; or materials of a price or a gain, as tuples of numbers in their order. For an amount wanted it is a map
# from each to what would come in.
AtChoice = Callable[[int, str, set[Any] | dict[int, int]], None]


class Reader:
    """The lines after the setup line of one game. The rules ask it for choices and tell it what must follow."""

    def __init__(
        self,
        lines: Sequence[dict[str, Any]],
        at_step: Callable[[int], None] | None = None,
        at_choice: AtChoice | None = None,
    ) -> None:
        self.lines = lines
        self.at = 1
        self.turn = 0
        self.seat = 0
        self.at_step = at_step
        self.at_choice = at_choice

    # where we are

    def start_turn(self, turn: int, seat: int) -> None:
        """Every event from now on carries this turn and seat."""
        self.turn = turn
        self.seat = seat

    def peek(self) -> dict[str, Any]:
        """The next line; empty at the end of the trace."""
        if self.at >= len(self.lines):
            return {}
        line = self.lines[self.at]
        return line if isinstance(line, dict) else {}

    def fail(self, expected: str) -> None:
        """Raise the error that names the next line."""
        line = self.peek()
        name = line.get("event", line.get("type", "end of trace"))
        raise OracleError(f"line {self.at}, turn {self.turn}, {name}: expected {expected}; found {line or 'nothing'}")

    def pause(self) -> None:
        """A moment between atomic steps (or before a choice in Ivan's turn)."""
        if self.at_step is not None:
            self.at_step(self.at)

    # lines that are known in full

    def event(self, name: str, keys: dict[str, Any], seat: int | None = None) -> None:
        """The next line must be exactly this event."""
        expected = {
            "type": "event",
            "turn": self.turn,
            "seat": self.seat if seat is None else seat,
            "event": name,
            **keys,
        }
        self.whole(expected)

    def whole(self, expected: dict[str, Any]) -> None:
        """The next line must be exactly this one."""
        if self.at >= len(self.lines):
            self.fail(str(expected))
        found = self.lines[self.at]
        different = None if same(expected, found) else difference(expected, found)
        if different:
            self.fail(f"{expected} ({different})")
        self.at += 1

    def close(self) -> None:
        """Nothing may follow."""
        if self.at < len(self.lines):
            self.fail("the end of the trace")

    # choices

    def step(self) -> tuple:
        """The step that the next line starts, in the vocabulary of options.py."""
        line = self.peek()
        if line.get("type") == "state":
            return ("end",)
        name = line.get("event")
        if line.get("type") != "event" or not isinstance(name, str) or name not in STEPS:
            self.fail("a step of the turn or its state line")
        values = []
        for key in STEPS[name]:
            value = line.get(key)
            if key == "gems" and isinstance(value, list) and all(type(v) is str for v in value):
                value = tuple(value)
            elif type(value) not in (int, str):
                self.fail(f"a proper {key}")
            values.append(value)
        return (name, *values)

    def choose(
        self, event: str, keys: tuple[str, ...], why: str, candidates: list[tuple], optional: bool = False
    ) -> tuple | None:
        """What the next line chooses among the candidates; None if it starts no such event and need not."""
        if self.at_choice is not None:
            self.at_choice(self.at, event, {*candidates, None} if optional else {*candidates})
        line = self.peek()
        if line.get("event") != event or line.get("why", why) != why:
            if not optional:
                self.fail(f"{event} ({why}) with {keys} of {candidates}")
            return None
        chosen = tuple(line.get(key) for key in keys)
        if chosen not in candidates:
            self.fail(f"{event} ({why}) with {keys} of {candidates}")
        return candidates[candidates.index(chosen)]

    def roll(self, dice: list[str]) -> dict[str, int]:
        """The values of the next line's roll of these dice."""
        values = self.peek().get("values")
        if (
            not isinstance(values, dict)
            or sorted(values) != sorted(dice)
            or not all(is_int(v, 1, 6) for v in values.values())
        ):
            self.fail(f"a roll of {dice}")
        return values

    def card(self, left: set[str]) -> str:
        """Ivan's next card."""
        card = self.peek().get("card")
        if type(card) is not str or card not in left:
            self.fail(f"one of Ivan's cards {sorted(left)}")
        return card

    def want(self, good: str, allowed: dict[int, int]) -> int:
        """How much of a good the next line (a take) wants; `allowed` says how much of each amount would come in."""
        if self.at_choice is not None:
            self.at_choice(self.at, good, allowed)
        wanted = self.peek().get("wanted")
        if not isinstance(wanted, dict) or not set(wanted) <= set(GOODS):
            self.fail("a map as wanted")
        n = wanted.get(good, 0)
        if not is_int(n) or n not in allowed:
            self.fail(f"{good} wanted among {sorted(allowed)}")
        return n

    def amounts(
        self,
        event: str,
        why: str,
        total: int,
        legal: Callable[[dict[str, int]], bool],
        conceivable: Callable[[], Iterable[dict[str, int]]],
    ) -> dict[str, int]:
        """The materials that the next lines (pays or gains) name, until their number is the total. Reads only ahead.

        All legal amounts are among the conceivable ones, which are looked at only if somebody wants to be told.
        """
        if self.at_choice is not None:
            accepted = [c for c in conceivable() if sum(c.values()) == total and legal(c)]
            self.at_choice(self.at, event, {tuple(c.get(m, 0) for m in MATERIALS) for c in accepted})
        amounts: dict[str, int] = {}
        for line in self._materials_ahead(event, why):
            if sum(amounts.values()) >= total:
                break
            amounts[line["what"]] = line["n"]
        if sum(amounts.values()) != total or not legal(amounts):
            self.fail(f"lines of {event} ({why}) with {total} materials in a legal choice")
        return amounts

    def _materials_ahead(self, event: str, why: str) -> Iterator[dict[str, Any]]:
        last = -1
        for line in self.lines[self.at : self.at + len(MATERIALS)]:
            if not isinstance(line, dict) or line.get("event") != event or line.get("why") != why:
                return
            what = line.get("what")
            if what not in MATERIALS or not is_int(line.get("n"), 1) or MATERIALS.index(what) <= last:
                return
            last = MATERIALS.index(what)
            yield line
