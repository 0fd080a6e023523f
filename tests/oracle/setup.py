"""The setup line (rules section 2; rulings 22-24; the trace format's first line)."""

from __future__ import annotations

from typing import Any

from .vocab import DICE, GUILDS, KINDS, MATERIALS, PLAYER_COLOURS, SPACES, OracleError, is_int

KEYS = {
    *("type", "version", "rcsim", "seed", "game", "players", "preset", "board", "policies", "colours", "rubles"),
    *("first_seat", "plan", "towers", "tiles", "market", "influence", "dice", "ruleset"),
}
RULESET_KEYS = {
    *("track", "options", "supply", "rubles", "plans", "sections", "resource_tiles", "influence"),
    *("workshop_tiles", "workshop_spaces", "solo"),
}
WORDS = {
    "tower_shares": ("halving", "flat_third"),
    "tower_shares_2p": ("third", "as_more"),
    "optional_actions": ("both", "one_kind"),
    "sell_moments": ("one", "any"),
    "penalty": (True, False),
}
NUMBERS = {
    "sell_rubles": (0, 9),
    "finisher_bonus": (0, 9),
    "penalty_floor": (0, None),
    "deliveries": (1, 6),
    "dice_limit": (3, 5),
    "extra_space_price": (0, 9),
    "leftover_divisor": (1, 99),
    "banners": (1, 6),
    "end_sections": (1, 6),
    "slots_open": (1, 10),
    "slots_covered": (0, 6),
    "first_seat": (0, None),
    "max_repeats": (1, 50),
    "turn_cap": (10, 1000),
}


def _must(condition: object, what: str, found: object = None) -> None:
    if not condition:
        raise OracleError(f"line 0, setup: expected {what}, found {found!r}")


def check_setup(line: dict[str, Any]) -> None:
    """Raise OracleError unless the line is a setup that its own ruleset allows."""
    try:
        _check(line)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as e:
        raise OracleError(f"line 0, setup: malformed ({type(e).__name__}: {e})") from e


def _check(line: dict[str, Any]) -> None:
    _must(isinstance(line, dict) and line.get("type") == "setup", "a setup line", line)
    _must(set(line) == KEYS, "exactly the keys of a setup line", sorted(set(line) ^ KEYS))
    _must(is_int(line["version"], 1, 1), "version 1", line["version"])
    for key in ("rcsim", "preset", "plan"):
        _must(isinstance(line[key], str), f"a text as {key}", line[key])
    for key in ("seed", "game"):
        _must(is_int(line[key], 0), f"a whole number as {key}", line[key])
    _must(line["board"] in ("basic", "advanced"), "board basic or advanced", line["board"])
    players = line["players"]
    _must(is_int(players, 1, 4), "1 to 4 players", players)
    rules = line["ruleset"]
    _must(set(rules) == RULESET_KEYS, "exactly the keys of a ruleset", sorted(set(rules) ^ RULESET_KEYS))
    _check_options(rules["options"])
    _check_people(line, players, rules)
    _check_cathedral(line, players, rules)
    _check_market(line, rules)


def _check_options(options: dict[str, Any]) -> None:
    """Section 11: every option within its bounds."""
    known = {*WORDS, *NUMBERS, "ornament_prestige"}
    _must(set(options) - {"solo"} == known, "the options of section 11", sorted(set(options) ^ known))
    for key, words in WORDS.items():
        allowed = any(type(options[key]) is type(w) and options[key] == w for w in words)
        _must(allowed, f"option {key} among {words}", options[key])
    for key, (low, high) in NUMBERS.items():
        _must(is_int(options[key], low, high), f"option {key} within {low}..{high}", options[key])
    _must(options["end_sections"] <= options["banners"], "end_sections at most banners", options["end_sections"])
    _must(
        len(options["ornament_prestige"]) == 4 and all(is_int(n, 0) for n in options["ornament_prestige"]),
        "four whole numbers as ornament_prestige",
        options["ornament_prestige"],
    )


