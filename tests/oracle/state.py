"""Everything on the table: seats, supply, dice, sections, and what has been done in the turn under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .setup import check_setup
from .track import Track
from .vocab import DICE, MATERIALS, ORNAMENTS, nonzero


@dataclass
class Seat:
    """One player's things, or Ivan's (who has no workshop, no rubles and no slots, but two cards)."""

    index: int
    colour: str | None
    ivan: bool
    marker: int
    rubles: int
    slots: int
    banners: int
    materials: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MATERIALS, 0))
    workshop: list[dict[str, str] | None] = field(default_factory=lambda: [None] * 6)
    ornaments: dict[str, int] = field(default_factory=lambda: dict(ORNAMENTS))  # left to place, locked ones too
    unlocked: dict[str, int] = field(default_factory=lambda: dict(ORNAMENTS))
    claims: int = 0
    turns: int = 0
    inventory: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MATERIALS, 0))  # Ivan's
    construction: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MATERIALS, 0))  # Ivan's

    def free_slots(self) -> int:
        """Open slots of the inventory that hold nothing."""
        return self.slots - sum(self.materials.values())


@dataclass
class Section:
    """One cathedral card."""

    tower: int
    level: int
    kind: str
    cost: dict[str, int]
    recognition: int
    rubles: int
    tile: str
    owner: int | None = None
    delivered: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MATERIALS, 0))
    complete: bool = False
    ornament: dict[str, Any] | None = None

    def needs(self, material: str) -> bool:
        """Whether one more of that material is missing."""
        return not self.complete and self.delivered[material] < self.cost.get(material, 0)


@dataclass
class Turn:
    """What has happened in the turn under way."""

    number: int
    seat: int
    basic: str | None = None  # claim, build or acquire
    deliveries: int = 0
    sold: bool = False
    sale_closed: bool = False
    rerolled: bool = False
    die: str | None = None
    arrival: int | None = None
    taken: bool = False
    tile_used: bool = False
    influence_action: int | None = None
    influence_uses: int = 0
    influence_closed: bool = False
    rolled: bool = False


class Game:
    """A game as set up by a setup line, and as far as it has been played."""

    def __init__(self, setup: dict[str, Any]) -> None:
        check_setup(setup)
        self.setup = setup
        self.rules = setup["ruleset"]
        self.options_data: dict[str, Any] = self.rules["options"]
        self.solo: bool = setup["players"] == 1
        self.advanced: bool = setup["board"] == "advanced"
        t = self.rules["track"]
        self.track = Track(t["start"], t["lap"], t["prestige_spaces"])
        self.seats = [self._seat(i) for i in range(2 if self.solo else setup["players"])]
        self.supply = {m: self.rules["supply"].get(m, 0) for m in MATERIALS}
        self.market: list[str] = setup["market"]
        self.influence: list[str] = setup["influence"]
        self.space = {d: setup["dice"][d]["space"] for d in DICE}
        self.value = {d: setup["dice"][d]["value"] for d in DICE}
        self.n_towers = len(setup["towers"])
        self.sections: dict[tuple[int, int], Section] = {}
        for tower, (cards, tiles) in enumerate(zip(setup["towers"], setup["tiles"], strict=True)):
            for level, (card, tile) in enumerate(zip(cards, tiles, strict=True)):
                data = self.rules["sections"][card]
                self.sections[tower, level] = Section(
                    tower, level, data["kind"], data["cost"], data["recognition"], data["rubles"], tile
                )
        self.turns = 0  # begun, of all seats
        self.turn = Turn(0, setup["first_seat"])
        self.finisher: int | None = None
        self.last_turns: int | None = None  # still to come, once somebody has finished
        self.truncated = False
        self.cards_left: set[str] = set()  # Ivan's
        self.ivan_choices: list[tuple[int, int]] | None = None  # while you choose Ivan's claim

    def _seat(self, i: int) -> Seat:
        """Section 2, points 1, 2 and 8; section 5: the advanced board locks all ornaments (ruling 20)."""
        options = self.options_data
        ivan = self.solo and i == 1
        seat = Seat(
            index=i,
            colour=None if ivan else self.setup["colours"][i],
            ivan=ivan,
            marker=self.track.start,
            rubles=self.setup["rubles"][i],
            slots=options["slots_open"],
            banners=options["banners"],
        )
        if self.advanced and not ivan:
            seat.unlocked = dict.fromkeys(ORNAMENTS, 0)
        return seat

    @property
    def mover(self) -> Seat:
        """The seat whose turn it is."""
        return self.seats[self.turn.seat]

    def tower(self, tower: int) -> list[Section]:
        """The sections of a tower, bottom to top."""
        height = len(self.setup["towers"][tower])
        return [self.sections[tower, level] for level in range(height)]

    def finished(self, seat: int) -> int:
        """How many sections a seat has finished."""
        return sum(1 for s in self.sections.values() if s.complete and s.owner == seat)

    def dice_at(self, space: int | None) -> list[str]:
        """The dice in a space."""
        return [d for d in DICE if self.space[d] == space]

    def has_room(self, die: str, space: int) -> bool:
        """Whether a die may end there: never in a space with `dice_limit` other dice (section 7)."""
        return sum(1 for d in DICE if d != die and self.space[d] == space) < self.options_data["dice_limit"]

    def tile_gain(self, space: int) -> dict[str, int]:
        """What the resource tile of a space yields."""
        return self.rules["resource_tiles"][self.market[space]]["gain"]

    def tile_effect(self, tile: str) -> dict[str, Any]:
        """The effect of a workshop tile."""
        return self.rules["workshop_tiles"][tile]["effect"]

    def options(self) -> set[tuple]:
        """All steps that may be started now (see options.py)."""
        from .options import options

        return options(self)

    def state_line(self) -> dict[str, Any]:
        """The state line after the turn under way."""
        return {
            "type": "state",
            "turn": self.turn.number,
            "seat": self.turn.seat,
            "seats": [_seat_state(s) for s in self.seats],
            "supply": nonzero(self.supply),
            "dice": {d: {"space": self.space[d], "value": self.value[d]} for d in DICE},
            "sections": [
                {
                    "tower": s.tower,
                    "level": s.level,
                    "owner": s.owner,
                    "delivered": nonzero(s.delivered),
                    "complete": s.complete,
                    "ornament": s.ornament,
                }
                for s in self.sections.values()
                if s.owner is not None
            ],
        }


def _seat_state(seat: Seat) -> dict[str, Any]:
    if seat.ivan:
        return {
            "marker": seat.marker,
            "banners": seat.banners,
            "ornaments": nonzero(seat.ornaments),
            "inventory": nonzero(seat.inventory),
            "construction": nonzero(seat.construction),
        }
    return {
        "marker": seat.marker,
        "rubles": seat.rubles,
        "materials": nonzero(seat.materials),
        "slots": seat.slots,
        "banners": seat.banners,
        "workshop": seat.workshop,
        "ornaments": nonzero(seat.ornaments),
    }
