"""Wild but valid rulesets, for tests that compare two implementations of the rules.

`random_ruleset(random.Random(7))` is the same ruleset in every process. All options take all their values, and
the effects use the whole vocabulary.
"""

import random
from typing import Any

from hypothesis import strategies as st

from rcsim.names import COLOURS, GOODS, GUILDS, MATERIALS, SOLO_CARDS
from rcsim.rules.loader import from_dict
from rcsim.rules.schema import Ruleset

DICE = (*COLOURS, "any")


def rulesets(*, solo: bool = False) -> st.SearchStrategy[Ruleset]:
    """The same rulesets as a hypothesis strategy."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_ruleset(random.Random(seed), solo=solo))


def random_ruleset(rng: random.Random, *, solo: bool = False) -> Ruleset:
    """One ruleset, checked by the loader; valid for 2 to 4 players, and with `solo` for one (first seat 0)."""
    plans = _plans(rng)
    supply = _supply(rng)
    tiles = _tiles(rng, plans)
    data = {
        "track": _track(rng),
        "options": _options(rng, solo),
        "supply": supply,
        "start": {"rubles": [rng.randint(0, 9) for _ in range(4)]},
        "plans": plans,
        "sections": _sections(rng, plans, supply),
        "resource_tiles": _resource_tiles(rng),
        "influence": _influence(rng),
        "workshop_tiles": tiles,
        "workshop_spaces": _spaces(rng),
        "solo": {
            "points": rng.randint(0, 9),
            "inventory": rng.randint(0, 9),
            "level": rng.randint(0, 3),
            "die": {card: rng.choice(COLOURS) for card in SOLO_CARDS},
        },
    }
    return from_dict(data, "random")


def _chance(rng: random.Random, p: float) -> bool:
    return rng.random() < p


def _track(rng: random.Random) -> dict[str, Any]:
    lap = rng.choice((rng.randint(4, 30), rng.randint(40, 120), 256))
    n = rng.randint(1, min(lap, 100))
    spaces = sorted(rng.sample(range(1, lap + 1), n))
    if _chance(rng, 0.3):
        spaces = list(range(1, lap + 1))
    return {"start": rng.randint(0, min(lap, 12)), "lap": lap, "prestige_spaces": spaces}


def _options(rng: random.Random, solo: bool) -> dict[str, Any]:
    banners = rng.choice((6, 6, rng.randint(1, 6)))
    return {
        "tower_shares": rng.choice(("halving", "flat_third")),
        "tower_shares_2p": rng.choice(("third", "as_more")),
        "optional_actions": rng.choice(("both", "one_kind")),
        "sell_moments": rng.choice(("one", "any")),
        "sell_rubles": rng.choice((2, rng.randint(0, 9))),
        "finisher_bonus": rng.choice((3, rng.randint(0, 9))),
        "penalty": _chance(rng, 0.8),
        "penalty_floor": rng.choice((0, 0, rng.randint(1, 20))),
        "deliveries": rng.randint(1, 6),
        "dice_limit": rng.randint(3, 5),
        "extra_space_price": rng.choice((0, 1, 1, rng.randint(0, 9))),
        "leftover_divisor": rng.choice((5, rng.randint(1, 99))),
        "banners": banners,
        "end_sections": rng.randint(max(1, banners - 3), banners),
        "slots_open": rng.randint(1, 10),
        "slots_covered": rng.randint(0, banners),
        "ornament_prestige": [rng.randint(0, 9) for _ in range(4)] if _chance(rng, 0.5) else [0, 1, 2, 3],
        "first_seat": 0 if solo else rng.choice((0, 0, 1)),
        "max_repeats": rng.choice((20, rng.randint(1, 50))),
        "turn_cap": rng.randint(10, 30) if _chance(rng, 0.6) else rng.randint(31, 120),
        "solo": solo or _chance(rng, 0.5),
    }


def _supply(rng: random.Random) -> dict[str, int]:
    scarce = _chance(rng, 0.3)
    supply = {m: rng.randint(0, 6) if scarce and _chance(rng, 0.6) else rng.randint(6, 25) for m in MATERIALS}
    if not any(supply.values()):
        supply["wood"] = 3
    return supply


def _plans(rng: random.Random) -> dict[str, Any]:
    plans = {}
    for players in (2, 3, 4):
        for letter in "abcd"[: rng.randint(1, 4)]:
            towers = [2] * rng.randint(2, 6)
            most = 20 if players == 2 else 36
            for _ in range(rng.randint(0, most - sum(towers))):
                towers[rng.randrange(len(towers))] += 1
            plans[f"{players}{letter}"] = {"players": players, "towers": towers}
    return plans


def _sections(rng: random.Random, plans: dict[str, Any], supply: dict[str, int]) -> dict[str, Any]:
    towers = max(len(plan["towers"]) for plan in plans.values())
    middles = max(sum(plan["towers"]) - 2 * len(plan["towers"]) for plan in plans.values())
    sections = {}
    for kind, least in (("base", towers), ("middle", middles), ("dome", towers)):
        for i in range(1, least + rng.randint(0, 6) + 1):
            sections[f"{kind}-{i:02}"] = {
                "kind": kind,
                "cost": _cost(rng, supply),
                "recognition": rng.randint(0, 9),
                "rubles": rng.randint(0, 3),
            }
    return sections


def _cost(rng: random.Random, supply: dict[str, int]) -> dict[str, int]:
    left = dict(supply)
    cost: dict[str, int] = {}
    for _ in range(rng.choice((1, 2, 3, 3, 4, 4, 5, 6))):
        material = rng.choice([m for m in MATERIALS if left[m]] or ["wood"])
        if left[material]:
            left[material] -= 1
            cost[material] = cost.get(material, 0) + 1
    return cost


def _resource_tiles(rng: random.Random) -> dict[str, Any]:
    ids = [*MATERIALS, "rubles", "cross"]
    rng.shuffle(ids)
    goods = [g for g in GOODS if g != "recognition"]
    tiles = {}
    for i, name in enumerate(ids):
        gain = {rng.choice(goods): rng.randint(1, 3) for _ in range(rng.choice((1, 1, 1, 2, 3)))}
        if i == 0:  # any of the eight may be the one tile with recognition, alone or beside other goods
            gain = ({} if _chance(rng, 0.6) else gain) | {"recognition": rng.randint(1, 3)}
        tiles[name] = {"gain": gain}
    return tiles


def _amounts(rng: random.Random, most: int, cheap: bool = False) -> dict[str, Any]:
    """A pay or a gain, one to three goods; `cheap` ones can often be paid."""
    out: dict[str, Any] = {}
    for _ in range(rng.choice((1, 1, 2) if cheap else (1, 1, 2, 3))):
        good = rng.choice((*GOODS, "any", "any", "rubles"))
        if good == "any":
            of = rng.sample(MATERIALS, rng.randint(1, 6))
            out["any"] = {"n": rng.randint(1, most), "of": of}
        else:
            out[good] = rng.randint(1, most)
    return out


def _effect(rng: random.Random, *, tile: bool = False, must_pay: bool = False) -> dict[str, Any]:
    parts = ["move", "roll", "yield", "gain", "gain", "deliver"] + ([] if tile else ["activate"])
    effect: dict[str, Any] = {}
    if must_pay or _chance(rng, 0.4):
        effect["pay"] = _amounts(rng, 2, cheap=True)
    chosen = rng.sample(parts, rng.choice((1, 1, 1, 2, 2, 3, 4)))
    if not tile and _chance(rng, 0.15):
        chosen = ["deliver", "activate"]  # nothing has changed when the first delivery may be left out
    for part in chosen:
        match part:
            case "move":
                effect[part] = {"die": rng.choice(DICE), "steps": rng.randint(1, 7)}
            case "roll":
                effect[part] = rng.choice(("arrival", "any"))
            case "yield":
                effect[part] = {"die": rng.choice(DICE)} if _chance(rng, 0.6) else {"space": rng.choice((-1, 1))}
            case "gain":
                effect[part] = _amounts(rng, 4)
            case "deliver":
                effect[part] = rng.randint(1, 3)
            case "activate":
                effect[part] = rng.choice((*DICE, "any", "any"))
    return effect


def _influence(rng: random.Random) -> dict[str, Any]:
    cards = {}
    for guild in GUILDS:
        for i in range(1, rng.randint(1, 4) + 1):
            once = [_chance(rng, 0.6) for _ in range(2)]
            cards[f"{guild}-{i}"] = {
                "guild": guild,
                "actions": [{"once": o, "effect": _effect(rng, must_pay=not o)} for o in once],
            }
    return cards


def _tiles(rng: random.Random, plans: dict[str, Any]) -> dict[str, Any]:
    two = max(sum(p["towers"]) for p in plans.values() if p["players"] == 2)
    more = max(sum(p["towers"]) for p in plans.values())
    plain = two + rng.randint(0, 4)
    total = max(more, plain) + rng.randint(0, 6)
    plus = [False] * plain + [_chance(rng, 0.8) for _ in range(total - plain)]
    rng.shuffle(plus)
    return {f"tile-{i:02}": {"plus": p, "effect": _effect(rng, tile=True)} for i, p in enumerate(plus, 1)}


def _spaces(rng: random.Random) -> list[dict[str, Any]]:
    colours = [*COLOURS, "white"]
    ornaments = ["door", "arch", "arch", "cross", "none", "none"]
    rng.shuffle(colours)
    rng.shuffle(ornaments)
    return [
        {"colour": c, "price": {"basic": rng.randint(0, 5), "advanced": rng.randint(0, 5)}, "ornament": o}
        for c, o in zip(colours, ornaments, strict=True)
    ]