def _check_people(line: dict[str, Any], players: int, rules: dict[str, Any]) -> None:
    """Section 2, points 1 and 8; section 10; ruling 24."""
    solo = players == 1
    allowed = line["preset"] != "en" and rules["options"].get("solo", True) is not False
    _must(allowed or not solo, "no solo game: its rules describe none", line["preset"])
    colours = line["colours"]
    _must(
        len(colours) == players and len(set(colours)) == players and set(colours) <= set(PLAYER_COLOURS),
        "distinct colours, one a player",
        colours,
    )
    policies = line["policies"]
    _must(len(policies) == players and all(isinstance(p, str) for p in policies), "a policy a player", policies)
    _must(len(rules["rubles"]) == 4 and all(is_int(n, 0) for n in rules["rubles"]), "rubles", rules["rubles"])
    rubles = [rules["rubles"][0], 0] if solo else rules["rubles"][:players]
    _must(line["rubles"] == rubles and all(is_int(n) for n in line["rubles"]), f"rubles {rubles}", line["rubles"])
    first = line["first_seat"]
    _must(is_int(first, 0, players - 1), "a first seat in play", first)
    _must(first == rules["options"]["first_seat"], "the ruleset's first seat", first)


def _check_cathedral(line: dict[str, Any], players: int, rules: dict[str, Any]) -> None:
    """Section 2, points 6 and 7."""
    plan = rules["plans"].get(line["plan"])
    _must(plan is not None, "a plan of the ruleset", line["plan"])
    _must(plan["players"] == max(players, 2), f"a plan for {max(players, 2)} players", line["plan"])
    heights = [len(tower) for tower in line["towers"]]
    _must(heights == list(plan["towers"]), f"towers of heights {plan['towers']}", heights)
    _must([len(t) for t in line["tiles"]] == heights, "one workshop tile a section", line["tiles"])
    cards = [card for tower in line["towers"] for card in tower]
    _must(len(set(cards)) == len(cards), "no section twice", cards)
    for tower in line["towers"]:
        for level, card in enumerate(tower):
            kind = KINDS[0] if level == 0 else KINDS[2] if level == len(tower) - 1 else KINDS[1]
            data = rules["sections"].get(card)
            _must(data is not None and data["kind"] == kind, f"a {kind} of the ruleset", card)
            _must(set(data["cost"]) <= set(MATERIALS), "a cost in materials", data["cost"])
    tiles = [tile for tower in line["tiles"] for tile in tower]
    _must(len(set(tiles)) == len(tiles), "no workshop tile twice", tiles)
    for tile in tiles:
        data = rules["workshop_tiles"].get(tile)
        _must(data is not None, "a workshop tile of the ruleset", tile)
        _must(players >= 3 or not data["plus"], "no + tile with fewer than 3 players", tile)


def _check_market(line: dict[str, Any], rules: dict[str, Any]) -> None:
    """Section 2, points 3 to 5; ruling 22."""
    market = line["market"]
    _must(len(market) == SPACES, "eight resource tiles", market)
    _must(sorted(market) == sorted(rules["resource_tiles"]), "each resource tile once", market)
    cards = line["influence"]
    guilds = [rules["influence"][card]["guild"] for card in cards]
    _must(sorted(guilds) == sorted(GUILDS), "one influence card of each guild", cards)
    crosses = [s for s, tile in enumerate(market) if rules["resource_tiles"][tile]["gain"].get("recognition", 0)]
    _must(len(crosses) == 1, "exactly one recognition tile", crosses)
    dice = line["dice"]
    _must(set(dice) == set(DICE), "five dice", sorted(dice))
    for die in dice.values():
        _must(set(die) == {"space", "value"} and is_int(die["value"], 1, 6), "a die's space and value", die)
        _must(is_int(die["space"], 0, SPACES - 1), "a market space", die["space"])
    spaces = {(crosses[0] + i) % SPACES for i in range(len(DICE))}
    _must({die["space"] for die in dice.values()} == spaces, f"one die each on {sorted(spaces)}", dice)
