"""Which steps may be started at a moment of a seat's turn (rules sections 4 to 7; rulings 12, 14-17).

A step is a tuple: ("sell",), ("reroll", space), ("claim", tower, level, space, "up" | "down"),
("deliver", tower, level, material), ("adorn", tower, level, gems), ("move", die, steps), ("take",),
("influence", action), ("workshop", space), ("roll",), ("end",). In Ivan's turn, only while several sections are open to
his claim: ("claim", tower, level, None, None).
"""

from __future__ import annotations

from itertools import combinations_with_replacement

from .cathedral import claimable, deliverable, has_ornament
from .effects import space_colour, tile_usable, usable
from .goods import something_comes
from .state import Game
from .vocab import DICE, GEMS, ORNAMENT_MATERIAL, ORNAMENT_OF_KIND, SPACES

ALL_GEMS = [gems for n in range(3) for gems in combinations_with_replacement(GEMS, n)]
MOST_EXTRA = 7


def why_not(game: Game, step: tuple) -> str | None:
    """Why a step may not be started now; None if it may."""
    name, *args = step
    return _JUDGES[name](game, *args)


def options(game: Game) -> set[tuple]:
    """All steps that may be started now."""
    if game.ivan_choices is not None:
        return {("claim", tower, level, None, None) for tower, level in game.ivan_choices}
    if game.mover.ivan:
        return set()
    return {step for step in _conceivable(game) if why_not(game, step) is None}


def _conceivable(game: Game) -> list[tuple]:
    """Every step that could be legal at some moment of some game on this table."""
    steps: list[tuple] = [("sell",), ("take",), ("roll",), ("end",)]
    steps += [("reroll", space) for space in range(SPACES)]
    steps += [("influence", action) for action in range(2)]
    steps += [("workshop", space) for space in range(6)]
    if game.turn.basic is None:
        steps += [
            ("claim", tower, level, space, face)
            for tower, level in game.sections
            for space in range(6)
            for face in ("up", "down")
        ]
        steps += [("move", die, game.value[die] + extra) for die in DICE for extra in range(MOST_EXTRA + 1)]
    if game.turn.basic in (None, "build"):
        steps += [("adorn", tower, level, gems) for tower, level in game.sections for gems in ALL_GEMS]
        steps += [("deliver", *delivery) for delivery in deliverable(game, game.mover)]
    return steps


# --- optional actions


def _prestige_to_lose(game: Game) -> bool:
    return game.track.behind(game.mover.marker, 1) is not None


def _sell(game: Game) -> str | None:
    """Section 4; rulings 15 and 16."""
    turn, rules = game.turn, game.options_data
    if not _prestige_to_lose(game):
        return "no prestige to sell"
    if rules["sell_moments"] == "one" and turn.sale_closed:
        return "the moment to sell is over"
    if rules["optional_actions"] == "one_kind" and turn.rerolled:
        return "already rerolled, and only one kind of optional action is allowed"
    return None


def _reroll(game: Game, space: object) -> str | None:
    """Section 4; rulings 15 and 16."""
    turn = game.turn
    if not _prestige_to_lose(game):
        return "no prestige to pay for a reroll"
    if turn.rerolled:
        return "only one reroll a turn"
    if game.options_data["optional_actions"] == "one_kind" and turn.sold:
        return "already sold, and only one kind of optional action is allowed"
    if space not in game.space.values():
        return "no die in that space"
    return None


# --- claim


def _claim(game: Game, tower: object, level: object, space: object, face: object) -> str | None:
    """Section 5."""
    seat = game.mover
    if game.turn.basic is not None:
        return "the basic action is chosen already"
    if seat.banners < 1:
        return "no banner left"
    if not claimable(game, tower, level):
        return "that section is not available"
    if space not in range(6) or seat.workshop[space] is not None:  # type: ignore[index]
        return "that workshop space is not empty"
    if face not in ("up", "down"):
        return "a face is up or down"
    if face == "up" and seat.rubles < claim_price(game, space):  # type: ignore[arg-type]
        return "not enough rubles for that space"
    return None


def claim_price(game: Game, space: int) -> int:
    """The price of a workshop space, face up, on the board in play."""
    return game.rules["workshop_spaces"][space]["price"][game.setup["board"]]


# --- build


def _build(game: Game, deliveries: int) -> str | None:
    if game.turn.basic not in (None, "build"):
        return "the basic action is not building"
    if game.turn.deliveries + deliveries > game.options_data["deliveries"]:
        return "too many deliveries"
    return None


