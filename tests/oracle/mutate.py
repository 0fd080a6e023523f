"""Wrong versions of a right trace, each of which a judge of traces must reject.

Only changes that the rest of the trace is sure to contradict are made: not, for instance, the value of a die that is
rolled again before the turn's state line, nor another amount wanted where the same would come in.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .vocab import DICE, GOODS, MATERIALS

Line = dict[str, Any]
Path = tuple[Any, ...]
Change = tuple[str, Callable[[], list[Line]]]

OTHER_WORD: dict[str, Sequence[str]] = {
    "event": ("sell", "reroll", "claim", "deliver", "move", "take", "influence", "roll", "pay", "gain", "complete"),
    "what": GOODS,
    "material": MATERIALS,
    "die": DICE,
    "why": ("build", "influence", "workshop", "ivan", "acquire", "claim", "take", "sell"),
    "face": ("up", "down"),
    "ornament": ("door", "arch", "cross"),
    "gems": ("green_gem", "purple_gem"),
    "kind": ("door", "arch", "cross"),
    "tile": ("no-such-tile",),
    "card": ("no-such-card",),
}


def mutations(
    lines: Sequence[Line], rng: random.Random | None = None, limit: int | None = None
) -> Iterator[tuple[str, list[Line]]]:
    """Pairs (what was done, the wrong trace) of one right trace of one game.

    All of them in the order of the lines (several thousand a game), or `limit` drawn with `rng`.
    """
    changes = list(_changes(lines))
    if rng is not None:
        rng.shuffle(changes)
    for description, make in changes[:limit]:
        yield description, make()


def _changes(lines: Sequence[Line]) -> Iterator[Change]:
    last_rolls = _last_rolls(lines)
    for i, line in enumerate(lines):
        name = f"line {i} ({line.get('event', line['type'])})"
        yield f"{name} left out", _spliced(lines, i, 1, [])
        yield f"{name} doubled", _spliced(lines, i, 1, [line, line])
        for key in line:
            yield f"{name}: {key} left out", _spliced(lines, i, 1, [{k: v for k, v in line.items() if k != key}])
        yield f"{name}: a key too many", _spliced(lines, i, 1, [{**line, "extra": 0}])
        if line["type"] == "setup":
            yield from _setup_changes(lines)
            continue
        for path, new in _leaf_changes(line, last_rolls.get(i, frozenset())):
            yield f"{name}: {'.'.join(map(str, path))} = {new!r}", _replaced(lines, i, path, new)
        follower = lines[i + 1] if i + 1 < len(lines) else {}
        if follower.get("event") in ("pay", "gain") and line.get("event") == follower["why"]:
            yield f"{name}: its {follower['event']} stands before it", _spliced(lines, i, 2, [follower, line])
    yield from _turn_changes(lines)


def _spliced(lines: Sequence[Line], i: int, n: int, new: list[Line]) -> Callable[[], list[Line]]:
    return lambda: [*lines[:i], *new, *lines[i + n :]]


def _replaced(lines: Sequence[Line], i: int, path: Path, new: Any) -> Callable[[], list[Line]]:
    return lambda: [*lines[:i], _with(lines[i], path, new), *lines[i + 1 :]]


def _with(value: Any, path: Path, new: Any) -> Any:
    """A copy with one leaf changed."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with(value[path[0]], path[1:], new)
    return copy


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for k, v in value.items():
            yield from _leaves(v, (*path, k))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from _leaves(v, (*path, i))
    else:
        yield path, value


def _last_rolls(lines: Sequence[Line]) -> dict[int, frozenset[str]]:
    """For each roll line, the dice that are not rolled again in the turn: the state line shows their values."""
    result: dict[int, frozenset[str]] = {}
    seen: set[str] = set()
    for i in range(len(lines) - 1, -1, -1):
        if lines[i]["type"] == "state":
            seen = set()
        elif lines[i].get("event") == "roll":
            result[i] = frozenset(set(lines[i]["values"]) - seen)
            seen |= set(lines[i]["values"])
    return result


def _leaf_changes(line: Line, shown: frozenset[str]) -> Iterator[tuple[Path, Any]]:
    """Single values of an event, state or score line, changed."""
    for path, value in _leaves(line):
        if path[0] == "wanted":
            yield path, 99
            yield path, float(value)
        elif path == ("action",):
            yield path, 2
            yield path, 1 - 2 * value
        elif "win_share" in path:
            yield path, 0.25 if value != 0.25 else 0.5
        elif type(value) is bool:
            yield path, not value
            yield path, int(value)
        elif type(value) is int:
            if path[0] != "values" or path[1] in shown:
                yield path, value + 1
                yield path, value - 1
            yield path, float(value)
            yield path, str(value)
        elif type(value) is str:
            word = next((p for p in reversed(path) if isinstance(p, str)), "")
            for other in OTHER_WORD.get(word, ()):
                if other != value:
                    yield path, other
            yield path, None
        elif value is None:
            yield path, 0


def _setup_changes(lines: Sequence[Line]) -> Iterator[Change]:
    """What no right setup line can say."""
    setup = lines[0]
    wrong: list[tuple[Path, Any]] = [
        (("type",), "set-up"),
        (("version",), 2),
        (("players",), setup["players"] + 1),
        (("plan",), "no-such-plan"),
        (("board",), "huge"),
        (("first_seat",), setup["first_seat"] + 1),
        (("rubles", 0), setup["rubles"][0] + 1),
        (("colours", 0), "white"),
        (("market", 1), setup["market"][0]),
        (("influence", 1), setup["influence"][0]),
        (("towers", 0, 0), setup["towers"][1][0]),
        (("towers", 0, 0), setup["towers"][0][1]),
        (("towers", 0), setup["towers"][0][:-1]),
        (("tiles", 0, 0), setup["tiles"][1][0]),
        (("tiles", 0), setup["tiles"][0][:-1]),
        (("dice", "red", "value"), 7),
        (("dice", "red", "value"), 0),
        (("dice", "red", "space"), setup["dice"]["blue"]["space"]),
        (("dice", "red", "space"), (setup["dice"]["red"]["space"] + 5) % 8),
        (("dice",), {d: v for d, v in setup["dice"].items() if d != "white"}),
    ]
    if setup["players"] > 1:
        wrong.append((("colours", 1), setup["colours"][0]))
    for path, new in wrong:
        yield f"setup: {'.'.join(map(str, path))} = {new!r}", _replaced(lines, 0, path, new)
    red, blue = setup["dice"]["red"], setup["dice"]["blue"]
    swapped = {**setup["dice"], "red": {**red, "space": blue["space"]}, "blue": {**blue, "space": red["space"]}}
    yield "setup: red and blue die exchange their spaces", _replaced(lines, 0, ("dice",), swapped)


def _turn_changes(lines: Sequence[Line]) -> Iterator[Change]:
    """Whole turns left out or repeated, and ends that come too early or too late."""
    ends = [i for i, line in enumerate(lines) if line["type"] == "state"]
    starts = [1, *(i + 1 for i in ends[:-1])]
    for turn, (start, end) in enumerate(zip(starts, ends, strict=True)):
        whole = list(lines[start : end + 1])
        yield f"turn {turn} left out", _spliced(lines, start, len(whole), [])
        yield f"turn {turn} doubled", _spliced(lines, start, len(whole), [*whole, *whole])
        yield f"score after turn {turn}, the rest left out", _spliced(lines, start, len(lines) - start, [lines[-1]])
    yield "a second score line of another game", _spliced(lines, len(lines), 0, [lines[-1]])
    yield "a line of nothing at the end", _spliced(lines, len(lines), 0, [{}])
