"""Rulesets and setups for the oracle's own tests: invented numbers, effects of every shape the vocabulary allows."""

from __future__ import annotations

import random
from typing import Any

from .vocab import DICE, GUILDS, MATERIALS, PLAYER_COLOURS

OPTIONS: dict[str, Any] = {
    "tower_shares": "halving",
    "tower_shares_2p": "third",
    "optional_actions": "both",
    "sell_moments": "one",
    "sell_rubles": 2,
    "finisher_bonus": 3,
    "penalty": True,
    "penalty_floor": 0,
    "deliveries": 3,
    "dice_limit": 3,
    "extra_space_price": 1,
    "leftover_divisor": 5,
    "banners": 6,
    "end_sections": 6,
    "slots_open": 6,
    "slots_covered": 4,
    "ornament_prestige": [0, 1, 2, 3],
    "first_seat": 0,
    "max_repeats": 20,
    "turn_cap": 100,
}
EN = {
    "tower_shares": "flat_third",
    "tower_shares_2p": "as_more",
    "optional_actions": "one_kind",
    "sell_moments": "any",
}
GAPS = [5] + [4] * 4 + [3] * 7 + [2] * 10 + [1] * 18
PRESTIGE_SPACES = [sum(GAPS[: i + 1]) for i in range(len(GAPS))]


def ruleset(seed: int, **options: Any) -> dict[str, Any]:
    """A whole ruleset with random cards and tiles."""
    rng = random.Random(seed)
    sections: dict[str, Any] = {}
    for kind, n in (("base", 10), ("middle", 20), ("dome", 10)):
        for i in range(n):
            cost: dict[str, int] = {}
            for _ in range(rng.choice((3, 3, 4))):
                m = rng.choices(MATERIALS, (4, 4, 4, 2, 1, 1))[0]
                cost[m] = cost.get(m, 0) + 1
            points = {"recognition": rng.randint(0, 5), "rubles": rng.randint(0, 3)}
            sections[f"{kind}-{i:02}"] = {"kind": kind, "cost": cost, **points}
    gains: dict[str, dict[str, int]] = {m: {m: 1} for m in MATERIALS[3:]}
    gains |= {"wood": {"wood": 2}, "brick": {"brick": 1, "wood": 1}, "stone": {"stone": 2}}
    gains |= {"rubles": {"rubles": 2}, "recognition": {"recognition": 2}}
    return {
        "track": {"start": 2, "lap": 80, "prestige_spaces": list(PRESTIGE_SPACES)},
        "options": {**OPTIONS, **options},
        "supply": dict(zip(MATERIALS, (20, 20, 20, 15, 10, 10), strict=True)),
        "rubles": [3, 4, 4, 5],
        "plans": {
            "2a": {"players": 2, "towers": [4, 3, 3, 2]},
            "3a": {"players": 3, "towers": [5, 4, 4, 3, 2]},
            "4a": {"players": 4, "towers": [6, 5, 4, 4, 3, 2]},
        },
        "sections": sections,
        "resource_tiles": {name: {"gain": gain} for name, gain in gains.items()},
        "influence": {
            f"{guild}-{i}": {"guild": guild, "actions": [_action(rng), _action(rng)]}
            for guild in GUILDS
            for i in range(3)
        },
        "workshop_tiles": {
            f"tile-{i:02}": {"plus": i < 8, "effect": _effect(rng, tile=True, must_pay=False)} for i in range(40)
        },
        "workshop_spaces": [
            {"colour": colour, "price": {"basic": price, "advanced": 3}, "ornament": ornament}
            for colour, price, ornament in (
                ("red", 1, "door"),
                ("blue", 2, "arch"),
                ("green", 2, "arch"),
                ("yellow", 3, "cross"),
                ("white", 0, None),
                ("white", 4, None),
            )
        ],
        "solo": {
            "points": 4,
            "inventory": 4,
            "die": {
                "points": "white",
                "inventory": "red",
                "transport": "blue",
                "claim": "green",
                "construction": "yellow",
            },
            "level": rng.randint(0, 2),
        },
    }