def _deliver(game: Game, tower: object, level: object, material: object) -> str | None:
    """Section 6: to an own, unfinished section that still needs that material."""
    if (tower, level, material) not in deliverable(game, game.mover):
        return "that delivery is impossible"
    return _build(game, 1)


def _adorn(game: Game, tower: object, level: object, gems: tuple[str, ...]) -> str | None:
    """Section 6: a finished section without an ornament, a fitting one left, its materials in the inventory."""
    seat = game.mover
    section = game.sections.get((tower, level))  # type: ignore[call-overload]
    if section is None or not section.complete or section.ornament is not None:
        return "no finished section without an ornament there"
    if gems not in ALL_GEMS:
        return "gems are up to two, green before purple"
    ornament = ORNAMENT_OF_KIND[section.kind]
    if not has_ornament(seat, ornament):
        return f"no {ornament} left, or it is locked"
    materials = (ORNAMENT_MATERIAL[ornament], *gems)
    if any(seat.materials[m] < materials.count(m) for m in materials):
        return "materials are missing"
    return _build(game, len(materials))


# --- acquire


def _move(game: Game, die: object, steps: object) -> str | None:
    """Section 7, points 1 and 2."""
    seat = game.mover
    if game.turn.basic is not None:
        return "the basic action is chosen already"
    if die not in DICE or type(steps) is not int:
        return "no such move"
    extra = steps - game.value[die]  # type: ignore[index]
    if not 0 <= extra <= MOST_EXTRA:
        return f"a die moves by its value and at most {MOST_EXTRA} further"
    if extra and die not in ("white", seat.colour):
        return "only the white die and the own one can be moved further"
    if seat.rubles < extra * game.options_data["extra_space_price"]:
        return "not enough rubles for the further spaces"
    if not game.has_room(die, (game.space[die] + steps) % SPACES):  # type: ignore[index,arg-type]
        return "the space is full"
    return None


def _at_market(game: Game) -> str | None:
    """After the move and before the final roll (ruling 17)."""
    if game.turn.basic != "acquire" or game.turn.rolled:
        return "not at the market"
    return None


def _take(game: Game) -> str | None:
    """Section 7, point 3; ruling 4."""
    if reason := _at_market(game):
        return reason
    if game.turn.taken:
        return "the resources have been taken"
    space = game.turn.arrival
    if not game.dice_at(space):
        return "no dice in the arrival space"
    if not something_comes(game, game.mover, game.tile_gain(space)):  # type: ignore[arg-type]
        return "nothing would come in"
    return None


def _influence(game: Game, action: object) -> str | None:
    """Section 7, point 3; ruling 12."""
    turn = game.turn
    if reason := _at_market(game):
        return reason
    if action not in (0, 1):
        return "a card has the actions 0 and 1"
    card = game.influence[turn.arrival // 2]  # type: ignore[operator]
    data = game.rules["influence"][card]["actions"][action]
    if turn.influence_uses:
        if turn.influence_closed or turn.influence_action != action or data.get("once", False):
            return "the influence step is over"
        if turn.influence_uses >= game.options_data["max_repeats"]:
            return "too many repeats"
    if not usable(game, game.mover, data["effect"], turn.arrival):
        return "that use cannot be paid or changes nothing"
    return None


def _workshop(game: Game, space: object) -> str | None:
    """Section 7, point 3: one face-up tile on a space of the moved die's colour."""
    if reason := _at_market(game):
        return reason
    if game.turn.tile_used:
        return "the workshop step is over"
    if space not in range(6) or space_colour(game, space) != game.turn.die:  # type: ignore[arg-type]
        return "no workshop space of the die's colour"
    if not tile_usable(game, game.mover, space, game.turn.arrival):  # type: ignore[arg-type]
        return "no face-up tile there whose use would be legal"
    return None


def _end(game: Game) -> str | None:
    """Section 4: exactly one basic action; ruling 17: a market visit ends with its roll."""
    if game.turn.basic is None:
        return "no basic action yet"
    if game.turn.basic == "acquire" and not game.turn.rolled:
        return "the final roll is missing"
    return None


_JUDGES = {
    "sell": _sell,
    "reroll": _reroll,
    "claim": _claim,
    "deliver": _deliver,
    "adorn": _adorn,
    "move": _move,
    "take": _take,
    "influence": _influence,
    "workshop": _workshop,
    "roll": _at_market,
    "end": _end,
}
