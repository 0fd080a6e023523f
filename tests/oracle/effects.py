"""Uses of effects: influence actions and workshop tiles (rules section 9; rulings 5-13)."""

from __future__ import annotations

from typing import Any

from .cathedral import deliver, deliverable
from .goods import as_if_paid, can_pay_points, material_prices, move, pay, roll, something_comes, take_in
from .reader import Reader
from .state import Game, Seat
from .vocab import DICE, MATERIALS, POINTS

Effect = dict[str, Any]

# --- what a part could do now


def movable(game: Game, part: dict[str, Any]) -> list[str]:
    """Ruling 7: the dice that the part can move."""
    dice = DICE if part["die"] == "any" else (part["die"],)
    return [d for d in dice if game.has_room(d, (game.space[d] + part["steps"]) % 8)]


def rollable(game: Game, part: str, arrival: int | None) -> list[int]:
    """Ruling 8: the spaces whose dice the part can roll. No arrival space during a claim."""
    if part == "any":
        return sorted(set(game.space.values()))
    return [arrival] if arrival is not None and game.dice_at(arrival) else []


def yielding(game: Game, seat: Seat, part: dict[str, Any], arrival: int | None) -> list[int]:
    """Ruling 9: the spaces whose tile's yield brings something."""
    if "space" in part:
        spaces = [] if arrival is None else [(arrival + part["space"]) % 8]
    elif part["die"] == "any":
        spaces = sorted(set(game.space.values()))
    else:
        spaces = [game.space[part["die"]]]
    return [s for s in spaces if something_comes(game, seat, game.tile_gain(s))]


def activatable(game: Game, seat: Seat, which: str, arrival: int | None) -> list[int]:
    """Ruling 11: the workshop spaces whose tile the part can activate."""
    return [
        space
        for space in range(6)
        if (which in ("any", space_colour(game, space)) and tile_usable(game, seat, space, arrival))
    ]


# --- whether a use is legal


def space_colour(game: Game, space: int) -> str:
    """The colour of a workshop space."""
    return game.rules["workshop_spaces"][space]["colour"]


def tile_usable(game: Game, seat: Seat, space: int, arrival: int | None) -> bool:
    """A tile lies there face up, and its use is legal."""
    tile = seat.workshop[space]
    if tile is None or tile["face"] != "up":
        return False
    return usable(game, seat, game.tile_effect(tile["tile"]), arrival)


def can_change(game: Game, seat: Seat, effect: Effect, arrival: int | None) -> bool:
    """Ruling 6, the price being paid: there is a way to change something.

    The parts are looked at in their order; while none has changed anything, the table is as it was, so each can be
    judged on the table as it is.
    """
    return bool(
        ("move" in effect and movable(game, effect["move"]))
        or ("roll" in effect and rollable(game, effect["roll"], arrival))
        or ("yield" in effect and yielding(game, seat, effect["yield"], arrival))
        or ("gain" in effect and something_comes(game, seat, effect["gain"]))
        or (effect.get("deliver", 0) and deliverable(game, seat))
        or ("activate" in effect and activatable(game, seat, effect["activate"], arrival))
    )


def material_choices(game: Game, seat: Seat, effect: Effect, arrival: int | None) -> list[dict[str, int]]:
    """All ways to pay the effect's materials that leave a way to change something; points must be payable."""
    price = effect.get("pay", {})
    result = []
    for materials in material_prices(seat, price):
        with as_if_paid(game, seat, price, materials):
            good = can_change(game, seat, effect, arrival)
        if good:
            result.append(materials)
    return result


def usable(game: Game, seat: Seat, effect: Effect, arrival: int | None) -> bool:
    """Ruling 6: the price can be paid, and something beyond it can change."""
    return can_pay_points(game, seat, effect.get("pay", {})) and bool(material_choices(game, seat, effect, arrival))


# --- carrying a use out


