"""Claims, deliveries, completions, penalties and ornaments (rules sections 5 and 6; rulings 19-21)."""

from __future__ import annotations

from .goods import gain
from .reader import Reader
from .state import Game, Seat, Section
from .vocab import MATERIALS, ORNAMENT_MATERIAL, ORNAMENT_OF_KIND, ORNAMENTS


def claimable(game: Game, tower: object, level: object) -> bool:
    """An unclaimed base, or an unclaimed section directly above one that bears anyone's banner (section 5)."""
    section = game.sections.get((tower, level))  # type: ignore[call-overload]
    if section is None or section.owner is not None:
        return False
    return section.level == 0 or game.sections[section.tower, section.level - 1].owner is not None


def deliverable(game: Game, seat: Seat) -> list[tuple[int, int, str]]:
    """Every delivery to a section: own, unfinished, still in need of a material that is in the inventory."""
    return [
        (s.tower, s.level, m)
        for s in game.sections.values()
        if s.owner == seat.index and not s.complete
        for m in MATERIALS
        if seat.materials[m] and s.needs(m)
    ]


def deliver(game: Game, io: Reader, seat: Seat, tower: int, level: int, material: str, why: str) -> None:
    """One delivery of a player, and the completion it may bring."""
    section = game.sections[tower, level]
    io.event("deliver", {"tower": tower, "level": level, "material": material, "why": why})
    seat.materials[material] -= 1
    section.delivered[material] += 1
    if not any(section.needs(m) for m in MATERIALS):
        complete(game, io, seat, section)


def complete(game: Game, io: Reader, seat: Seat, section: Section) -> None:
    """Section 6: materials return; recognition and rubles (Ivan: none); penalties; finish."""
    io.event("complete", {"tower": section.tower, "level": section.level})
    section.complete = True
    for m in MATERIALS:
        game.supply[m] += section.delivered[m]
        section.delivered[m] = 0
    gain(game, io, seat, "recognition", section.recognition, "complete")
    if not seat.ivan:
        gain(game, io, seat, "rubles", section.rubles, "complete")
    if game.options_data["penalty"]:
        penalties(game, io, section)
    if game.finisher is None and game.finished(seat.index) >= game.options_data["end_sections"]:
        game.finisher = seat.index
        io.event("finish", {}, seat.index)
        if not game.solo:
            gain(game, io, seat, "prestige", game.options_data["finisher_bonus"], "finish")


def points_asked(tower: list[Section], level: int) -> int:
    """Finished sections above a card that are not its owner's own."""
    owner = tower[level].owner
    return sum(1 for above in tower[level + 1 :] if above.complete and above.owner != owner)


def penalties(game: Game, io: Reader, built: Section) -> None:
    """Every claimed, unfinished section below, bottom to top (section 6; ruling 19)."""
    tower = game.tower(built.tower)
    for card in tower[: built.level]:
        if card.owner is None or card.complete:
            continue
        points = points_asked(tower, card.level)
        if not points:
            continue
        owner = game.seats[card.owner]
        lost = min(points, max(0, owner.marker - game.options_data["penalty_floor"]))
        io.event(
            "penalty",
            {"tower": card.tower, "level": card.level, "owner": owner.index, "points": points, "lost": lost},
        )
        owner.marker -= lost


def ornament_prestige(table: list[int], gems: tuple[str, ...]) -> int:
    """Prestige at once: no gem, one, two alike, two different."""
    if len(gems) < 2:
        return table[len(gems)]
    return table[2] if gems[0] == gems[1] else table[3]


def has_ornament(seat: Seat, ornament: str) -> bool:
    """Left to place, and (advanced board) unlocked (ruling 20)."""
    placed = ORNAMENTS[ornament] - seat.ornaments[ornament]
    return seat.ornaments[ornament] > 0 and placed < seat.unlocked[ornament]


def adorn(game: Game, io: Reader, seat: Seat, section: Section, gems: tuple[str, ...]) -> None:
    """Place the fitting ornament; its materials (Ivan: none) return to the supply."""
    ornament = ORNAMENT_OF_KIND[section.kind]
    io.event("adorn", {"tower": section.tower, "level": section.level, "ornament": ornament, "gems": list(gems)})
    if not seat.ivan:
        for m in (ORNAMENT_MATERIAL[ornament], *gems):
            seat.materials[m] -= 1
            game.supply[m] += 1
    seat.ornaments[ornament] -= 1
    section.ornament = {"owner": seat.index, "kind": ornament, "gems": list(gems)}
    n = ornament_prestige(game.options_data["ornament_prestige"], gems)
    gain(game, io, seat, "prestige", n, "adorn")


def place_banner(game: Game, seat: Seat, section: Section) -> None:
    """The banner leaves the board, one that covers a slot first, and opens the slot (section 5)."""
    seat.banners -= 1
    if not seat.ivan and seat.claims < game.options_data["slots_covered"]:
        seat.slots += 1
    seat.claims += 1
    section.owner = seat.index
