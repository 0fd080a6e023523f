"""The final score (rules section 8; rulings 29, 32-34)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .state import Game


def place_values(value: int, places: int, tower_shares: str) -> list[int]:
    """What the first, second, ... place of a tower is worth before ties (section 8; ruling 33)."""
    if tower_shares == "flat_third":
        return [value, value // 2, 1, 0][:places]
    worth = [value]
    while len(worth) < places:
        worth.append(worth[-1] // 2)
    return worth


def two_handed_shares(value: int, presence: list[int]) -> list[int]:
    """Two players and solo: a tie gives both 0; else the value and a third of it (section 8; ruling 32)."""
    mine, other = presence
    if mine == other:
        return [0, 0]
    second = value // 3
    if mine > other:
        return [value, second if other else 0]
    return [second if mine else 0, value]


def tower_shares(value: int, presence: list[int], shares: str = "halving", shares_2p: str = "third") -> list[int]:
    """What each seat gets of one tower. Who has no presence fills no place; ties split their places' shares."""
    if len(presence) == 2 and shares_2p == "third":
        return two_handed_shares(value, presence)
    worth = place_values(value, len(presence), shares)
    result = [0] * len(presence)
    place = 0
    for level in sorted({p for p in presence if p > 0}, reverse=True):
        tied = [seat for seat, p in enumerate(presence) if p == level]
        for seat in tied:
            result[seat] = sum(worth[place : place + len(tied)]) // len(tied)
        place += len(tied)
    return result


def ranks(keys: list[tuple[int, int, int]]) -> list[int]:
    """Rank by (prestige, finished sections, ornaments placed), ties sharing the better rank."""
    return [1 + sum(other > key for other in keys) for key in keys]


def leftovers(game: Game, seat: int) -> int:
    """1 prestige for every `leftover_divisor` of (materials in the inventory + rubles); Ivan: none (ruling 29)."""
    who = game.seats[seat]
    if who.ivan:
        return 0
    return (sum(who.materials.values()) + who.rubles) // game.options_data["leftover_divisor"]


def tower_count(game: Game, tower: int) -> dict[str, Any]:
    """Value and presence of one tower."""
    built = [s for s in game.tower(tower) if s.complete]
    adorned = [s for s in built if s.ornament]
    presence = [0] * len(game.seats)
    for section in built:
        presence[section.owner] += 1
    for section in adorned:
        presence[section.ornament["owner"]] += 1
    return {"value": 2 * len(built) + len(adorned), "presence": presence}


def score_line(game: Game) -> dict[str, Any]:
    """The whole score line of a finished (or truncated) game."""
    towers = [tower_count(game, t) for t in range(game.n_towers)]
    options = game.options_data
    shares = [
        tower_shares(t["value"], t["presence"], options["tower_shares"], options["tower_shares_2p"]) for t in towers
    ]
    seats = []
    for i, who in enumerate(game.seats):
        on_track = game.track.prestige(who.marker)
        left = leftovers(game, i)
        mine = [share[i] for share in shares]
        seats.append(
            {
                "prestige_on_track": on_track,
                "leftovers": left,
                "towers": mine,
                "total": on_track + left + sum(mine),
                "sections": game.finished(i),
                "ornaments": sum(1 for s in game.sections.values() if s.ornament and s.ornament["owner"] == i),
            }
        )
    places = ranks([(s["total"], s["sections"], s["ornaments"]) for s in seats])
    for seat, rank in zip(seats, places, strict=True):
        seat["rank"] = rank
        seat["win_share"] = 1 / places.count(1) if rank == 1 else 0.0
    return {
        "type": "score",
        "truncated": game.truncated,
        "turns": game.turns,
        "finisher": game.finisher,
        "seats": seats,
        "towers": towers,
    }