def setup_line(seed: int, players: int, rules: dict[str, Any], board: str = "basic") -> dict[str, Any]:
    """A random setup of a ruleset, as a trace's first line."""
    rng = random.Random(seed)
    plan = f"{max(players, 2)}a"
    heights = rules["plans"][plan]["towers"]
    decks = {kind: _shuffled(rng, _of_kind(rules, kind)) for kind in ("base", "middle", "dome")}
    tiles = _shuffled(rng, [t for t, d in rules["workshop_tiles"].items() if players >= 3 or not d["plus"]])
    market = _shuffled(rng, list(rules["resource_tiles"]))
    cross = market.index("recognition")
    return {
        "type": "setup",
        "version": 1,
        "rcsim": "0",
        "seed": seed,
        "game": 0,
        "players": players,
        "preset": "sample",
        "board": board,
        "policies": ["random"] * players,
        "colours": _shuffled(rng, list(PLAYER_COLOURS))[:players],
        "rubles": [rules["rubles"][0], 0] if players == 1 else rules["rubles"][:players],
        "first_seat": rules["options"]["first_seat"],
        "plan": plan,
        "towers": [
            [decks["base"].pop(), *(decks["middle"].pop() for _ in range(h - 2)), decks["dome"].pop()] for h in heights
        ],
        "tiles": [[tiles.pop() for _ in range(h)] for h in heights],
        "market": market,
        "influence": _shuffled(
            rng, [rng.choice([c for c, d in rules["influence"].items() if d["guild"] == g]) for g in GUILDS]
        ),
        "dice": {
            die: {"space": (cross + i) % 8, "value": rng.randint(1, 6)}
            for i, die in enumerate(_shuffled(rng, list(DICE)))
        },
        "ruleset": rules,
    }


def _shuffled(rng: random.Random, items: list[str]) -> list[str]:
    return rng.sample(items, len(items))


def _of_kind(rules: dict[str, Any], kind: str) -> list[str]:
    return [name for name, data in rules["sections"].items() if data["kind"] == kind]


def _action(rng: random.Random) -> dict[str, Any]:
    once = rng.random() < 0.5
    return {"once": once, "effect": _effect(rng, tile=False, must_pay=not once)}


def _effect(rng: random.Random, tile: bool, must_pay: bool) -> dict[str, Any]:
    parts = ["move", "roll", "yield", "gain", "gain", "gain", "deliver"] + ([] if tile else ["activate"] * 2)
    effect: dict[str, Any] = {}
    if must_pay or rng.random() < 0.4:
        effect["pay"] = _amounts(rng)
    for part in sorted(set(rng.choices(parts, k=rng.choice((1, 1, 2, 3))))):
        if part == "gain":
            effect[part] = _amounts(rng)
        elif part == "move":
            effect[part] = {"die": rng.choice((*DICE, "any", "any")), "steps": rng.randint(1, 8)}
        elif part == "roll":
            effect[part] = rng.choice(("arrival", "any"))
        elif part == "yield":
            effect[part] = rng.choice(({"die": "any"}, {"die": rng.choice(DICE)}, {"space": 1}, {"space": -1}))
        elif part == "deliver":
            effect[part] = rng.randint(1, 2)
        else:
            effect[part] = rng.choice(("any", *DICE))
    return effect


def _amounts(rng: random.Random) -> dict[str, Any]:
    amounts: dict[str, Any] = {}
    for _ in range(rng.choice((1, 1, 1, 2))):
        what = rng.choice(("rubles", "recognition", "prestige", "any", "any", *MATERIALS))
        n = rng.choice((1, 1, 2))
        amounts[what] = {"n": n, "of": rng.sample(MATERIALS, rng.randint(2, 6))} if what == "any" else n
    return amounts
