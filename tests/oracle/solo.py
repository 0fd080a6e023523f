"""Ivan's turn (rules section 10; rulings 25-31)."""

from __future__ import annotations

from .cathedral import adorn, claimable, complete, place_banner
from .goods import gain, move, roll
from .reader import Reader
from .state import Game, Seat, Section
from .vocab import CARDS, DICE, MATERIALS, ORNAMENT_OF_KIND

YOU = 0


def ivan_turn(game: Game, io: Reader) -> None:
    """The next card, what it does, then a die moves and its space is rolled."""
    if not game.cards_left:
        game.cards_left = set(CARDS)
    card = io.card(game.cards_left)
    io.event("card", {"card": card})
    game.cards_left.remove(card)
    {
        "points": _points,
        "inventory": _inventory,
        "transport": _transport,
        "claim": _claim,
        "construction": _construction,
    }[card](game, io, game.mover)
    die = _die(game, game.rules["solo"]["die"][card])
    move(game, io, die, game.value[die], "ivan")
    roll(game, io, game.space[die], "ivan")


def _die(game: Game, colour: str) -> str:
    """Ruling 25: the card's die; if its move is blocked, the next one round that can move."""
    first = DICE.index(colour)
    for die in DICE[first:] + DICE[:first]:
        if game.has_room(die, (game.space[die] + game.value[die]) % 8):
            return die
    raise AssertionError("some die can always move")


def _points(game: Game, io: Reader, ivan: Seat) -> None:
    """Ruling 30."""
    gain(game, io, ivan, "recognition", game.rules["solo"]["points"] + game.rules["solo"]["level"], "card")


def _inventory(game: Game, io: Reader, ivan: Seat) -> None:
    """Ruling 26: one after another from what the supply has most of; the lines in the order of materials."""
    got = dict.fromkeys(MATERIALS, 0)
    for _ in range(game.rules["solo"]["inventory"]):
        most = max(MATERIALS, key=lambda m: game.supply[m])  # the first of several
        if game.supply[most]:
            game.supply[most] -= 1
            got[most] += 1
    for m in MATERIALS:
        if got[m]:
            io.event("gain", {"what": m, "n": got[m], "why": "card"})
            ivan.inventory[m] += got[m]


def _transport(game: Game, io: Reader, ivan: Seat) -> None:
    """All of the inventory card goes to the construction card; no line if there is nothing."""
    n = sum(ivan.inventory.values())
    if n == 0:
        return
    io.event("transport", {"n": n})
    for m in MATERIALS:
        ivan.construction[m] += ivan.inventory[m]
        ivan.inventory[m] = 0


def claim_candidates(game: Game) -> list[tuple[int, int]]:
    """Ruling 27: above one of yours; else a base; else any. None without a banner."""
    if game.seats[1].banners < 1:
        return []
    able = [s for s in game.sections.values() if claimable(game, s.tower, s.level)]
    above_yours = [s for s in able if s.level > 0 and game.sections[s.tower, s.level - 1].owner == YOU]
    bases = [s for s in able if s.level == 0]
    return [(s.tower, s.level) for s in above_yours or bases or able]


def _claim(game: Game, io: Reader, ivan: Seat) -> None:
    """The section is your choice among several; he gains the recognition of its tile, which leaves the game."""
    candidates = claim_candidates(game)
    if not candidates:
        return
    if len(candidates) > 1:
        game.ivan_choices = candidates
        io.pause()
        game.ivan_choices = None
    tower, level = io.choose("claim", ("tower", "level"), "claim", candidates)
    io.event("claim", {"tower": tower, "level": level, "space": None, "face": None})
    section = game.sections[tower, level]
    place_banner(game, ivan, section)
    recognition = game.tile_effect(section.tile).get("gain", {}).get("recognition", 0)
    gain(game, io, ivan, "recognition", recognition, "claim")


def _construction(game: Game, io: Reader, ivan: Seat) -> None:
    """Ruling 28: tower by tower, each from the bottom; only the number of materials counts."""
    for section in game.sections.values():  # in that order
        if section.owner == ivan.index and not section.complete:
            _build(game, io, ivan, section)


def _build(game: Game, io: Reader, ivan: Seat, section: Section) -> None:
    cost = sum(section.cost.values())
    for material in MATERIALS:
        while ivan.construction[material] and sum(section.delivered.values()) < cost:
            io.event("deliver", {"tower": section.tower, "level": section.level, "material": material, "why": "ivan"})
            ivan.construction[material] -= 1
            section.delivered[material] += 1
    if sum(section.delivered.values()) < cost:
        return
    complete(game, io, ivan, section)
    if ivan.ornaments[ORNAMENT_OF_KIND[section.kind]] and section.ornament is None:
        adorn(game, io, ivan, section, ())