def use(game: Game, io: Reader, seat: Seat, effect: Effect, why: str, arrival: int | None) -> None:
    """A legal use, part by part in the order of ruling 5; `why` is influence or workshop."""
    _pay(game, io, seat, effect, why, arrival)
    changed = False
    if "move" in effect:
        dice = movable(game, effect["move"])
        if dice:
            (die,) = io.choose("move", ("die",), why, [(d,) for d in dice])
            move(game, io, die, effect["move"]["steps"], why)
            changed = True
    if "roll" in effect:
        spaces = rollable(game, effect["roll"], arrival)
        if spaces:
            (space,) = io.choose("roll", ("space",), why, [(s,) for s in spaces])
            roll(game, io, space, why)
            changed = True
    if "yield" in effect:
        spaces = yielding(game, seat, effect["yield"], arrival)
        if spaces:
            (space,) = io.choose("yield", ("space",), why, [(s,) for s in spaces])
            io.event("yield", {"space": space, "why": why})
            take_in(game, io, seat, game.tile_gain(space), why)
            changed = True
    if "gain" in effect:
        changed = take_in(game, io, seat, effect["gain"], why) or changed
    if effect.get("deliver", 0):
        changed = _deliver(game, io, seat, effect, why, arrival, changed) or changed
    if "activate" in effect:
        changed = _activate(game, io, seat, effect["activate"], arrival, changed) or changed
    if not changed:
        io.fail("a use that changes something")


def _pay(game: Game, io: Reader, seat: Seat, effect: Effect, why: str, arrival: int | None) -> None:
    """Rulings 1, 2 and 6. Given and chosen materials of a kind stand in one line."""
    price = effect.get("pay", {})
    ways = material_choices(game, seat, effect, arrival)
    for what in POINTS:
        pay(game, io, seat, what, price.get(what, 0), why)
    total = sum(ways[0].values())
    if total:
        materials = io.amounts("pay", why, total, lambda paid: paid in ways, lambda: ways)
        for m in MATERIALS:
            pay(game, io, seat, m, materials.get(m, 0), why)


def _deliver(game: Game, io: Reader, seat: Seat, effect: Effect, why: str, arrival: int | None, changed: bool) -> bool:
    """Ruling 10: up to n deliveries; whether there was any."""
    any_delivery = False
    for _ in range(effect["deliver"]):
        candidates = deliverable(game, seat)
        if not candidates:
            break
        may_stop = (
            changed
            or any_delivery
            or ("activate" in effect and bool(activatable(game, seat, effect["activate"], arrival)))
        )
        chosen = io.choose("deliver", ("tower", "level", "material"), why, candidates, optional=may_stop)
        if chosen is None:
            break
        deliver(game, io, seat, *chosen, why)
        any_delivery = True
    return any_delivery


def _activate(game: Game, io: Reader, seat: Seat, which: str, arrival: int | None, changed: bool) -> bool:
    """Ruling 11: one tile whose use is legal; whether one was activated."""
    spaces = activatable(game, seat, which, arrival)
    if not spaces:
        return False
    may_decline = changed and all(has_price(game, seat, space) for space in spaces)
    chosen = io.choose("workshop", ("space",), "influence", [(s,) for s in spaces], optional=may_decline)
    if chosen is None:
        return False
    use_tile(game, io, seat, chosen[0], "influence", arrival)
    return True


def has_price(game: Game, seat: Seat, space: int) -> bool:
    """The tile there asks a price, so that its use may be declined."""
    tile = seat.workshop[space]
    return tile is not None and bool(game.tile_effect(tile["tile"]).get("pay"))


def use_tile(game: Game, io: Reader, seat: Seat, space: int, why: str, arrival: int | None) -> None:
    """The bonus of a face-up tile; `why` says what called it: claim, acquire or influence."""
    tile = seat.workshop[space]["tile"]
    io.event("workshop", {"space": space, "tile": tile, "why": why})
    use(game, io, seat, game.tile_effect(tile), "workshop", arrival)


def bonus_at_claim(game: Game, io: Reader, seat: Seat, space: int) -> None:
    """Ruling 13: carried out if legal, without an arrival space; only one with a price may be declined."""
    if not tile_usable(game, seat, space, None):
        return
    chosen = io.choose("workshop", ("space",), "claim", [(space,)], optional=has_price(game, seat, space))
    if chosen is not None:
        use_tile(game, io, seat, space, "claim", None)
